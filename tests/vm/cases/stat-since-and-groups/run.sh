#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
ip link set lo up 2> /dev/null || ifconfig lo up
program keeper
program keeper alpha
program keeper beta
chmod 755 "$WORK" "$WORK/alpha" "$WORK/beta"
chmod 1777 "$WORK"
# step N: one after the other
step()
{
	for name in alpha beta; do
		touch "$WORK/$name.$1"
		until_true 60 test -e "$WORK/$name.$1.done" || broken "$name: step $1"
	done
}
# busy_ns: user, nice, system and the interrupts of all CPUs, which the kernel counts in ticks
busy_ns() { awk '$1 == "cpu" { printf "%.0f\n", ($2 + $3 + $4 + $7 + $8) * 1e7 }' /proc/stat; }

"$WORK/keeper" "$WORK" >> "$TRUTH" &
keeper=$!
step 0
insmod /vm/ktally.ko || fail "insmod: $?"
step 1
before=$(busy_ns)
# shellcheck disable=SC2034 # of case.sh
FORMS=csv
watch plain alpha beta 0.3
watch load alpha beta 0.3 --since-load
watch birth alpha beta 0.3 --since-birth
watch netns alpha beta 0.3 --by netns
watch users alpha beta 0.3 --by user
watch parents alpha beta 0.3 --by parent
watch machine 0.3
step 2
unwatch
truth "role=stat busy_ns=$(($(busy_ns) - before))"
touch "$WORK/alpha.3" "$WORK/beta.3"
wait $keeper || broken "keeper ended with $?"
compare "$WORK"/plain.csv "$WORK"/load.csv "$WORK"/birth.csv "$WORK"/netns.csv "$WORK"/users.csv "$WORK"/parents.csv \
	"$WORK"/machine.csv
rmmod ktally
