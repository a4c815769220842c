#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-ship.sh - rows to a server that is there, refuses, is unwell, hangs, hangs up, or
# comes back late; a spool that is killed, full, on a full disk. What arrives, without
# what came twice, is what the report has.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

if ! command -v python3 > /dev/null; then
	echo "1..0 # SKIP no python3"
	exit 4
fi
for r in build names network hostile lost; do
	recording $r
done
python3 -B "$here/cli/ship.py" "$KTALLY" "$MKREC" "$tmp"
