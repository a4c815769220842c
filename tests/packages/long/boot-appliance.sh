# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# An appliance without systemd and without an initramfs generator, set up by
# `ktally boot enable` and init=boot-init: BusyBox, ash scripts, two roots. Its boot
# is recorded whole: as many forks and threads as the kernel itself counts, and every
# PID number from the load to the saving has a name.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/packages/pids.sh
. "$(dirname "$0")/../pids.sh"

[ "$ARCH" = amd64 ] || skip "this machine's packages are for $ARCH, the guest is amd64"
have qemu-system-x86_64 || skip 'qemu-system-x86_64: not installed; type: scripts/deps'

kernel=$(ARCH=$ARCH "$ROOT/scripts/kernels" fetch "$(own_suite)")
# shellcheck source=/dev/null
. "$kernel/kernel.env"
module=$("$ROOT/scripts/kernels" module "$(own_suite)")
busybox=$("$ROOT/scripts/vm.d/busybox" "$ARCH")
make -s -C "$ROOT/user" static >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"

# --- the appliance ----------------------------------------------------------

# plant DIR: BusyBox, ktally and its early parts.
plant()
{
	mkdir -p "$1"/{bin,sbin,usr/bin,usr/sbin,etc/init.d,proc,sys,dev,run,tmp,root,var/lib}
	install -m 755 "$busybox" "$1/bin/busybox"
	for applet in $("$busybox" --list-full); do
		[ -e "$1/$applet" ] || ln -s /bin/busybox "$1/$applet"
	done
	install -D -m 755 "$BUILD/user/ktally-static" "$1/usr/bin/ktally"
	DESTDIR=$1 PREFIX=/usr "$PACKAGING/place" put early >/dev/null
	install -m 644 "$module" "$1/usr/lib/ktally/ktally.ko"
}

# What the kernel itself counts, read without a fork.
# for the shell in the guest
# shellcheck disable=SC2016
count='count() { while read -r a b _; do [ "$a" != processes ] || n=$b; done </proc/stat; read -r _ _ _ _ p </proc/loadavg; echo "TRUTH $1 processes=$n last_pid=$p own=$$" >>/dev/ttyS1; }'

first=$scratch/first
second=$first/second
plant "$first"
plant "$second"
rm -f "$first/sbin/init" "$second/sbin/init"
# switch_root wants to see an initramfs.
: >"$first/init"
ln -s /bin/busybox "$second/sbin/init"
# The first root: the early half of the boot, in ash.
cat >"$first/sbin/init" <<END
#!/bin/sh
$count
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
count early
for i in 1 2 3 4 5; do sleep 0.02; done
(sleep 0.3; true) &
seq 1 50 | sort -r | head -n 3 >/dev/null
wait
mkdir /new
mount -t tmpfs tmpfs /new
cp -a /second/. /new/
mount -o move /dev /new/dev
umount /proc /sys
exec switch_root /new /sbin/init
END
cat >"$second/etc/inittab" <<'END'
::sysinit:/etc/init.d/rcS
END
cat >"$second/etc/init.d/rcS" <<'END'
#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
for script in /etc/init.d/S*; do "$script" start; done
END
cat >"$second/etc/init.d/S10many" <<'END'
#!/bin/sh
i=0
while [ $i -lt 200 ]; do /bin/true $i; i=$((i + 1)); done
END
cat >"$second/etc/init.d/S40network" <<'END'
#!/bin/sh
ip link set lo up
sleep 0.5 & 
sleep 0.7 | cat
syslogd -n &
END
cat >"$second/etc/init.d/S50ready" <<'END'
#!/bin/sh
ktally mark ready
END
cat >"$second/etc/init.d/S99ztruth" <<END
#!/bin/sh
$count
count late
{
	# Threads that live: of whom there is no record but in their process's number.
	for task in /proc/[0-9]*/task/[0-9]*; do echo "LIVING \${task##*/}"; done
	ktally boot disable
	[ -e /etc/ktally/boot.conf ] || [ -e /etc/init.d/S99ktally-boot ] || echo disabled
	base64 /var/lib/ktally/boot.ktl | sed 's/^/KTL /'
	echo passed
} >/dev/ttyS1
sleep 1
poweroff -f
END
chmod 755 "$first/sbin/init" "$second"/etc/init.d/*
said=$(in_root / "$scratch/host" first="$first" -- sh /first/usr/lib/ktally/boot-setup enable --root /first/second --parameter boot_kb=16384) ||
	fail "enable: $said"
grep -q "init=/usr/lib/ktally/boot-init" <<<"$said" || fail "enable says nothing of init=: $said"
grep -q "ktally.disable=1" <<<"$said" || fail "enable says nothing of ktally.disable=1: $said"
[ -x "$second/etc/init.d/S99ktally-boot" ] || fail "enable: no S99ktally-boot: $said"
mkdir -p "$first/etc/ktally"
cp "$second/etc/ktally/boot.conf" "$first/etc/ktally/"
(cd "$first" && find . -print0 | cpio -0 -o -H newc -R 0:0 --quiet) >"$scratch/initramfs"

# --- its boot ---------------------------------------------------------------

boot_guest passed 300 rdinit=/usr/lib/ktally/boot-init -m 512 -smp 2 \
	-kernel "$IMAGE" -initrd "$scratch/initramfs"
grep -qx disabled "$scratch/words" || fail "disable: $(grep -v '^KTL' "$scratch/words")"
sed -n 's/^KTL //p' "$scratch/words" | base64 -d >"$scratch/boot.ktl"
[ -z "${KEEP:-}" ] || cp "$scratch/boot.ktl" "$KEEP/"

# --- the truth --------------------------------------------------------------

ktally=$BUILD/user/ktally-static
all_named "$ktally" "$scratch/boot.ktl" "$scratch/words"
# The two hundred, one after the other, and the sleeps.
runs=$("$ktally" boot blame --all --csv "$scratch/boot.ktl" | grep -c '/bin/true')
same 'runs of true' 200 "$runs"
"$ktally" boot time --csv "$scratch/boot.ktl" | cut -d, -f1 | paste -sd' ' |
	grep -qx 'phase kernel initramfs system' || fail "phases: $("$ktally" boot time "$scratch/boot.ktl")"
"$ktally" boot chain --end ready "$scratch/boot.ktl" | grep -q 'sleep 0.7' ||
	fail "the chain lacks what it waited for: $("$ktally" boot chain --end ready "$scratch/boot.ktl")"
! "$ktally" boot chain --end ready "$scratch/boot.ktl" | grep 'sleep 0.5' || fail 'nobody waited for sleep 0.5'
"$ktally" boot chain --csv --end ready "$scratch/boot.ktl" | awk -F, '
	NR > 1 && $1 != last { print "a hole before " $1; exit 1 }
	NR > 1 { last = $2 }' || fail 'the chain has holes'
