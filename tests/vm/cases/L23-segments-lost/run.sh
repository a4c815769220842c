#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules sch_netem
bridged
tc -n A qdisc add dev ce0 root netem loss 5% || skip "no netem"
# shellcheck disable=SC2034 # of net.sh
HURRIED=1
start
transfer B A bulk tcp 10.9.7.2 7777 160 65536
stop
judge_net
