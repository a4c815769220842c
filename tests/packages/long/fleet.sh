# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sixteen simulated machines ship to a real ClickHouse, which is killed and started again
# meanwhile. The server is Debian 12's, unpacked, not installed; later releases have none.
# A part of its table is some 300 files, so they lie in memory.
[ ! -d /dev/shm ] || TMPDIR=/dev/shm
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$(own_suite)" = bookworm ] || skip 'ClickHouse is packaged for Debian 12 only'
have python3 || skip 'no python3'
fetch_server clickhouse-server
# The dialect of today: npm install --prefix $SERVERS/npm chdb
NODE_PATH=${NODE_PATH:-$SERVERS/npm/node_modules}
export NODE_PATH
make -s -C "$ROOT/user" >/dev/null
make -s -C "$ROOT/tests/host" mkrec >/dev/null
python3 -B "$ROOT/tests/host/cli/fleet.py" "$ROOT/build/user/ktally" "$ROOT/build/tests/host/mkrec" "$scratch" \
	"$SERVERS/clickhouse-server/usr/sbin/clickhouse-server" 16 4000 || fail 'see above'
