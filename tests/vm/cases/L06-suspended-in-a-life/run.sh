#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -w /sys/class/rtc/rtc0/wakealarm ] || skip "no clock that could wake the machine"
# with or without ktally
case $(uname -r) in 7.3.*) skip "an emulated machine does not wake up again with this kernel" ;; esac
# the state in which clocks stand still
grep -q deep /sys/power/mem_sleep 2> /dev/null || skip "no suspend to memory: $(cat /sys/power/state)"
echo deep > /sys/power/mem_sleep

start
work "$BIN/nap" mem 4
work "$BIN/many" "$BIN/blink" 20
stop
judge
