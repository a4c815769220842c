#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "loads the module"
# Each CPU keeps freed pages at hand, up to many MiB, that MemAvailable leaves out.
available_kb()
{
	awk '$1 == "MemAvailable:" { kb += $2 } $1 == "count:" { kb += 4 * $2 } END { print kb }' \
		/proc/meminfo /proc/zoneinfo
}
# busybox tries a second way to load when the first is refused: each line once
log_lines() { dmesg | sed 's/^\[[^]]*\] //' | grep -E '^ktally: ' | grep -v -E 'loading out-of-tree|module verification' | uniq > "$WORK/log"; }

# try PARAMETER...: loads, records a command, unloads, and says how it went
try()
{
	dmesg -c > /dev/null
	insmod /vm/ktally.ko "$@" 2> "$WORK/said"
	_rc=$?
	log_lines
	truth "try=\"$*\" rc=$_rc lines=$(wc -l < "$WORK/log") first=\"$(head -n 1 "$WORK/log" | tr -d '"')\""
	if [ $_rc -eq 0 ]; then
		timeout 20 ktally record --force -o "$KTL" -- true 2> "$WORK/said" ||
			fail "$*: record ended with $?: $(cat "$WORK/said")"
		ktally report --strict "$KTL" > /dev/null || fail "$*: report ended with $?"
		rmmod ktally || fail "$*: rmmod"
	fi
	[ ! -e /dev/ktally ] || fail "$*: the device is there"
	! grep -q '^ktally ' /proc/modules || fail "$*: the module is there"
}

# once before measuring: what a first load leaves in caches is no leak
try buffer_kb=0
before=$(available_kb)
for value in 1 4095 3073 16384; do
	try buffer_kb=$value
done
for value in 1073741824 4294967295 -1 18446744073709551616 '' many; do
	try buffer_kb=$value
done
for value in 8 9 1000; do
	try subbuf_kb=$value
done
for value in 1 7 1025 65536 4294967295 -1; do
	try subbuf_kb=$value
done
try buffer_kb=1024 subbuf_kb=1024
try buffer_kb=16384 subbuf_kb=1000
try max_kb=1
try max_kb=4294967295
try arg_bytes=0
try arg_bytes=131072
try arg_bytes=131073
try argv=0
try argv=2
try boot=1 boot_kb=4294967295
try boot=1 boot_kb=1 boot_seconds=1
try boot_seconds=4294967295 boot=1
try disable=1
for name in net_sockets net_accounts net_udp net_devices; do
	for value in 1 1048577 4294967295; do
		try $name=$value
	done
done
try totals_rows=65537
try no_such_parameter=1
# buffers are given back by a worker of the kernel
back() { [ "$(available_kb)" -ge $((before - slack)) ]; }
slack=4096
# KASAN holds back what is freed, up to a 32nd of all memory
! grep -q ' kasan_quarantine_put$' /proc/kallsyms || slack=$((slack + $(awk '/^MemTotal:/ { print $2 }' /proc/meminfo) / 32))
until_true 20 back
truth "role=memory before_kb=$before after_kb=$(available_kb) slack_kb=$slack"
verdict "$HERE/expected.txt"
