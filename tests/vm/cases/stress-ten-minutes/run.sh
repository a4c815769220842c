#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/storm.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
# 7.3 does not wake up again in an emulated machine, with or without ktally
suspend=
case $(uname -r) in 7.3.*) ;; *) grep -q deep /sys/power/mem_sleep 2> /dev/null && suspend=suspend ;; esac
[ -z "$suspend" ] || echo deep > /sys/power/mem_sleep
storm_over 600 all pressure 'long stops' $suspend
