#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
ktally record -o "$KTL" -- sh -c "sleep 0.2 | cat; /bin/false; (exit 3); exit 7" 2> "$WORK/said"
truth "role=record rc=$?"
for form in csv json; do
	ktally report "$KTL" --$form > "$WORK/lives.$form" || fail "report ended with $?"
done
compare "$WORK"/lives.*
