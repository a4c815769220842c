#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck source-path=SCRIPTDIR
#
# inside.sh CONTROL URL... - in the guest: a recording, a ship to each URL and metrics,
# while programs whose cost is known live; then the module is loaded again. At each
# stage it waits for the servers' side (engines_guest.py) at port CONTROL.
export LIB=/add/lib CASE=engines BIN=/add/bin WORK=/tmp/work OUT=/out
mkdir -p "$WORK"
# shellcheck source=tests/vm/lib/case.sh
. "$LIB/case.sh"
export LD_LIBRARY_PATH=/add/libraries
HOST=10.0.2.100
control=$1
shift

at() { wget -q -O /dev/null "http://$HOST:$control/$1" || broken "nobody at $1"; }

# in_session NAME COMMAND...: starts it in the background, with a session. Sets STARTED.
in_session()
{
	_said=$OUT/$1.said
	shift
	"$@" 2> "$_said" &
	STARTED=$!
	begun $STARTED "$_said"
}

begin_metrics()
{
	in_session metrics ktally metrics --listen 0.0.0.0:9435 --by program --by user
	metrics=$STARTED
	until_true 60 listens 9435 || fail "metrics: $(cat "$OUT/metrics.said")"
}

for name in fleet-ok fleet-failed fleet-busy; do
	program lives $name
done
ships=''
n=0
for url; do
	n=$((n + 1))
	case $url in
	*/write*) format=influx ;;
	*) format=clickhouse ;;
	esac
	in_session "ship$n" ktally ship --format $format --to "$url" --spool "$WORK/spool$n" --every 500ms
	ships="$ships $STARTED"
done
# The module has eight sessions.
streams=''
for form in chrome perfetto; do
	in_session "stream-$form" ktally export --stream --to $form -a -o "$OUT/stream.$form"
	streams="$streams $STARTED"
done
begin_metrics
record "$OUT/r.ktl"
KTL=$OUT/r.ktl
at begun
work "$BIN/lives" "$WORK/fleet-ok" 200 0 1
work "$BIN/lives" "$WORK/fleet-failed" 30 4 1
work "$BIN/lives" "$WORK/fleet-busy" 5 0 100
stop
# Streams show what has ended while they go on.
for form in chrome perfetto; do
	until_true 60 grep -q fleet-busy "$OUT/stream.$form" || fail "the stream has nothing yet: $form"
done
for pid in $streams; do
	finish "$pid" || fail "a stream ended with $?: $(cat "$OUT"/stream-*.said)"
done
cp "$TRUTH" "$OUT/truth"
at worked
for pid in $ships; do
	finish "$pid" || fail "a ship ended with $?: $(cat "$OUT"/ship*.said)"
done
find "$WORK" -name '*.gz' > "$OUT/unsent"

finish "$metrics" || fail "metrics ended with $?"
rmmod ktally || fail "rmmod: $?"
at unloaded
/vm/load || fail "load: $?"
begin_metrics
work "$BIN/lives" "$WORK/fleet-ok" 7 0 1
at reloaded
finish "$metrics" || fail "metrics ended with $?"
