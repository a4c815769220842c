# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What needs a real server is skipped where no mirror is; a package that can't be unpacked
# leaves no server behind.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

SERVERS=$scratch/servers

# ends_with STATUS: fetching one does
ends_with()
{
	local status=0
	(fetch_server nobodys-server) >"$scratch/said" 2>&1 || status=$?
	same "status ($(tail -n 1 "$scratch/said"))" "$1" "$status"
	[ ! -e "$SERVERS/nobodys-server" ] || fail 'there is a server now'
}

update_lists() { die 4 'no mirror'; }
ends_with 77
update_lists() { :; }
depends_of() { echo nobodys-server; }
suite_apt() { false; }
ends_with 77
suite_apt() { echo 'no archive' >nobodys-server.deb; }
ends_with 1
