#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules tcp_diag
namespace A B
veth A va B vb
address A va 1 1
address B vb 1 2

# as ROLE NAMESPACE COMMAND...: its PID in $WORK/ROLE.pid
as()
{
	_role=$1 _ns=$2
	shift 2
	sh -c 'echo $$ > "$0"; exec nsenter "$@"' "$WORK/$_role.pid" "--net=/run/netns/$_ns" "$@"
}
pid_of() { cat "$WORK/$1.pid"; }

mkdir -p "$WORK/www"
head -c 3000000 /dev/urandom > "$WORK/www/file"
cat > "$WORK/nginx.conf" <<END
daemon off; master_process off; user root; pid $WORK/nginx.run; error_log $WORK/nginx.log;
events { }
http { access_log off; server { listen 10.9.1.2:80; root $WORK/www; } }
END
# counters NAME: the device's own, as people read them
# shellcheck disable=SC2016 # awk's own
counters() { in_ns A awk -v d="$1:" '$1 == d { print $2, $3, $10, $11 }' /proc/net/dev; }

# until both ends have told their multicast groups: what came between this look and the
# session's would be in one of the counts alone
quiet()
{
	before=$(counters va)
	sleep 4
	[ "$(counters va)" = "$before" ]
}
until_true 60 quiet || broken "va is never quiet"
start
in_ns A stdbuf -oL ss -EtinH > "$WORK/ss" &
watcher=$!
as nginx B nginx -c "$WORK/nginx.conf" &
as dnsmasq B dnsmasq -k -C /dev/null --no-resolv --no-hosts --address=/example.test/192.0.2.7 \
	--listen-address=10.9.1.2 --bind-interfaces --user=root --pid-file="$WORK/dnsmasq.run" &
as iperf_server B iperf3 -s -1 -B 10.9.1.2 > "$WORK/iperf_server.out" &
until_true 60 in_ns A curl -s -o /dev/null http://10.9.1.2/none || broken "no nginx"
sleep 2

for _n in 1 2 3; do
	as "curl$_n" A curl -s -o /dev/null -w '%{size_download} %{size_header} %{size_request}\n' \
		http://10.9.1.2/file > "$WORK/curl.out" || broken "curl"
	read -r body header request < "$WORK/curl.out"
	truth "role=curl$_n pid=$(pid_of "curl$_n") tx_bytes=$request rx_bytes=$((body + header))"
done

as iperf A iperf3 -c 10.9.1.2 -n 20M -J > "$WORK/iperf.out" || broken "iperf3: $(tail -n 3 "$WORK/iperf.out")"
truth "role=iperf pid=$(pid_of iperf) bytes=$(awk '/"sum_sent"/ { on = 1 } on && /"bytes"/ { gsub(/[^0-9]/, ""); print; exit }' "$WORK/iperf.out")"
until_true 10 test ! -e "/proc/$(pid_of iperf_server)" || broken "iperf3 -s stays"
truth "role=iperf_server pid=$(pid_of iperf_server)"

as ping A ping -q -f -c 200 -s 1000 10.9.1.2 > "$WORK/ping.out" || broken "ping: $(cat "$WORK/ping.out")"
truth "role=ping pid=$(pid_of ping) sent=$(grep -o '^[0-9]* packets' "$WORK/ping.out" | cut -d' ' -f1) received=$(grep -o '[0-9]* received' "$WORK/ping.out" | cut -d' ' -f1)"

as dig A dig +qr @10.9.1.2 example.test > "$WORK/dig.out" || broken "dig"
truth "role=dig pid=$(pid_of dig) tx_bytes=$(awk '/QUERY SIZE/ { print $NF }' "$WORK/dig.out") rx_bytes=$(awk '/MSG SIZE/ { print $NF }' "$WORK/dig.out")"

kill "$(pid_of nginx)" "$(pid_of dnsmasq)"
sleep 2
truth "role=dnsmasq pid=$(pid_of dnsmasq)"
truth "role=nginx pid=$(pid_of nginx)"
kill $watcher
# the kernel's own counters of the namespace, which has done nothing else
truth "role=nstat netns=$(stat -L -c %i /run/netns/A) $(in_ns A nstat -asz | awk '$1 ~ /^(TcpOutSegs|TcpInSegs|TcpRetransSegs|UdpOutDatagrams|UdpInDatagrams|IcmpOutEchos)$/ { printf "%s=%s ", $1, $2 }')"
truth "role=dev $(echo "$before $(counters va)" | awk '{ print "rx_bytes=" $5 - $1, "rx_packets=" $6 - $2, "tx_bytes=" $7 - $3, "tx_packets=" $8 - $4 }')"
truth "role=ss $(grep -o 'bytes_[a-z]*:[0-9]*\|segs_[a-z]*:[0-9]*' "$WORK/ss" | awk -F: '{ s[$1] += $2 } END { for (k in s) printf "%s=%d ", k, s[k] }') bytes_retrans=0 sockets=$(grep -c bytes_received: "$WORK/ss")"
stop
judge_net
