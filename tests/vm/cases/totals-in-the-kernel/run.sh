#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
ip link set lo up 2> /dev/null || ifconfig lo up

# count KEY COLUMN [OPTION...]: a value of `totals`
count()
{
	_key=$1 _column=$2
	shift 2
	ktally totals --csv --no-header --columns "$_column,key" "$@" |
		awk -F, -v key="$_key" '{ gsub(/"/, "", $2) } $2 == key { print $1; found = 1 } END { if (!found) print 0 }'
}

"$BIN/before" >> "$TRUTH" &
before=$!
until_true 30 grep -q role=before "$TRUTH" || broken "no CPU"
insmod /vm/ktally.ko || fail "insmod: $?"
truth "role=loaded cpu_ns=$(count before cpu_ns) alive=$(count before alive)"
kill -USR1 $before
wait $before
truth "role=loaded-ended cpu_ns=$(count before cpu_ns) ended=$(count before count)"
work "$BIN/totals"

# cgroups that go
if mount -t cgroup2 none /sys/fs/cgroup 2> /dev/null || grep -q ' /sys/fs/cgroup cgroup2' /proc/mounts; then
	mkdir -p /sys/fs/cgroup/box/inner
	sh -c "echo \$\$ > /sys/fs/cgroup/box/inner/cgroup.procs; true; (exit 3); (exit 4); exit 5"
	truth "role=cgroup inner=$(count /box/inner count --by cgroup) box=$(count /box count --by cgroup)"
	rmdir /sys/fs/cgroup/box/inner
	sleep 1
	truth "role=folded inner=$(count /box/inner count --by cgroup) box=$(count /box count --by cgroup)"
	rmdir /sys/fs/cgroup/box
	sleep 1
	truth "role=folded-again box=$(count /box count --by cgroup) root=$(count / count --by cgroup)"
else
	truth "role=cgroup inner=3 box=0"
	truth "role=folded inner=0 box=3"
	truth "role=folded-again box=0 root=9"
fi

# a file: saved twice it counts once; of an earlier load it is added
saved=$WORK/saved
# shellcheck disable=SC2015
ktally totals -q --save "$saved" && ktally totals -q --save "$saved" || fail "save: $?"
truth "role=saved once=$(count burst count --add "$saved") earlier=$(sed '1s/\t[0-9a-f]*-/\t00000000-/' "$saved" > "$saved.old"; count burst count --add "$saved.old")"
sed -n '1p;3,$p' "$saved" | sed '$d' > "$saved.cut"
ktally totals --add "$saved.cut" > /dev/null 2> "$WORK/said"
truth "role=cut rc=$? said=$(grep -c 'line .*: no totals' "$WORK/said")"
ktally totals --json > "$WORK/totals.json" || fail "json: $?"
ktally totals --csv > "$WORK/totals.csv" || fail "csv: $?"

ktally totals -q --reset || fail "reset: $?"
truth "role=reset burst=$(count burst count) once=$(ktally totals --csv --no-header --columns count | awk '{ n += $1 } END { print n }')"
compare "$WORK/totals.csv" "$WORK/totals.json"
rmmod ktally

# more keys than the table has rows: the rest is one row, and nothing is missing
insmod /vm/ktally.ko totals_rows=16 || fail "insmod: $?"
n=0
while [ $n -lt 60 ]; do
	"$SHARED/forks" 2 "key$n"
	n=$((n + 1))
done
for form in csv json; do
	ktally totals --$form > "$WORK/full.$form" || fail "$form: $?"
done
truth "role=full sum=$(awk -F, 'NR > 1 { n += $1 } END { print n }' "$WORK/full.csv") keys=$(grep -c '"*key[0-9]' "$WORK/full.csv")"
verdict "$HERE/full.txt" "$WORK/full.csv" "$WORK/full.json"
rmmod ktally
insmod /vm/ktally.ko totals_rows=0 || fail "insmod: $?"
ktally totals > /dev/null 2> "$WORK/said"
# shellcheck disable=SC2015
[ $? -eq 4 ] && grep -q totals_rows=0 "$WORK/said" || fail "without totals: $(cat "$WORK/said")"
rmmod ktally
