#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

"$BIN/load" /vm/ktally.ko 1 net=0
# most of the rest are the kernel's, for its kretprobes: every 61st of them
"$BIN/load" /vm/ktally.ko 61 net=1
