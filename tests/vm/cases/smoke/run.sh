#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
insmod /vm/ktally.ko
test -c /dev/ktally
grep -q '^ktally ' /proc/modules
rmmod ktally
test ! -e /dev/ktally
! grep -q '^ktally ' /proc/modules
