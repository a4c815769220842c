#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

"$BIN/unload" /vm/ktally.ko 1 net=0
"$BIN/unload" /vm/ktally.ko 29 net=1
