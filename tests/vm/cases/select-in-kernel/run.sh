#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"

# noise: strangers that fork and execute all the time, until $WORK/quiet is there
rounds() { wc -l < "$WORK/rounds"; }
: > "$WORK/rounds"
while [ ! -e "$WORK/quiet" ]; do
	"$BIN/blink" 1
	sleep 0.05
	echo >> "$WORK/rounds"
done 2> /dev/null &
noise=$!
RECORDERS="$RECORDERS $noise"

# noisy: while a recording goes on they have begun and ended
more_than() { [ "$(rounds)" -gt "$1" ]; }
noisy() { until_true 60 more_than $(($(rounds) + 6)) || fail "no noise"; }

# told NAME [OPTION...]: the tables of $WORK/NAME.ktl
told()
{
	for _form in csv json; do
		ktally report --strict -a --$_form "$WORK/$1.ktl" > "$WORK/$1.$_form" 2> "$WORK/report.said" ||
			fail "$1: report ended with $?: $(cat "$WORK/report.said")"
	done
	ktally report -a "$WORK/$1.ktl" > "$WORK/$1.table" || fail "$1: table: $?"
	truth "role=$1-kinds $(ktally dump "$WORK/$1.ktl" | awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^(fork|exec|args|thread_exit|exit|task|selection):$/) n[$i]++ }
		END { printf "forks=%d execs=%d thread_exits=%d exits=%d tasks=%d selections=%d", n["fork:"], n["exec:"], n["thread_exit:"], n["exit:"], n["task:"], n["selection:"] }') said=$(grep -c '^selected while recording' "$WORK/$1.table")"
}

# session NAME OPTION...: a recording in the background
session()
{
	_name=$1
	shift
	record "$WORK/$_name.ktl" "$@"
}

ready() { until_true 20 test -e "$WORK/$1.ready" || broken "$1 is not ready"; }

# a PID and what it starts
"$BIN/kin" tree 6 "$BIN/blink" "$WORK/tree.ready" >> "$TRUTH" &
kin=$!
ready tree
session tree -p $kin --tree
kill -USR1 $kin
until_true 60 grep -q role=tree "$TRUTH" || fail "kin is slow"
noisy
# shellcheck disable=SC2153
finish "$RECORDER" || fail "tree: $?"
told tree

# the PID alone, until it ends
session alone -p $kin
kill -TERM $kin
wait "$RECORDER" || fail "alone: $? $(cat "$WORK/alone.ktl.said")"
told alone

# a name: who executes it, whoever forked it
cp "$BIN/blink" "$WORK/wink"
session name -n 'win?'
for i in 1 2 3 4 5 6 7 8 9 10; do "$WORK/wink" 2; done
finish "$RECORDER" || fail "name: $?"
told name

# a user: forked as root, then it changes its user and executes
session user -u 4711
# shellcheck disable=SC2034
for i in 1 2 3; do "$BIN/as" 4711 "$BIN/blink" 9; done
finish "$RECORDER" || fail "user: $?"
told user

# a network namespace
unshare -n "$BIN/kin" inner 3 "$BIN/blink" "$WORK/inner.ready" >> "$TRUTH" &
kin=$!
ready inner
session netns --netns "$(stat -L -c %i /proc/$kin/ns/net)"
kill -USR1 $kin
until_true 60 grep -q role=inner "$TRUTH" || fail "kin is slow"
finish "$RECORDER" || fail "netns: $?"
kill $kin
told netns

# ends alone, of lives that lasted
session ends --min-duration 400ms
"$BIN/naps" 8 700 400 >> "$TRUTH"
finish "$RECORDER" || fail "ends: $?"
told ends

# a command: only its tree
ktally run --by process --json -o "$WORK/run.json" -- sh -c "$BIN/blink 1; $BIN/blink 2; true" || fail "run: $?"
ktally run --by process --csv -o "$WORK/run.csv" -- sh -c "$BIN/blink 1; $BIN/blink 2; true" || fail "run: $?"
ktally record --tree -o "$WORK/command.ktl" -- sh -c "$BIN/blink 1; $BIN/blink 2; true" 2> /dev/null || fail "record: $?"
told command

# a cgroup and those below it
if mount -t cgroup2 none /sys/fs/cgroup 2> /dev/null ||
	grep -q ' /sys/fs/cgroup cgroup2' /proc/mounts; then
	mkdir -p /sys/fs/cgroup/kt/below /sys/fs/cgroup/other
	session cgroup -G /kt
	sh -c "echo \$\$ > /sys/fs/cgroup/kt/below/cgroup.procs; $BIN/blink 3; $BIN/blink 3; exit 11"
	sh -c "echo \$\$ > /sys/fs/cgroup/other/cgroup.procs; $BIN/blink 3"
	finish "$RECORDER" || fail "cgroup: $?"
	told cgroup
	truth "role=has-cgroup n=1"
fi
: > "$WORK/quiet"
wait $noise
work "$BIN/change"
tables=''
for name in tree alone name user netns ends run command cgroup; do
	[ ! -e "$WORK/$name.json" ] || tables="$tables $WORK/$name.csv $WORK/$name.json"
done
# shellcheck disable=SC2086
compare $tables
