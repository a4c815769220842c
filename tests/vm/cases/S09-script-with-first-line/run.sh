#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
program showargs
printf '#!%s/showargs --flag\nany body\n' "$WORK" > "$WORK/my-script.sh"
chmod +x "$WORK/my-script.sh"
start
want 17 "$WORK/my-script.sh" one "two three"
stop
judge
