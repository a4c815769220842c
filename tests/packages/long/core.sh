# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The program for appliances: one static file of 1 MiB at most that records and
# reports in a busybox guest within 8 MiB of memory, on amd64 and arm64.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

# Peaks are wait4's, as busybox's time prints them.
# shellcheck disable=SC2016 # for the guest
work='
peak() { time -v "$@" 2>/tmp/time || cat /tmp/time; sed -n "s/.*Maximum resident set size (kbytes): /peak /p" /tmp/time; }
peak ktally record -o /tmp/a.ktl -- sh -c "for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done; sleep 0.1; exit 3"
peak ktally report /tmp/a.ktl
peak ktally commands /tmp/a.ktl
'

runs() # ARCH
{
	local program
	program=$("$ROOT/scripts/core" "$1") || skip "$1: not to be had here"
	[ "$(stat -c %s "$program")" -le 1048576 ] || fail "$1: $(stat -c %s "$program") bytes"
	! readelf -l "$program" | grep INTERP || fail "$1: not static"
	"$ROOT/scripts/vm" --arch "$1" --program "$program" --timeout 600 -- sh -c "$work" >"$scratch/$1" 2>&1 ||
		fail "$1: $(cat "$scratch/$1")"
	cat "$scratch/$1"
	same "$1: programs measured" 3 "$(grep -c '^peak' "$scratch/$1")"
	awk -v arch="$1" '$1 == "peak" && $2 > 8192 { print arch ": " $2 " KiB"; bad = 1 } END { exit bad }' "$scratch/$1"
	grep -Eq ' 3  +sh -c' "$scratch/$1" || fail "$1: the report lacks the shell that ended with 3"
	same "$1: runs of true" 9 "$(grep -c ' 0  /bin/true$' "$scratch/$1")"
}

runs amd64
runs arm64
