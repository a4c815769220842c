# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# lib.sh - what the tests of packaging share: a scratch directory, ways to fail
# and to skip, root file systems that each test gets afresh. Sourced by each
# test, after which $ROOT, $BUILD and scripts/apt.sh's functions are there.

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
# shellcheck source=scripts/apt.sh
. "$ROOT/scripts/apt.sh"
# read by the tests, as the next ones are
# shellcheck disable=SC2034
PACKAGING=$ROOT/packaging
ROOTS=$BUILD/packages
# shellcheck disable=SC2034
VERSION=$(sed -n 's/^KTALLY_VERSION := //p' "$ROOT/Kbuild")

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ktally-packages.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

fail() { echo "$*"; exit 1; }
skip() { echo "$*"; exit 77; }

# same WHAT EXPECTED FOUND
same() { [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"; }

# --- roots --------------------------------------------------------------------

# root_of NAME SUITE PACKAGES: a root file system that is made once and then
# only read. What the packages are is part of its name.
root_of()
{
	local dir
	dir=$ROOTS/$1-$2-$(echo "$3" | md5sum | cut -c1-8)
	[ -e "$dir.done" ] || with_lock "$dir.lock" make_root "$dir" "$2" "$3" >&2
	echo "$dir"
}

make_root() # DIR SUITE PACKAGES
{
	[ ! -e "$1.done" ] || return 0
	bootstrap "$2" "$1" --variant=apt --include="$3"
	touch "$1.done"
}

# shellcheck disable=SC2034
build_packages='build-essential,debhelper,dh-dkms,lintian,fakeroot,pkg-config,libtraceevent-dev,libsmartcols-dev,libyajl-dev,libkmod-dev,libzstd-dev'

# in_root DIR UPPER [NAME=HOSTDIR...] -- COMMAND...: run in a copy of DIR whose
# changes go to UPPER; each HOSTDIR is seen as /NAME. Nothing of the command
# outlives it, and it has a name of its own for the machine.
in_root()
{
	local dir=$1 upper=$2 binds=()
	shift 2
	while [ "$1" != -- ]; do binds+=("$1"); shift; done
	shift
	mkdir -p "$upper/changes" "$upper/work" "$upper/root"
	# shellcheck disable=SC2016 # expanded by the inner shell
	as_root unshare --mount --pid --fork --kill-child --uts sh -ec '
		dir=$1 upper=$2 binds=$3
		shift 3
		hostname packages
		mount -t overlay overlay -o "lowerdir=$dir,upperdir=$upper/changes,workdir=$upper/work" "$upper/root"
		cd "$upper/root"
		for bind in $binds; do
			mkdir -p "${bind%%=*}"
			mount --bind "${bind#*=}" "${bind%%=*}"
		done
		mount -t proc proc proc
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
		exec chroot . "$@"
	' sh "$dir" "$upper" "${binds[*]}" "$@"
}
