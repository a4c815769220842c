#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-plot.sh - the pictures of a boot: well-formed, whole, safe with any name, and
# the page in a headless Chromium, with 20,000 processes, too.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

cd "$tmp" || exit 1
recording boot

# A boot of N processes, a third of them below another one.
many() { # N
	awk -v n="$1" 'BEGIN {
		print "load 1s\n1.0 exec pid=1 start=0.1 image=2 filename=/sbin/init argv=/sbin/init runtime=1s"
		for (i = 0; i < n; i++) {
			t = 1.1 + i * 0.002
			up = i % 3 == 2 ? 100 + i - 2 : 1
			printf "%.4f fork pid=%d ppid=%d%s\n%.4f exec pid=%d argv=\"/bin/cmd%d --number %d\" runtime=0\n", t, 100 + i, up,
				up == 1 ? " parent_start=0.1" : "", t + 0.0002, 100 + i, i % 17, i
			if (i >= 10)
				printf "%.4f exit pid=%d code=%d runtime=%dus peak_rss=%dK\n", t + 0.0004, 100 + i - 10, i % 50 == 0, 100 + i * 7 % 9000, 800 + i * 13 % 50000
		}
		printf "%.1f mark pid=1 start=0.1 text=ready\n", t + 0.1
		printf "%.1f walk_begin walk=1 purpose=opening\n%.1f task pid=1 start=0.1 comm=init argv=/sbin/init walk=1 runtime=5s threads=1 live=1\n%.1f walk_end walk=1 purpose=opening tasks=1\n", t + 0.1, t + 0.1, t + 0.1
	}' > many.rec
	"$MKREC" -o many.ktl many.rec
}
many 20000

for r in boot many; do
	"$KTALLY" report -a --since-birth --json "$r.ktl" > "$r.json" 2> /dev/null
	for kind in svg html; do
		"$KTALLY" boot plot -o "$r.$kind" "$r.ktl" 2> "$r.err"
		ok $? "plot $r to $kind"
	done
	"$KTALLY" report -a --csv -c pid "$r.ktl" 2> /dev/null | sed 1d | sort > "$r.pids"
	grep -o '<g class="p[^"]*" id="p[0-9]*' "$r.svg" | sed 's/.*"p//' | sort > "$r.drawn"
	cmp -s "$r.pids" "$r.drawn"
	ok $? "$r: each process is in the SVG once"
	if command -v xmllint > /dev/null; then
		xmllint --huge --noout "$r.svg" 2> lint
		wellformed=$?
		show lint
		ok $wellformed "$r: the SVG is well-formed"
	else
		skip "xmllint is not installed"
	fi
	[ "$(wc -c < "$r.html")" -lt 5000000 ]
	ok $? "$r: the page is below 5 MB"
done
! grep -q '<script>window\|<img\|<b>mark' boot.svg boot.html
ok $? "no name becomes markup"

"$KTALLY" boot plot -o boot.png boot.ktl 2> err
[ $? -eq 2 ] && grep -q 'FILE.svg' err
ok $? "another ending is refused"
"$KTALLY" boot plot -o /dev/full/x.svg boot.ktl 2> err
[ $? -eq 1 ]
ok $? "a file that cannot be written is said"

# The browser's own name of the library: npm install --prefix build/npm playwright-core
if ! command -v node > /dev/null || ! [ -d "$top/build/npm/node_modules/playwright-core" ]; then
	skip "node or playwright-core is missing; type: npm install --prefix build/npm playwright-core"
elif ! [ -x "${CHROMIUM:=/usr/bin/chromium}" ]; then
	skip "chromium is not installed"
else
	export NODE_PATH="$top/build/npm/node_modules" CHROMIUM
	for r in boot many; do
		timeout 400 node "$here/cli/plot.js" "$tmp/$r.html" "$tmp/$r.json" > said 2>&1
		while read -r line; do
			case $line in
			ok\ *) ok 0 "$r: ${line#ok }" ;;
			not\ ok\ *) ok 1 "$r: ${line#not ok }" ;;
			*) say "${line#\# }" ;;
			esac
		done < said
		grep -q '^ok nothing on the console' said
		ok $? "$r: the browser came to the end"
	done
fi

done_testing
