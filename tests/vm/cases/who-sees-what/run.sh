#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
ip link set lo up 2> /dev/null || ifconfig lo up
rmmod ktally 2> /dev/null
insmod /vm/ktally.ko || fail "insmod: $?"
# what udev's rule does
chgrp 1500 /dev/ktally && chmod 660 /dev/ktally
work "$BIN/sees" "$BIN/sees"
compare
rmmod ktally
