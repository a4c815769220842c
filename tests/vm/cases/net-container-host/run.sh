#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
#   A: ce0 .7.2 --+                            W (the world): eth1 .6.2
#   B: ce0 .7.3 --+-- br0 .7.1  host  eth0 .6.1 ------ cable ----+
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules bridge nf_tables nft_chain_nat nft_masq
two_cards
namespace A B W
ip link add br0 type bridge || skip "no bridge"
for _end in A:2 B:3; do
	ip link add "h${_end%:*}" type veth peer name ce0 netns "${_end%:*}"
	ip link set "h${_end%:*}" master br0 up
	address "${_end%:*}" ce0 7 "${_end#*:}"
	ip -n "${_end%:*}" route add default via 10.9.7.1
done
ip addr add 10.9.7.1/24 dev br0
ip link set br0 up
ip addr add 10.9.6.1/24 dev eth0
# its routers are not asked for
echo 1 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6
ip link set eth0 up
ip link set eth1 netns W
address W eth1 6 2
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 0 > /proc/sys/net/ipv4/tcp_sack
nft -f - <<END || skip "no nft"
table ip containers {
	chain post {
		type nat hook postrouting priority 100;
		oifname "eth0" ip saddr 10.9.7.0/24 masquerade
	}
	chain pre {
		type nat hook prerouting priority -100;
		iifname "eth0" tcp dport 9000 dnat to 10.9.7.2:9001
	}
}
END
id_a=aaaaaaaaaaaabbbbbbbbbbbbccccccccccccddddddddddddeeeeeeeeeeeeffff
id_b=bbbbbbbbbbbbccccccccccccddddddddddddeeeeeeeeeeeeffffffffffff0000
mkdir -p /sys/fs/cgroup/docker/$id_a /sys/fs/cgroup/docker/$id_b || skip "no cgroups"
sleep 3
start

# in_container ID NAMESPACE COMMAND...
in_container()
{
	sh -c 'echo $$ > /sys/fs/cgroup/docker/$1/cgroup.procs; shift; exec nsenter "$@"' sh \
		"$1" "--net=/run/netns/$2" "$SHARED/xfer" "$3" "$4" "$5" "$6" "$7" 16 65536 "$WORK/$3.ready" >> "$TRUTH"
}
world() { in_ns W "$SHARED/xfer" "$1" "$2" tcp "$3" "$4" 16 65536 "$WORK/$1.ready" >> "$TRUTH"; }
ready() { until_true 20 test -e "$WORK/$1.ready" || broken "$1 is not ready"; }

world out_recv recv 10.9.6.2 7000 &
peer=$!
ready out_recv
in_container $id_a A out_send send tcp 10.9.6.2 7000 || broken "out"
wait $peer || broken "out"

in_container $id_a A in_recv recv tcp 10.9.7.2 9001 &
peer=$!
ready in_recv
world in_send send 10.9.6.1 9000 || broken "in"
wait $peer || broken "in"

in_container $id_b B served_recv recv tcp 10.9.7.3 9200 &
peer=$!
ready served_recv
"$BIN/proxy" 10.9.6.1 9100 10.9.7.3 9200 "$WORK/proxy.ready" >> "$TRUTH" &
proxy=$!
ready proxy
world served_send send 10.9.6.1 9100 || broken "served"
wait $peer || broken "served"
wait $proxy || broken "the proxy failed"
stop
if [ -n "$NATIVE" ]; then
	exit 0
fi
ktally report -a --by container --csv "$KTL" > "$WORK/containers.csv" || fail "no report by container"
tables "$KTL" --strict
equations
hold
compare "$WORK"/lives.* "$WORK/devices.csv" "$WORK/classes.csv" "$WORK/containers.csv"
ip link del br0
nft delete table ip containers
