#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
modules nf_tables
nft -f - <<END || skip "no nft"
table inet wall {
	chain in { type filter hook input priority 0; udp dport 7102 drop; }
	chain out { type filter hook output priority 0; udp dport 7103 drop; }
}
END
if grep -q 'sock_recv_length' /proc/kallsyms; then truth "role=by-call"; else truth "role=by-arrival"; fi
cp "$SHARED/xfer" "$WORK/wanted"
cp "$SHARED/xfer" "$WORK/other"

# receive PROGRAM ROLE PORT: until 10,000 bytes have come
receive()
{
	"$WORK/$1" "$2" recv udp 127.0.0.1 "$3" 10 1000 "$WORK/$2.ready" >> "$TRUTH" 2> /dev/null &
	receiver=$!
	until_true 10 test -e "$WORK/$2.ready" || broken "$2 is not ready"
}

# one session for 'wanted' alone, one for all
start -n wanted
# shellcheck disable=SC2153 # set by start
few=$RECORDER
record "$WORK/all.ktl"
for name in wanted other; do
	receive $name ${name}_recv 7101
	"$WORK/$name" ${name}_send send udp 127.0.0.1 7101 10 1000 >> "$TRUTH" || broken "$name"
	wait $receiver || broken "$name"
done

# what comes in and is dropped has come to that socket; what is not let out has gone nowhere
receive other dropped_recv 7102
"$WORK/other" dropped_send send udp 127.0.0.1 7102 10 1000 >> "$TRUTH" || broken "dropped"
sleep 1
kill $receiver
wait $receiver
truth "role=dropped_recv pid=$receiver"
"$WORK/other" refused send udp 127.0.0.1 7103 1 1000 2> "$WORK/refused" &
refused=$!
wait $refused && broken "refused: it was sent"
truth "role=refused pid=$refused"
nft delete table inet wall
[ -z "$NATIVE" ] || exit 0
for recorder in "$RECORDER" "$few"; do
	finish "$recorder" || fail "record ended with $?: $(cat "$WORK"/*.said)"
done

tables "$KTL"
for _form in csv json; do mv "$WORK/lives.$_form" "$WORK/few.$_form"; done
tables "$WORK/all.ktl" --strict
for _file in "$WORK/all.ktl" "$KTL"; do
	KTL=$_file
	equations
	hold
	mv "$WORK/classes.csv" "$WORK/classes-$(basename "$KTL" .ktl).csv"
done
compare "$WORK"/lives.* "$WORK"/few.* "$WORK/classes-all.csv" "$WORK/classes-r.csv"
