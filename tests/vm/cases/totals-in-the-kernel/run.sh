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

# metrics NAME FILE: sum of the samples of it
metric()
{
	awk -v name="$1" '{ value = $NF; sub(/ [^ ]*$/, "") } index($0, name) == 1 { sum += value } END { printf "%.0f\n", sum }' "$2"
}
ktally metrics --listen 0 2> /dev/null && fail "metrics listens at port 0"
ktally metrics -o "$WORK/m.prom" --every 200ms --by program --by user --groups 3 2> "$WORK/said" &
exporter=$!
RECORDERS="$RECORDERS $exporter"
until_true 30 grep -q ktally_metrics_lost_records_total "$WORK/m.prom" || fail "no metrics: $(cat "$WORK/said")"
cp "$WORK/m.prom" "$WORK/first.prom"
# 30 lives of a known end; and a program that another one takes the place of
i=0
while [ $i -lt 30 ]; do
	sh -c 'exit 4'
	sh -c 'kill -SEGV $$'
	i=$((i + 1))
done
sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; sleep 1; exec sleep 1'
# the file is another one each time: two more have all of it
for _ in 1 2; do
	_inode=$(stat -c %i "$WORK/m.prom")
	until_true 30 sh -c "[ \$(stat -c %i '$WORK/m.prom') != $_inode ]" || fail "metrics stand still"
done
finish $exporter || fail "metrics ended with $?: $(cat "$WORK/said")"
ktally metrics > "$WORK/once.prom" || fail "metrics: $?"
truth "role=metrics ok=$(metric 'ktally_program_exits_total{program="burst",result="ok"}' "$WORK/once.prom") failed=$(metric 'ktally_program_exits_total{program="burst",result="failed"}' "$WORK/once.prom") ended=$(metric ktally_exits_total "$WORK/once.prom") by_program=$(metric ktally_program_exits_total "$WORK/once.prom") by_user=$(metric ktally_user_exits_total "$WORK/once.prom")"
truth "role=few groups=$(grep -c 'ktally_program_processes{' "$WORK/m.prom") rest=$(grep -c 'ktally_program_processes{program="(others)"' "$WORK/m.prom") ended=$(metric ktally_exits_total "$WORK/m.prom") by_program=$(metric ktally_program_exits_total "$WORK/m.prom")"
truth "role=segv count=$(metric 'ktally_signal_exits_total{signal="SEGV"}' "$WORK/m.prom") lives=$(metric 'ktally_process_lifetime_seconds_count' "$WORK/m.prom") lost=$(metric ktally_metrics_lost_records_total "$WORK/m.prom")"
# no counter falls, whoever executes what
awk '/^#/ { next } { value = $NF; sub(/ [^ ]*$/, "") } !/_total/ { next }
	NR == FNR { first[$0] = value; next } ($0 in first) && value < first[$0] { print $0, first[$0], value; bad = 1 } END { exit bad }' \
	"$WORK/first.prom" "$WORK/m.prom" >&2 || fail "a counter fell"
ktally metrics --names process-exporter > "$WORK/pe.prom" || fail "metrics: $?"
grep -q '^namedprocess_namegroup_num_procs{groupname="sh"} ' "$WORK/pe.prom" || fail "no names of process-exporter"
[ "$(find "$WORK" -name 'm.prom.*.part' | wc -l)" -eq 0 ] || fail "half a file is left"

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
