#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start
work "$SHARED/short" 40 4
# the sockets' last states and the module's own memory of them pass meanwhile
sleep 4
stop
judge
