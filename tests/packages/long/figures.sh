# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Figures of ten million values, many of them alike, are those of Python's statistics.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

have python3 || skip 'no python3'
make -s -C "$ROOT/user"
judge=$ROOT/tests/host/cli/measure.py
python3 -B "$judge" many "$scratch"
"$ROOT/build/user/ktally" measure show --json "$scratch/ten-million.json" >"$scratch/ten-million.shown" ||
	fail 'a result of ten million values is not shown'
python3 -B "$judge" check "$scratch" || fail 'see above'
