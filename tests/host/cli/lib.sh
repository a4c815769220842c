# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# lib.sh - for the tests of command lines: where things are, TAP, recordings made
# from text. Sourced; the caller prints nothing of its own on standard output but
# through ok() and say().

set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
output=${OUTPUT:-$top/build/tests/host}
KTALLY=${KTALLY:-$output/user/ktally}
MKREC=${MKREC:-$output/mkrec}
for tool in "$KTALLY" "$MKREC"; do
	if ! [ -x "$tool" ]; then
		echo "Bail out! $tool is not there; make -C tests/host mkrec program"
		exit 1
	fi
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
count=0
failed=0

# The same everywhere: no pager, no colour, no terminal, no locale, no settings but what a test sets.
unset PAGER KTALLY_PAGER NO_COLOR COLUMNS LC_ALL LANG LC_NUMERIC LC_CTYPE
export LC_ALL=C.UTF-8 TZ=UTC TERM=xterm KTALLY_CONFIG=
export ASAN_OPTIONS=abort_on_error=0:exitcode=99:detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:exitcode=99

say() {
	echo "# $*"
}

# ok STATUS NAME: one case.
ok() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count $2"
	else
		failed=$((failed + 1))
		echo "not ok $count $2"
	fi
}

skip() {
	count=$((count + 1))
	echo "ok $count # SKIP $1"
}

done_testing() {
	echo "1..$count"
	[ "$failed" -eq 0 ]
}

# recording NAME: cli/NAME.rec as $tmp/NAME.ktl
recording() {
	"$MKREC" -o "$tmp/$1.ktl" "$here/cli/$1.rec" || exit 1
}

# show FILE: its first lines as comments, after something failed
show() {
	head -n 20 "$1" | cut -c1-300 | sed 's/^/#   /'
}
