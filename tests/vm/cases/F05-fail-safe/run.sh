#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
inject=/sys/module/ktally/parameters/inject
[ -w $inject ] || skip "no $inject"
blinks() { for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do /bin/true; done; }
probes() { grep -c . /sys/kernel/debug/kprobes/list; }
no_probes() { [ "$(probes)" = 0 ]; }

for fault in 1 2; do
	record "$WORK/$fault.ktl"
	truth "role=armed probes=$(probes)"
	blinks
	# read by the recorder now, or lost with what comes later
	sleep 1.5
	echo $fault > $inject
	blinks
	until_true 20 no_probes
	status=$(ktally status --json 2> "$WORK/said"; echo "rc=$?")
	ktally doctor > "$WORK/doctor" 2>&1
	ktally record -q -o "$WORK/refused.ktl" 2> "$WORK/refused"
	refused=$?
	truth "role=disarmed probes=$(probes)" \
		"counted=$(echo "$status" | grep -c '"disarmed": *1')" \
		"status=${status##*rc=}" \
		"doctor=$(grep -c inconsistency "$WORK/doctor")" \
		"record=$refused" "said=$(grep -c inconsistent "$WORK/refused")"
	finish "$RECORDER"
	ended=$?
	ktally report -q --json "$WORK/$fault.ktl" > "$WORK/balance"
	truth "role=recorded-$fault rc=$ended" \
		"blinks=$(ktally report -a --csv --no-header --columns comm "$WORK/$fault.ktl" 2> "$WORK/said" | grep -c true)" \
		"warned=$(grep -c inconsistent "$WORK/said")" \
		"strict=$(ktally report --strict "$WORK/$fault.ktl" > "$WORK/out" 2>&1; echo $?)" \
		"disarmed=$(grep -c '"disarmed":true' "$WORK/balance")" \
		"exact=$(grep -c '"exact":true' "$WORK/balance")"
	ktally unload || fail "does not unload: $?"
	ktally load
	truth "role=again load=$?" \
		"strict=$(ktally record -q -o "$WORK/again.ktl" -- true && ktally report --strict "$WORK/again.ktl" > "$WORK/out" 2>&1; echo $?)"
done
verdict "$HERE/expected.txt"
