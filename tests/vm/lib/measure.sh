# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# measure.sh - sourced by cases of measure behind case.sh: its CSV by name, and a
# method that goes on while the case does its work.

measure() { ktally measure "$@" 2> "$WORK/said"; }
is() { awk "BEGIN { exit !($1) }" || fail "${2:-not so}: $1"; }
keep() { cp "$@" "$OUT"; }

# column NAME STAGE SUBJECT MEASURE [REPEAT]: of the CSV in $WORK/m. The one field with commas
# within quotes, host, and the values stand last.
column()
{
	awk -F, -v c="$1" -v st="$2" -v su="$3" -v m="$4" -v rep="${5:-}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["stage"] == st && $at["subject"] == su && $at["measure"] == m && $at["repeat"] == rep { print $at[c]; found = 1 }
		END { exit !found }' "$WORK/m" || fail "no $1 of $2, $3, $4${5:+, repeat $5}"
}

# begin_resources SECONDS OPTION...: a method of one stage of that length, in the background;
# comes back when it has begun. Sets MEASURING.
begin_resources()
{
	_samples=$1
	shift
	ktally measure --together --warm-up 0 --samples "$_samples" --every 1 --repeats 1 --csv -o "$WORK/m" "$@" 2> "$WORK/said" &
	MEASURING=$!
	begun $MEASURING "$WORK/said"
}

# end_resources: waits for the end of the stage, which the work must not have outlasted
end_resources()
{
	kill -0 "$MEASURING" 2> /dev/null || broken "the stage ended before the work: $(cat "$WORK/said")"
	wait "$MEASURING" || fail "the method: status $?: $(cat "$WORK/said")"
	keep "$WORK/m" "$WORK/said"
}

# role_cpu SUBJECT: ns of CPU in the stage
role_cpu() { column total both "$1" 'cpu time' 1; }

# near NAME GOT WANTED PERCENT
near() { is "$2 >= $3 * (1 - $4 / 100) && $2 <= $3 * (1 + $4 / 100)" "$1"; }
