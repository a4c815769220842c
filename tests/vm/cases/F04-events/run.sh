#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

ip link set lo up
"$BIN/events"
