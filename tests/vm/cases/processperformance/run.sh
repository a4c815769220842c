#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
# shellcheck disable=SC2153 # of case.sh
step=$WORK/step
program pair work
"$WORK/work" "$step" >> "$TRUTH" &
work=$!
[ -n "$NATIVE" ] || {
	ln -s "$(command -v ktally)" "$WORK/processperformance"
	"$WORK/processperformance" PAIR- -NETWORK:127.0.0.1 -Csv -interval:400 > "$WORK/lines" 2> "$WORK/said" &
	pp=$!
	RECORDERS="$RECORDERS $pp"
	# The second line is behind the header: network bytes count from it on.
	until_true 30 grep -q '^PAIR-,' "$WORK/lines" || fail "no line: $(cat "$WORK/said")"
	# Nor is what they took to begin still in the next one.
	at_rest() { tail -n 1 "$WORK/lines" | awk -F, '{ exit !($3 + 0 < 5) }'; }
	until_true 60 at_rest || fail "no rest before the first step: $(tail -n 1 "$WORK/lines")"
	lo_bytes() { cat /sys/class/net/lo/statistics/rx_bytes; }
	lo_before=$(lo_bytes)
	# /proc counts CPU in ticks of 10 ms
	cpu_of() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print ($12 + $13) * 10000000 }'; }
	cpu_before=$(($(cpu_of "$work") + $(cpu_of "$(tr -d " " < "/proc/$work/task/$work/children")")))
	lines_before=$(wc -l < "$WORK/lines")
}
touch "$step"
until_true 60 grep -q role=client "$TRUTH" || broken "no client"
until_true 60 grep -q role=server "$TRUTH" || broken "no server"
[ -z "$NATIVE" ] || { rm "$step"; wait $work; exit; }
of() { sed -n "s/.*role=$1 .*$2=\([0-9]*\).*/\1/p" "$TRUTH"; }
# what both used is in a line by then
more_lines() { [ "$(wc -l < "$WORK/lines")" -gt "$1" ]; }
until_true 30 more_lines $(($(wc -l < "$WORK/lines") + 2)) || fail "no more lines"
# Figures of the kernel's own, taken while both wait.
hwm_of() { awk '/^VmHWM/ { print $2 }' "/proc/$1/status"; }
cpu=$(($(cpu_of "$(of server pid)") + $(cpu_of "$(of client pid)") - cpu_before))
hwm=$(($(hwm_of "$(of server pid)") + $(hwm_of "$(of client pid)")))
lo=$(($(lo_bytes) - lo_before))
kill -INT "$pp"
wait "$pp" || fail "ended with $?, not 0"
rm "$step"
wait $work || broken "pair ended with $?"
cat "$WORK/lines" >> "$OUT/lines"

head -n 1 "$WORK/lines" | grep -qx 'Process Name(s),Processes(s),CPU (%),Memory (MB),Process Sent (KB),Process Upload Speed (kbps),Process Received (KB),Process Download Speed (kbps),Network Sent (KB),Network Upload Speed (kbps),Network Received (KB),Network Download Speed (kbps)' ||
	fail "header: $(head -n 1 "$WORK/lines")"
sent=$(($(of server tx) + $(of client tx)))
# CPU: the share of each line times its length and the CPUs, against /proc, behind the
# lines that were there before. Memory: sum of peaks in whole MB, within the
# kernel's own error of its counters. Bytes: payload exact; loopback from the first line.
awk -F, -v cpu="$cpu" -v hwm="$hwm" -v sent="$sent" -v lo="$lo" -v cpus="$(nproc)" -v before="$lines_before" '
	function no(what) { print what ": " $0; bad = 1; exit 1 }
	NR == 1 { next }
	$1 != "PAIR-" || NF != 12 { no("line") }
	{ sub("%", "", $3) }
	NR > before { used += $3 / 100 * 0.4 * cpus }
	{ up += $6 * 0.4 / 8; down += $8 * 0.4 / 8; net_up += $10 * 0.4 / 8 }
	{ count = $2; memory = $4; tx = $5; rx = $7; net_tx = $9; net_rx = $11; last = $0 }
	NR == 2 && ($9 || $10 || $11 || $12) { no("network bytes before the first line") }
	END {
		if (bad)
			exit 1
		$0 = last
		if (count != 2) no("count")
		if (used > cpu / 1e9 * 1.1 + 0.05 || used < cpu / 1e9 * 0.5) no("cpu " used " of " cpu / 1e9)
		if (memory > hwm / 1024 + 4 || memory < hwm / 1024 - 4) no("memory of " hwm)
		if (tx != int(sent / 1024) || rx != tx) no("payload of " sent)
		if (net_tx != int(lo / 1024) || net_rx != net_tx) no("loopback of " lo)
		if (up < tx * 0.85 || up > tx * 1.15 || down < rx * 0.85 || down > rx * 1.15) no("speeds " up " " down)
		if (net_up < net_tx * 0.85 || net_up > net_tx * 1.15) no("speed of loopback " net_up)
	}' "$WORK/lines" > "$WORK/why" || { cat "$WORK/lines" >&2; fail "$(cat "$WORK/why")"; }

# The lines for people; what runs a command, and what is wrong.
pp() { "$WORK/processperformance" "$@"; }
pp -interval:200 -command:"sh -c 'sleep 0.5; exit 7'" > "$WORK/o"
[ $? -eq 7 ] || fail "status of the command"
grep -qE '^sh( \([0-9]+ processes\))?: CPU: [0-9]+\.[0-9]{2}% \| Memory: [0-9]+ MB \| Process: Sent 0 KB \(0 kbps\) - Received 0 KB \(0 kbps\)$' "$WORK/o" ||
	fail "line: $(cat "$WORK/o")"
"$WORK/processperformance" -interval:200 nobody-of-this-name > "$WORK/o" &
pp=$!
until_true 20 grep -qx 'No "nobody-of-this-name" process is running.' "$WORK/o" || fail "$(cat "$WORK/o")"
kill -INT "$pp"
wait "$pp" || fail "ended with $?"
"$WORK/processperformance" -interval:200 > "$WORK/o" &
pp=$!
until_true 20 grep -qE '^ \([0-9]+ processes\): CPU: ' "$WORK/o" || fail "all: $(cat "$WORK/o")"
kill -INT "$pp"
wait "$pp" || fail "ended with $?"
ktally stat --style=pp -HELP > "$WORK/o" 2> "$WORK/e" || fail "-help ended with $?"
[ -s "$WORK/o" ] || fail "-help says nothing"
[ ! -s "$WORK/e" ] || fail "-help speaks to standard error"
