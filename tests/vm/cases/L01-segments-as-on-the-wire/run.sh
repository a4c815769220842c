#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
bridged
start
transfer B A bulk tcp 10.9.7.2 7777 160 65536
stop
judge_net
