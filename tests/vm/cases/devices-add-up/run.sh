#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"

# lo_counters: rx bytes, rx packets, tx bytes, tx packets by the kernel's own count
lo_counters() { sed -n 's/^ *lo://p' /proc/net/dev | { read -r rb rp _ _ _ _ _ _ tb tp _; echo "$rb $rp $tb $tp"; }; }

# moved BEFORE AFTER: the line of truth
moved()
{
	# shellcheck disable=SC2086
	set -- $1 $2
	truth "role=lo rx_bytes=$(($5 - $1)) rx_packets=$(($6 - $2)) tx_bytes=$(($7 - $3)) tx_packets=$(($8 - $4))"
}

devices()
{
	for _form in csv json; do
		ktally "$2" --devices --$_form ${3:+"$3"} > "$WORK/$1.$_form" 2> "$WORK/devices.said" ||
			fail "$2 --devices ended with $?: $(cat "$WORK/devices.said")"
	done
}

ip link set lo up 2> /dev/null
# traffic before the recording, which is not the recording's
"$SHARED/pump" recv 7799 > /dev/null &
"$SHARED/pump" send 127.0.0.1 7799 500000 > /dev/null || broken "the first sender failed"
wait $!
start
before=$(lo_counters)
"$SHARED/pump" recv 7788 >> "$TRUTH" &
receiver=$!
work "$SHARED/pump" send 127.0.0.1 7788 3145728
wait $receiver || broken "the receiver failed"
# the closed connection's last segments
sleep 0.5
moved "$before" "$(lo_counters)"
[ -n "$NATIVE" ] || devices now status
stop
[ -n "$NATIVE" ] || devices recorded report "$KTL"
[ -n "$NATIVE" ] && exit 0
tables "$KTL" --strict
table
grep -q 'network remainder 0 B$' "$WORK/table.txt" || fail "no line of the remainder: $(tail -n 2 "$WORK/table.txt")"
grep -q '"remainder_bytes":0,' "$WORK/lives.json" || fail "the remainder is not 0 in JSON"
compare "$WORK"/lives.* "$WORK"/now.* "$WORK"/recorded.*
