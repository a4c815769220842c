# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Prometheus takes the alert rules, and rules and dashboard ask for what ktally says.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

PATH=$PATH:$ROOT/build
have promtool || skip 'promtool: not here; type: scripts/deps tests'
folder=$PACKAGING/prometheus
words=$(promtool check rules "$folder/ktally-rules.yml" 2>&1) || fail "$words"
! have python3 || python3 -m json.tool "$folder/ktally-dashboard.json" >/dev/null || fail 'the dashboard is no JSON'
# What panels ask for is PromQL: promtool reads it as rules.
! have jq || {
	jq '{ groups: [{ name: "panels", rules: [.panels[].targets[].expr
		| gsub("\\$__rate_interval"; "5m") | gsub("\\$instance"; ".*")]
		| to_entries | map({ record: "panel:\(.key)", expr: .value }) }] }' "$folder/ktally-dashboard.json" >"$scratch/panels.yml"
	words=$(promtool check rules "$scratch/panels.yml" 2>&1) || fail "$words"
}

# Families of groups are named without their key.
said=$(cat "$ROOT"/user/metrics/*.c)
asked=$(grep -ohE 'ktally_[a-z_]+' "$folder"/* | sed -E 's/_(total|bucket)$//' | sort -u)
for name in $asked; do
	rest=$(sed -E 's/^ktally_(program|user|cgroup|unit|container)_//' <<<"$name")
	grep -qF "\"$name\"" <<<"$said" || grep -qF "{ \"$rest\"," <<<"$said" || grep -qF "# TYPE $name histogram" <<<"$said" ||
		fail "$name: ktally metrics has no such family"
done
