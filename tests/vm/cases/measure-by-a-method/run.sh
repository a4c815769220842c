#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
. "$LIB/measure.sh"
# What takes long is seen in the log.
part() { say "$(uptime_s) s: $*"; }

none_left() { ! grep -qsx -e nginx -e wrk /proc/[0-9]*/comm; }
# The Debian's own came up with it.
systemctl stop nginx
until_true 60 none_left || broken "nginx does not stop"

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
part "two repeats"
measure --method "$WORK/method" --repeats 2 --csv -o "$WORK/m" || fail "the method: status $?: $(cat "$WORK/said")"
keep "$WORK/m"
[ "$(wc -l < "$WORK/prepared") $(wc -l < "$WORK/concluded")" = "2 2" ] || fail "prepared $(wc -l < "$WORK/prepared") times"
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
part "together"
measure --method "$WORK/method" --together --csv -o "$WORK/m" || fail "--together: $?: $(cat "$WORK/said")"
keep "$WORK/said"
# Per second: the device is read a moment after the roles.
roles="$(column mean both server 'lo tx/s' 1) + $(column mean both client 'lo tx/s' 1)"
near "loopback by roles and by the device" "($roles)" "$(column mean both lo tx/s 1)" 10

# --- two results, shown again and compared ---
part "two results"
for i in 1 2; do
	measure --method "$WORK/method" --json -o "$WORK/r$i.json" || fail "result $i: $?: $(cat "$WORK/said")"
done
measure show "$WORK/r1.json" > "$WORK/t" || fail "show: $?"
keep "$WORK/t" "$WORK/r1.json"
grep -q '^solo *worker *time' "$WORK/t" || fail "no single measurements in the table"
measure compare --csv "$WORK/r1.json" "$WORK/r2.json" > "$WORK/c" || fail "compare: $?: $(cat "$WORK/said")"
grep -q '^solo,worker,time,.*,\(few\|same\)$' "$WORK/c" || fail "wrk's second is not the same: $(grep '^solo' "$WORK/c")"

# --- a role whose processes live shorter than an interval ---
part "short lives"
cp "$SHARED/spin" "$WORK/shortlived"
: > "$WORK/used"
(while :; do "$WORK/shortlived" 30 "$WORK/used"; done) &
loop=$!
measure --role short=name:shortlived --warm-up 1 --samples 12 --every 0.5 --repeats 1 --csv -o "$WORK/m" || fail "a role that restarts: $?: $(cat "$WORK/said")"
kill $loop
keep "$WORK/m"
ended=$(column total server short ended 1) sum=$(column total server short 'cpu time' 1)
# What they said of themselves is in the order of their ends; those of the stage stand somewhere
# in it, one behind the other. Of the first and of the one that was not over a part is in it; what
# they used before they were executed was of the program that forked them.
# shellcheck disable=SC2016,SC2046 # of awk, which prints two words
set -- $(awk -v n="$ended" '
	function bound(v, n, sign, i, sum, best) {
		for (i = 1; i <= NR; i++) {
			sum += v[i] - (i > n ? v[i - n] : 0)
			if (i >= n && (best == "" || sign * (sum - best) > 0))
				best = sum
		}
		return best == "" ? sum : best
	}
	{ all[NR] = $1; run[NR] = $1 - $2 }
	END { printf "%.0f %.0f", bound(run, n - 1, -1), bound(all, n + 1, 1) }' "$WORK/used")
say "$ended ended in the stage, $sum ns by the role, $1 to $2 ns by themselves"
is "$ended >= 10" "ends"
is "$sum >= $1 && $sum <= 1.15 * $2" "sums of those that ended"

part "end"
exit 0
