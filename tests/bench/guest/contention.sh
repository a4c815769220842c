#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contention.sh - in a guest of four CPUs that are emulated at once, with one,
# two and four of them online: rounds per second, one process or pair per CPU,
# without and with the module in turn. Prints three times each:
#   rounds STATE WORKLOAD CPUS PER_SECOND
set -eu
cd "$(dirname "$0")"

# online N: the first N CPUs and no others
online()
{
	for _cpu in 1 2 3; do
		if [ $_cpu -lt "$1" ]; then _on=1; else _on=0; fi
		echo $_on >/sys/devices/system/cpu/cpu$_cpu/online
	done
}

# race STATE: what was patched a moment ago is translated anew first, which takes its time
race()
{
	./packets -s 1 udp4 tcp4 >/dev/null
	./packets -s 3 udp4 tcp4 | sed "s/^/rounds $1 /"
}

dmesg -n 4 || true
ip link set lo up
for cpus in 1 2 4; do
	online $cpus
	for _turn in 1 2 3; do
		race base
		insmod /vm/ktally.ko
		race ktally
		rmmod ktally
	done
done
