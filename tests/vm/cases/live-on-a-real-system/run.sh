#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || skip "needs ktally"
cp "$BIN/burn" /usr/local/bin/burn
cp "$BIN/burn" /usr/local/bin/workers
systemctl stop nginx postgresql 2> /dev/null

# --- a web server
mkdir "$WORK/www"
head -c 20000 /dev/urandom > "$WORK/www/file"
cat > "$WORK/nginx.conf" <<END
worker_processes 2;
daemon off;
error_log /dev/null;
pid $WORK/nginx.pid;
events {}
http { log_format sent "\$bytes_sent"; access_log $WORK/sent sent; server { listen 127.0.0.1:8080; root $WORK/www; } }
END
chmod 755 "$WORK" "$WORK/.." 2> /dev/null
nginx -c "$WORK/nginx.conf" > /dev/null 2>&1 &
RECORDERS="$RECORDERS $!"
until_true 20 test -s "$WORK/nginx.pid" || broken "no nginx"

# --- a database
pg=/usr/lib/postgresql/15/bin
db=/var/lib/postgresql/case
runuser -u postgres -- $pg/initdb -A trust -D $db > "$WORK/initdb" 2>&1 || broken "initdb: $(tail -n 1 "$WORK/initdb")"
runuser -u postgres -- $pg/pg_ctl -s -w -D $db -o "-p 5433 -k /tmp -c listen_addresses=127.0.0.1" -l $db.log start ||
	broken "postgres: $(tail -n 1 $db.log)"
runuser -u postgres -- $pg/pgbench -q -i -h 127.0.0.1 -p 5433 postgres > /dev/null 2>&1 || broken "pgbench -i"

# --- what the kernel says of them: utime and stime in ticks; of a server with its ended children
ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{ printf "%.0f\n", ($12 + $13) * 1e7 }'; }
with_ended() { sed 's/.*) //' "/proc/$1/stat" | awk '{ printf "%.0f\n", ($12 + $13 + $14 + $15) * 1e7 }'; }
sum_of() { _sum=0; for _p in $(pgrep -x "$1"); do _sum=$((_sum + $(ticks "$_p"))); done; echo $_sum; }
postmaster=$(head -n 1 $db/postmaster.pid)
postgres_now() { echo $(($(with_ended "$postmaster") + $(sum_of postgres) - $(ticks "$postmaster"))); }

# --- four at once, beside a fifth that polls
start --sample 1s
watch stat nginx wrk postgres pgbench workers 1 --network lo
# shellcheck disable=SC2034 # of case.sh
FORMS=csv
watch process nginx 1 --by process
watch units --by unit 1
watch containers --by container 0.5
pidstat -u -h -C workers 1 > "$WORK/pidstat" 2> /dev/null &
pidstat=$!
ktally top -b 1 > "$WORK/top" 2> "$WORK/said.top" &
top=$!
RECORDERS="$RECORDERS $pidstat $top"
until_true 30 recording $top || fail "top did not start: $(cat "$WORK/said.top")"
nginx_before=$(sum_of nginx)
postgres_before=$(postgres_now)

# --- work
ktally run --json -o "$WORK/run.json" -- wrk -t1 -c4 -d4s http://127.0.0.1:8080/file > "$WORK/wrk" || broken wrk
read=$(awk '/ requests in / { sub(",", "", $5); v = $5 + 0; printf "%.0f\n", $5 ~ /GB/ ? v * 1073741824 : $5 ~ /MB/ ? v * 1048576 : v * 1024 }' "$WORK/wrk")
truth "role=wrk requests=$(awk '/ requests in / { print $1 }' "$WORK/wrk") read=$read"
runuser -u postgres -- $pg/pgbench -c 4 -T 4 -h 127.0.0.1 -p 5433 postgres > "$WORK/pgbench" 2>&1 || broken pgbench
workers short 20 100 >> "$TRUTH" || broken workers
systemd-run -q --unit=busy-unit --wait --pipe burn unit 400 >> "$TRUTH" || broken "a unit"
mkdir "$WORK/image"
cp /usr/local/bin/burn /vm/busybox "$WORK/image/" || broken "no busybox"
tar -C "$WORK/image" -c . | podman import -q - busy > /dev/null 2> "$WORK/podman" || broken "podman: $(cat "$WORK/podman")"
podman run --rm --network none --name short-lived busy /busybox sh -c "/burn container 400" >> "$TRUTH" 2> "$WORK/podman" ||
	broken "podman: $(cat "$WORK/podman")"
podman run --network none --name that-stays busy /busybox sh -c "/burn stays 300" >> "$TRUTH" 2> "$WORK/podman" || broken "podman"
sleep 1.5
truth "role=nginx count=$(pgrep -xc nginx) cpu_ns=$(($(sum_of nginx) - nginx_before))"
truth "role=postgres cpu_ns=$(($(postgres_now) - postgres_before))"
for p in $(pgrep -x nginx); do truth "role=worker pid=$p hwm_kb=$(awk '/^VmHWM/ { print $2 }' "/proc/$p/status")"; done
truth "role=log sent=$(awk '{ n += $1 } END { printf "%.0f\n", n }' "$WORK/sent")"
kill -INT "$pidstat"
finish $top || fail "top ended with $?"
unwatch
stop
# each of the four is complete: no loss said above, and none here
refreshes=$(grep -c '^ktally ' "$WORK/top")
[ "$(grep -c '^ktally .* lost 0' "$WORK/top")" = "$refreshes" ] || fail "top lost records: $(grep -m 1 '^ktally ' "$WORK/top")"
grep -q ' x .* wrk -t1' "$WORK/top" || fail "top has no end of wrk"
tr , '\n' < "$WORK/run.json" | grep -q '"lost_total":0' || fail "run lost records: $(cat "$WORK/run.json")"
ktally report --strict -q "$KTL" > /dev/null 2> "$WORK/said.strict" || fail "the recording: $(cat "$WORK/said.strict")"
for form in csv json; do
	ktally report --by container --$form "$KTL" > "$WORK/lasting.$form" 2> /dev/null || fail "report"
done

# --- how much of the short-lived a polling tool sees
seen=$(awk '$NF == "workers" && $1 ~ /^[0-9]/ { sum += $(NF - 2) } END { printf "%.0f\n", sum * 1e7 }' "$WORK/pidstat")
ours=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["key"] == "workers" && $at["period"] == "interval" { sum += $at["cpu_ns"] } END { printf "%.0f\n", sum }' "$WORK/stat.csv")
echo "# 100 children of 20 ms and their parent used $(sed -n 's/.*role=short cpu_ns=\([0-9]*\).*/\1/p' "$TRUTH") ns by wait4; pidstat saw $seen ns, stat $ours ns" | tee -a "$OUT/short-lived"
compare "$WORK"/stat.csv "$WORK"/stat.json "$WORK"/process.csv "$WORK"/units.csv \
	"$WORK"/containers.csv "$WORK"/lasting.csv "$WORK"/lasting.json
podman rm -af > /dev/null 2>&1
runuser -u postgres -- $pg/pg_ctl -s -D $db -m immediate stop
kill "$(cat "$WORK/nginx.pid")"
