#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
no_links
# what the module holds for its tables, which are all made at load: by code that is gone since,
# so the kernel has no name for it
module_bytes() { awk '/ kt_| \[?ktally/ || $3 ~ /^0x/ { n += $2 } END { print n + 0 }' /proc/vmallocinfo; }
# tables WHEN: how full they are, for a TRUTH line
tables_now()
{
	ktally status --devices --json 2> /dev/null | tr -d '\n' | sed 's/.*"tables": *{\([^}]*\)}.*/\1/' |
		tr -d '" ' | tr ':,' '= '
}

before=$(module_bytes)
start
work "$BIN/crowd" 100 40
if [ -z "$NATIVE" ]; then
	tables=$(tables_now)
	say "$tables"
	truth "role=tables $tables"
	truth "role=memory before=$before after=$(module_bytes)"
	# sockets without an entry are asked of the kernel, but where that may sleep (docs/network.md)
	case $(uname -rv) in
	[56].*PREEMPT_RT*) unasked=$(sed -n 's/.*role=all.* wire=\([0-9]*\).*/\1/p' "$TRUTH") ;;
	*) unasked=0 ;;
	esac
	truth "role=kernel unasked=$unasked"
fi
stop
[ -z "$NATIVE" ] || exit 0
tables "$KTL" --strict
grep -q 'network bytes are in no process' "$WORK/report.said" || fail "report does not warn"
equations
say "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i } $1 == "loopback" { for (i = 2; i <= NF; i++) printf "%s=%s ", name[i], $i }' "$WORK/classes.csv")"
compare "$WORK"/lives.* "$WORK/devices.csv" "$WORK/classes.csv" "$WORK/kinds.csv"
