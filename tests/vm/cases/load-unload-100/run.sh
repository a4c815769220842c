#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
ip link set lo up

pids=
for kind in forks execs datagrams; do
	"$BIN/churn" $kind &
	pids="$pids $!"
done
# shellcheck disable=SC2086
trap 'kill $pids' EXIT
# shellcheck disable=SC2086
alive() { kill -0 $pids; }

# Arming the network part's kretprobes takes four times as long as all the
# rest under emulation, so every fifth load has it.
n=0
while [ $n -lt 100 ]; do
	insmod /vm/ktally.ko net=$((n % 5 == 0))
	rmmod ktally
	n=$((n + 1))
done
alive
echo "# $n times"
test ! -e /dev/ktally
