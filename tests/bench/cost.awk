# SPDX-License-Identifier: GPL-2.0-or-later
#
# cost.awk - the lines of guest/cost.sh, boot.sh and contention.sh to figures per
# hook (form=gate), to Markdown (form=tables) or to points of curves (form=curves:
# PANEL CURVE X Y). Targets are the project's own.

BEGIN {
	hooks["udp4"] = hooks["udp6"] = 2
	hooks["tcp4"] = hooks["tcp6"] = hooks["nobody4"] = 4
	hooks["udplife4"] = hooks["tcplife4"] = 1
	what["udp4"] = "UDP, IPv4"; what["udp6"] = "UDP, IPv6"
	what["tcp4"] = "TCP, IPv4"; what["tcp6"] = "TCP, IPv6"
	what["nobody4"] = "no socket (UDP to a closed port, ICMP)"
	what["udplife4"] = "a UDP socket made, bound, connected, closed"
	what["tcplife4"] = "a TCP connection made, accepted, closed, both ends"
	n_load = split("udp4 udp6 tcp4 tcp6 nobody4", load, " ")
	n_part = split("fork exec exit", part, " ")
}

$1 == "packets" { took[$2, $3, $4] = $5 }
$1 == "flow" { flow_calls[$2, $3, $4, $5] += $6; flow_sum[$2, $3, $4, $5] += $8; flow_hook[$5] = 1; wide = 1 }
$1 == "hook" { call[$2, $3, $4] = $6; state[$2] = 1; calls[$2, $4] = $5; sums[$2, $4] = $7; hook[$4] = 1 }
$1 == "boot" { booted[$2, ++boots[$2]] = $3 }
$1 == "load" { loaded[$2, ++loads[$2]] = $3 }
$1 == "walk" { walks++; walk_tasks[walks] = $2; walk_each[walks] = $3; walk_all[walks] = $4 }
$1 == "reader" { reads[$2, $3] = $0; read_any = 1 }
$1 == "reader" && $2 == "piped" { resident("forgetting", $4, $8) }
$1 == "resident" { resident($2, $3, $4) }
$1 == "counted" { counted[$2, $3] = $4 }
$1 == "rounds" { n = ++turns[$2, $3, $4]; rounds[$2, $3, $4, n] = $5; cpus[$4] = 1; raced = 1 }

function resident(how, records, kb) {
	residents++
	resident_how[residents] = how
	resident_of[residents] = records
	resident_kb[residents] = kb
}

# per packet hook, or per round where hooks are not what is counted
function per_hook(state, load, flows) {
	if (!((state, load, flows) in took) || !(("base", load, flows) in took))
		return ""
	return (took[state, load, flows] - took["base", load, flows]) / hooks[load]
}

# of all hooks that packets cross, per packet handed to a driver or received: as timed
# inside them, less the two probes that time
function per_crossing(state, load, n,    h, floor, sum, crossed) {
	for (h in flow_hook) {
		if (!((state, load, n, h) in flow_calls) || !flow_calls["flat", load, 1, h])
			continue
		floor = flow_sum["flat", load, 1, h] / flow_calls["flat", load, 1, h]
		sum += flow_sum[state, load, n, h] - floor * flow_calls[state, load, n, h]
		if (h == "net_dev_start_xmit" || h == "netif_receive_skb")
			crossed += flow_calls[state, load, n, h]
	}
	return crossed ? sum / crossed : ""
}

# what the module added to a kind of hook; the end of a process is seen by three
function of_hook(state, kind, part) {
	if (part == "fork")
		return over(state, kind, "sched_process_fork")
	if (part == "exec")
		return over(state, kind, "sched_process_exec")
	return over(state, kind, "sched_process_exit") + over(state, kind, "sched_process_free") + \
	       over(state, kind, "taskstats_exit")
}

function over(state, kind, hook) {
	if (!((state, kind, hook) in call) || !(("base", kind, hook) in call))
		return 0
	return call[state, kind, hook] - call["base", kind, hook]
}

# of one task in a walk, without what the walk costs by itself
function per_task(    a, b) {
	a = 1
	b = walks
	if (b < 2)
		return ""
	return (walk_each[b] * walk_tasks[b] - walk_each[a] * walk_tasks[a]) / (walk_tasks[b] - walk_tasks[a])
}

function median3(state, load, n,    a, b, c, t) {
	a = rounds[state, load, n, 1]; b = rounds[state, load, n, 2]; c = rounds[state, load, n, 3]
	if (a > b) { t = a; a = b; b = t }
	if (b > c) { t = b; b = c; c = t }
	return a > b ? a : b
}

function cell(x) { return x == "" ? "-" : sprintf("%.0f", x) }

function gate(    i) {
	for (i = 1; i <= 4; i++)
		printf "packet.%s %.0f\n", load[i], per_hook("ktally", load[i], 1)
	for (i = 1; i <= n_part; i++)
		printf "life.%s %.0f\n", part[i], of_hook("s1", "spawn", part[i])
	printf "walk.task %.0f\n", per_task()
}

function packet_table(    i) {
	if (!(("ktally", "udp4", 1) in took))
		return
	print "Per packet hook, steady flow (required 200 at most, target 150):\n"
	print "| packets | instructions |"
	print "|---|---|"
	for (i = 1; i <= n_load; i++)
		if (("ktally", load[i], 1) in took)
			print "| " what[load[i]] " | " cell(per_hook("ktally", load[i], 1)) " |"
	if (!(("ktally", "udplife4", 1) in took))
		return
	print "\nPer life of a socket:\n"
	print "| life | instructions | of |"
	print "|---|---|---|"
	print "| " what["udplife4"] " | " cell(per_hook("ktally", "udplife4", 1)) " | " cell(took["base", "udplife4", 1]) " |"
	print "| " what["tcplife4"] " | " cell(per_hook("ktally", "tcplife4", 1)) " | " cell(took["base", "tcplife4", 1]) " |"
}

# what each hook adds, in one call of it
function part_table(    i, n, names, row, k) {
	if (!(("ktally", "udp4", "net_dev_queue") in call))
		return
	n = split("net_dev_queue net_dev_start_xmit net_dev_xmit netif_receive_skb tcp_rcv_space_adjust sock_send_length sock_recv_length", names, " ")
	print "\nHook by hook, per call:\n"
	print "| hook | UDP, IPv4 | UDP, IPv6 | TCP, IPv4 | TCP, IPv6 |"
	print "|---|---|---|---|---|"
	for (k = 1; k <= n; k++) {
		row = "| `" names[k] "`"
		for (i = 1; i <= 4; i++)
			row = row " | " ((("ktally", load[i], names[k]) in call) ? cell(over("ktally", load[i], names[k])) : "-")
		if (row ~ /[0-9] \|/ || row ~ /[0-9]$/)
			print row " |"
	}
}

function flow_table(    i, n, f, list) {
	if (!wide)
		return
	n = split("1 10 100 1000 10000 100000", list, " ")
	print "\nPer packet hook by flows, each used in turn, timed inside the hooks, with net_sockets=262144 net_udp=1048576 (target: 1.5 times that of one flow at most):\n"
	print "| flows | UDP, IPv4 | UDP, IPv6 | TCP, IPv4 | TCP, IPv6 |"
	print "|---|---|---|---|---|"
	for (i = 1; i <= n; i++) {
		f = list[i]
		print "| " f " | " cell(per_crossing("wide", "udp4", f)) " | " cell(per_crossing("wide", "udp6", f)) \
		      " | " cell(per_crossing("wide", "tcp4", f)) " | " cell(per_crossing("wide", "tcp6", f)) " |"
	}
	print "\nWith the tables' default sizes: UDP, IPv4 " cell(per_crossing("narrow", "udp4", 1000)) " at 1,000 flows, " \
	      cell(per_crossing("narrow", "udp4", 10000)) " at 10,000; TCP, IPv4 " cell(per_crossing("narrow", "tcp4", 1000)) " at 1,000."
}

function life_row(words, state, kind,    i, sum, row) {
	if (!((state, kind, "sched_process_fork") in call))
		return
	for (i = 1; i <= n_part; i++) {
		if (part[i] == "exec" && kind == "fork") {
			row = row " | -"
			continue
		}
		row = row " | " cell(of_hook(state, kind, part[i]))
		sum += of_hook(state, kind, part[i])
	}
	print "| " words row " | " cell(sum) " |"
}

function life_table() {
	print "\nIn the hooks of a process's life, per call (target 3,000 for fork, exec and exit with one session):\n"
	print "| life | fork | exec | exit | sum |"
	print "|---|---|---|---|---|"
	life_row("fork, exit; no session", "s0", "fork")
	life_row("spawn of a small program; no session", "s0", "spawn")
	life_row("fork, exit; one session", "s1", "fork")
	life_row("spawn; one session", "s1", "spawn")
	life_row("spawn with 40,000 bytes of argv; one session", "s1", "argv")
	life_row("spawn; a session that filters it out", "x1", "spawn")
	life_row("spawn; eight sessions", "s8", "spawn")
	life_row("fork, exit; one session, 1,000 processes", "c1000", "fork")
	life_row("fork, exit; one session, 10,000 processes", "c10000", "fork")
	life_row("fork, exit; one session, 30,000 processes", "c30000", "fork")
	if (("base", "fork", "kprobe") in call && ("s1", "fork", "taskstats_exit") in call)
		print "\nThe kprobe at the end of a process costs " call["base", "fork", "kprobe"] " by itself, once."
}

function walk_table(    i) {
	if (!walks)
		return
	print "\nA walk over living processes, per task:\n"
	print "| processes | walk | with reading |"
	print "|---|---|---|"
	for (i = 1; i <= walks; i++)
		print "| " walk_tasks[i] " | " cell(walk_each[i]) " | " cell(walk_all[i]) " |"
	if (walks > 1)
		print "\nOne more process costs " cell(per_task()) "."
}

# of list[way, 1] to list[way, n]: sorted in place
function sort_of(list, way, n,    i, k, t) {
	for (i = 2; i <= n; i++)
		for (k = i; k > 1 && list[way, k - 1] > list[way, k]; k--) {
			t = list[way, k]; list[way, k] = list[way, k - 1]; list[way, k - 1] = t
		}
}

function median_of(list, way, n) {
	sort_of(list, way, n)
	return n % 2 ? list[way, (n + 1) / 2] : (list[way, n / 2] + list[way, n / 2 + 1]) / 2
}

# what our callbacks took of the calls of a hook: less the two probes that time them
function probe_sum(name,    floor) {
	if (!calls["with", name] || name == "kprobe")
		return 0
	floor = calls["without", name] ? sums["without", name] / calls["without", name] : 19
	return sums["with", name] - floor * calls["with", name]
}

function boot_table(    a, b, l, name, n, all, list) {
	a = median_of(booted, "without", boots["without"])
	b = median_of(booted, "with", boots["with"])
	l = median_of(loaded, "without", loads["without"])
	print "Busy up to multi-user, millions of instructions:\n"
	print "| | boots | median | least | most |"
	print "|---|---|---|---|---|"
	printf "| without | %d | %.1f | %.1f | %.1f |\n", boots["without"], a / 1e6, booted["without", 1] / 1e6, booted["without", boots["without"]] / 1e6
	printf "| with | %d | %.1f | %.1f | %.1f |\n", boots["with"], b / 1e6, booted["with", 1] / 1e6, booted["with", boots["with"]] / 1e6
	printf "\nThe medians differ by %.1f million, %.2f %%. Loading the module by `insmod` takes %.1f million of that, once.\n", (b - a) / 1e6, (b / a - 1) * 100, l / 1e6
	print "\nIn the module's hooks during such a boot:\n"
	print "| hook | calls | instructions |"
	print "|---|---|---|"
	n = split("sched_process_fork sched_process_exec sched_process_exit sched_process_free taskstats_exit net_dev_queue net_dev_start_xmit net_dev_xmit netif_receive_skb tcp_rcv_space_adjust inet_sock_set_state", list, " ")
	for (name = 1; name <= n; name++) {
		if (!calls["with", list[name]])
			continue
		printf "| `%s` | %d | %.0f |\n", list[name], calls["with", list[name]], probe_sum(list[name])
		all += probe_sum(list[name])
	}
	printf "| all | | %.0f |\n", all
	printf "\nThat is %.4f %% of the busy instructions (target: below 0.5 %%).\n", 100 * all / b
}

function race_table(    i, n, list, a, b) {
	n = split("1 2 4", list, " ")
	print "Rounds per second, all CPUs together, median of three turns; each CPU is emulated by a thread of its own:\n"
	print "| CPUs | UDP without | with | | TCP without | with | |"
	print "|---|---|---|---|---|---|---|"
	for (i = 1; i <= n; i++) {
		if (!(list[i] in cpus))
			continue
		a = median3("base", "udp4", list[i]); b = median3("ktally", "udp4", list[i])
		printf "| %d | %.0f | %.0f | %+.1f %% ", list[i], a, b, (b / a - 1) * 100
		a = median3("base", "tcp4", list[i]); b = median3("ktally", "tcp4", list[i])
		printf "| %.0f | %.0f | %+.1f %% |\n", a, b, (b / a - 1) * 100
	}
}

function flow_curves(    i, k, n, list) {
	n = split("1 10 100 1000 10000 100000", list, " ")
	for (i = 1; i <= 4; i++)
		for (k = 1; k <= n; k++)
			if (per_crossing("wide", load[i], list[k]) != "")
				print "flows", load[i], list[k], per_crossing("wide", load[i], list[k])
}

function life_curves(    i, k, n, list) {
	n = split("0 1 8", list, " ")
	for (i = 1; i <= n_part; i++)
		for (k = 1; k <= n; k++)
			if (("s" list[k]) in state)
				print "sessions", part[i], list[k], of_hook("s" list[k], "spawn", part[i])
	n = split("1000 10000 30000", list, " ")
	for (k = 1; k <= n; k++)
		if (("c" list[k]) in state)
			print "processes", "life", list[k], of_hook("c" list[k], "fork", "fork") + of_hook("c" list[k], "fork", "exit")
}

function walk_curves(    i) {
	for (i = 1; i <= walks; i++)
		print "processes", "walk", walk_tasks[i], walk_each[i]
}

function race_curves(    i, k, n, list) {
	n = split("1 2 4", list, " ")
	for (i = 1; i <= 3; i += 2)
		for (k = 1; k <= n; k++)
			if (list[k] in cpus)
				print "cpus", load[i], list[k], median3("ktally", load[i], list[k]) / median3("base", load[i], list[k])
}

function resident_curves(    i) {
	for (i = 1; i <= residents; i++)
		print "records", resident_how[i], resident_of[i], resident_kb[i] / 1024
}

# a line of the reader: PER is what a figure is of, TARGET of so many a second
function read_row(words, what, cpus, by_rows, target,    f, n, user) {
	if (!((what, cpus) in reads))
		return
	split(reads[what, cpus], f, " ")
	n = by_rows ? f[5] : f[4]
	user = (f[6] ? f[6] : 1) / 1e6
	printf "| %s | %d | %s | %.2f M/s | %s | %.1f MiB |\n", words, f[4], \
	       ((what, cpus) in counted) ? counted[what, cpus] : "-", n / user / 1e6, target, f[8] / 1024
}

function read_table() {
	print "| | records | instructions each | by user time | target | resident |"
	print "|---|---|---|---|---|---|"
	read_row("decode and summarise (`--by program`), a record", "summary", 1, 0, "10 M/s")
	read_row("the same, of 16 CPUs", "summary", 16, 0, "10 M/s")
	read_row("the same, of 256 CPUs", "summary", 256, 0, "10 M/s")
	read_row("the same, through a pipe as it is made", "piped", 16, 0, "10 M/s")
	read_row("CSV of 8 columns, a row", "few", 1, 1, "2 M/s")
	read_row("CSV of all columns, a row", "csv", 1, 1, "2 M/s")
	read_row("JSON of all columns, a row", "json", 1, 1, "-")
	print "\nUser time is the best of five runs on whatever machine that was, the kernel's reading of the file left out."
}

END {
	if (form == "gate")
		gate()
	else if (form == "curves") {
		flow_curves()
		life_curves()
		walk_curves()
		race_curves()
		resident_curves()
	}
	else if (read_any)
		read_table()
	else if (raced)
		race_table()
	else if (boots["with"])
		boot_table()
	else {
		packet_table()
		part_table()
		flow_table()
		life_table()
		walk_table()
	}
}
