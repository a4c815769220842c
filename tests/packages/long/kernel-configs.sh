# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Kernels that lack something, of other widths and kinds: ktally compiles in their
# trees without a warning, as part of the kernel and as a module.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/packages/linux.sh
. "$(dirname "$0")/../linux.sh"

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
	no-namespaces x86_64 EXPERT=y NAMESPACES=n
	no-perf-trace x86_64 FTRACE=n
	irq-time      x86_64 VIRT_CPU_ACCOUNTING_GEN=n TICK_CPU_ACCOUNTING=y IRQ_TIME_ACCOUNTING=y
	no-preempt    x86_64 PREEMPT=n PREEMPT_NONE=y
	32-bit        i386   64BIT=n
	user-mode     um
	END
}

# compiles ARCH NAME=VALUE...
compiles()
{
	local arch=$1 log=$objects/$1/log
	configure "$arch" "$arch" "${@:2}" <"$ROOT/scripts/debug-kernel.d/guest.config" || { cat "$log"; return 1; }
	{ in_tree "$arch" "$arch" prepare && in_tree "$arch" "$arch" W=1 drivers/ktally/; } >"$log" 2>&1 ||
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

tree_with_ktally
try_configs "$@"
