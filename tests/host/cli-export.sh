#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-export.sh - other tools' formats, read as those tools do: counts and sums are
# those of the report, and no name or argument changes the form.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

if ! command -v python3 > /dev/null; then
	echo "1..0 # SKIP no python3"
	exit 4
fi
# Where scripts/deps put promtool.
PATH=$PATH:$top/build
export PATH
for r in build names lost network boot script; do
	recording $r
done
# A PID that is used twice, by parent and grandchild's sibling; a life of 40 generations.
{
	echo "1.0 walk_begin walk=1 purpose=opening"
	echo "1.0 walk_end walk=1 purpose=opening tasks=0"
	echo "2.0 fork pid=300 ppid=1"
	echo "2.1 exec pid=300 argv=\"a;b secret\""
	echo "2.5 exit pid=300 code=0 runtime=3ms"
	echo "3.0 fork pid=300 ppid=1"
	echo "3.1 exec pid=300 argv=\"deep 1\""
	i=301
	while [ $i -lt 620 ]; do
		echo "3.$i fork pid=$i ppid=$((i - 1))"
		i=$((i + 1))
	done
	echo "4.0 exit pid=619 code=0 runtime=5ms"
} > "$tmp/deep.rec"
"$MKREC" -o "$tmp/deep.ktl" "$tmp/deep.rec" || exit 1
python3 -B "$here/cli/export.py" "$KTALLY" "$tmp" "$MKREC"
