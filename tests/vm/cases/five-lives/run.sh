#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
begun=$(uptime_s)
ktally record -o "$KTL" -- sh -c "sleep 0.2 | cat; /bin/false; (exit 3); exit 7" 2> "$WORK/said"
truth "role=record rc=$? took_ms=$(echo "$begun $(uptime_s)" | awk '{ print int(1000 * ($2 - $1)) }')"
for form in csv json; do
	ktally report "$KTL" --$form > "$WORK/lives.$form" || fail "report ended with $?"
done

# What other tools get says the same, and no command line unless it is asked for.
mkdir "$WORK/out"
for form in folded chrome perfetto csv jsonl openmetrics sqlite trace.dat ctf; do
	ktally export "$KTL" --to $form -o "$WORK/out/$form" 2> "$WORK/said" ||
		grep -q "built without" "$WORK/said" || fail "export to $form: $(cat "$WORK/said")"
done
! grep -rl "sleep 0.2" "$WORK/out" >&2 || fail "a command line got out"
truth "role=exported chrome=$(grep -c '"cat":"process"' "$WORK/out/chrome") jsonl=$(grep -c ktally.report/1 "$WORK/out/jsonl")" \
	"folded=$(awk '{ n += $NF } END { printf "%.0f", n }' "$WORK/out/folded")" \
	"openmetrics=$(awk '/^ktally_program_cpu_seconds_total/ { sub(/ [^ ]*$/, ""); last[$1] = $2 }
		END { for (s in last) n += last[s]; printf "%.0f", 1e9 * n }' "$WORK/out/openmetrics")" \
	"cpu=$(ktally report "$KTL" --csv --no-header --columns cpu_ns | awk '{ n += $1 } END { printf "%.0f", n }')"
compare "$WORK"/lives.*
ktally export "$KTL" --args --to csv > "$WORK/lives.csv" || fail "export to csv ended with $?"
compare "$WORK"/lives.*
