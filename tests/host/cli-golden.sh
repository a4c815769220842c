#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-golden.sh - outputs of small recordings against cli/golden/, byte for byte.
# UPDATE=1 rewrites them: read the diff then.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

golden=$here/cli/golden
cd "$tmp" || exit 1
for r in build lost names boot network script; do
	recording $r
done

# name, words
cases="\
report-table|report build.ktl -a
report-human|report build.ktl -a --human
report-csv|report build.ktl -a --csv
report-json|report build.ktl --json
report-jsonl|report build.ktl --jsonl
report-raw|report build.ktl --raw
report-program|report build.ktl -a --by program --human
report-command|report build.ktl --by command --csv -c count,cpu_ns,peak_rss_bytes,failed,key
report-wall|report build.ktl --time wall --utc -c pid,start,end,argv
report-lost|report lost.ktl --human
report-lost-csv|report lost.ktl --csv -c pid,state,life_ns,cpu_ns,bounds
commands-human|commands build.ktl --human
commands-csv|commands build.ktl --csv
commands-runs|commands build.ktl --runs --csv
commands-forks|commands build.ktl --forks --csv -c runs,failed,command
commands-script|commands script.ktl --csv -c runs,total,self,share,failed,exits,command
commands-fold|commands script.ktl --by command --fold --csv -c runs,command
commands-steps|commands script.ktl --steps --human
commands-steps-csv|commands script.ktl --steps --csv
tree-human|tree build.ktl -a --human
tree-json|tree build.ktl --json -c depth,pid,ppid,program
names-table|report names.ktl --human
names-csv|report names.ktl --csv -c pid,comm,argv
names-csv-safe|report names.ktl --csv --csv-safe -c pid,comm,argv
names-raw|report names.ktl --raw -c pid,comm,argv
names-jsonl|report names.ktl --jsonl -c pid,comm,argv
network-table|report network.ktl -a
network-human|report network.ktl -a --human
network-netns|report network.ktl -a --human --by netns
network-sorted|report network.ktl -a --human --sort -rx --columns pid,rx,tx,comm
network-csv|report network.ktl -a --csv -c pid,rx,virt_rx_wire_bytes,loop_rx_wire_bytes,tx_device_bytes,flags
network-json|report network.ktl -a --json -c pid
devices-table|report network.ktl --devices
devices-csv|report network.ktl --devices --csv
devices-since-birth|report network.ktl --devices --since-birth --json -c device,direction,term,bytes,packets
network-tree|tree network.ktl -a --human
boot-time|boot time boot.ktl --human
boot-time-json|boot boot.ktl --json
boot-slices|boot time boot.ktl --every 1 --csv
boot-gaps|boot time boot.ktl --gaps --human
boot-blame|boot blame boot.ktl
boot-blame-csv|boot blame boot.ktl --all --csv
boot-units|boot blame boot.ktl --units --csv
boot-chain|boot chain boot.ktl --human
boot-chain-csv|boot chain boot.ktl --csv
boot-chain-end|boot chain boot.ktl --end process:evil --human
boot-diff|boot diff boot.ktl boot.ktl --human --least 0
schema|schema
dump|dump build.ktl -e fork,exit,walk_begin,walk_end"

echo "$cases" | while IFS='|' read -r name words; do
	# shellcheck disable=SC2086
	"$KTALLY" $words > "$name.out" 2> "$name.err"
	echo "--- $?" >> "$name.err"
	cat "$name.err" >> "$name.out"
done
for name in $(echo "$cases" | cut -d'|' -f1); do
	if [ -n "${UPDATE:-}" ]; then
		mkdir -p "$golden" && cp "$name.out" "$golden/$name"
	fi
	diff -u "$golden/$name" "$name.out" > differs 2>&1
	same=$?
	[ $same -eq 0 ] || show differs
	ok $same "$name"
done

# An appliance has little; the sanitizers' own libraries do not count.
ldd "$KTALLY" | awk '{ print $1 }' | grep -Ev 'linux-vdso|ld-linux|lib(c|m|asan|ubsan|gcc_s|stdc\+\+|dl|rt|pthread)\.so' > needs
[ "$(grep -Ev '^lib(ncursesw|tinfo|sqlite3|zstd)\.so' needs | sed 's/\.so.*//')" = libtraceevent ]
linked=$?
[ $linked -eq 0 ] || show needs
ok $linked "needs no library but libtraceevent, ncurses for a screen, libsqlite3 for databases, and libzstd for small recordings"

done_testing
