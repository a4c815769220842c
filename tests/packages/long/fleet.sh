# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sixteen simulated machines ship to a real ClickHouse, which is killed and started again
# meanwhile. The server is Debian 12's, unpacked, not installed; later releases have none.
# A part of its table is some 300 files, so they lie in memory.
[ ! -d /dev/shm ] || TMPDIR=/dev/shm
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

server=$BUILD/servers/clickhouse

# What it needs and is not installed here comes with it.
fetch()
{
	local new=$server.new package packages
	[ ! -e "$server" ] || return 0
	update_lists bookworm
	packages=$(suite_apt bookworm cache depends --recurse --no-recommends --no-suggests --no-conflicts \
		--no-breaks --no-replaces --no-enhances clickhouse-server 2>/dev/null | grep -E '^[a-z0-9]' | sort -u)
	rm -rf "$new"
	mkdir -p "$new/deb"
	for package in $packages; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ] || continue
		(cd "$new/deb" && suite_apt bookworm get -qq download "$package") || skip "$package: cannot be downloaded"
	done
	for package in "$new"/deb/*.deb; do
		dpkg-deb -x "$package" "$new"
	done
	rm -r "$new/deb"
	mv "$new" "$server"
}

[ "$(own_suite)" = bookworm ] || skip 'ClickHouse is packaged for Debian 12 only'
have python3 || skip 'no python3'
with_lock "$server.lock" fetch
make -s -C "$ROOT/user"
make -s -C "$ROOT/tests/host" mkrec
LD_LIBRARY_PATH=$server/usr/lib/$(gcc -print-multiarch)
export LD_LIBRARY_PATH
python3 -B "$ROOT/tests/host/cli/fleet.py" "$ROOT/build/user/ktally" "$ROOT/build/tests/host/mkrec" "$scratch" \
	"$server/usr/sbin/clickhouse-server" 16 4000 || fail 'see above'
