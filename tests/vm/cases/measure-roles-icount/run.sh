#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
. "$LIB/measure.sh"
. "$LIB/roles.sh"
roles_by_pid_and_cgroup 0.5
