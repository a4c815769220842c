#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
# a hook attached a second time would double the second recording
for _round in 1 2; do
	: > "$TRUTH"
	start
	work "$BIN/selftalk"
	stop
	judge
	rm -f "$KTL"
done
