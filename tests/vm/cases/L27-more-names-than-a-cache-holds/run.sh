#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
program names
start
work "$WORK/names" "$WORK" 600
stop
judge
