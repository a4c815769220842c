#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

"$BIN/load" /vm/ktally.ko 0 net=0
# most of the rest are the kernel's, for its kretprobes: some of them
"$BIN/load" /vm/ktally.ko 60 net=1
