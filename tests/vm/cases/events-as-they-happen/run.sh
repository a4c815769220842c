#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"

now_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }

# events OPTION...: in the background, into $WORK/events, once it is one of the sessions
events()
{
	ktally events "$@" > "$WORK/events" 2> "$WORK/said" &
	EVENTS=$!
	until_true 20 recording $EVENTS || { cat "$WORK/said" >&2; fail "events did not start"; }
	# its opening walk may go on: a probe is there when it is over
	# shellcheck disable=SC2016
	until_true 20 sh -c '/bin/true; sleep 0.3; [ -s "$1" ]' sh "$WORK/events" || fail "nothing happens"
}

events --csv --no-header --columns time_ns,event,pid,ppid,exit_code,argv
sh -c 'exit 3' & quick=$!
wait $quick
sleep 2.25 & sleeper=$!
asked=$(now_ms)
until_true 10 grep -q "exec,$sleeper," "$WORK/events" || fail "no exec of $sleeper"
late=$(($(now_ms) - asked))
wait $sleeper
until_true 10 grep -q "exit,$sleeper," "$WORK/events" || fail "no end of $sleeper"
# on both CPUs at once
"$SHARED/forks" 500 crowd & crowd=$!
"$SHARED/forks" 500 crowd || broken "no crowd"
wait $crowd || broken "no crowd beside it"
kill -INT $EVENTS
wait $EVENTS || fail "events ended with $?"
say "an exec was on the screen after $late ms at most"

of() { grep "^[0-9]*,[a-z]*,$1," "$WORK/events" | cut -d, -f2 | tr '\n' ' '; }
[ "$(of $quick)" = "fork exit " ] || [ "$(of $quick)" = "fork exec exit " ] || fail "$quick: $(of $quick)"
[ "$(of $sleeper)" = "fork exec exit " ] || fail "$sleeper: $(of $sleeper)"
grep -q "exit,$quick,$$,3," "$WORK/events" || fail "the status of $quick: $(grep "exit,$quick," "$WORK/events")"
grep -q "exit,$sleeper,$$,0,\"*sleep 2.25" "$WORK/events" || fail "the end does not carry its command: $(grep "exit,$sleeper," "$WORK/events")"
sort -c -n -t, -k1,1 "$WORK/events" || fail "not in the order of time"

# of one tree: nothing of the others
# shellcheck disable=SC2016
sh -c 'while :; do sleep 0.1; done' & other=$!
# shellcheck disable=SC2016
sh -c 'while [ ! -e "$1" ]; do sleep 0.3; done; read -r x < /proc/self/stat; exit 0' sh "$WORK/enough" & tree=$!
ktally events -p $tree --tree --jsonl --columns event,pid,ppid --count 4 > "$WORK/tree" || fail "--count ended with $?"
kill $other
: > "$WORK/enough"
wait $tree
[ "$(grep -c '"event"' "$WORK/tree")" = 4 ] || fail "--count 4 gave $(grep -c '"event"' "$WORK/tree")"
! grep '"event"' "$WORK/tree" | grep -v "\"ppid\":$tree\|\"pid\":$tree" | grep -q . || fail "others are among them: $(cat "$WORK/tree")"

ktally events -e nonsense 2> "$WORK/said" && fail "-e nonsense"
grep -q "fork, exec and exit" "$WORK/said" || fail "$(cat "$WORK/said")"
ktally events -p 999999 > /dev/null 2>&1
[ $? = 3 ] || fail "a PID that is not there"
ktally events -D 0.2 > "$WORK/table" || fail "-D ended with $?"
exit 0
