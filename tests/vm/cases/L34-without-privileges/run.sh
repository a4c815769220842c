#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
chmod 755 "$WORK"
mkdir -m 777 "$WORK/others"
cd "$WORK/others" || broken "cd"
# others COMMAND...: as nobody; words in said, output in shown
others() { "$BIN/as" 65534 "$@" > "$WORK/shown" 2> "$WORK/said"; }
lines() { wc -l < "$WORK/said"; }
named() { grep -Eqi "$1" "$WORK/said" && echo 1 || echo 0; }

rmmod ktally 2> /dev/null
others ktally record -D 1
truth "role=absent rc=$? lines=$(lines)"

insmod /vm/ktally.ko || fail "insmod: $?"
chmod 660 /dev/ktally
number=0
for words in 'record -D 1' 'report --live' 'stat 0.1 1' 'top -b -n 1' 'events -D 1' 'totals' 'mark x'; do
	number=$((number + 1))
	# shellcheck disable=SC2086 # words
	others ktally $words
	truth "role=live$number rc=$? lines=$(lines) named=$(named '/dev/ktally.*permission.*ktally') shown=$(wc -c < "$WORK/shown")"
	sed "s/^/# $words: /" "$WORK/said"
done
others ktally run true
truth "role=run rc=$? named=$(named '/dev/ktally.*permission.*ktally')"

start
true
stop
others ktally report "$KTL"
truth "role=private rc=$? named=$(named 'r.ktl.*permission denied')"
sed 's/^/# private: /' "$WORK/said"
chmod 644 "$KTL"
others ktally report -a --csv --no-header "$KTL"
truth "role=file rc=$? lives=$(wc -l < "$WORK/shown")"
rmmod ktally
verdict "$HERE/expected.txt"
