# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The example of modprobe.d changes nothing as it stands, and names the
# parameters that the module has: all, and no others.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

example=$PACKAGING/modprobe.d/ktally.conf
! grep -qvE '^#|^$' "$example" || fail 'there is a line that is not commented out'
[ -e "$ROOT/kmod/main.c" ] || skip 'kmod/main.c: not in this tree'
named=$(sed -n 's/^#options ktally //p' "$example" | tr ' ' '\n' | sed 's/=.*//' | sort -u)
has=$(sed -n 's/^module_param\(_named\)\?(\([a-z_]*\),.*/\2/p' "$ROOT"/kmod/*.c | sort -u)
[ -n "$has" ] || fail 'no parameters were found in kmod/*.c'
same 'parameters' "$has" "$named"
