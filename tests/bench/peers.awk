# SPDX-License-Identifier: GPL-2.0-or-later
#
# peers.awk - the lines of guest/peers.sh and readers to Markdown: one recorder beside
# the other, each with what it costs against ktally. Behind names.awk.

BEGIN {
	n_peer = split("nothing floor ktally ftrace trace_cmd perf bpftrace lttng acct forkstat execsnoop", peer, " ")
	what["ktally"] = "ktally record"
	what["trace_cmd"] = "trace-cmd record"
	what["perf"] = "perf record -a"
	what["bpftrace"] = "bpftrace, sums in maps"
	what["lttng"] = "LTTng kernel session"
	what["acct"] = "BSD process accounting"
	what["forkstat"] = "forkstat"
	what["execsnoop"] = "bpftrace's execsnoop"
	n_view = split("ktally top pidstat atop ps", view, " ")
	shown["ktally"] = "ktally stat"
	shown["top"] = "top -b"
	shown["pidstat"] = "pidstat -u -r"
	shown["atop"] = "atop"
	shown["ps"] = "ps -eo pid,comm,time,rss"
	n_reader = split("report dump trace_cmd perf babeltrace2", reader, " ")
	reads["report"] = "ktally report --by program"
	reads["dump"] = "ktally dump"
	reads["trace_cmd"] = "trace-cmd report"
	reads["perf"] = "perf script"
	reads["babeltrace2"] = "babeltrace2, of what ktally exports"
	events_only["acct"] = events_only["forkstat"] = events_only["execsnoop"] = 1
}

# nothing is measured first and last: the lower of both, for what disturbs can only add
$1 == "peer" && (!(($2, $3) in least) || $5 < least[$2, $3]) { least[$2, $3] = $5 }
# two for each: what changed meanwhile is in neither
$1 == "bare" && ($2, $3) in bare {
	if ($2 != "nothing" && ($5 > 1.01 * bare[$2, $3] || $5 < 0.99 * bare[$2, $3]))
		why[$2] = "without it " $3 " took " bare[$2, $3] " before and " $5 " behind"
	bare[$2, $3] = (bare[$2, $3] + $5) / 2
}
$1 == "bare" && !(($2, $3) in bare) { bare[$2, $3] = $5 }
$1 == "saw" { saw[$2] = $3 }
$1 == "missing" { why[$2] = $3; for (i = 4; i <= NF; i++) why[$2] = why[$2] " " $i }
$1 == "view" { people = $3; refresh[$2] = $4 }
$1 == "read" { events[$2] = $3; rate[$2] = $3 / $4; rss[$2] = $5 / 1024 }

function more(as, load) { return least[as, load] - bare[as, load] }
# by UDP: a round of TCP may take 560 more by itself
function per_hook(as) { return more(as, "udp4") / 2 }
function ratio(a, b) { return b > 0 ? sprintf("%.1f ×", a / b) : "-" }

function recorder_row(as,    packets) {
	if (as in why)
		return "| " what[as] " | " why[as] " | | | | | | |"
	packets = as == "nothing" || as in events_only ? "- | - | -" : \
		sprintf("%.0f | %.0f | %s", more(as, "udp4") / 2, more(as, "tcp4") / 4, ratio(per_hook(as), per_hook("ktally")))
	return sprintf("| %s | %.0f | %+.0f | %.0f | %.0f | %s | %s |", what[as], least[as, "spawn"], \
		       least[as, "spawn"] - least["nothing", "spawn"], least[as, "udp4"], least[as, "tcp4"], packets, saw[as])
}

function recorder_table(    i) {
	print "Instructions of a spawn, of a UDP round (2 packet hooks) and of a TCP round (4), and what a packet hook costs over a round without it, just before and behind:\n"
	print "| recorder | spawn | over nothing | UDP | TCP | a hook, UDP | a hook, TCP | ktally's times, UDP | execs it saw, of 2,080 and the shell's |"
	print "|---|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= n_peer; i++)
		if (peer[i] in why || (peer[i], "spawn") in least)
			print recorder_row(peer[i])
}

function view_table(    i) {
	print "\nOne refresh of a live view with " people " processes, instructions per process:\n"
	print "| view | instructions | ktally's times |"
	print "|---|---|---|"
	for (i = 1; i <= n_view; i++)
		if (view[i] in refresh)
			printf "| %s | %d | %s |\n", shown[view[i]], refresh[view[i]], ratio(refresh[view[i]], refresh["ktally"])
		else
			print "| " shown[view[i]] " | " why[view[i]] " | |"
}

function reader_table(    i) {
	print "\nReading the same forks, execs and exits on this machine, user time:\n"
	print "| reader | events | million a second | ktally report's times | resident |"
	print "|---|---|---|---|---|"
	for (i = 1; i <= n_reader; i++)
		if (reader[i] in events)
			printf "| %s | %d | %.2f | %.1f × | %.1f MiB |\n", reads[reader[i]], events[reader[i]], rate[reader[i]], \
			       rate["report"] / rate[reader[i]], rss[reader[i]]
		else
			print "| " reads[reader[i]] " | " why[reader[i]] " | | | |"
}

END {
	recorder_table()
	view_table()
	reader_table()
}
