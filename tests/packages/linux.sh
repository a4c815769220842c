# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# linux.sh - a kernel's tree that ktally is a part of, and configurations of it. Sourced
# by the tests of kernels, after lib.sh.

tree=$BUILD/packages/linux
objects=$BUILD/packages/linux-objects

# tree_with_ktally: a copy of the source, with this tree's ktally in it.
tree_with_ktally()
{
	local source
	source=$("$ROOT/scripts/debug-kernel" --source 6.1) || skip 'no kernel source to be had here'
	with_lock "$tree.lock" copy_source "$source"
	"$ROOT/scripts/built-in" "$tree"
}

copy_source() # SOURCE
{
	[ ! -e "$tree.done" ] || return 0
	rm -rf "$tree"
	cp -a "$1" "$tree"
	touch "$tree.done"
}

# in_tree OBJECTS ARCH TARGET...
in_tree()
{
	nice -n 10 make -s -j"$(nproc)" -C "$tree" O="$objects/$1" ARCH="$2" SUBARCH=x86_64 "${@:3}"
}

# configure OBJECTS ARCH NAME=VALUE... <ALL-OTHERS: what does not become as asked for
# fails, one line each.
configure()
{
	local dir=$objects/$1 line
	mkdir -p "$dir"
	{ cat; printf 'CONFIG_%s\n' "${@:3}"; } >"$dir/wanted"
	in_tree "$1" "$2" KCONFIG_ALLCONFIG="$dir/wanted" allnoconfig >"$dir/log" 2>&1 || return 1
	for line in "${@:3}"; do
		if [ "${line#*=}" = n ]; then
			! grep "^CONFIG_${line%=n}=" "$dir/.config"
		else
			grep -qxF "CONFIG_$line" "$dir/.config" || { echo "not in the configuration: $line"; false; }
		fi || return 1
	done
}
