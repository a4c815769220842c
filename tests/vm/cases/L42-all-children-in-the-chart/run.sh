#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs a module loaded at boot"
KTL=$WORK/boot.ktl
# starttime, in hundredths of a second
truth "role=init start_ms=$(awk '{ print $22 * 10 }' /proc/1/stat)"
i=0
while [ $i -lt 200 ]; do
	/bin/true "number-$i"
	i=$((i + 1))
done
# The saver waits for its end.
timeout 60 ktally boot save --end mark:over -o "$KTL" 2> "$WORK/said" &
saver=$!
sleep 1
kill -0 $saver || fail "save --end mark:over did not wait: $(cat "$WORK/said")"
ktally mark over || fail "mark: $?"
wait $saver || fail "save: $? $(cat "$WORK/said")"
ends=$(ktally boot time --json "$KTL" 2> /dev/null | grep -c '"end":"mark over"')
ktally boot blame --all --csv --end last "$KTL" > "$WORK/blame.csv" 2> /dev/null
ktally boot plot --end last -o "$WORK/boot.svg" "$KTL" 2> /dev/null || fail "svg: $?"
ktally boot plot --end last -o "$WORK/boot.html" "$KTL" 2> /dev/null || fail "html: $?"
ktally report -a --csv --no-header -c pid "$KTL" > "$WORK/pids" 2> /dev/null
# Of the numbers that were given out since the load: process, thread, or thread that lives.
ktally dump -e fork,exec,thread_exit,exit "$KTL" > "$WORK/dump"
unnamed=$(awk '
	function field(name) { match($0, "[ ]" name "=[0-9]+"); return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) + 0 }
	/ fork: / { p = field("tgid"); named[p]; if (!first || p < first) first = p; if (p > last) last = p }
	/ thread_exit: / || / exit: / { named[field("tid")] }
	/ exec: / { named[field("old_tid")] }
	END { for (p = first; p <= last; p++) n += !(p in named); print n + 0 }' "$WORK/dump")
truth "role=chart rows=$(grep -c 'number-' "$WORK/blame.csv") processes=$(wc -l < "$WORK/pids") drawn=$(grep -c '^<g class="p' "$WORK/boot.svg") paged=$(awk '/^"rows"/ { on = 1; next } /^\]/ { on = 0 } on && /^\[/ { n++ } END { print n }' "$WORK/boot.html") init=$(grep -c 'id="p1-' "$WORK/boot.svg") unnamed=$unnamed"
printf '#!/bin/sh\nexit 0\n' > "$WORK/last-one"
chmod 755 "$WORK/last-one"
for end in process:last-one exit:last-one; do
	rmmod ktally || fail "rmmod: $?"
	insmod /vm/ktally.ko boot=1 || broken "insmod: $?"
	timeout 60 ktally boot save --end $end -o "$WORK/again.ktl" 2> "$WORK/said" &
	saver=$!
	sleep 1
	kill -0 $saver || fail "save --end $end did not wait: $(cat "$WORK/said")"
	"$WORK/last-one"
	wait $saver || fail "save --end $end: $? $(cat "$WORK/said")"
	ktally boot time --json "$WORK/again.ktl" > "$WORK/again.json" 2> /dev/null
	grep -q "\"end\":\"[^\"]*last-one" "$WORK/again.json" || fail "$end is not the end"
	ends=$((ends + 1))
done
truth "role=ends ends=$ends"
tables "$KTL"
verdict "$HERE/expected.txt" "$WORK"/lives.*
