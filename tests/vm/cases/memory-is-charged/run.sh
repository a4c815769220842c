#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
memory_group holder
work "$BIN/holder" "$GROUP"
rmdir "$GROUP"
compare
