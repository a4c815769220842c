#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
T=/sys/kernel/tracing
mount -t tracefs none $T 2> /dev/null || [ -e $T/trace ] || skip "no tracefs"
ip link set lo up 2> /dev/null || ifconfig lo up
insmod /vm/ktally.ko || fail "insmod: $?"
chmod 666 /dev/ktally

# cost NAME: a number of what status says of the cost since load
cost() { ktally status --json | grep -o "\"$1\":[0-9]*" | cut -d: -f2; }
# devices: packets that the devices themselves counted
devices() { awk 'sub(/.*:/, "") { n += $2 + $10 } END { printf "%d", n }' /proc/net/dev; }

# --- since load ---

start
both=$(ktally status --json)
echo "$both" | grep -q '"version":"[0-9]' || fail "no version"
rows=$(echo "$both" | grep -o '"attempts":[0-9]*' | awk -F: '{ n += $2 } END { print n }')
sum=$(echo "$both" | grep -o '"records":[0-9]*' | cut -d: -f2)
truth "role=records rows=$rows sum=$sum"
packets=$(cost packets) there=$(devices)
"$BIN/work" 0 500 || broken "work"
truth "role=packets sum=$(($(cost packets) - packets)) devices=$(($(devices) - there))"
stop
truth "role=over before=$sum after=$(cost records)"

# --- timed, and traced at the same time ---

hooks='sched/sched_process_fork sched/sched_process_exec sched/sched_process_exit
	net/net_dev_queue net/net_dev_start_xmit net/net_dev_xmit net/netif_receive_skb'
echo boot > $T/trace_clock
echo 8192 > $T/buffer_size_kb
for h in $hooks; do echo 1 > "$T/events/$h/enable"; done
start
ktally status --cost --json > "$WORK/cost.json" 2> "$WORK/cost.said" &
timer=$!
until_true 20 waits $timer || fail "it does not wait: $(cat "$WORK/cost.said")"
ktally status --cost -D 1 > "$WORK/out" 2>&1
truth "role=second rc=$? said=$(grep -c 'somebody else' "$WORK/out")"
"$BIN/work" 300 700 || broken "work"
kill -INT $timer
wait $timer || fail "status --cost ended with $?: $(cat "$WORK/cost.said")"
stop
for h in $hooks; do echo 0 > "$T/events/$h/enable"; done

time_of() { grep -o "\"$1\":[0-9]*" "$WORK/cost.json" | cut -d: -f2; }
since=$(time_of since_ns) until=$(time_of until_ns)
[ -n "$since$until" ] || fail "no times: $(cat "$WORK/cost.json")"
! grep -q 'LOST' $T/trace || broken "ftrace lost events"
# NAME COUNT of what ftrace saw within these times
awk -v a="$since" -v b="$until" '
	match($0, / [0-9]+[.][0-9]+: [a-z_]+: /) {
		split(substr($0, RSTART + 1, RLENGTH), part, ": ")
		t = part[1] * 1e9
		n[part[2]] += t > a && t < b
	}
	END { for (name in n) print name, n[name] }
' $T/trace > "$WORK/traced"
for h in $hooks; do
	h=${h#*/}
	calls=$(grep -o "\"hook\":\"$h\",\"calls\":[0-9]*" "$WORK/cost.json" | sed 's/.*://')
	truth "role=hook name=$h timed=$calls traced=$(sed -n "s/^$h //p" "$WORK/traced")"
done
# each call is in one place of the histogram
tr '{' '\n' < "$WORK/cost.json" | awk '
	match($0, /"calls":[0-9]+/) {
		calls = substr($0, RSTART + 8, RLENGTH - 8)
		n = 0
		if (match($0, /"took":"[^"]*"/)) {
			m = split(substr($0, RSTART + 8, RLENGTH - 9), at, " ")
			for (i = 1; i <= m; i++) { sub(/.*:/, "", at[i]); n += at[i] }
		}
		print "TRUTH role=histogram calls=" calls " in_it=" n
	}
' >> "$TRUTH"

# --- who may, and afterwards ---

"$BIN/work" as 1500 "$(command -v ktally)" status --cost -D 1 > "$WORK/out" 2>&1
truth "role=other-user rc=$? said=$(grep -c 'only root' "$WORK/out")"
ktally status --cost -D 0.1 > "$WORK/out" 2>&1
truth "role=again rc=$?"
rmmod ktally || fail "rmmod: $?"
compare
