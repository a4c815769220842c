#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-diff.sh - two recordings compared: verdicts whose answer is known because the
# durations were chosen, exit statuses, and that neither chance nor a few runs count.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

cd "$tmp" || exit 1

# runs NAME PEAK MS...: records of runs one after the other
runs() {
	name=$1 peak=$2
	shift 2
	for ms; do
		pid=$((pid + 1)) now=$((now + 1000))
		echo "${now}ms fork pid=$pid ppid=1"
		echo "${now}ms exec pid=$pid argv=$name runtime=0 utime=0 stime=0"
		echo "$((now + ms))ms exit pid=$pid code=0 runtime=$((ms / 2))ms utime=1 stime=0 peak_rss=${peak}M"
	done
}

# made FILE: standard input as a recording
made() { "$MKREC" -o "$1.ktl" > "$1.said" 2>&1 || { show "$1.said"; exit 1; }; }

# d STATUS COMMAND...
d() {
	want=$1
	shift
	"$KTALLY" diff "$@" > o 2> e < /dev/null
	got=$?
	[ $got -eq "$want" ]
	good=$?
	[ $good -eq 0 ] || { say "exit status $got, not $want"; show o; show e; }
	ok $good "diff $* -> $want"
}

# says NAME VALUES: what a command's row begins with, in CSV
says() {
	grep -qx -e "$2,$1" o
	good=$?
	[ $good -eq 0 ] || { say "no row '$2,$1'"; show o; }
	ok $good "$1: $2"
}

pid=100 now=1000
{
	runs slow 10 100 101 102 103 104 105
	runs fast 10 300 301 302 303 304 305
	runs steady 10 200 210 220 230 240 250
	runs noisy 10 100 900 100 900 100 900
	runs little 10 500 501 502 503 504 505
	runs once 10 400
	runs gone 10 50
} | made a
pid=100 now=1000
{
	runs slow 20 150 151 152 153 154 155
	runs fast 10 200 201 202 203 204 205
	runs steady 10 201 211 221 231 241 251
	runs noisy 10 105 905 105 905 905 905
	runs little 10 510 511 512 513 514 515
	runs once 10 800
	runs new 10 50
} | made b

columns=verdict,change_percent,a_median,b_median,a_runs,b_runs,a_total,b_total,command
d 1 a.ktl b.ktl --csv -c $columns
says slow 'slower,48.7804878,102500000,152500000,6,6,615000000,915000000'
says fast 'faster,-33.05785124,302500000,202500000,6,6,1815000000,1215000000'
says steady 'same,0.4444444444,225000000,226000000,6,6,1350000000,1356000000'
says noisy 'unsure,81,500000000,905000000,6,6,3000000000,3830000000'
says little 'same,1.990049751,502500000,512500000,6,6,3015000000,3075000000'
says once 'few,100,400000000,800000000,1,1,400000000,800000000'
says new 'new,,,50000000,0,1,,50000000'
says gone 'gone,,50000000,,1,0,50000000,'
[ "$(sed -n '2p;$p' o | sed 's/,.*,/ /')" = "$(printf 'slower slow\ngone gone')" ]
ok $? "worst first"

# 1.99 % is more than 1 %, and twelve runs that do not overlap are no chance.
d 1 a.ktl b.ktl --threshold 1% --csv -c $columns
says little 'slower,1.990049751,502500000,512500000,6,6,3015000000,3075000000'
d 0 a.ktl b.ktl --threshold 60
d 0 a.ktl a.ktl
d 1 a.ktl b.ktl --test none --threshold 90% --csv -c $columns
says once 'slower,100,400000000,800000000,1,1,400000000,800000000'
d 0 a.ktl b.ktl fast steady
d 1 a.ktl b.ktl slow
d 3 a.ktl b.ktl nobody

# other figures
d 1 a.ktl b.ktl --metric cpu --csv -c $columns
says slow 'more,49.01960784,51000000,76000000,6,6,306000000,456000000'
d 1 a.ktl b.ktl --metric peak --csv -c verdict,a_median,b_median,command
says slow 'more,10485760,20971520'

# chance is that of the test, raised for the five commands that could be tested
d 1 a.ktl b.ktl --json
grep -q '"verdict":"slower","change_percent":48.7804878,"a_median":102500000,"b_median":152500000,"chance":0.01082251082[0-9]*,' o
ok $? "2 of 924 ways, times five"
grep -q '"diff":{"a":"a.ktl","b":"b.ktl","threshold_percent":5,"tested":true,"slower":1,"faster":1,"same":2,"unsure":1,"few":1,"new":1,"gone":1,' o
ok $? "counts"

# folders of recordings
mkdir before after
for i in 1 2 3 4 5; do
	pid=$((i * 1000)) now=$((i * 10000))
	{ echo "session $i"; runs tool 10 $((100 + i)); } | made before/$i
	{ echo "session $i"; runs tool 10 $((130 + i)); } | made after/$i
done
rm -f before/*.said after/*.said
d 1 before after --csv -c verdict,a_median,b_median,a_runs,b_runs,command
says tool 'slower,103000000,133000000,5,5'

# wrong use, and what is damaged
d 2 a.ktl
d 2 a.ktl b.ktl a.ktl
d 2 a.ktl b.ktl --threshold much
d 1 a.ktl missing.ktl
head -c 3000 b.ktl > cut.ktl
d 1 a.ktl cut.ktl --test none

d 1 a.ktl b.ktl
cat > want <<'END'
VERDICT  CHANGE%     MEDIAN A     MEDIAN B  CHANCE  RUNS A  RUNS B  COMMAND
slower      48.8  0.102500000  0.152500000   0.011       6       6  slow
faster     -33.1  0.302500000  0.202500000   0.011       6       6  fast
unsure      81.0  0.500000000  0.905000000    0.11       6       6  noisy
same         2.0  0.502500000  0.512500000   0.011       6       6  little
same         0.4  0.225000000  0.226000000     0.7       6       6  steady
few        100.0  0.400000000  0.800000000       -       1       1  once
new            -            -  0.050000000       -       0       1  new
gone           -  0.050000000            -       -       1       0  gone
1 slower, 1 faster, 2 same, 1 unsure, 1 with too few runs, 1 new, 1 gone
all runs of what is in both: A 10.20 s, B 11.19 s (+9.8%)
END
diff want o > difference
good=$?
[ $good -eq 0 ] || show difference
ok $good "the table"

done_testing
