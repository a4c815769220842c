#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-hostile.sh - hostile names through every output, see cli/hostile.py.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

if ! command -v python3 > /dev/null; then
	echo "1..0 # SKIP no python3"
	exit 4
fi
recording hostile
python3 -B "$here/cli/hostile.py" "$KTALLY" "$tmp"
