# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The pictures of a boot in a headless Chromium, 20,000 processes too: what
# tests/host/cli-plot.sh leaves out where the browser's library is missing.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

for tool in node npm; do
	have $tool || skip "$tool: not installed; type: apt-get install nodejs npm"
done
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip 'chromium: not installed; type: apt-get install chromium'
[ -d "$BUILD/npm/node_modules/playwright-core" ] ||
	npm install --silent --prefix "$BUILD/npm" playwright-core >"$scratch/log" 2>&1 ||
	skip "npm: playwright-core cannot be fetched: $(tail -n 1 "$scratch/log")"
make -s -C "$ROOT" user >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
make -s -C "$ROOT/tests/host" mkrec >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
KTALLY=$BUILD/user/ktally sh "$ROOT/tests/host/cli-plot.sh" >"$scratch/said" 2>&1 || fail "$(grep -A 3 '^not ok' "$scratch/said")"
same 'pages seen by the browser' 2 "$(grep -c '^ok.*the browser came to the end' "$scratch/said")"
grep '^# .* rows:' "$scratch/said"
