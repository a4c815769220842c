#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
start
sleep 1
stop
short=$(wc -c < "$KTL")
start
sleep 11
stop
truth "role=idle pid=$RECORDER short_bytes=$short long_bytes=$(wc -c < "$KTL")"

# through a socket: its own bytes are events as well, one day
ip link set lo up
# a listener without input would hang up at once
mkfifo "$WORK/nothing"
exec 8<> "$WORK/nothing"
nc -l -p 7777 <&8 > "$WORK/piped.ktl" &
until_true 20 listens 7777 || broken "nobody listens"
(timeout -s INT 8 ktally record -o - 2> /dev/null) | nc 127.0.0.1 7777
wait $!
truth "role=socket bytes=$(wc -c < "$WORK/piped.ktl")"
judge
ktally report --strict "$WORK/piped.ktl" > /dev/null || fail "recording through a socket is not whole"
