# SPDX-License-Identifier: GPL-2.0-or-later
#
# compare.awk BASE NOW - judges figures by the committed ones. A packet hook may
# grow by 8 instructions or 5 %, whichever is more, everything else by 5 %.
# Prints TAP and the line that adds it up.

FNR == NR { base[$1] = $2; next }

{
	limit = base[$1] * 1.05
	if ($1 ~ /^packet/ && base[$1] + 8 > limit)
		limit = base[$1] + 8
	ok = ($1 in base) && $2 <= limit
	n++
	printf "%sok %d - %s costs %d instructions, committed %s, at most %d\n", ok ? "" : "not ", n, $1, $2, \
	       ($1 in base) ? base[$1] : "nothing", limit
	if (!ok)
		failed++
	else if ($2 < base[$1] * 0.95 && base[$1] - $2 > 8)
		print "# " $1 " became cheaper: tests/bench/run --commit keeps that"
	seen[$1] = 1
}

END {
	for (name in base)
		if (!(name in seen)) {
			printf "not ok %d - %s was not measured\n", ++n, name
			failed++
		}
	print "1.." n
	if (failed)
		print "# it costs more than before; if that is meant, say so in the commit and run: tests/bench/run --commit"
	printf "%d passed, %d failed\n", n - failed, failed
	exit failed > 0
}
