#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
ip link set lo up 2> /dev/null || ifconfig lo up
work "$BIN/snapshot"
compare
