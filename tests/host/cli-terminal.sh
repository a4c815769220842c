#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-terminal.sh - tables on terminals of every width, colours, the pager.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

if ! command -v python3 > /dev/null; then
	echo "1..0 # SKIP no python3"
	exit 4
fi
recording names
recording build
recording boot
python3 -B "$here/cli/terminal.py" "$KTALLY" "$tmp/names.ktl" "$tmp/build.ktl" "$tmp/boot.ktl"
