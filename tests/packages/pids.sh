# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# pids.sh - is every PID number of a recorded boot named, and are there as many as the
# kernel itself counts? Sourced by the tests of boots, after lib.sh.
#
# WORDS holds what the guest read itself: "TRUTH when processes=N last_pid=P own=PID" at
# two times, early and late, /proc/stat and /proc/loadavg read together; own of the late
# one is the first process after the recording. "LIVING TID": a thread alive then. Numbers are given out one after the other and `processes` grows
# by one for each, but for forks that were refused: so the first pair tells what the
# counter was at any PID.

# all_named KTALLY RECORDING WORDS
all_named()
{
	local balance dump
	balance=$("$1" report --json "$2" | tail -n 1 | sed 's/.*"balance"//') || fail "report: $?"
	dump=$("$1" dump -e fork,exec,thread_exit,exit "$2") || fail "dump: $?"
	{ cat "$3"; echo "BALANCE $balance"; echo "$dump"; } | awk '
	function field(name,    at, s) {
		at = match($0, "[ {\",(]" name "[\"]?[=:] ?")
		if (!at)
			return ""
		s = substr($0, RSTART + RLENGTH)
		match(s, /^[0-9]+/)
		return substr(s, 1, RLENGTH) + 0
	}
	function name(pid, what) {
		if (pid < first || pid > last)
			return
		if (!(pid in named))
			named[pid] = what
		else if (named[pid] != what)
			twice[pid] = named[pid] " and " what
	}
	$1 == "TRUTH" { split($3, a, "="); split($4, b, "="); split($5, c, "="); processes[$2] = a[2]; pid[$2] = b[2]; own[$2] = c[2]; next }
	$1 == "LIVING" { living[$2]; next }
	$1 == "BALANCE" { forks = field("forks"); threads = field("threads"); lost = field("lost_total"); next }
	{ lines[++n] = $0 }
	END {
		first = 1e9
		for (i = 1; i <= n; i++) {
			$0 = lines[i]
			if (/ fork: / && field("tgid") < first)
				first = field("tgid")
		}
		# Numbers given out before the load, since the first reading or until it.
		before = processes["early"] + (first - 1 - pid["early"])
		last = own["late"] - 1
		grown = processes["late"] - (pid["late"] - last) - before
		for (i = 1; i <= n; i++) {
			$0 = lines[i]
			if (/ fork: /) { begun++; name(field("tgid"), "process") }
			if (/ thread_exit: / && field("tid") != field("tgid")) name(field("tid"), "thread")
			if (/ exec: / && field("old_tid") != field("tgid")) name(field("old_tid"), "thread")
			if (/ exit: / && field("tid") != field("tgid")) name(field("tid"), "thread")
		}
		for (tid in living)
			if (!(tid in named) && tid >= first && tid <= last)
				named[tid] = "thread"
		for (p = first; p <= last; p++)
			if (p in named) count++; else unnamed = unnamed " " p
		refused = (last - first + 1) - grown
		printf "PIDs %d to %d: %d; processes grew by %d; records: %d forks (%d lines), %d thread starts, %d lost; refused forks: %d\n",
			first, last, last - first + 1, grown, forks, begun, threads, lost, refused
		for (p in twice) { print "PID " p " is " twice[p]; bad = 1 }
		if (forks != begun) { print "the balance has other forks than there are records"; bad = 1 }
		if (forks + threads + lost != grown) { print "not as many as the kernel counted"; bad = 1 }
		if (count + refused != last - first + 1 || refused < 0) { print "without a name:" unnamed; bad = 1 }
		exit bad
	}' || fail 'see above'
}
