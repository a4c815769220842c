#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
mkdir "$WORK/rec"
record "$WORK/rec/a.ktl" --sample 200ms
first=$RECORDER
"$SHARED/phases" "$WORK/step" >> "$TRUTH" &
worker=$!
[ -n "$NATIVE" ] || {
	until_true 60 test -e "$WORK/step" || broken "no second phase"
	until_true 60 grep -q role=third "$TRUTH" || broken "no third phase"
	finish "$first" || fail "the first recorder ended with $?"
	# Nobody records for a while; then another one goes on.
	sleep 0.5
	record "$WORK/rec/b.ktl" --sample 200ms --rotate 8x1G --rotate-after 700ms
}
rm -f "$WORK/step"
wait $worker || broken "the worker ended with $?"
[ -z "$NATIVE" ] || exit 0
sleep 0.5
finish "$RECORDER" || fail "the second recorder ended with $?"
[ "$(find "$WORK/rec" -name '*.ktl' | wc -l)" -ge 3 ] || fail "no new file after 700 ms"

# in_phase NAME FROM TO: the lives of that time, as tables NAME
first_ns=$(ktally report --json "$WORK/rec" 2> /dev/null | tr , '\n' | sed -n 's/.*"first_ns"://p' | head -n 1)
of() { sed -n "s/.*role=$1 .*$2=\([0-9]*\).*/\1/p" "$TRUTH"; }
after() { awk -v t="$1" -v f="$first_ns" 'BEGIN { printf "%.9f", (t - f) / 1e9 }'; }
in_phase()
{
	for form in csv json; do
		ktally report --$form --since "$(after "$2")" --until "$(after "$3")" "$WORK/rec" > "$WORK/$1.$form" \
			2> "$WORK/report.said" || fail "report: $(cat "$WORK/report.said")"
	done
}
in_phase second "$(of second begin_ns)" "$(of second end_boot_ns)"
in_phase before "$first_ns" "$(of first begin_ns)"
for form in csv json; do
	ktally report --$form "$WORK/rec" > "$WORK/whole.$form" 2> "$WORK/report.said" || fail "report: $?"
done
compare "$WORK"/second.* "$WORK"/before.* "$WORK"/whole.*
