#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup || skip "no cgroup2"
mkdir -p /sys/fs/cgroup/one /sys/fs/cgroup/two
start
watch stat -G /one -G /two --by cgroup 0.2
work "$BIN/mover" /one /two
[ -z "$NATIVE" ] || exit 0
unwatch
stop
rmdir /sys/fs/cgroup/one /sys/fs/cgroup/two
tables "$KTL"
for form in csv json; do
	ktally report --by cgroup --$form "$KTL" mover > "$WORK/groups.$form" 2> "$WORK/report.said" || fail "report: $?"
done
# the longest that a refresh came after the one before
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["period"] == "interval" && $at["interval_ns"] > most { most = $at["interval_ns"] }
	END { printf "TRUTH role=slowest interval_ns=%.0f\n", most }' "$WORK/stat.csv" >> "$TRUTH"
compare "$WORK"/lives.* "$WORK"/stat.* "$WORK"/groups.*
