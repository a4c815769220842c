#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

"$BIN/fuzz" 10
chmod 666 /dev/ktally
"$BIN/fuzz" 10 65534
chmod 660 /dev/ktally
