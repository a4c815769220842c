# SPDX-License-Identifier: GPL-2.0-or-later
#
# refresh.awk - what tests/vm/lib/refresh.sh tells, to Markdown. Behind names.awk.

BEGIN {
	print "| processes | busy | instructions per process and refresh | view |"
	print "|---|---|---|---|"
}

# PROCESSES processes, BUSY busy: COUNT instructions per process and refresh: VIEW
/ instructions per process and refresh: / {
	split($0, part, "refresh: ")
	printf "| %s | %s | %s | %s |\n", $1, $3, $5, part[2]
}
