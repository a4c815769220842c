#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
program rename renames-itself
start
work "$WORK/renames-itself"
stop
judge
