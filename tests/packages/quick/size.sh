# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The module that make check built stays below 96 KiB when it is loaded: text and
# data less what the loader drops (docs/performance.md, Size).
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

LIMIT=98304
module=$BUILD/module/$(own_suite)/ktally.ko

[ -e "$module" ] || skip "no module yet; type: scripts/kernels module $(own_suite)"
need size
bytes=$(size "$module" | awk 'NR == 2 { print $1 + $2 }')
dropped=$(size -A "$module" | awk '$1 ~ /^(__versions|\.modinfo|\.init\..*)$/ { n += $2 } END { print n + 0 }')
loaded=$((bytes - dropped))
[ "$loaded" -gt 0 ] || fail "size says nothing about $module"
[ "$loaded" -le $LIMIT ] || fail "$module: $loaded bytes stay loaded, $LIMIT at most"
echo "$loaded of $LIMIT bytes"
