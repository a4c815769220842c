#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
begun=$(uptime_s)
ktally record -o "$KTL" -- sh -c "sleep 0.2 | cat; /bin/false; (exit 3); exit 7" 2> "$WORK/said"
truth "role=record rc=$? took_ms=$(echo "$begun $(uptime_s)" | awk '{ print int(1000 * ($2 - $1)) }')"
for form in csv json; do
	ktally report "$KTL" --$form > "$WORK/lives.$form" || fail "report ended with $?"
done
compare "$WORK"/lives.*
