#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
. "$LIB/measure.sh"
# Two hundred runs of each in blocks of five, whose order turns round each time, so that what
# drifts meets both alike: A B, B A, ... The first run of a block finds the program's own
# beginning in the caches and counts for neither.
BLOCKS=40 RUNS=5 ROUNDS=3
COMMAND="$SHARED/spin 50"

theirs()
{
	"${LIB%/lib}/tools/bin/hyperfine" -N -w 1 -r $RUNS --style none --export-json "$WORK/h" "$COMMAND" > /dev/null 2>&1 ||
		fail "hyperfine: $?"
	tr -d ' \n' < "$WORK/h" | sed 's/.*"times":\[\([^]]*\)\].*/\1/' | tr , '\n' |
		awk '{ printf "%.0f\n", $1 * 1e9 }' >> "$WORK/hyperfine"
}

ours()
{
	# shellcheck disable=SC2086 # two words
	measure -w 1 -r $RUNS --each --csv -o "$WORK/each" -- $COMMAND || fail "ktally: $?: $(cat "$WORK/said")"
	awk -F, -v dir="$WORK" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["warm_up"] == 0 { print $at["wall_ns"] >> (dir "/wall"); print $at["time_ns"] >> (dir "/time") }' "$WORK/each"
}

# result NAME WALL TIME: files of values as a result of measure, NAME.json
result()
{
	awk -v name="$1" '
		FNR == 1 { file++ }
		{ values[file] = values[file] (FNR > 1 ? "," : "") $1 }
		END {
			split("wall time", measure, " ")
			printf "{\"schema\":\"ktally.measure/1\",\"rows\":["
			for (i = 1; i <= 2; i++)
				printf "%s{\"command\":1,\"measure\":\"%s\",\"unit\":\"ns\",\"stage\":\"runs\",\"subject\":\"%s\",\"repeat\":1,\"void\":false,\"values\":[%s]}", (i > 1 ? "," : ""), measure[i], name, values[i]
			print "]}"
		}' "$WORK/$2" "$WORK/$3" > "$WORK/$1.json"
}

# ratio MEASURE: what compare says of it: low high ratio, and both medians
ratio()
{
	awk -F, -v m="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["measure"] == m { print $at["low"], $at["high"], $at["ratio"], $at["median_a"], $at["median_b"]; found = 1 }
		END { exit !found }' "$WORK/c" || fail "no ratio of $1"
}

round()
{
	rm -f "$WORK/hyperfine" "$WORK/wall" "$WORK/time"
	for block in $(seq $BLOCKS); do
		if [ $((block % 2)) = 1 ]; then theirs; ours; else ours; theirs; fi
	done
	[ "$(cat "$WORK/hyperfine" "$WORK/wall" "$WORK/time" | grep -cx '[1-9][0-9]*')" = $((3 * BLOCKS * RUNS)) ] || fail "values are missing"
	result hyperfine hyperfine hyperfine
	result ktally wall time
	measure compare --csv "$WORK/hyperfine.json" "$WORK/ktally.json" > "$WORK/c" || fail "compare: $?: $(cat "$WORK/said")"
}

# One of twenty such intervals leaves 1 out where nothing differs: so it is asked of two of three.
contain=0
for n in $(seq $ROUNDS); do
	round
	for m in wall time; do
		# shellcheck disable=SC2046 # words
		set -- $(ratio $m)
		say "round $n: $m / hyperfine $3 ($1 to $2), medians $5 and $4 ns"
		[ $m != wall ] || ! awk "BEGIN { exit !($1 <= 1 && 1 <= $2) }" || contain=$((contain + 1))
		[ $m != time ] || is "$5 <= $wall" "time within wall time"
		wall=$5
	done
	for f in hyperfine wall time; do
		cp "$WORK/$f" "$OUT/$f.$n"
	done
done
say "$contain of $ROUNDS intervals contain 1"
[ $contain -ge 2 ] || fail "wall time is not hyperfine's"
exit 0
