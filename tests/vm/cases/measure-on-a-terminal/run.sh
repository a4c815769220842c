#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
. "$LIB/terminal.sh"
trap 'no_terminal || on kill-server' EXIT
# Of a pager the screen would show what it makes of a table.
export PAGER=cat
cd "$WORK" || broken "no $WORK"
# fits WHAT [COLUMNS]: the screen up to what stty says, no line of it wrapped but words of warning
fits()
{
	look -J
	cp "$SCREEN" "$OUT/$1"
	sed -i '/^ktally: /d; /^speed /,$d' "$SCREEN"
	[ "$(widest)" -le "${2:-80}" ] || fail "$1: a line of $(widest) columns: $(cat "$SCREEN")"
}
# has PATTERN...: on the screen that fits() looked at
has()
{
	for _pattern; do
		grep -q -e "$_pattern" "$SCREEN" || fail "nothing like '$_pattern': $(cat "$SCREEN")"
	done
}
ended() { until_true 120 shown "status=" || { cat "$SCREEN" >&2; fail "$1 does not end"; }; }

# --- how far it is, then the table ---
open_terminal 80 60 ktally measure -r 40 --pictures "$WORK/drawn" -- sleep 0.1
shows "run [0-9]*, about [0-9]* s left" "runs"
fits progress
ended "a command"
shown "status=0" || fail "a command: $(cat "$SCREEN")"
hidden "s left" || fail "progress is left: $(cat "$SCREEN")"
fits table
has "^time " "^40 runs after 1 to warm up"
close_terminal
cp drawn/runs-time.svg drawn/runs-peak-memory.svg "$OUT"

# --- Ctrl-C: what is complete ---
open_terminal 80 60 ktally measure -r 1000 -- sleep 0.1
shows "run [0-9]*, about [0-9]* s left" "runs"
press C-c
ended "a command that was stopped"
shown "status=0" || fail "a command that was stopped: $(cat "$SCREEN")"
fits stopped
has "^time " "^[0-9]* runs* after 1 to warm up"
close_terminal

# --- compared, a parameter, each run ---
open_terminal 80 60 ktally measure --compare -r 12 -- sleep 0.01 --- sleep 0.03
ended "a comparison"
fits compared
has "^  2  time " "^2 / 1, time: .*: more$"
close_terminal
open_terminal 80 60 ktally measure --scan t=0.01,0.02 --scan n=1,2 -r 10 -- sleep "{t}" "0.00{n}"
ended "a parameter"
fits scanned
has "^t=0.02 n=2  *time " "^4 / 1, time: "
close_terminal
open_terminal 80 60 ktally measure --each -r 10 -- sleep 0.01
ended "each run"
fits each
has "^ *11 .* 0$"
close_terminal

# --- a method ---
open_terminal 80 60 ktally measure --workers 2 --role self=pid:$$ --warm-up 1 --samples 3 --every 0.5 --solo 5 --shared 2 --repeats 2 --json -o "$WORK/m.json" -- sleep 0.1
shows "repeat 1 of 2, [a-z ]* [0-9]* %, about [0-9]* s left" "a method"
fits method-progress
ended "a method"
close_terminal
# its table is for a pager: subjects by measures
open_terminal 100 90 ktally measure show --pictures "$WORK/method" m.json
ended "a method's result"
fits method 90
has "^solo  *worker  *time " "^server  *self  *resident "
close_terminal
cp method/*.svg "$OUT"
open_terminal 100 90 ktally measure compare m.json m.json
ended "a result beside itself"
fits method-compared 90
has "^solo  *worker  *time .*same\|few$"
close_terminal

# --- nobody looks on ---
ktally measure -r 40 -- sleep 0.02 > "$WORK/t" 2> "$WORK/said" || fail "in a pipe: $?"
! grep -q "left" "$WORK/said" || fail "progress in a pipe: $(cat "$WORK/said")"
cp "$WORK/t" "$WORK/said" "$OUT"
exit 0
