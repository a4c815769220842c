# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Kernels that lack something, of other widths and kinds: ktally compiles in their
# trees without a warning, as part of the kernel and as a module.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

# NAME ARCH what is changed in scripts/debug-kernel.d/guest.config
configs() {
	cat <<-END
	whole         x86_64
	no-ipv6       x86_64 IPV6=n
	ipv6-module   x86_64 IPV6=m VXLAN=n
	no-inet       x86_64 INET=n
	no-net        x86_64 NET=n
	no-cgroups    x86_64 CGROUPS=n
	no-kprobes    x86_64 KPROBES=n
	no-io-account x86_64 TASK_IO_ACCOUNTING=n
	no-xacct      x86_64 TASK_XACCT=n
	no-sched-info x86_64 SCHEDSTATS=n TASK_DELAY_ACCT=n
	no-smp        x86_64 SMP=n
	no-debug-fs   x86_64 DEBUG_FS=n
	no-namespaces x86_64 NAMESPACES=n
	no-perf-trace x86_64 FTRACE=n
	irq-time      x86_64 VIRT_CPU_ACCOUNTING_GEN=n TICK_CPU_ACCOUNTING=y IRQ_TIME_ACCOUNTING=y
	no-preempt    x86_64 PREEMPT=n PREEMPT_NONE=y
	32-bit        i386   64BIT=n
	user-mode     um
	END
}

source=$("$ROOT/scripts/debug-kernel" --source 6.1) || skip 'no kernel source to be had here'
tree=$BUILD/packages/linux
objects=$BUILD/packages/linux-objects

# A copy, because ktally is put into it.
copy_source()
{
	[ ! -e "$tree.done" ] || return 0
	rm -rf "$tree"
	mkdir -p "$(dirname "$tree")"
	cp -a "$source" "$tree"
	touch "$tree.done"
}

# in_tree ARCH TARGET...
in_tree()
{
	nice -n 10 make -s -j"$(nproc)" -C "$tree" O="$objects/$1" ARCH="$1" SUBARCH=x86_64 "${@:2}"
}

# configure ARCH NAME=VALUE...: what does not become as asked for fails, one line each.
configure()
{
	local arch=$1 dir=$objects/$1 line
	mkdir -p "$dir"
	printf 'CONFIG_%s\n' "${@:2}" | cat "$ROOT/scripts/debug-kernel.d/guest.config" - >"$dir/wanted"
	in_tree "$arch" KCONFIG_ALLCONFIG="$dir/wanted" allnoconfig >"$dir/log" 2>&1 || return 1
	for line in "${@:2}"; do
		if [ "${line#*=}" = n ]; then
			! grep "^CONFIG_${line%=n}=" "$dir/.config"
		else
			grep -qx "CONFIG_$line" "$dir/.config" || { echo "not in the configuration: $line"; false; }
		fi || return 1
	done
}

# compiles ARCH NAME=VALUE...
compiles()
{
	local arch=$1 log=$objects/$1/log
	configure "$@" || { cat "$log"; return 1; }
	{ in_tree "$arch" prepare && in_tree "$arch" W=1 drivers/ktally/; } >"$log" 2>&1 ||
		{ tail -n 20 "$log"; return 1; }
	! grep -A3 -E 'drivers/ktally/.*(warning|error):' "$log"
}

# try_configs [NAME...]
try_configs()
{
	local name arch changes way bad=''
	while read -r name arch changes; do
		[ $# = 0 ] || [[ " $* " = *" $name "* ]] || continue
		for way in y m; do
			# shellcheck disable=SC2086 # a word each
			if compiles "$arch" $changes KTALLY=$way; then
				echo "$name: compiles as $way"
			else
				echo "$name: does not compile as $way"
				bad+=" $name($way)"
			fi
		done
	done < <(configs)
	[ -z "$bad" ] || fail "not clean:$bad"
}

copy_source
"$ROOT/scripts/built-in" "$tree"
try_configs "$@"
