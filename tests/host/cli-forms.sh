#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-forms.sh - formats for machines, read back by other people's parsers.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

if ! command -v python3 > /dev/null; then
	echo "1..0 # SKIP no python3"
	exit 4
fi
recording names
python3 -B "$here/cli/forms.py" "$KTALLY" "$tmp/names.ktl"
