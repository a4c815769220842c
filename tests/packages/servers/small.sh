# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# One scrape by Prometheus and one small shipment to InfluxDB, of a guest: what every
# submission tries of long/servers.sh.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

guest_and_servers prometheus influxdb
