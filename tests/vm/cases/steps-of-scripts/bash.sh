# SPDX-License-Identifier: GPL-2.0-or-later
# A bash that times its own commands: from before each one to before the next one.
# shellcheck disable=SC2154
echo "pid $$" >> "$TIMES"
trap 'n=$EPOCHREALTIME; [ -z "$c" ] || echo "$c $s $n" >> "$TIMES"; c=$BASH_COMMAND; s=$EPOCHREALTIME' DEBUG
for i in 1 2; do nap 0 cold; done
for i in 1 2 3 4 5 6 7 8; do nap 0 null; done
nap 21 bash
nap 33 bash
nap 5 bash
nap 54 bash
nap 12 bash
for i in 1 2 3 4 5 6 7 8; do nap 0 null; done
:
