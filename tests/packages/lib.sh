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

# What builds the packages and, as make install does, program and module.
build_root()
{
	root_of build "$(own_suite)" "build-essential,debhelper,dh-dkms,lintian,fakeroot,pkg-config,kmod,\
libtraceevent-dev,libcurl4-gnutls-dev,zlib1g-dev,libmicrohttpd-dev,libncurses-dev,libsqlite3-dev,libzstd-dev,linux-headers-cloud-$ARCH"
}

# The libraries that the program is linked with, so that nothing but ktally itself is
# installed and removed.
LIBRARIES=libtraceevent1,libncursesw6,libsqlite3-0

# What the packages live in: two kernels, DKMS, systemd.
life_root()
{
	root_of life "$(own_suite)" "dkms,systemd-sysv,udev,initramfs-tools,zstd,$LIBRARIES,\
linux-image-cloud-$ARCH,linux-headers-cloud-$ARCH,linux-image-$ARCH,linux-headers-$ARCH"
}

dracut_root()
{
	root_of dracut "$(own_suite)" "dracut,dkms,systemd-sysv,udev,$LIBRARIES,\
linux-image-cloud-$ARCH,linux-headers-cloud-$ARCH"
}

# No systemd: OpenRC below SysV's init, and a kernel for which the module is built outside.
openrc_root()
{
	root_of openrc "$(own_suite)" "openrc,sysvinit-core,initscripts,systemd-standalone-sysusers,udev,kmod,initramfs-tools,zstd,$LIBRARIES,\
linux-image-cloud-$ARCH"
}

kernels_in() { ls "$1/lib/modules"; }

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
		export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
		exec chroot . "$@"
	' sh "$dir" "$upper" "${binds[*]}" "$@"
}

# A command for initramfs-tools in a root: no more drivers than QEMU's disk needs, so that
# a guest can make its initramfs itself in reasonable time.
# shellcheck disable=SC2034
SMALL_INITRAMFS='echo MODULES=list >/etc/initramfs-tools/conf.d/small
printf "%s\n" virtio_pci virtio_blk crc32c_generic ext4 >>/etc/initramfs-tools/modules'

# disk_of DIR UPPER FILE: an ext4 disk that holds DIR with the changes in UPPER.
disk_of()
{
	truncate -s 6G "$3"
	# shellcheck disable=SC2016 # expanded by the inner shell
	as_root unshare --mount sh -ec '
		mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/changes,workdir=$2/work" "$2/root"
		mke2fs -q -F -t ext4 -E lazy_itable_init=1,nodiscard -d "$2/root" "$3"
	' sh "$1" "$2" "$3"
}

# boot_guest LAST SECONDS CMDLINE OPTION...: QEMU with these options, for so long at most.
# $scratch/console has the kernel's words then, $scratch/words what the guest wrote to
# ttyS1; LAST is the line by which it says there that all was well.
boot_guest()
{
	rm -f "$scratch"/{console,answer}
	timeout "$2" qemu-system-x86_64 -M pc -cpu qemu64 -accel tcg,thread=multi \
		-nodefaults -no-user-config -display none -no-reboot \
		-serial "file:$scratch/console" -serial "file:$scratch/answer" \
		-append "console=ttyS0 panic=-1 oops=panic panic_on_warn=1 $3" "${@:4}" ||
		fail "the guest did not end: $(tail -n 20 "$scratch/console")"
	tr -d '\r' <"$scratch/answer" >"$scratch/words"
	[ -z "${KEEP:-}" ] || cp "$scratch/words" "$scratch/console" "$KEEP/"
	grep -qx "$1" "$scratch/words" || fail "$(grep -v '^KTL' "$scratch/words") $(tail -n 30 "$scratch/console")"
	if grep -aE 'WARNING:|BUG:|Oops|Kernel panic' "$scratch/console"; then
		fail "see the kernel's words above"
	fi
}

# --- servers ------------------------------------------------------------------

# fetch_server PACKAGE [SUITE]: $SERVERS/PACKAGE has it, unpacked, not installed, with what
# it needs and this machine has not.
SERVERS=$CACHE/servers
fetch_server()
{
	[ -e "$SERVERS/$1" ] || with_lock "$SERVERS/$1.lock" unpack_server "$1" "${2:-$(own_suite)}"
}

unpack_server() # PACKAGE SUITE
{
	[ ! -e "$SERVERS/$1" ] || return 0
	(update_lists "$2") || skip "$1: the mirror does not serve it"
	# shellcheck disable=SC2046 # a word each
	unpack "$2" "$SERVERS/$1" $(lacking "$2" "$1")
}

# lacking SUITE PACKAGE: it, and of all that it needs what this machine has not.
lacking()
{
	local package
	for package in $(depends_of "$1" "$2" 2>/dev/null); do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
	done
}

# unpack SUITE DIR PACKAGE...: these in DIR, whole or not at all.
unpack()
{
	local suite=$1 dir=$2 new=$2.new package
	shift 2
	rm -rf "$new"
	mkdir -p "$new/deb"
	(cd "$new/deb" && suite_apt "$suite" get -qq download "$@") || skip "${dir##*/}: cannot be downloaded"
	for package in "$new"/deb/*.deb; do
		dpkg-deb -x "$package" "$new" || fail "$package: cannot be unpacked"
	done
	rm -r "$new/deb"
	mv "$new" "$dir"
}

# The program of each.
declare -A server_programs=([clickhouse-server]=usr/sbin/clickhouse-server [prometheus]=usr/bin/prometheus
	[victoria-metrics]=usr/bin/victoria-metrics [influxdb]=usr/bin/influxd)

# guest_add DIR: what guest/inside.sh finds as /add, with the libraries that ktally opens.
guest_add()
{
	local library at
	mkdir -p "$1"/{bin,libraries}
	cp "$ROOT/tests/packages/guest/inside.sh" "$1/"
	cp -r "$ROOT/tests/vm/lib" "$1/"
	gcc -static -O1 -Wall -I"$ROOT/tests/vm/lib" -o "$1/bin/lives" "$ROOT/tests/packages/guest/lives.c"
	for library in libcurl-gnutls.so.4 libz.so.1 libmicrohttpd.so.12; do
		at=$(gcc -print-file-name=$library)
		[ -e "$at" ] || skip "no $library; type: scripts/deps"
		{ echo "$at"; ldd "$at" | grep -o '/[^ ]*'; } | xargs cp -Lu -t "$1/libraries"
	done
}

# guest_and_servers PACKAGE...: a guest ships to them and is scraped by them.
guest_and_servers()
{
	local package programs=()
	have python3 || skip 'no python3'
	for package; do
		fetch_server "$package"
		programs+=("$package=$SERVERS/$package/${server_programs[$package]}")
	done
	make -s -C "$ROOT/user" >/dev/null
	guest_add "$scratch/add"
	mkdir "$scratch/servers"
	python3 -B "$ROOT/tests/host/cli/engines_guest.py" "$ROOT" "$ROOT/build/user/ktally" "$scratch/add" "$scratch/servers" \
		"${programs[@]}" || fail 'see above'
	# The guest's recording is a real one: every format of it.
	mkdir "$scratch/formats"
	PATH=$PATH:$SERVERS/prometheus/usr/bin python3 -B "$ROOT/tests/host/cli/export_truth.py" "$ROOT/build/user/ktally" \
		"$scratch/servers/out/r.ktl" "$scratch/servers/out/truth" "$scratch/formats" || fail 'see above'
}

# --- packages -----------------------------------------------------------------

# snapshot: a copy of the tree, without what was built in it.
snapshot()
{
	local tree
	tree=$(mktemp -d "$scratch/tree.XXXX")
	tar -C "$ROOT" --exclude-vcs --exclude=./build -cf - . | tar -C "$tree" -xf -
	echo "$tree"
}

# build_packages TREE OUT [VAR=VALUE...]
build_packages()
{
	local tree=$1 out=$2
	shift 2
	mkdir -p "$out"
	in_root "$(build_root)" "$tree.root" src="$tree" out="$out" -- \
		env SOURCE_DATE_EPOCH=1700000000 "$@" /src/packaging/build-deb /out/new >"$out/log" 2>&1 ||
		{ tail -n 40 "$out/log"; fail 'the packages do not build'; }
	mv "$out"/new/* "$out/"
	rmdir "$out/new"
	as_root rm -rf "$tree.root"
}

# packages: the directory with those of this tree, made again when it changed.
packages()
{
	local dir=$ROOTS/debs
	if [ ! -e "$dir/log" ] || [ -n "$(find "$ROOT"/{Kbuild,Makefile,kmod,include,user,packaging} \
		-newer "$dir/log" -type f -print -quit)" ]; then
		rm -rf "$dir"
		build_packages "$(snapshot)" "$dir"
	fi
	echo "$dir"
}
