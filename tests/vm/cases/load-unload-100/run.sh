#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

forks() { while :; do (:); done; }
execs() { while :; do /bin/true; done; }
datagrams() { while :; do printf x | nc -u -w 0 127.0.0.1 9 2>/dev/null || sleep 0.01; done; }

forks &
pids=$!
execs &
pids="$pids $!"
datagrams &
pids="$pids $!"
trap 'kill $pids' EXIT

n=0
while [ $n -lt 100 ]; do
	insmod /vm/ktally.ko
	rmmod ktally
	n=$((n + 1))
done
echo "# $n times"
test ! -e /dev/ktally
