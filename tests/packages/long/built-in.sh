# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A small kernel with ktally built in, in an appliance whose whole system is BusyBox in
# its initramfs: ktally.boot=1 records from before init on, every PID number from init's
# to the saving has a name, and ktally.disable=1 keeps it out.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/packages/linux.sh
. "$(dirname "$0")/../linux.sh"
# shellcheck source=tests/packages/pids.sh
. "$(dirname "$0")/../pids.sh"

[ "$ARCH" = amd64 ] || skip "the guest is amd64, this machine $ARCH"
have qemu-system-x86_64 || skip 'qemu-system-x86_64: not installed; type: scripts/deps'

# --- the kernel -----------------------------------------------------------------

tree_with_ktally
configure built-in x86_64 64BIT=y SMP=y NR_CPUS=2 X86_MPPARSE=y PCI=y CMDLINE_BOOL=y \
	'CMDLINE="tsc=reliable no_timer_check"' SERIAL_8250=y SERIAL_8250_CONSOLE=y BLK_DEV_INITRD=y \
	KERNEL_LZ4=y HIGH_RES_TIMERS=y PREEMPT=y VIRT_CPU_ACCOUNTING_GEN=y PRINTK=y PRINTK_TIME=y BUG=y \
	MULTIUSER=y BINFMT_ELF=y BINFMT_SCRIPT=y FUTEX=y EPOLL=y SIGNALFD=y TIMERFD=y EVENTFD=y \
	POSIX_TIMERS=y SHMEM=y KALLSYMS=y FTRACE=y FUNCTION_TRACER=y DYNAMIC_FTRACE=y MODULES=y KPROBES=y \
	TASKSTATS=y TASK_DELAY_ACCT=y TASK_XACCT=y TASK_IO_ACCOUNTING=y CGROUPS=y NAMESPACES=y \
	PROC_FS=y SYSCTL=y SYSFS=y TMPFS=y DEVTMPFS=y TTY=y NET=y UNIX=y INET=y IPV6=y \
	KTALLY=y </dev/null || fail "$(cat "$objects/built-in/log")"
in_tree built-in x86_64 bzImage >"$scratch/log" 2>&1 || fail "$(tail -n 30 "$scratch/log")"

# --- the appliance ----------------------------------------------------------------

busybox=$("$ROOT/scripts/vm.d/busybox" "$ARCH")
make -s -C "$ROOT/user" static >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
root=$scratch/root
mkdir -p "$root"/{bin,sbin,usr/bin,usr/sbin,proc,sys,dev,tmp}
for applet in $("$busybox" --list-full); do
	ln -s /bin/busybox "$root/$applet"
done
rm -f "$root/bin/busybox"
install -m 755 "$busybox" "$root/bin/busybox"
install -m 755 "$BUILD/user/ktally-static" "$root/usr/bin/ktally"
# What the kernel itself counts, read without a fork.
cat >"$root/count" <<'END'
#!/bin/sh
while read -r a b _; do [ "$a" != processes ] || n=$b; done </proc/stat
read -r _ _ _ _ p </proc/loadavg
echo "TRUTH $1 processes=$n last_pid=$p own=$$"
END
cat >"$root/init" <<'END'
#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
exec >/dev/ttyS1 2>&1
ktally status >/tmp/status 2>&1
status=$?
cat /tmp/status
if [ $status = 0 ]; then
	/count early
	i=0
	while [ $i -lt 50 ]; do /bin/true $i; i=$((i + 1)); done
	sh -c 'exit 3' | sleep 0.1
	ktally record --boot -D 1 -o /tmp/boot.ktl
	/count late
	for task in /proc/[0-9]*/task/[0-9]*; do echo "LIVING ${task##*/}"; done
	base64 /tmp/boot.ktl | sed 's/^/KTL /'
fi
echo ended
reboot -f
END
chmod 755 "$root/init" "$root/count"
(cd "$root" && find . -print0 | cpio -0 -o -H newc -R 0:0 --quiet) >"$scratch/initramfs"

# boot ARGUMENTS
boot()
{
	boot_guest ended 300 "$1" -m 256 -smp 2,sockets=2 \
		-kernel "$objects/built-in/arch/x86/boot/bzImage" -initrd "$scratch/initramfs"
}

# --- before init ------------------------------------------------------------------

boot ktally.boot=1
sed -n 's/^KTL //p' "$scratch/words" | base64 -d >"$scratch/boot.ktl"
ktally=$BUILD/user/ktally-static
all_named "$ktally" "$scratch/boot.ktl" "$scratch/words"
"$ktally" dump -e exec "$scratch/boot.ktl" | head -n 1 | grep -q '/init' ||
	fail "the first program is not init: $("$ktally" dump -e exec "$scratch/boot.ktl" | head -n 1)"
report=$("$ktally" report --strict --csv "$scratch/boot.ktl" 2>"$scratch/said") || fail "report: $(cat "$scratch/said")"
same 'runs of true' 50 "$(grep -c '/bin/true' <<<"$report")"
grep -q ' 0 lost' "$scratch/said" || fail "lost: $(cat "$scratch/said")"

# --- kept out ---------------------------------------------------------------------

boot 'ktally.boot=1 ktally.disable=1'
grep -q 'module not loaded' "$scratch/words" || fail "with ktally.disable=1: $(cat "$scratch/words")"
grep -a 'ktally:' "$scratch/console" | grep -q 'disable' || fail "the log says nothing of it: $(grep -a ktally "$scratch/console")"
