#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
. "$LIB/measure.sh"
UNIT=measured.service
SERVICE=/sys/fs/cgroup/system.slice/$UNIT
trap 'systemctl stop $UNIT 2> /dev/null; swapoff -a; kill $RECORDERS 2> /dev/null' EXIT
systemctl stop nginx

# --- the service ---
mkdir "$WORK/www"
head -c 20000 /dev/urandom > "$WORK/www/file"
chmod 755 "$WORK"
cat > "$WORK/nginx.conf" <<END
daemon off; worker_processes 2; user root; pid $WORK/nginx.run; error_log $WORK/nginx.log;
events { }
http {
	log_format sent "\$bytes_sent";
	access_log $WORK/sent sent;
	server { listen 127.0.0.1:8080; root $WORK/www; }
}
END
cat > /run/systemd/system/$UNIT <<END
[Service]
ExecStart=/usr/sbin/nginx -c $WORK/nginx.conf
ExecStopPost=/bin/sh -c 'cat $SERVICE/cpu.stat >> $WORK/stopped'
END
systemctl daemon-reload
answers() { [ -s "$WORK/nginx.run" ] && listens 8080; }
systemctl start $UNIT || broken "nginx does not start"
until_true 60 answers || broken "nginx does not listen"

# --- what others say of it ---
used_us() { awk '$1 == "usage_usec" { s += $2 } END { print s }' "$@"; }
# of_all FIELD: added up over the unit's processes, /proc/PID/status
of_all() { xargs -I{} cat /proc/{}/status < $SERVICE/cgroup.procs | awk -v f="$1:" '$1 == f { s += $2 } END { print s }'; }
switches() { of_all voluntary_ctxt_switches; }
lo_sent() { cat /sys/class/net/lo/statistics/tx_bytes; }
answered() { awk '{ s += $1 } END { printf "%.0f\n", s }' "$WORK/sent"; }
load_it() { wrk -t1 -c2 -d4s http://127.0.0.1:8080/file > "$WORK/wrk" || broken "wrk: $?"; }

load_it
begin_resources 15 --role web=unit:$UNIT --role load=name:wrk
: > "$WORK/sent"
us=$(used_us $SERVICE/cpu.stat) csw=$(switches) lo=$(lo_sent)
load_it
us=$(($(used_us $SERVICE/cpu.stat) - us)) csw=$(($(switches) - csw)) lo=$(($(lo_sent) - lo))
resident=$(($(of_all VmRSS) * 1024)) threads=$(of_all Threads)
end_resources
say "CPU: $(role_cpu web) of $us us; switches: $(column total both web switches 1) of $csw; sent: $(column total both web 'lo tx' 1), by its log $(answered); lo: $(column total both lo tx 1) of $lo"
near "CPU of the unit" "$(role_cpu web)" "$((us * 1000))" 5
near "switches of the unit" "$(column total both web switches 1)" "$csw" 5
near "resident" "$(column max both web resident 1)" "$resident" 2
[ "$(column median both web processes 1) $(column median both web threads 1)" = "3 $threads" ] || fail "processes, threads of nginx"
# On the wire are headers, too.
is "$(column total both web 'lo tx' 1) >= $(answered) && $(column total both web 'lo tx' 1) <= 1.12 * $(answered)" "bytes that nginx sent"
near "bytes over lo" "$(column total both lo tx 1)" "$lo" 2
near "bytes over lo of both ends" "$(column total both web 'lo tx' 1) + $(column total both load 'lo tx' 1)" "$lo" 2
[ "$(column max both machine memory 1)" = "$(awk '$1 == "MemTotal:" { print $2 * 1024 }' /proc/meminfo)" ] || fail "the machine's memory"

# --- it restarts: what it used before stays in the sums ---
begin_resources 25 --role web=unit:$UNIT
us=$(used_us $SERVICE/cpu.stat)
load_it
: > "$WORK/stopped"
systemctl restart $UNIT || broken "nginx does not restart"
until_true 60 answers || broken "nginx does not listen again"
load_it
us=$(($(used_us "$WORK/stopped" $SERVICE/cpu.stat) - us))
end_resources
say "CPU over a restart: $(role_cpu web) of $us us, $(column total both web ended 1) ended"
near "CPU over a restart" "$(role_cpu web)" "$((us * 1000))" 5
is "$(column total both web ended 1) >= 3" "processes that ended"
systemctl stop $UNIT

# --- what would spoil a result: first nothing, then one after the other ---
short() { measure -r 10 -w 0 "$@" -- true > "$WORK/t"; }
said() { grep -q "warning: .*$1" "$WORK/said"; }
clock=/sys/devices/system/clocksource/clocksource0
was=$(cat $clock/current_clocksource)
short || fail "a short measurement: $?: $(cat "$WORK/said")"
keep "$WORK/said"
for word in "swap" "governor" "lost .* records"; do
	! said "$word" || fail "a warning without a reason: $(cat "$WORK/said")"
done
case $was in
tsc | arch_sys_counter | kvm-clock) ! said "the clock" || fail "a warning of the clock $was" ;;
esac

say "governor"
# shellcheck disable=SC2016 # of the inner shell
unshare -m sh -c 'mount -t tmpfs none /sys/devices/system/cpu/cpu0 && mkdir /sys/devices/system/cpu/cpu0/cpufreq &&
	echo powersave > /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor && exec ktally measure -r 10 -- true' > "$WORK/t" 2> "$WORK/said" ||
	broken "a governor: $(cat "$WORK/said")"
said "frequency governor is powersave" || fail "no word of the governor: $(cat "$WORK/said")"

say "clock, of $(cat $clock/available_clocksource)"
for other in acpi_pm hpet; do
	[ "$other" = "$was" ] || ! grep -qw $other $clock/available_clocksource || break
done
echo "$other" > $clock/current_clocksource || broken "the clock stays $was"
short --json || fail "a slow clock: $?"
said "the clock is $other" || fail "no word of the clock: $(cat "$WORK/said")"
grep -q "\"clocksource\":\"$other\"" "$WORK/t" || fail "another clock in the result: $(tail -c 700 "$WORK/t")"
echo "$was" > $clock/current_clocksource

say "swap"
dd if=/dev/zero of=/swap bs=1M count=192 2> /dev/null
chmod 600 /swap
mkswap /swap > /dev/null
swapon /swap || broken "no swap"
memory_group tight
echo $((32 << 20)) > "$GROUP/memory.max" || broken "no limit of memory"
# shellcheck disable=SC2016 # of the inner shell
sh -c 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"' - "$GROUP" "$SHARED/poked" 96 1 "$WORK/used" &
poked=$!
RECORDERS="$RECORDERS $poked"
until_true 120 test -s "$WORK/used" || broken "no memory pressure"
short || fail "with swap in use: $?"
said "of swap are in use" || fail "no word of swap: $(cat "$WORK/said")"
begin_resources 3 --role big=pid:$poked
end_resources
swapped=$(($(awk '$1 == "VmSwap:" { print $2 }' /proc/$poked/status) * 1024))
say "swapped: $(column max both big swapped 1) of $swapped, the machine $(column max both machine 'swap used' 1)"
is "$swapped > $((48 << 20))" "the case swaps"
near "swapped memory of a role" "$(column max both big swapped 1)" "$swapped" 2
is "$(column max both machine 'swap used' 1) >= $swapped" "the machine's swap"
kill $poked
wait $poked

say "other load"
spinners=''
for _n in 1 2 3 4; do
	"$SHARED/spin" 3600000 &
	spinners="$spinners $!"
done
RECORDERS="$RECORDERS $spinners"
busy() { awk '{ exit !($1 > 1.2) }' /proc/loadavg; }
until_true 240 busy || broken "no load: $(cat /proc/loadavg)"
short || fail "on a busy machine: $?"
said "the machine is busy" || fail "no word of the load: $(cat "$WORK/said")"
# shellcheck disable=SC2086 # a word each
kill $spinners

say "one that only begins to work: the load of the last minute knows nothing of it"
# others SECONDS: the part of the CPUs that others used during runs of so long
others() { measure -r 10 -w 0 --json -- sleep "$1" | sed -n 's/.*"others":\([0-9.e-]*\).*/\1/p'; }
quiet=$(others 0.1)
"$SHARED/spin" 3600000 &
spinner=$!
RECORDERS="$RECORDERS $spinner"
busy=$(others 0.1)
say "others used $quiet of the CPUs, then $busy"
said "others used [0-9]* % of the CPUs" || fail "no word of a CPU of two that is busy: $(cat "$WORK/said")"
# This Debian has work of its own, too.
is "$busy >= 0.45 && $busy > $quiet + 0.2" "a CPU of two that is busy"
kill $spinner

say "losses of others, and losses of its own"
ktally record --buffer 64 -o "$WORK/lossy.ktl" 2> /dev/null &
lossy=$!
RECORDERS="$RECORDERS $lossy"
until_true 20 recording $lossy || broken "no other recorder"
kill -STOP $lossy
"$SHARED/forks" 3000 lost
short || fail "beside a recorder that loses: $?"
said 'recorders that are open have lost [0-9,]* records' || fail "no word of a recorder that loses: $(cat "$WORK/said")"
kill -CONT $lossy
finish $lossy
# shellcheck disable=SC2016 # of the shell that is measured
measure -r 2 -w 0 --buffer 64 -- sh -c 'kill -STOP $PPID; "$0" 1500 lost; kill -CONT $PPID' "$SHARED/forks" > "$WORK/t"
[ $? = 6 ] || fail "losses: status $?: $(cat "$WORK/said")"
grep -q VOID "$WORK/t" || fail "figures although records were lost: $(cat "$WORK/t")"
exit 0
