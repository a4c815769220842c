# SPDX-License-Identifier: GPL-2.0-or-later
#
# native.awk - the lines of tests/bench/native to Markdown: of each figure the best round,
# for whatever else a machine does only adds to it. Behind names.awk.

BEGIN {
	n_state = split("nothing floor ktally ftrace", state, " ")
	n_load = split("owned others sent", load, " ")
	what["ktally"] = "ktally, one session"
}

# native STATE LOAD Result: OK: USEC(cBUSY+dIDLE) usec, PACKETS (...)
$1 == "native" && $5 == "OK:" {
	split($6, part, /[(c+]+/)
	ns = part[2] * 1000 / $8
	rounds[$2, $3]++
	if (!(($2, $3) in best) || ns < best[$2, $3])
		best[$2, $3] = ns
}

function cells(as, load,    ns, base) {
	ns = best[as, load]
	base = best["nothing", load]
	return as == "nothing" ? sprintf(" | %.0f |", ns) : sprintf(" | %.0f | %+.0f, %.2f ×", ns, ns - base, ns / base)
}

END {
	printf "Nanoseconds per packet, the best of %d rounds:\n\n", rounds["nothing", "owned"]
	print "| | received for a process | over nothing | received, not ours | over nothing | sent | over nothing |"
	print "|---|---|---|---|---|---|---|"
	for (i = 1; i <= n_state; i++) {
		row = "| " what[state[i]]
		for (k = 1; k <= n_load; k++)
			row = row cells(state[i], load[k])
		print row " |"
	}
}
