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
# shellcheck disable=SC2034
SHARED=${LIB%/lib}/bin/workloads
KTL=$WORK/r.ktl
TRUTH=$WORK/truth
: >> "$TRUTH"
NATIVE=''
command -v ktally > /dev/null 2>&1 || NATIVE=1
RECORDER=''
RECORDERS=''
# a recorder must not outlive its case
# shellcheck disable=SC2086
trap '[ -z "$RECORDERS" ] || kill $RECORDERS 2> /dev/null' EXIT
trap 'exit 124' TERM

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

# recording PID: that process has a session
recording() { ktally status -q --raw --no-header --columns pid 2> /dev/null | grep -qx "$1"; }

# waits PID: it is in poll() or ppoll() for what comes, so its opening walk is over. What
# somebody did before that came by, on a CPU that was halted, would be missing.
waits() { [ ! -e "/proc/$1/syscall" ] || grep -qE '^(7|73|271) ' "/proc/$1/syscall"; }

# ends_by HOOK: the module is told of ends of processes by a tracepoint that says which thread
# was the last (6.16 on), by a kprobe, or by a fallback where neither can be had
ends_by() { ktally status --json 2> /dev/null | grep -q "\"ends_by\": *\"$1\""; }

# listens PORT: somebody does, by TCP
listens() { grep -qi " [0-9A-F]*:$(printf %04X "$1") [0-9A-F]*:0000 0A " /proc/net/tcp /proc/net/tcp6 2> /dev/null; }

# begun PID SAID: waits until it has a session, with its opening walk; ends it with the case
begun()
{
	RECORDERS="$RECORDERS $1"
	until_true 60 recording "$1" || fail "no session: $(cat "$2")"
	until_true 60 waits "$1" || fail "no end of the opening walk"
}

# record FILE [OPTION...]: starts a recording of the whole machine in the background
# and waits until it is one, with its opening walk. Sets RECORDER.
record()
{
	[ -z "$NATIVE" ] || return 0
	_file=$1
	shift
	ktally record -o "$_file" "$@" 2> "$_file.said" &
	RECORDER=$!
	begun $RECORDER "$_file.said"
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

# watch NAME [SEL...] INTERVAL [OPTION...]: `ktally stat` in the background, as NAME.csv and
# NAME.json (or in FORMS); waits until each has a session
WATCHERS=''
watch()
{
	[ -z "$NATIVE" ] || return 0
	_name=$1
	shift
	for _form in ${FORMS:-csv json}; do
		ktally stat "--$_form" "$@" > "$WORK/$_name.$_form" 2> "$WORK/said.$_name.$_form" &
		WATCHERS="$WATCHERS $!"
		begun $! "$WORK/said.$_name.$_form"
	done
}

# unwatch: lets each view make one more row, and ends them
unwatch()
{
	sleep "${1:-1}"
	for _pid in $WATCHERS; do
		finish "$_pid" || fail "stat ended with $?"
	done
	WATCHERS=''
	! grep -h lost "$WORK"/said.* || fail "a view lost records"
}

# sums_of PROGRAM: what the lives of a recording used, for a TRUTH line
sums_of()
{
	ktally report --by program --csv --no-header -c count,cpu_ns,minflt,nvcsw,tcp_tx_bytes,tcp_rx_bytes "$KTL" "$1" 2> /dev/null |
		awk -F, '{ print "count=" $1 " cpu_ns=" $2 " minflt=" $3 " nvcsw=" $4 " tcp_tx=" $5 " tcp_rx=" $6 }'
}

# memory_group NAME: makes a control group that memory is charged to. Sets GROUP.
memory_group()
{
	_root=/sys/fs/cgroup
	[ -e $_root/cgroup.controllers ] || mount -t cgroup2 none $_root || skip "no control groups"
	grep -qw memory $_root/cgroup.controllers || skip "no memory control group"
	echo +memory > $_root/cgroup.subtree_control
	GROUP=$_root/$1
	mkdir "$GROUP" || broken "cannot make $GROUP"
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

# tables FILE [OPTION...]: lives.csv and lives.json of a recording, all processes
tables()
{
	for _form in csv json; do
		ktally report --$_form -a "$@" > "$WORK/lives.$_form" 2> "$WORK/report.said" ||
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

# judge [FILE]: of the recording that start and stop made, or of another one
judge()
{
	[ -z "$NATIVE" ] || return 0
	tables "${1:-$KTL}" --strict
	compare "$WORK"/lives.*
}

# a few columns are enough for many lives, and much faster
# shellcheck disable=SC2034
FEW=pid,ppid,comm,state,start_ns,end_ns,life_ns,exit_code,exit_signal

# kernel_forks: processes and threads made since boot, by the kernel's count, in FORKS;
# makes none itself
# shellcheck disable=SC2034
kernel_forks()
{
	while read -r _key _value; do
		[ "$_key" != processes ] || FORKS=$_value
	done < /proc/stat
}

# kernel_before, kernel_after: around a recording, what began and ended meanwhile of all
# processes and threads by the kernel's own counts; each in the order in which something
# between two readings makes the sum larger
kernel_before()
{
	kernel_forks
	_forks=$FORKS
	read -r _ _ _ _tasks _ < /proc/loadavg
	_tasks=${_tasks#*/}
}
kernel_after()
{
	read -r _ _ _ _now _ < /proc/loadavg
	kernel_forks
	truth "role=kernel begun=$((FORKS - _forks)) ended=$((FORKS - _forks + _tasks - ${_now#*/}))"
}

# count_others NAME: processes of other names that began or ended in the recording
count_others()
{
	ktally report -a --csv --no-header --columns state,partial,comm "$KTL" 2> /dev/null | tr -d '"' |
		awk -F, -v name="$1" '$3 != name { begun += $2 == 0; ended += $1 == "ended" }
			END { print "TRUTH role=others begun=" begun + 0 " ended=" ended + 0 }' >> "$TRUTH"
}

# table: the table for people, as a pipe gets it
table() { ktally report -a "$KTL" > "$WORK/table.txt" 2> "$WORK/report.said" || fail "report ended with $?"; }

lives_count() { ktally report -a --jsonl "$KTL" 2> /dev/null | grep -c '"pid":'; }

# one_line_a_record N: the table has a line for each life, a header, totals and balance,
# and one by class where there was more than physical devices
one_line_a_record()
{
	table
	_lives=$(lives_count)
	_lines=$(grep -vc '^received/sent:' "$WORK/table.txt")
	[ "$_lives" -ge "$1" ] || fail "$_lives lives, wanted $1 or more"
	[ "$_lines" -eq $((_lives + 3)) ] || fail "table of $_lines lines for $_lives lives"
}

# no_raw_controls: nothing in the table that a terminal would obey
no_raw_controls()
{
	tr -d '\n\040-\176\200-\377' < "$WORK/table.txt" > "$WORK/controls"
	[ ! -s "$WORK/controls" ] || fail "control bytes in the table: $(od -c "$WORK/controls" | head -n 3)"
}

# columns_line_up: under each heading stands a value; the last column begins under its own
columns_line_up()
{
	# a column is a byte then
	head -n $(($(lives_count) + 1)) "$WORK/table.txt" | tr -d '\200-\277' | awk '
		NR == 1 {
			for (at = 1; match(substr($0, at), /[^ ]+/); at = end[n] + 1) {
				n++
				begin[n] = at + RSTART - 1
				end[n] = begin[n] + RLENGTH - 1
			}
			next
		}
		{
			for (i = 1; i < n; i++)
				if (substr($0, end[i], 1) == " " || substr($0, end[i] + 1, 1) != " ")
					bad = i
			if (substr($0, begin[n] - 1, 1) != " " || substr($0, begin[n], 1) == " ")
				bad = n
			if (bad) {
				print "column " bad ": " $0
				exit
			}
		}' > "$WORK/crooked"
	[ ! -s "$WORK/crooked" ] || fail "columns do not line up: $(head -n 1 "$WORK/table.txt"; cat "$WORK/crooked")"
}
