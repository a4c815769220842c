#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
! ktally top < /dev/null 2>&1 | grep -q "built without ncurses" || skip "this ktally was built without ncurses"
. "$LIB/terminal.sh"
first_row() { sed -n 3p "$SCREEN"; }

program spin
cd "$WORK" || broken "no $WORK"
./spin 40 & spin=$!
(while :; do sleep 0.05; done) & spawner=$!
trap 'kill $spin $spawner 2> /dev/null; no_terminal || on kill-server' EXIT

# --- a screen of 80 x 24 ---
open_terminal 80 24 ktally top 0.5
shows "spin 40" "start"
# shellcheck disable=SC2016
until_true 20 sh -c 'tmux -S "$1" capture-pane -p -t t | sed -n 3p | grep -q "spin 40"' sh "$WORK/tmux" || fail "who uses most is not on top"
look
[ "$(wc -l < "$SCREEN")" = 24 ] || fail "$(wc -l < "$SCREEN") lines instead of 24"
[ "$(widest)" -le 80 ] || fail "a line of $(widest) columns"
head -n 1 "$SCREEN" | grep -q '^ktally · up [0-9:]* · [0-9]* CPU [0-9.]*% · procs [0-9]* +[0-9]* −[0-9]* · lost 0' || fail "head: $(head -n 1 "$SCREEN")"
first_row | awk -v pid=$spin '$1 != pid || $3 != "R" || $4 < 20 { exit 1 }' || fail "row of the spinner: $(first_row)"
# CPU+ lies between what /proc said before and says after
ticks() { awk '{ print $14 + $15 }' /proc/$spin/stat; }
before=$(ticks)
# shellcheck disable=SC2317,SC2329 # called by until_true
fresh() { look; first_row | awk -v a="$before" '{ split($5, t, ":"); exit !(100 * (60 * t[1] + t[2]) >= a) }'; }
until_true 20 fresh
after=$(ticks)
first_row | awk -v a="$before" -v b="$after" '{ split($5, t, ":"); s = 60 * t[1] + t[2] } 100 * s < a - 3 || 100 * s > b + 3 { exit 1 }' ||
	fail "CPU+ $(first_row | awk '{ print $5 }') is not within $before..$after ticks"
# those that ended are shown once
shows " x .*sleep 0.05" "ended"
press M
# shellcheck disable=SC2016
until_true 20 sh -c 'tmux -S "$1" capture-pane -p -t t | sed -n 3p | grep -q "spin 40"' sh "$WORK/tmux" || fail "sorted by memory: $(first_row)"
look
rss=$(awk '$1 == "VmRSS:" { print $2 }' /proc/$spin/status)
first_row | awk -v kb="$rss" '{ v = $6; sub("M", "", v) } v < kb / 1024 - 1 || v > kb / 1024 + 1 { exit 1 }' || fail "RSS $(first_row) against $rss kB"
press P t
shows '[├└]─ .*sleep 0.05' "tree"
press t
press /
press spin
shows "filter: spin" "filter"
hides "sleep 0.05" "filter"
press Enter
press g
shows "PROCS" "groups"
press Escape g
shows "sleep 0.05" "everything again"
press '?'
shows "any key goes back" "help"
press x
hides "any key goes back" "help"
press n
shows "READ/s" "columns"
on resize-window -t t -x 132 -y 40
shows "TX/s.*READ/s" "a wider screen has room for both"
look
[ "$(wc -l < "$SCREEN")" = 40 ] || fail "$(wc -l < "$SCREEN") lines after the change of size"
on resize-window -t t -x 40 -y 10
# shellcheck disable=SC2016
until_true 20 sh -c 'tmux -S "$1" capture-pane -p -t t | head -n 2 | tail -n 1 | grep -q "PID"' sh "$WORK/tmux" || fail "nothing on a small screen"
press q
shows "status=0" "quit"
close_terminal

# --- killed, in another locale, without colours ---
open_terminal 80 24 NO_COLOR=1 LC_ALL=C TERM=screen ktally top 0.5
shows "spin 40" "again"
look -e
! tr -d '\0-\177' < "$SCREEN" | grep -q . || fail "letters beyond ASCII in the C locale"
! grep -q "$(printf '\033')\[[0-9;]*3[0-7]m" "$SCREEN" || fail "colours in spite of NO_COLOR"
kill -TERM "$(pidof ktally)"
shows "status=0" "killed"
shows "icanon" "terminal given back"
shows " echo " "terminal given back"
shows "^before" "what was on the terminal is back"
close_terminal

# --- for files ---
ktally top -b 0.5 3 > "$WORK/batch" || fail "top -b ended with $?"
[ "$(grep -c '^ktally ' "$WORK/batch")" = 3 ] || fail "not 3 refreshes in a batch"
[ "$(grep -c "^ *$spin .*spin 40$" "$WORK/batch")" = 3 ] || fail "the spinner is not in each of them"
grep -q " x .*sleep 0.05" "$WORK/batch" || fail "none that ended in a batch"
ktally top -b < /dev/null > /dev/null 2>&1 & batch=$!
until_true 20 recording $batch || fail "top -b has no session"
kill $batch
wait $batch || fail "a batch that was ended: $?"
ktally top < /dev/null > /dev/null 2> "$WORK/said" && fail "top without a terminal"
grep -q "top -b" "$WORK/said" || fail "no word of -b: $(cat "$WORK/said")"
exit 0
