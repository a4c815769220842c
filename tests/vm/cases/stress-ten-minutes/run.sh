#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/storm.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
storm_over 600 all pressure
