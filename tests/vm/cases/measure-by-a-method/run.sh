#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
measure() { ktally measure "$@" 2> "$WORK/said"; }
is() { awk "BEGIN { exit !($1) }" || fail "${2:-not so}: $1"; }
keep() { cp "$@" "$OUT"; }

# column NAME STAGE SUBJECT MEASURE [REPEAT]: of the CSV in $WORK/m. The one field with commas
# within quotes, host, and the values stand last.
column()
{
	awk -F, -v c="$1" -v st="$2" -v su="$3" -v m="$4" -v rep="${5:-}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["stage"] == st && $at["subject"] == su && $at["measure"] == m && $at["repeat"] == rep { print $at[c]; found = 1 }
		END { exit !found }' "$WORK/m" || fail "no $1 of $2, $3, $4${5:+, repeat $5}"
}

# --- nginx and wrk: the whole method, its stages shortened ---
mkdir -p "$WORK/www"
head -c 20000 /dev/urandom > "$WORK/www/file"
cat > "$WORK/nginx.conf" <<END
daemon off; worker_processes 2; user root; pid $WORK/nginx.run; error_log $WORK/nginx.log;
events { }
http { access_log off; server { listen 127.0.0.1:8080; root $WORK/www; } }
END
cat > "$WORK/method" <<END
# what is asked for on the command line stands above this
role = server=name:nginx
start-server = exec nginx -c $WORK/nginx.conf
ready = test -s $WORK/nginx.run
prepare = echo x >> $WORK/prepared
conclude = echo x >> $WORK/concluded
command = wrk -t1 -c1 -d1s 'http://127.0.0.1:8080/file'
workers = 4
warm-up = 1..2
samples = 4
every = 1
solo = 3
shared = 6
repeats = 1
END
measure --method "$WORK/method" --repeats 2 --csv -o "$WORK/m" || fail "the method: status $?: $(cat "$WORK/said")"
keep "$WORK/m"
[ "$(wc -l < "$WORK/prepared") $(wc -l < "$WORK/concluded")" = "2 2" ] || fail "prepared $(wc -l < "$WORK/prepared") times"
none_left() { ! grep -qsx -e nginx -e wrk /proc/[0-9]*/comm; }
until_true 5 none_left || fail "server or workers are left"
for repeat in 1 2; do
	[ "$(column runs client client cpu $repeat)" = 4 ] || fail "samples of clients"
	[ "$(column runs server server cpu $repeat)" = 4 ] || fail "samples of the server"
	[ "$(column runs solo worker time $repeat)" = 3 ] || fail "single measurements"
	is "$(column runs shared worker time $repeat) >= 4" "measurements of all"
	is "$(column min solo worker time $repeat) >= 1e9" "wrk ran a second"
done
[ "$(column runs server server cpu)" = 8 ] || fail "samples of all repeats"
[ "$(column mean server server processes)" = 3 ] || fail "processes of nginx"
[ "$(column mean client client threads)" != "" ] || fail "threads of wrk"
is "$(column min server server cpu) > 0 && $(column median server server cpu) <= 200"
is "$(column median server machine cpu) * 1.1 + 5 >= $(column median server server cpu)" "the machine's CPU"
is "$(column median server server 'lo tx/s') > 20000" "the server sent"
is "$(column total server server 'lo tx') > 4 * 20000"
is "$(column min server server resident) > 1e6 && $(column min server machine memory) > 1.5e9"
is "$(column min server machine 'kernel mem') > 1e6 && $(column max server machine 'memory used') < $(column min server machine memory)"
is "$(column low solo worker time) <= $(column mean solo worker time) && $(column spread solo worker time) >= 0"

# Who sends over loopback is of one role or the other, and the device counts as well.
measure --method "$WORK/method" --together --csv -o "$WORK/m" || fail "--together: $?: $(cat "$WORK/said")"
keep "$WORK/said"
roles="$(column total both server 'lo tx' 1) + $(column total both client 'lo tx' 1)"
is "$roles > 0.9 * $(column total both lo tx 1) && $roles < 1.1 * $(column total both lo tx 1)" "loopback by roles and by the device"

# --- two results, shown again and compared ---
for i in 1 2; do
	measure --method "$WORK/method" --json -o "$WORK/r$i.json" || fail "result $i: $?: $(cat "$WORK/said")"
done
measure show "$WORK/r1.json" > "$WORK/t" || fail "show: $?"
keep "$WORK/t" "$WORK/r1.json"
grep -q '^solo *worker *time' "$WORK/t" || fail "no single measurements in the table"
measure compare --csv "$WORK/r1.json" "$WORK/r2.json" > "$WORK/c" || fail "compare: $?: $(cat "$WORK/said")"
grep -q '^solo,worker,time,.*,\(few\|same\)$' "$WORK/c" || fail "wrk's second is not the same: $(grep '^solo' "$WORK/c")"

# --- a role whose processes live shorter than an interval ---
program spin shortlived
: > "$WORK/used"
(while :; do "$WORK/shortlived" 30 "$WORK/used"; done) &
loop=$!
begun=$(uptime_s) first=$(wc -l < "$WORK/used")
measure --role short=name:shortlived --warm-up 1 --samples 12 --every 0.5 --repeats 1 --csv -o "$WORK/m" || fail "a role that restarts: $?: $(cat "$WORK/said")"
rate=$(tail -n +$((first + 1)) "$WORK/used" | awk -v from="$begun" -v to="$(uptime_s)" '{ s += $1 } END { print s / (to - from) / 1e7 }')
kill $loop
keep "$WORK/m"
is "$(column mean server short cpu 1) > 0.85 * $rate && $(column mean server short cpu 1) < 1.2 * $rate" "CPU of processes that come and go, $rate % by themselves"
is "$(column total server short ended 1) >= 10" "ends"

# --- peaks: not those of who ran before, nor of a parent ---
measure --compare -r 10 -w 0 --each --csv -o "$WORK/each" -- "$BIN/big" --- "$BIN/spin" 1 || fail "big beside small: $?"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ p = $at["peak_rss_bytes"]; n++; if ($at["command"] == 1 ? p < 500 * 1048576 : p > 8 * 1048576) bad = 1 }
	END { exit !(n == 20 && !bad) }' "$WORK/each" || { cat "$WORK/each" >&2; fail "peaks"; }
"$BIN/big" ktally measure -r 10 -w 0 --csv -o "$WORK/m" -- "$BIN/spin" 1 2> "$WORK/said" || fail "below a big parent: $?: $(cat "$WORK/said")"
awk -F, 'NR > 1 && $2 == "peak memory" { bad = $13 > 8 * 1048576; n++ } END { exit n != 1 || bad }' "$WORK/m" || fail "peak below a big parent"

# --- workers that print, workers that mark ---
measure --worker numbers --unit ms --workers 2 --warm-up 0.5 --solo 10 --shared 1 --samples 1 --repeats 1 --csv -o "$WORK/m" -- \
	sh -c 'while :; do echo 12.5; sleep 0.02; done' || fail "numbers: $?: $(cat "$WORK/said")"
[ "$(column runs solo worker value 1)" = 10 ] || fail "ten numbers"
is "$(column min shared worker value 1) == 12500000 && $(column max shared worker value 1) == 12500000" "numbers as printed"
measure --worker numbers --repeats 1 -- sh -c 'echo nan; sleep 1' > /dev/null
[ $? = 1 ] || fail "nan as a number"
grep -q "printed 'nan'" "$WORK/said" || fail "no word about nan: $(cat "$WORK/said")"
measure --worker marks --warm-up 0.5 --solo 5 --shared 1 --samples 1 --repeats 1 --csv -o "$WORK/m" -- \
	sh -c 'while :; do ktally mark begin; sleep 0.1; ktally mark end; sleep 0.3; done' || fail "marks: $?: $(cat "$WORK/said")"
is "$(column min solo worker time 1) >= 0.1e9" "time between marks"
is "$(column min solo worker time 1) < 0.4e9" "and not up to the next begin"
measure --workers 2 --warm-up stable --solo 5 --shared 1 --samples 1 --repeats 1 --csv -o "$WORK/m" -- sleep 0.1 || fail "stable: $?: $(cat "$WORK/said")"
is "$(column min solo worker time 1) >= 0.1e9" "sleep"

# --- a parameter, and what is wrong ---
measure --scan t=0.01,0.05 -r 10 --csv -- sleep '{t}' > "$WORK/m" || fail "--scan: $?"
is "$(column min runs t=0.05 time 1) >= 0.05e9 && $(column min runs t=0.01 time 1) < 0.05e9" "scan"
measure --role nobody=name:nosuchprogram --warm-up 0.1 --samples 1 --repeats 1 > /dev/null || fail "a role without processes: $?"
grep -q "role nobody has no process" "$WORK/said" || fail "no word about a role without processes: $(cat "$WORK/said")"
measure --workers 2 -- /no/such/program > /dev/null
[ $? = 127 ] || fail "workers that are not there"
measure --start-server 'exit 3' --ready false -- true > /dev/null
grep -q "the server ended with status 3" "$WORK/said" || fail "a server that ends: $(cat "$WORK/said")"

# --- records lost: void, visibly ---
# shellcheck disable=SC2016
measure -r 2 -w 0 --buffer 64 -- sh -c 'kill -STOP $PPID; i=0; while [ $i -lt 1500 ]; do (:); i=$((i + 1)); done; kill -CONT $PPID' > "$WORK/t"
[ $? = 6 ] || fail "losses: status $?: $(cat "$WORK/said")"
grep -q VOID "$WORK/t" || fail "figures although records were lost: $(cat "$WORK/t")"

# --- stopped in the middle: what is complete is shown ---
ktally measure --warm-up 0.5 --solo 5 --shared 600 --samples 3 --repeats 5 --csv -o "$WORK/m" -- \
	sh -c "echo x >> $WORK/done; sleep 0.1" 2> "$WORK/said" &
measuring=$!
# Sixty runs take longer than the stages before the last one, however slow they are.
sixty() { [ -e "$WORK/done" ] && [ "$(wc -l < "$WORK/done")" -ge 60 ]; }
until_true 200 sixty || fail "the workers do not work"
kill -INT $measuring
wait $measuring || fail "stopped: status $?: $(cat "$WORK/said")"
[ "$(column runs client client cpu 1) $(column runs solo worker time 1) $(column runs shared worker time 1)" = "3 5 0" ] || fail "stages of what was stopped"

# --- equal builds are equal ---
differ=0
for _n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	measure --compare -r 20 -w 1 --seed $_n --json -- "$BIN/spin" 4 --- "$BIN/spin" 4 > "$WORK/j" || fail "equal builds: $?"
	! grep -o '"ratio_2_time":{[^}]*}' "$WORK/j" | grep -q '"differs":true' || differ=$((differ + 1))
done
say "different $differ of 20 times"
[ $differ -le 2 ] || fail "equal builds differ $differ of 20 times"

# --- beside hyperfine: the same values, and no more time ---
: > "$WORK/theirs"
: > "$WORK/ours"
for _n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	hyperfine -N -r 10 --style none --export-json "$WORK/h" "$BIN/spin 100" > /dev/null 2>&1 || fail "hyperfine"
	tr -d ' \n' < "$WORK/h" | sed 's/.*"times":\[\([^]]*\)\].*/\1/' | tr ',' '\n' | awk '{ printf "%.0f\n", $1 * 1e9 }' >> "$WORK/theirs"
	measure -r 10 -w 0 --each --csv -- "$BIN/spin" 100 > "$WORK/m" || fail "beside hyperfine: $?"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["time_ns"] }' "$WORK/m" >> "$WORK/ours"
done
[ "$(wc -l < "$WORK/theirs") $(wc -l < "$WORK/ours")" = "200 200" ] || fail "$(wc -l < "$WORK/theirs") and $(wc -l < "$WORK/ours") values"
for who in theirs ours; do
	printf '{"schema":"ktally.measure/1","rows":[{"command":1,"measure":"time","unit":"ns","stage":"runs","subject":"x","repeat":1,"void":false,"values":[%s]}]}' \
		"$(paste -sd, < "$WORK/$who")" > "$WORK/$who.json"
done
measure compare --csv "$WORK/theirs.json" "$WORK/ours.json" > "$WORK/c" || fail "compare: $?"
keep "$WORK/c" "$WORK/theirs.json" "$WORK/ours.json"
say "ratio to hyperfine: $(tail -n 1 "$WORK/c")"
# Theirs ends when hyperfine has been woken up, ours when the run has ended: never later, and not
# before its hundred milliseconds are over.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { exit !($at["high"] <= 1.02) }' "$WORK/c" ||
	fail "longer than hyperfine measures: $(tail -n 1 "$WORK/c")"
is "$(sort -n "$WORK/ours" | head -n 1) >= 100e6" "shorter than it ran"

now_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }
theirs=1000000 ours=1000000
for _n in 1 2 3 4 5; do
	begun=$(now_ms)
	hyperfine -N -r 200 --style none "$BIN/spin 5" > /dev/null 2>&1
	between=$(now_ms)
	measure -r 200 -w 0 -- "$BIN/spin" 5 > /dev/null || fail "two hundred runs: $?"
	ended=$(now_ms)
	[ $((between - begun)) -ge $theirs ] || theirs=$((between - begun))
	[ $((ended - between)) -ge $ours ] || ours=$((ended - between))
done
say "200 runs of 5 ms: hyperfine $theirs ms, ktally $ours ms"
is "$ours <= 1.15 * $theirs" "slower than hyperfine"
exit 0
