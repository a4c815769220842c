#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest-pieces.sh - the parts of scripts/vm that decide whether a guest's word
# is believed: the relay of its streams and the judge of its log; and what is refused
# before there is a guest. And are all shell scripts clean? Prints TAP.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
pieces=$top/scripts/vm.d
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0

# check NAME COMMAND...
check()
{
	local name=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		failed=1
	fi
}

skip()
{
	n=$((n + 1))
	echo "ok $n $1 # SKIP $2"
}

# relayed STATUS WANTED PIECE...: pieces are written one by one
relayed()
{
	local want=$1 bytes=$2 piece status
	shift 2
	for piece; do
		printf '%b' "$piece"
		sleep 0.02
	done | "$pieces/relay" the-token >"$tmp/out"
	status=$?
	printf '%b' "$bytes" >"$tmp/wanted"
	[ "$status" = "$want" ] && cmp -s "$tmp/out" "$tmp/wanted"
}

# judged STATUS LINE [REGEX...]
judged()
{
	local want=$1 line=$2 status=0
	shift 2
	printf '[    1.0] Linux version\r\n[    2.0] %s\r\n[    3.0] end\r\n' "$line" >"$tmp/log"
	"$pieces/judge" "$tmp/log" "$@" >"$tmp/out" || status=$?
	[ "$status" = "$want" ] && { [ "$status" = 0 ] || grep -qF "$line" "$tmp/out"; }
}

# refused WORDS OPTION...: scripts/vm says so, and that it was wrong use
refused()
{
	local words=$1 status=0
	shift
	"$top/scripts/vm" "$@" -- true >/dev/null 2>"$tmp/out" || status=$?
	[ "$status" = 2 ] && grep -q "$words" "$tmp/out"
}

check 'relay: ends at the token' relayed 0 'abc' 'abcthe-token'
check 'relay: nothing behind the token' relayed 0 'abc' 'abcthe-tokenxyz'
check 'relay: a token in two pieces' relayed 0 'abc' 'abcthe-' 'token'
check 'relay: what only looks like a token' relayed 0 'the-the-tok' 'the-the-tok' 'the-token'
check 'relay: every byte passes' relayed 0 'a\000\r\n\377\001' 'a\000\r\n\377\001the-token'
check 'relay: a stream that breaks off' relayed 1 'abcthe-tok' 'abc' 'the-tok'
check 'relay: nothing at all' relayed 1 '' ''

check 'judge: a clean log' judged 0 'all is well'
for line in 'WARNING: CPU: 0 PID: 1 at kernel/fork.c' 'BUG: kernel NULL pointer dereference' \
	'Oops: 0000 [#1] SMP' 'general protection fault' 'Kernel panic - not syncing: x' \
	'INFO: task sh:1 blocked for more than 120 seconds' 'BUG: KASAN: use-after-free in x' \
	'BUG: KCSAN: data-race in x' 'UBSAN: shift-out-of-bounds in x' \
	'possible circular locking dependency detected' 'refcount_t: underflow; use-after-free.' \
	'unreferenced object 0xffff (size 8):'; do
	check "judge: $line" judged 1 "$line"
done
check 'judge: an expected line' judged 0 'WARNING: as we wished' 'as we [a-z]*'
check 'judge: expecting nothing expects nothing' judged 1 'WARNING: x' ''
check 'judge: an expectation of something else' judged 1 'WARNING: x' 'Oops'
check 'judge: a stall alone voids the run' judged 2 'rcu: INFO: rcu_preempt self-detected stall on CPU'
check 'judge: a stall beside a failure fails' judged 1 'WARNING: x; rcu: INFO: rcu_preempt self-detected stall on CPU'
check 'judge: what was asked of the kernel' judged 0 'Kernel command line: foo=BUG:'

check 'vm: a user-mode kernel is no guest' refused 'a user-mode kernel' --kernel debug-6.1-um
check 'vm: nor is one that was built' refused 'a user-mode kernel' --kernel /cache/debug/debug-6.1-um-0123456789ab

# shell FILE...: those that are sh or bash
shell() { grep -lE '^#!/(bin/(ba|busybox )?sh|vm/busybox sh)|shellcheck shell=' "$@"; }
if command -v shellcheck >/dev/null && git -C "$top" rev-parse 2>/dev/null; then
	cd "$top" || exit 1
	# shellcheck disable=SC2046 # no blanks in our names
	check 'shellcheck: scripts and cases' shellcheck -x $(shell $(git ls-files scripts .ci tests))
else
	skip 'shellcheck: scripts and cases' 'shellcheck or git is not there'
fi

echo "1..$n"
exit $failed
