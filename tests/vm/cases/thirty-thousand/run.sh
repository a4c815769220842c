#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
echo 100000 > /proc/sys/kernel/pid_max
echo 100000 > /proc/sys/kernel/threads-max
rmmod ktally 2> /dev/null || true
insmod /vm/ktally.ko max_kb=131072
"$BIN/crowd" 30000
rmmod ktally
