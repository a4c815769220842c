#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
mkfifo "$WORK/go"
truth "role=before boot_s=$(uptime_s)"
"$BIN/elder" "arg of elder" < "$WORK/go" >> "$TRUTH" &
elder=$!
exec 9> "$WORK/go"
until_true 10 grep -q elder_ready "$TRUTH" || broken "elder is not ready"
# Asleep for good: the scheduler's own count of it stands still.
sleeps() { grep -q '^State:.S' "/proc/$elder/status"; }
ran() { cut -d' ' -f1 "/proc/$elder/schedstat"; }
rests() { _ran=$(ran); sleep 0.2; sleeps && [ "$(ran)" = "$_ran" ]; }
until_true 20 rests || broken "elder does not sleep"
truth "role=asleep cpu_ns=$(ran)"
start
truth "role=recording_started boot_s=$(uptime_s)"
echo x >&9
exec 9>&-
wait $elder
truth "role=ended pid=$elder exit_code=$?"
stop
for form in csv json; do
	ktally report --$form -a --since-birth "$KTL" > "$WORK/since_birth.$form" || fail "report --since-birth ended with $?"
done
tables "$KTL" --strict
compare "$WORK"/lives.* "$WORK"/since_birth.*
