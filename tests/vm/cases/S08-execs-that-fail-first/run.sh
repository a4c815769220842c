#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
program pathsearch
start
work "$WORK/pathsearch" "$WORK"
stop
judge
if [ -z "$NATIVE" ] && grep -q xxxxxxxxxx "$WORK"/lives.*; then
	fail "the argument of the exec that failed is in the tables"
fi
