#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
now_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }
measure() { ktally measure "$@" 2> "$WORK/said"; }
# column NAME MEASURE: of the CSV in $WORK/m, of command ${3:-1}
column()
{
	awk -F, -v c="$1" -v m="$2" -v cmd="${3:-1}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["measure"] == m && $at["command"] == cmd { print $at[c]; found = 1 }
		END { exit !found }' "$WORK/m" || fail "no $1 of '$2'"
}
is() { awk "BEGIN { exit !($1) }" || fail "${2:-not so}: $1"; }

# --- runs, and clocks outside ---
begun=$(now_ms)
measure -r 12 -w 2 --csv -- sleep 0.05 > "$WORK/m" || fail "status $?: $(cat "$WORK/said")"
outside=$((($(now_ms) - begun) * 1000000))
[ "$(column runs time)" = 12 ] || fail "$(column runs time) runs"
is "$(column min time) >= 50e6" "shorter than it slept"
is "14 * $(column mean time) <= $outside" "the runs took longer than all together outside"
is "$(column min time) <= $(column p25 time) && $(column p25 time) <= $(column median time) && $(column median time) <= $(column max time)"
is "$(column mean processes) == 1 && $(column max processes) == 1" "processes"
[ -z "$(column p99 time)" ] || fail "a p99 of 12 values"

# --- each run, and the figures made of them ---
measure -r 10 -w 1 --each --csv -o "$WORK/each" -- "$BIN/tree" || fail "--each: $?"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ n++; if ($at["count"] != 3 || $at["status"] != 0) bad = 1
	  p = $at["peak_rss_bytes"]; if (p < 24 * 1048576 || p > 28 * 1048576) bad = 1
	  if ($at["time_ns"] < 20e6) bad = 1; warm += $at["warm_up"] }
	END { exit !(n == 11 && warm == 1 && !bad) }' "$WORK/each" || { cat "$WORK/each" >&2; fail "the runs of a tree"; }

# --- a process of a big parent has its own peak ---
measure -r 10 --csv -- sh -c ':' > "$WORK/m" || fail "status $?"
is "$(column max 'peak memory') < 8 * 1048576" "peak of a small command"

# --- comparing: the same is the same, three times as long is longer ---
measure --compare -r 15 --json -- sleep 0.02 --- sleep 0.02 --- sleep 0.06 > "$WORK/j" || fail "--compare: $?"
grep -o '"ratio_3_time":{[^}]*}' "$WORK/j" | grep -q '"differs":\(true\|1\)' || fail "0.06 s is not longer than 0.02 s: $(tail -c 900 "$WORK/j")"
ratio=$(grep -o '"ratio_3_time":{[^}]*}' "$WORK/j" | sed 's/.*"ratio":\([0-9.]*\).*/\1/')
is "$ratio > 1.2 && $ratio < 3.05" "ratio"
measure --compare -r 15 -- sleep 0.02 --- sleep 0.06 > "$WORK/t" || fail "--compare in a table"
grep -q '^2 / 1, time: .* more$' "$WORK/t" || fail "no verdict: $(cat "$WORK/t")"

# --- around runs, failures, bad words ---
rm -f "$WORK/before" "$WORK/after"
measure -r 10 -w 0 --prepare "echo x >> $WORK/before" --conclude "echo x >> $WORK/after" -- true > /dev/null || fail "--prepare: $(cat "$WORK/said")"
[ "$(wc -l < "$WORK/before") $(wc -l < "$WORK/after")" = "10 10" ] || fail "prepared $(wc -l < "$WORK/before"), concluded $(wc -l < "$WORK/after")"
measure -r 10 -w 0 -- sh -c 'exit 3' > "$WORK/t" || fail "a command that fails: $?"
grep -q "10 of all ended with a status other than 0" "$WORK/t" || fail "failures are not counted: $(cat "$WORK/t")"
measure -r 10 --prepare false -- true > /dev/null && fail "--prepare false"
measure -r 10 -- /no/such/program > /dev/null
[ $? = 127 ] || fail "a program that is not there"
measure --compare -- true > /dev/null
[ $? = 2 ] || fail "--compare with one command"
measure true > /dev/null
[ $? = 2 ] || fail "a command without --"

# --- stopped in the middle: what is complete is shown ---
ktally measure -r 1000 --csv -- sleep 0.1 > "$WORK/m" 2> "$WORK/said" &
measuring=$!
sleep 3
kill -INT $measuring
wait $measuring || fail "stopped: status $?: $(cat "$WORK/said")"
is "$(column runs time) >= 2 && $(column runs time) < 100" "runs of a stopped measurement"
exit 0
