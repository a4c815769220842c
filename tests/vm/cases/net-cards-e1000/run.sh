#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
# shellcheck disable=SC2034 # of net.sh
PADDED=1
cards
