#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
program inherit
program inherit small-child
start
work "$WORK/inherit" "$WORK"
stop
judge
