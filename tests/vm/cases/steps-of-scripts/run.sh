#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
PATH=$WORK:$PATH
TIMES=$WORK/times
export PATH TRUTH TIMES
program nap
program jobs
cp "$HERE/boot.sh" "$HERE/bash.sh" "$WORK" || broken "no scripts"

start
work "$WORK/jobs" "$WORK/nap"
sh "$WORK/boot.sh" > /dev/null || broken "boot.sh ended with $?"
# shellcheck disable=SC1007
TRUTH= "${LIB%/lib}/tools/bin/bash" "$WORK/bash.sh" || broken "bash.sh ended with $?"
stop

# "nap 21 bash 1700.123456 1700.145678": what bash measured, and what starting nothing cost it
awk '$1 == "pid" { pid = $2 }
	$1 != "nap" { next }
	{ split($4, a, "."); split($5, b, "."); took = (b[1] - a[1]) * 1000000 + b[2] - a[2] }
	$3 == "bash" { print "TRUTH role=bash pid=" pid " ms=" $2 " took_us=" took }
	$3 == "null" && took > most { most = took }
	END { print "TRUTH role=spawn most_us=" most }' "$TIMES" >> "$TRUTH"
[ -z "$NATIVE" ] || exit 0

show() # NAME WORDS...
{
	_name=$1
	shift
	for form in csv json; do
		ktally commands --$form "$@" "$KTL" > "$WORK/$_name.$form" 2> "$WORK/report.said" ||
			fail "commands $* ended with $?: $(cat "$WORK/report.said")"
	done
}
show steps --steps --gaps 0 jobs
show script --steps --gaps 0 boot.sh
show runs --runs
show commands --by command

# Order and shape, exactly: a row a line, indented; self time aside.
shape()
{
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["step"] == "self" { next }
		{
			sub(/.*\//, "", $at["argv"])
			line = $at["step"] ($at["background"] ? " &" : "") " " $at["argv"]
			for (i = $at["depth"]; i > 0; i--)
				line = "  " line
			print line
		}' "$WORK/$1.csv" | sed 's/ $//' > "$WORK/shape-$1"
	diff "$HERE/$1.shape" "$WORK/shape-$1" >&2 || fail "$1: other steps than were taken"
}
shape steps
shape script

# Self and the steps that were waited for make up the script, to the nanosecond.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["depth"] == 0 { begin = reach = $at["start_ns"]; end = $at["end_ns"]; next }
	$at["depth"] == 1 && !$at["left"] {
		if ($at["start_ns"] > reach) { print "a hole at " reach; exit 1 }
		if ($at["step"] == "self" && $at["start_ns"] < reach) { print "self beside a step"; exit 1 }
		if ($at["end_ns"] > reach) reach = $at["end_ns"]
	}
	END { if (!end || reach != end) { print "ends at " reach ", not " end; exit 1 } }' "$WORK/steps.csv" >&2 ||
	fail "steps and self do not make up the script"

# What bash saw beyond a run is what starting one takes: of five the least is no more than
# that, for a halt of the machine only adds.
awk 'FNR == NR {
		if ($2 == "role=bash") { split($0, part, /[ =]/); pid = part[5]; took[part[7]] = part[9] }
		if ($2 == "role=spawn") { split($0, part, "most_us="); most = part[2] }
		next
	}
	FNR == 1 { n = split($0, name, ","); for (i = 1; i <= n; i++) at[name[i]] = i; next }
	{
		split($0, cell, ",")
		split(cell[at["argv"]], word, " ")
		if (cell[at["ppid"]] != pid || !(word[2] in took)) next
		gap = took[word[2]] - cell[at["duration_ns"]] / 1000
		if (!seen++ || gap < least) least = gap
	}
	END { print seen + 0 " runs, least " least " us, starting " most; exit seen != 5 || least > most }' \
	"$TRUTH" "$WORK/runs.csv" > "$WORK/gap" || fail "bash saw more than its runs: $(cat "$WORK/gap")"

# Totals and means are those of the runs.
awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
	FILENAME ~ /runs/ && $at[FILENAME, "duration_ns"] != "" {
		sum[$at[FILENAME, "argv"]] += $at[FILENAME, "duration_ns"]; n[$at[FILENAME, "argv"]]++
	}
	FILENAME ~ /commands/ && $at[FILENAME, "runs"] > 0 {
		c = $at[FILENAME, "command"]; compared++
		if ($at[FILENAME, "runs"] != n[c] || $at[FILENAME, "total_ns"] != sum[c]) { print c; exit 1 }
		off = $at[FILENAME, "mean_ns"] - sum[c] / n[c]
		if (off * off > 0.25) { print c ": mean"; exit 1 }
	}
	END { exit compared < 10 }' "$WORK/runs.csv" "$WORK/commands.csv" >&2 ||
	fail "totals or means are not those of the runs"
tables "$KTL"
compare "$WORK"/lives.* "$WORK"/steps.* "$WORK"/runs.*
