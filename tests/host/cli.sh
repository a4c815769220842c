#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli.sh - the table of command lines: status, what standard output and standard
# error must hold (extended regular expressions; '' = must be empty, * = anything),
# words. Messages are one line that begins with the program's name.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

cd "$tmp" || exit 1
recording build
recording lost
recording boot
cp build.ktl ktally.ktl
head -c 3000 build.ktl > cut.ktl
: > empty.ktl
mkdir none folder && cp build.ktl folder/
echo "no recording" > text.ktl
no_module=$([ -e /dev/ktally ]; echo $?)

matches() { # matches EXPECTED FILE
	case $1 in
	'*') return 0 ;;
	'') [ ! -s "$2" ] ;;
	*) grep -Eq -e "$1" "$2" ;;
	esac
}

t() { # t STATUS STDOUT STDERR WORD...
	want=$1 out=$2 err=$3
	shift 3
	"$KTALLY" "$@" > o 2> e < /dev/null
	got=$?
	good=0
	[ $got -eq "$want" ] || { good=1; say "exit status $got, not $want"; }
	matches "$out" o || { good=1; say "standard output is not '$out':"; show o; }
	matches "$err" e || { good=1; say "standard error is not '$err':"; show e; }
	# A failure is one line of words, whatever else it says.
	if [ "$want" -ne 0 ] && [ "$want" -ne 6 ] && ! grep -q '^ktally: ' e && [ "$*" != "" ] &&
	   [ "$1" != doctor ]; then
		good=1; say "no message"
	fi
	ok $good "$(echo "$*" | cut -c1-90) -> $want"
}

# the program
t 2 '' 'usage: ktally COMMAND'
t 0 'usage: ktally COMMAND' '' --help
t 0 'usage: ktally COMMAND' '' -h
t 0 '^libktally [0-9]' '' --version
t 0 '^module ' '' --version
t 2 '' "'repor' is not a command; did you mean: ktally report" repor
t 2 '' "'rec' is not a command; did you mean: ktally record" rec
t 2 '' "'stats' is not a command; did you mean: ktally stat" stats
t 2 '' "'frobnicate' is not a command; see: ktally help" frobnicate
t 2 '' "'--frobnicate' is not a command" --frobnicate
t 0 '^  record ' '' help
t 0 '^usage: ktally report' '' help report
t 2 '' "'nothing' is not a command" help nothing

# every command explains itself, and refuses what it does not know
for c in record report run commands tree diff dump mark status doctor load unload schema; do
	t 0 "^usage: ktally $c" '' $c --help
	t 0 '  -h, --help' '' $c -h
	t 2 '' "^ktally: $c: unknown option '--nonsense'; see: ktally $c --help" $c --nonsense
	t 2 '' "^ktally: $c: unknown option '-Z'" $c -Z
done
t 2 '' "unknown option '--colums'; did you mean --columns" report --colums x
t 2 '' "unknown option '--column'; did you mean --columns" report --column pid
t 2 '' "unknown option '--lim'; did you mean --limit" report --lim=3
t 2 '' "option '--limit' wants a value" report --limit
t 2 '' "option '-p' wants a value" report -p
t 2 '' "option '--csv' takes no value" report --csv=yes
t 2 '' "--limit 'many': a whole number is wanted" report --limit many
t 2 '' "--limit '-1': a whole number" report --limit -1
t 2 '' "--by 'colour': one of: process program command" report --by colour
t 2 '' "--time 'now': one of: rel boot wall" report --time now
t 2 '' "--color 'red': one of: auto always never" report --color red

# files
t 0 'make -j2' '' report
t 0 'make -j2' '' report build.ktl
t 0 'make -j2' '' report -i build.ktl
t 0 'make -j2' '' report folder
t 1 '' 'gone.ktl: ' report gone.ktl
t 1 '' '^ktally: /gone/folder: no such file' report /gone/folder
t 1 '' '^ktally: ./gone: no such file' report ./gone
t 1 '' 'text.ktl: ' report text.ktl
t 1 '' 'empty.ktl: ' report empty.ktl
t 1 '' 'none: ' report none
t 1 '*' 'cut.ktl: .*cut off' report cut.ktl
t 2 '' "--live reads the module, not 'build.ktl'" report --live build.ktl
t 2 '' "'nothing' is no recording here" dump nothing

# selecting
t 0 'cc1 -quiet a.c' '' report cc1
# what make started is not make
t 0 '^2 processes' '' report make
t 0 '^ *101 ' '' report build.ktl cc1
t 0 '^ *101 ' '' report -n 'cc*'
t 0 '^ *101 ' '' report '/^cc[0-9]$/'
t 0 '^ *101 ' '' report -p 101
t 0 '^ *102 ' '' report -p 101,102
t 0 '^ *104 ' '' report daemon.sh
t 0 '^ *103 ' '' report make --tree
t 0 '^ *50 ' '' report -a -G /system.slice
t 0 '^ *50 ' '' report -a -G '/system*/cron.service'
t 0 '^ *101 ' '' report -u 1000
t 0 '^ *102 ' '' report --failed
t 0 '^ *101 ' '' report --since 1.5 --until 3m
t 0 '^ *104 ' '' report --since=-0.1
t 0 '^ *101 ' '' report --min-duration 2400ms
t 0 '\[kthreadd\]' '' report -a
t 0 '\[kthreadd\]' '' report -a -p 2
t 3 '*' 'none of the 8 processes here was meant' report nothing-of-the-kind
t 3 '' '-p 4242: no such process here' report -p 4242
t 3 '*' 'none of the 8' report --min-duration 1h
t 3 '*' 'none of the 8' report -u 4242
t 2 '' "-p 'make': process numbers are wanted" report -p make
t 2 '' "-p '1,': process numbers are wanted" report -p 1,
t 2 '' "-p '99999999999': process numbers" report -p 99999999999
t 2 '' "-u 'nobody-of-that-name': no such user here" report -u nobody-of-that-name
t 2 '' "'/\(/': not a regular expression" report '/(/'
t 2 '' 'repetitions of repetitions make it too large' report '/((a{99}){99}){99}/'
t 2 '' "--since 'soon': a time is wanted" report --since soon
t 2 '' '--since 3 is after --until 2' report --since 3 --until 2
t 2 '' 'report: --devices shows' report --devices --since 3
t 2 '' 'report: --devices shows' report --devices cc1
t 2 '' "--min-duration '3 bananas': a time is wanted" report --min-duration '3 bananas'
t 2 '' "--netns 'eth0': an inode number" report --netns eth0

# columns, order, number
t 0 '^ *PID +COMMAND$' '' report -c pid,argv
t 0 '^ *PID +COMMAND$' '' report -c PID,command
t 0 'PPID +COMMAND$' '' report -c +ppid
t 0 '^PID +START +TIME +CPU +PEAK +EXIT +COMMAND$' '' report -c -rx,-tx
t 0 '^  peak_rss_bytes +PEAK' '' report --columns help
t 0 '^  runs ' '' commands --columns help
t 0 '^  depth ' '' tree --columns help
t 2 '' "no column 'colour'; " report -c pid,colour
t 2 '' "no column 'peak_rss'; did you mean peak_rss_bytes" report -c peak_rss
t 2 '' 'no column is left' report -c -pid,-start,-time,-cpu,-peak,-rx,-tx,-exit,-command
t 2 '' "no column 'age'" report --sort age
t 0 '^ *103 ' '' report --limit 1 --sort cpu --no-header
t 0 '^ *104 ' '' report --limit 0 --no-header
t 0 ' walk_end: walk=2 ' '' dump --limit 0
t 0 '^ *101 ' '' report --limit 1 --sort -cpu --no-header
t 0 'KEY$' '' report --by program
for k in process program command user cgroup unit container netns parent all; do
	t 0 'balance: 3 dumped' '' report -a --by $k
done

# forms
for f in --csv --json --jsonl --raw; do
	t 0 'pid' '*' report $f
	t 0 'runs' '*' commands $f
	t 0 'depth' '*' tree $f
done
t 0 '"schema":"ktally.schema/1"' '' schema --json
t 0 '^pid +PID +id +same ' '' schema
t 0 '' '*' report --csv -o out.csv
t 1 '' 'no/such/folder/out.csv: No such file' report --csv -o no/such/folder/out.csv
limited() { (ulimit -f 1; "$KTALLY" "$@" > o 2> e); }
for words in '--csv' '--csv -o limited.csv'; do
	# shellcheck disable=SC2086
	limited report $words
	[ $? = 1 ] && grep -q ': File too large$' e
	ok $? "report $words beyond ulimit -f: a failed write"
done
t 0 '^ *PID' '' report --time wall --utc
t 0 '2000000000' '' report --ns --time boot
t 0 '61\.0M' '' report --human
t 0 '63963136' '' report --human --bytes

# what is missing
t 0 '*' 'warning: 3 records lost on cpu 0' report lost.ktl
t 6 '*' 'warning: 3 records lost' report lost.ktl --strict
t 0 '*' '' report build.ktl --strict
t 0 'lost on full buffers: 1 exec 2 exit' '*' report lost.ktl
t 0 '2 exits lost' '*' report lost.ktl

# other commands
t 0 '^RUNS +TOTAL +MEAN' '' commands
t 0 'cc1 -quiet a.c' '' commands --runs
t 0 '^ *1 +.* make$' '' commands make
t 0 '/usr/lib/gcc/cc1$' '' commands --by path
t 0 '^ *START +TIME +SELF' '' commands --steps
t 0 '^  parent_row ' '' commands --steps --columns help
t 0 '^  self_ns ' '' commands --runs --columns help
t 3 '*' 'none of the' commands --steps nothing-of-the-kind
t 0 "cc1 -quiet 'b c.c'\$" '' commands --by command
t 3 '*' 'none of the' commands nothing-of-the-kind
t 0 '├─ cc1 -quiet a.c' '' tree
t 0 ' exec: .* \| make -j2' '' dump
t 0 ' fork: ' '' dump -e fork
t 0 '^1.000000000 ' '' dump -l 2
t 3 '' 'no such record' dump -e net_late
t 2 '' "no kind 'forks'" dump -e forks
t 2 '' "load: 'fast': a parameter is NAME=VALUE" load fast
t 2 '' "unload: 'now'" unload now
t 2 '' 'mark: what' mark
t 2 '' "record: 'make'\? a command to run stands behind --" record make
t 2 '' "no command behind '--'" record --
t 2 '' 'record: --boot and a command exclude' record --boot -- true
t 2 '' 'record: --timeout ends a command' record --timeout 3
t 2 '' "--duration '10x': a time is wanted" record -D 10x
t 2 '' "--rotate 'daily': FILESxSIZE is wanted" record --rotate daily
t 2 '' 'while recording names are plain or patterns' record -n '/ma/'
t 2 '' 'run: what' run
t 2 '' "no command behind '--'" run --

# live views: words that are wrong are refused before the module is asked
t 2 '' "stat: interval '0': from 10ms to one day" stat cc1 0
t 2 '' "stat: interval '1ms': from 10ms" stat cc1 1ms
t 2 '' "stat: interval '99999d': from 10ms to one day" stat cc1 99999d
t 2 '' "stat: '-1': interval and count are above 0" stat cc1 -1
t 2 '' "stat: '-.5': interval and count" stat cc1 -.5 3
t 2 '' "stat: count '0'" stat cc1 1 0
t 2 '' "stat: count '2.5'" stat cc1 1 2.5
t 2 '' "stat: count '99999999999999999999'" stat cc1 1 99999999999999999999
t 2 '' "stat: '99999999999999999999': interval and count stand last" stat 99999999999999999999
t 2 '' "stat: '1234': interval and count stand last, a process is named by -p 1234" stat 1234 1 5
t 2 '' "top: '1234': interval and count stand last" top -b 1234 1 5
t 2 '' "top: interval '0': from 10ms to one day" top -b 0
t 2 '' "top: '-1': interval and count are above 0" top -b -1
t 2 '' "-p '0': process numbers are wanted" stat -p 0
t 2 '' "-p '99999999999': process numbers are wanted" top -b -p 99999999999
t 2 '' "stat: --network '': no interface has" stat --network ''
t 2 '' "stat: --network 'lo0': no interface has" stat --network lo0
t 2 '' "stat: --network '203.0.113.9': no interface has this address or name; there are: " stat --network 203.0.113.9
t 2 '' 'stat: --failed is for recordings' stat --failed
t 2 '' 'stat: --since is for recordings' stat --since 3
t 2 '' "-p 'x': process numbers are wanted" stat -p x
t 2 '' "not a regular expression" stat '/(/'
t 2 '' "no column 'cpu_percents'; did you mean cpu_percent" stat --columns cpu_percents
t 0 'peak_seen_bytes +PEAKSEEN' '' stat --columns help
t 2 '' '--since and --until are for recordings' report --live --since 3
t 0 '^Usage: processperformance' '' stat --style=pp -HELP
t 1 '' "'-fast': no such option" stat --style=pp -fast
t 1 '' '-interval:0: milliseconds' stat chrome --style=pp -Interval:0
t 1 '' '-interval:x: milliseconds' stat --style=pp -interval:x
t 1 '' '-network:203.0.113.9: no interface has this address' stat --style=pp -NETWORK:203.0.113.9
t 1 '' '-command: is empty' stat --style=pp -command:
if [ "$no_module" -ne 0 ]; then
	t 4 '' 'module not loaded' stat cc1 1 1
	t 4 '' 'module not loaded' stat --style=pp cc1
fi

# The lines below groups, which are folded as they come, are those below rows, whatever is shown of them.
recording network
for r in build lost network; do
	"$KTALLY" report -a $r.ktl 2> e | sed -n '/^[0-9,]* processes/,$p' > rows
	"$KTALLY" report -a $r.ktl --by program -c key 2> e | sed -n '/^[0-9,]* processes/,$p' > groups
	ok "$([ -s rows ] && cmp -s rows groups; echo $?)" "$r: the same below groups of one column as below rows"
done

# without a module
if [ "$no_module" -ne 0 ]; then
	t 4 '' 'module not loaded' status
	t 4 '^missing ' '' doctor
	t 4 '"verdict":"missing"' '' doctor --json
	t 4 '' 'module not loaded' report --live
	t 4 '' 'module not loaded' record -D 1
	t 125 '' 'module not loaded' record -- true
	t 125 '' 'module not loaded' run -- true
	t 125 '' 'module not loaded' run true
	t 4 '' 'module not loaded' mark here
	[ ! -e other.ktl ] && "$KTALLY" record -o other.ktl -D 1 2> e
	ok "$([ ! -e other.ktl ]; echo $?)" "a failed record leaves no file"
else
	skip "the module is loaded here"
fi

# --- what is made of a recording does not take its place ---
cp build.ktl kept.ktl
ln -s kept.ktl link
ln -s kept.ktl kept.svg
for words in 'report -o kept.ktl' 'report --csv --output=./kept.ktl kept.ktl' 'tree -o link' 'dump -o kept.ktl kept.ktl' \
	'diff build.ktl kept.ktl -o kept.ktl' 'boot time -o kept.ktl -i kept.ktl' 'metrics -o kept.ktl' \
	'boot plot -o kept.ktl' 'boot plot -o kept.svg boot.ktl' 'commands -o kept.ktl' 'stat -o kept.ktl -- true' \
	'measure -o kept.ktl -- true' 'measure show -o kept.ktl r.json' 'totals -o kept.ktl' \
	'export kept.ktl --to csv -o kept.ktl' 'export kept.ktl --to sqlite -o link'; do
	# shellcheck disable=SC2086
	t 2 '' 'is a recording and would be lost' $words
	cmp -s build.ktl kept.ktl
	ok $? "and it is not"
done

# --- nor does anything take the place of what it is made from ---
echo "# not a recording" > read.json
ln -s read.json again
for words in 'measure show read.json -o read.json' 'measure show read.json --csv -o ./again' 'measure compare text.ktl read.json -o again' \
	'totals --add read.json -o read.json' 'totals --save again -o read.json' 'measure --method read.json -o again -- true'; do
	# shellcheck disable=SC2086
	t 2 '' "'[a-z./]*': is read here and would be lost; name another file" $words
	[ "$(cat read.json)" = "# not a recording" ]
	ok $? "and it is not"
done

# --- an option of another mode is refused, not ignored: COMMAND|MESSAGE; settings of files may be of any mode ---
while IFS='|' read -r words message; do
	# shellcheck disable=SC2086
	t 2 '' "^ktally: $message\$" $words
	[ "$(wc -l < e)" -eq 1 ]
	ok $? "in one line"
done << 'END'
export build.ktl --to csv --weight cpu|export: --weight goes with --to folded, not with --to csv
export build.ktl --to folded --step 5|export: --step goes with --to openmetrics, not with --to folded
export build.ktl --to chrome -b user|export: --by goes with --to openmetrics, not with --to chrome
export build.ktl --to jsonl --groups 3|export: --groups goes with --to openmetrics, not with --to jsonl
report build.ktl --csv-safe|report: --csv-safe goes with --csv, not with tables
report build.ktl --json --no-header|report: --no-header goes with tables, --csv and --raw, not with --json
tree build.ktl --jsonl --wide|tree: --wide goes with tables, not with --jsonl
commands build.ktl --csv --human|commands: --human goes with tables, not with --csv
diff build.ktl build.ktl --raw --ns|diff: --ns goes with tables, not with --raw
report build.ktl --json --bytes|report: --bytes goes with tables, not with --json
report build.ktl --devices --by user|report: --by goes with processes, not with --devices
commands build.ktl --steps --by user|commands: --by goes with counts and --runs, not with --steps
commands build.ktl --steps --fold|commands: --fold goes with counts and --runs, not with --steps
commands build.ktl --depth 2|commands: --depth goes with --steps, not with counts
commands build.ktl --runs --gaps 1|commands: --gaps goes with --steps, not with --runs
boot blame boot.ktl --gaps|boot: --gaps goes with time, not with blame
boot chain boot.ktl --every 1|boot: --every goes with time, not with chain
boot boot.ktl --units|boot: --units goes with blame, not with time
boot diff boot.ktl boot.ktl --all|boot: --all goes with blame, not with diff
boot chain boot.ktl --by user|boot: --by goes with time and blame, not with chain
boot plot boot.ktl -o x.svg --csv|boot: --csv goes with time, blame, chain and diff, not with plot
boot plot boot.ktl -o x.svg --least 1|boot: --least goes with time, blame, chain and diff, not with plot
boot blame boot.ktl --threshold 3|boot: --threshold goes with diff, not with blame
boot time boot.ktl --once|boot: --once goes with enable and save, not with time
boot save --root /x|boot: --root goes with enable and disable, not with save
boot disable --root /x --parameter a=1|boot: --parameter goes with enable, not with disable
boot disable --root /x --end last|boot: --end goes with time, blame, chain, plot, diff, enable and save, not with disable
boot enable --root /x --redact y|boot: --redact goes with save, not with enable
boot save -i boot.ktl|boot: --input goes with time, blame, chain, plot and diff, not with save
boot enable --root /x -o y|boot: --output goes with time, blame, chain, plot, diff and save, not with enable
measure show r.json --runs 3|measure: --runs goes with runs without a method, not with show
measure show r.json --seed 3|measure: --seed goes with runs without a method, a method and compare, not with show
measure show r.json -w 3|measure: --warm-up goes with runs without a method and a method, not with show
measure compare r.json r.json --pictures x|measure: --pictures goes with runs without a method, a method and show, not with compare
measure compare r.json r.json --workers 2|measure: --workers goes with a method, not with compare
measure --workers 2 --each -- true|measure: --each goes with runs without a method, not with a method
metrics --listen 0 --every 5|metrics: --every goes with a page and -o, not with --listen alone
ship --to http://h/write --format influx --table x|ship: --table goes with --format clickhouse, not with --format influx
top --limit 3|top: --limit goes with --batch, not with the screen
END
printf '[report]\nno-header\n[export]\nweight = time\n' > modes.conf
KTALLY_CONFIG=modes.conf "$KTALLY" report build.ktl --json > o 2> e && KTALLY_CONFIG=modes.conf "$KTALLY" export build.ktl --to csv > o 2> e
ok $? "in a file of settings they are for where they fit"

# --- bounds: a sum without one of its parts is marked, whatever column of a like name stands before it ---
"$MKREC" -o sums.ktl << 'END'
0.5 walk_begin walk=1 purpose=opening
0.5 walk_end walk=1 purpose=opening tasks=0
1.0 fork pid=10 ppid=1
1.1 exit pid=10 code=0 runtime=1ms peak_rss=9M upper=peak_rss net_phys=1,100,100,0,0,0 net_loop=1,60,60,0,0,0
1.2 fork pid=11 ppid=1
1.3 exit pid=11 code=0 runtime=1ms
END
"$KTALLY" report --by all --csv --no-header -c loop_rx_wire_bytes,rx_wire_bytes,bounds sums.ktl > o 2> /dev/null
[ "$(cat o)" = "60,100,loop_rx_wire_bytes>= rx_wire_bytes>=" ]
ok $? "each bound is named"
"$KTALLY" export --stream --to jsonl sums.ktl > o 2> /dev/null
grep '"pid":10,' o | grep -q '"bounds":"peak_rss_bytes<="' && grep '"pid":11,' o | grep -q '"bounds":""'
ok $? "in a stream, too"

# --- and so is the sum below the rows: of all, by groups, and while lives are folded ---
"$MKREC" -o unknown.ktl << 'END'
0.5 walk_begin walk=1 purpose=opening
0.5 walk_end walk=1 purpose=opening tasks=0
1.0 fork pid=10 ppid=1
1.05 exec pid=10 argv=a
1.1 exit pid=10 code=0 runtime=1ms
1.2 fork pid=11 ppid=1
1.25 exec pid=11 argv=b
1.3 exit pid=11 code=0 known=peak_rss
END
for words in report 'report --by user' 'report --by process' tree commands; do
	# shellcheck disable=SC2086
	t 0 '*' '' $words unknown.ktl -a
	cat o e | grep -q '2 processes in .* ≥1.00 ms CPU'
	ok $? "$words: the sum of CPU is marked"
done

# --- times of the day: times of these recordings begin at 22:13:20 UTC ---
window()
{
	"$KTALLY" report --csv --no-header -a -c pid,cpu_ns "$@" build.ktl 2> /dev/null
}
window > whole
window --since '2023-11-14 22:13:23' --until '2023-11-14 22:13:25' > dated
for day in '' 2023-11-14T; do
	window --since "${day}22:13:23" --until "${day}22:13:25" > clock
	[ -s clock ] && cmp -s clock dated && ! cmp -s clock whole
	ok $? "--since ${day}22:13:23 --until ${day}22:13:25: a part of the recording"
	TZ=Asia/Tokyo window --since "${day}22:13:23Z" --until "${day}22:13:25Z" > clock
	cmp -s clock dated
	ok $? "--since ${day}22:13:23Z --until ${day}22:13:25Z: as --utc writes it, elsewhere"
done
for time in 2:05pm 22:13: 22:13:99 22:13:5m 22:134 '22:13:25 UTC' 2023-11-14T22:13:25+01:00 2023-02-31T10:00 22:13ZZ; do
	t 2 '' '--since .*: a time is wanted' report --since "$time"
done

done_testing
