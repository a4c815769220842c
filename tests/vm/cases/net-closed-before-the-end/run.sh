#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules sch_netem
namespace A
tc -n A qdisc add dev lo root netem delay 200ms || skip "no netem"
start
work in_ns A "$SHARED/short" 6 3
stop
judge
