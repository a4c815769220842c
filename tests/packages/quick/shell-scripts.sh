# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The scripts of packaging are clean, and small shells understand those that
# run in an initramfs or while a package is installed.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

have shellcheck || skip 'shellcheck: not installed; type: scripts/deps tests'
scripts=$(grep -rlE '^#!/bin/(ba)?sh' "$PACKAGING")
[ "$(wc -l <<<"$scripts")" -ge 8 ] || fail "only these scripts were found: $scripts"
# shellcheck disable=SC2086 # a word each
shellcheck -x $scripts || fail 'shellcheck complains'
grep -rl '^#!/bin/sh' "$PACKAGING" | while read -r script; do
	dash -n "$script" || fail "$script: not for dash"
	! have busybox || busybox sh -n "$script" || fail "$script: not for busybox"
done
