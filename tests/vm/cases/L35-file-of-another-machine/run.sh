#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
ktally record -q -o "$KTL" -- sh -c 'true; :' || fail "record ended with $?"
for what in order word same; do
	"$BIN/elsewhere" $what "$KTL" "$WORK/$what.ktl" || broken "elsewhere"
	cmp -s "$KTL" "$WORK/$what.ktl" && changed='' || changed=1
	[ "$changed" = "$([ $what = same ] || echo 1)" ] || broken "$what: not changed as meant"
	n=0
	for command in 'report -a' dump tree 'export --to csv'; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # words
		ktally ${command%% *} "$WORK/$what.ktl" ${command#"${command%% *}"} > "$WORK/shown" 2> "$WORK/said"
		truth "told=$what-$n rc=$? lines=$(wc -l < "$WORK/said") shown=$(wc -c < "$WORK/shown")" \
			"named=$(grep -c "$what.ktl: recorded on a machine of other \(byte order\|word size\)" "$WORK/said")"
		sed "s/^/# $command: /" "$WORK/said"
	done
done
verdict "$HERE/expected.txt"
