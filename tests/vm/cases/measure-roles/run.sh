#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
. "$LIB/measure.sh"
. "$LIB/roles.sh"
# A host that halts the guest makes whatever runs there longer, also behind the record of a
# process' end: measure-roles-icount, where no host can, is stricter.
roles_by_pid_and_cgroup 15

# --- records lost in a stage: it is void, and that is said ---
begin_resources 3 --buffer 64 --role shell=pid:$$
kill -STOP "$MEASURING"
i=0
while [ $i -lt 1500 ]; do
	(:)
	i=$((i + 1))
done
kill -CONT "$MEASURING"
wait "$MEASURING"
status=$?
[ $status = 6 ] || fail "losses: status $status: $(cat "$WORK/said")"
grep -q 'both: .* records were lost .* so this stage is void' "$WORK/said" || fail "no word of losses: $(cat "$WORK/said")"
[ "$(column void both shell cpu 1) $(column mean both shell cpu 1)" = "1 " ] ||
	fail "figures although records were lost: $(column mean both shell cpu 1)"
exit 0
