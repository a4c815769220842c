# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# case.sh - sourced by each run.sh, in the guest, by busybox' shell: start and
# stop a recording around a workload, print the tables, call the judge.
#   CASE, BIN, WORK, OUT   come from the runner
#   LIB                    this folder
# Without ktally in PATH only the workload runs and checks itself.
set -u
# of the case that sources this
# shellcheck disable=SC2034
HERE=${LIB%/lib}/cases/$CASE
JUDGE=${LIB%/lib}/bin/judge
KTL=$WORK/r.ktl
TRUTH=$WORK/truth
: >> "$TRUTH"
NATIVE=
command -v ktally > /dev/null 2>&1 || NATIVE=1
RECORDERS=
# a recorder must not outlive its case
# shellcheck disable=SC2086
trap '[ -z "$RECORDERS" ] || kill $RECORDERS 2> /dev/null' EXIT
trap 'exit 124' TERM

# What the judge may ask for.
LIVES=pid,ppid,parent_start_ns,comm,argv,state,start_ns,end_ns,life_ns,cpu_ns,cpu_user_ns,cpu_sys_ns
LIVES=$LIVES,peak_rss_bytes,exit_code,exit_signal

say() { echo "# $*"; }
truth() { echo "TRUTH $*" >> "$TRUTH"; }
skip() { echo "$*" >&2; exit 77; }
broken() { echo "case: $*" >&2; exit 98; }
fail()
{
	echo "case: $*" >&2
	cp "$WORK"/*.ktl "$TRUTH" "$WORK"/*.csv "$WORK"/*.json "$OUT" 2> /dev/null
	exit 1
}
uptime_s() { cut -d' ' -f1 /proc/uptime; }

# program NAME [AS]: a copy of the case's program in $WORK, where names can be added
program() { cp "$BIN/$1" "$WORK/${2:-$1}" || broken "no program $1"; }

# until_true SECONDS COMMAND...: tries every 50 ms
until_true()
{
	_tries=$(($1 * 20))
	shift
	while ! "$@"; do
		[ $_tries -gt 0 ] || return 1
		_tries=$((_tries - 1))
		sleep 0.05
	done
}

# record FILE [OPTION...]: starts a recording of the whole machine in the background
# and waits until it is one: the opening walk has reached the file. Sets RECORDER.
record()
{
	[ -z "$NATIVE" ] || return 0
	_file=$1
	shift
	ktally record -o "$_file" "$@" 2> "$_file.said" &
	RECORDER=$!
	RECORDERS="$RECORDERS $RECORDER"
	until_true 20 test -s "$_file" || { cat "$_file.said" >&2; fail "recording did not start"; }
}

# finish PID: ends a recording and returns its status
finish()
{
	kill -TERM "$1" 2> /dev/null
	wait "$1"
}

start() { record "$KTL" "$@"; }

stop()
{
	[ -z "$NATIVE" ] || return 0
	finish "$RECORDER" || fail "record ended with $?: $(cat "$KTL.said")"
}

# want STATUS COMMAND...: the workload; its stdout is the truth
want()
{
	_want=$1
	shift
	"$@" >> "$TRUTH"
	_rc=$?
	[ $_rc -ne 77 ] || exit 77
	[ $_rc -eq "$_want" ] || broken "$1 ended with $_rc, not $_want"
}

work() { want 0 "$@"; }

# tables FILE: lives.csv and lives.json of a recording in which nothing is missing
tables()
{
	for _form in csv json; do
		ktally report --strict --$_form --columns "$LIVES" "$1" \
			> "$WORK/lives.$_form" 2> "$WORK/report.said" ||
			fail "report --$_form ended with $?: $(cat "$WORK/report.said")"
	done
}

# verdict RULES TABLE...
verdict()
{
	_rules=$1
	shift
	"$JUDGE" "$_rules" "$TRUTH" "$@" > "$WORK/verdict" 2>&1 && return
	head -n 40 "$WORK/verdict" >&2
	fail "not as expected"
}

# compare TABLE...: what the tables say with what holds always and with expected.txt
compare()
{
	[ ! -e "$WORK/lives.csv" ] || verdict "$LIB/common.txt" "$WORK"/lives.*
	verdict "$HERE/expected.txt" "$@"
}

judge()
{
	[ -z "$NATIVE" ] || return 0
	tables "$KTL"
	compare "$WORK"/lives.*
}

# table: the table for people, as a pipe gets it
table() { ktally report "$KTL" "$@" > "$WORK/table.txt" 2> "$WORK/report.said" || fail "report ended with $?"; }

# one_line_a_record N: the table has a line for each life, a header and a closing line
one_line_a_record()
{
	table
	_lives=$(ktally report --jsonl "$KTL" 2> /dev/null | wc -l)
	_lines=$(wc -l < "$WORK/table.txt")
	[ "$_lives" -ge "$1" ] && [ "$_lines" -eq $((_lives + 2)) ] ||
		fail "table of $_lines lines for $_lives lives"
}

# no_raw_controls: nothing in the table that a terminal would obey
no_raw_controls()
{
	tr -d '\n\040-\176\200-\377' < "$WORK/table.txt" > "$WORK/controls"
	[ ! -s "$WORK/controls" ] || fail "control bytes in the table: $(od -c "$WORK/controls" | head -n 3)"
}
