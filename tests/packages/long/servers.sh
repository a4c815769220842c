# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A guest ships to real servers on this machine's loopback, and is scraped by them. They
# are Debian 12's packages, unpacked, not installed; later releases have no ClickHouse.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$(own_suite)" = bookworm ] || skip 'ClickHouse is packaged for Debian 12 only'
guest_and_servers clickhouse-server prometheus victoria-metrics influxdb
