#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
UNITS=${LIB%/lib}/tools/packaging/systemd
DIR=/var/lib/ktally
ip link set lo up

cp "$UNITS"/*.service "$UNITS"/*.timer /etc/systemd/system/
mkdir -p /etc/systemd/system/ktally-record.service.d
cat > /etc/systemd/system/ktally-record.service.d/small.conf << END
[Service]
ExecStart=
ExecStart=ktally record --daemon --rotate 40x256K --sample 500ms --buffer 256
RestartSec=1
END
systemctl daemon-reload
trap 'systemctl stop ktally-record ktally-totals ktally-totals.timer 2> /dev/null' EXIT
words() { journalctl -q -o cat -u ktally-record; }
main_pid() { systemctl show -P MainPID ktally-record; }
files() { find "$DIR" -name '*.ktl*' | wc -l; }
records_again() { _now=$(main_pid); [ "$_now" != 0 ] && [ "$_now" != "$1" ] && recording "$_now"; }
cut_short() { words > "$WORK/journal"; fail "$*: $(tail -n 5 "$WORK/journal")"; }

# started means: it records
systemctl start ktally-record || cut_short "does not start"
recording "$(main_pid)" || fail "the manager was told before it records"
sleep 4

# --- somebody uses the network, over a restart ---
"$SHARED/phases" "$WORK/step" >> "$TRUTH" &
worker=$!
until_true 90 test -e "$WORK/step" || broken "no second phase"
sleep 2
before=$(main_pid)
systemctl restart ktally-record || cut_short "does not start again"
records_again "$before" || fail "not recording after the restart"
rm "$WORK/step"
wait $worker || broken "the worker ended with $?"

# --- it is killed: the manager begins anew, and what was written stays ---
before=$(main_pid)
kill -KILL "$before"
until_true 60 records_again "$before" || cut_short "nobody records after the crash"

# --- more than it can take: said in the journal ---
kill -STOP "$(main_pid)"
"$SHARED/forks" 3000 lost
kill -CONT "$(main_pid)"
lost_said() { words | grep -q 'records lost (buffer full) in the last'; }
until_true 60 lost_said || cut_short "losses are not said"

# --- files ---
n=0
while [ "$(files)" -lt 6 ] && [ $n -lt 60 ]; do
	"$SHARED/forks" 300 filler
	sleep 1.2
	n=$((n + 1))
done
[ "$(files)" -ge 6 ] || fail "$(files) files after $n rounds"
before=$(files)
systemctl reload ktally-record || fail "no reload"
reloaded() { [ "$(files)" -gt "$before" ]; }
until_true 30 reloaded || fail "reload begins no new file"

# --- sums, over a stop, a reload of the module and a start ---
systemctl start ktally-totals || fail "totals do not start"
systemctl -q is-active ktally-totals.timer || fail "no timer"
systemctl show -P TimersMonotonic ktally-totals.timer | grep -q 'OnUnitActiveUSec=1h' || fail "not every hour"
"$SHARED/forks" 30 carried
systemctl start ktally-totals-save || fail "the hourly save: $(journalctl -q -o cat -u ktally-totals-save)"
"$SHARED/forks" 10 carried
systemctl stop ktally-record || cut_short "does not stop"
systemctl stop ktally-totals ktally-totals.timer || fail "totals do not stop"
rmmod ktally || fail "the module is in use"
modprobe ktally || fail "modprobe"
"$SHARED/forks" 20 carried
for form in csv json; do
	ktally totals --$form --add $DIR/totals > "$WORK/totals.$form" || fail "totals: $?"
done

# --- who used the network? ---
of() { sed -n "s/.*role=$1 .*$2=\([0-9]*\).*/\1/p" "$TRUTH"; }
# clock SECONDS-OF-UPTIME, whole seconds
offset=$(($(date +%s) - $(cut -d. -f1 /proc/uptime)))
clock() { date -d "@$(($1 + offset))" +%H:%M:%S; }
begin=$(($(of second begin_ns) / 1000000000))
end=$(($(of second end_boot_ns) / 1000000000 + 1))
ktally report --since "$(clock $begin)" --until "$(clock $end)" --by program --sort -loop_tx_wire_bytes --csv \
	-c loop_tx_wire_bytes,key $DIR > "$WORK/first" 2> "$WORK/said"
# 1: what the crash cut off is said
[ $? -le 1 ] || fail "report: $(cat "$WORK/said")"
sed -n 2p "$WORK/first" | grep -q ',phases$' || fail "not first: $(cat "$WORK/first")"
part() # NAME OPTION...
{
	_part=$1
	shift
	for form in csv json; do
		ktally report --$form "$@" $DIR > "$WORK/$_part.$form" 2> "$WORK/said"
		[ $? -le 1 ] || fail "report: $(cat "$WORK/said")"
	done
}
part asked --since "$(clock $begin)" --until "$(clock $end)"
part before --until "$(clock $(($(of first begin_ns) / 1000000000)))"
part whole
compare "$WORK"/asked.* "$WORK"/before.* "$WORK"/whole.* "$WORK"/totals.*
