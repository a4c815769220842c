# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# lib.sh - what the scripts share: where things lie, how they speak, how they
# become root. Sourced, never run; changes nothing by itself.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# read by the scripts that source this
# shellcheck disable=SC2034
BUILD=$ROOT/build
# Kernels, chroots and guest roots, the same for every clone of a machine.
# shellcheck disable=SC2034
CACHE=${KTALLY_CACHE:-$BUILD}
PROG=$(realpath --relative-to="$ROOT" "$0")

# One line to a person: program, what, why, what to type.
say() { printf '%s: %s\n' "$PROG" "$*" >&2; }

# die STATUS WORDS...
die()
{
	local status=$1
	shift
	say "$@"
	exit "$status"
}

have() { command -v "$1" >/dev/null 2>&1; }

# need PROGRAM...: refuse early, with the one command that helps.
need()
{
	local p
	# Debian keeps mke2fs, debugfs and depmod where users have no PATH.
	PATH=$PATH:/usr/sbin:/sbin
	for p; do
		have "$p" || die 2 "$p: not installed; type: scripts/deps"
	done
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif have sudo; then
		sudo "$@"
	else
		die 5 "$1: needs root and there is no sudo; run this as root"
	fi
}

# sh_quote WORD...: words that any POSIX shell reads back unchanged.
sh_quote()
{
	local w
	for w; do
		printf "'%s' " "${w//\'/\'\\\'\'}"
	done
}

# with_lock FILE COMMAND...: one at a time, so that parallel runs can share
# what is made under build/.
with_lock()
{
	local file=$1 fd status=0
	shift
	mkdir -p "$(dirname "$file")"
	exec {fd}>"$file"
	flock "$fd"
	"$@" {fd}>&- || status=$?
	exec {fd}>&-
	return "$status"
}

# add_file FILE PATH TREE: a program, and the libraries it names at their places.
add_file()
{
	local lib
	install -D -m 755 "$1" "$3$2"
	{ ldd "$1" 2>/dev/null | grep -o '/[^ ]*' || true; } | while read -r lib; do
		install -D -m 755 "$lib" "$3$lib"
	done
}

# Codename of the Debian that this machine runs.
own_suite()
{
	# shellcheck source=/dev/null
	(. /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
}
