# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A machine with the packages, booted by its own kernels, initramfs and systemd:
# it loads and records; after a crash it does not load again until told to; totals
# outlive a reboot; it begins in the initramfs when asked to, and not at all with
# ktally.disable=1.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$ARCH" = amd64 ] || skip "this machine's packages are for $ARCH, the guest is amd64"
have qemu-system-x86_64 || skip 'qemu-system-x86_64: not installed; type: scripts/deps'

# --- in the guest -----------------------------------------------------------

# Each step is a boot of its own; what it says, and the word "passed" at its
# end, goes out by the second serial port.
mkdir "$scratch/guest"
cat >"$scratch/guest/step" <<'END'
#!/bin/bash
exec >/dev/ttyS1 2>&1
trap 'echo "line $LINENO: $BASH_COMMAND"; systemctl --no-pager status ktally-load ktally-record; systemctl poweroff' ERR
set -eExu -o pipefail
stamp=/var/lib/ktally/loading

# within SECONDS COMMAND...
within()
{
	local n=$1
	shift
	until "$@"; do
		n=$((n - 1))
		test "$n" -gt 0
		sleep 1
	done
}

loads_and_records()
{
	systemctl is-active ktally-load ktally-record &&
		test "$(stat -c '%a %U:%G' /dev/ktally)" = '660 root:ktally' &&
		test -s /var/lib/ktally/ktally.ktl
}

# The machine goes down with the module just loaded, and nothing is tidied up.
crash()
{
	within 30 loads_and_records
	test -e $stamp
	echo passed
	sleep 1
	sync
	echo b >/proc/sysrq-trigger
}

once_bitten()
{
	test ! -e /sys/module/ktally
	test -e $stamp
	test "$(systemctl show -P ConditionResult ktally-load)" = no
	test "$(systemctl is-active ktally-record || true)" = failed
	rm $stamp
	mkdir /etc/systemd/system/ktally-load-ok.timer.d
	printf '[Timer]\nOnActiveSec=\nOnActiveSec=3s\n' >/etc/systemd/system/ktally-load-ok.timer.d/soon.conf
}

trusted_again()
{
	within 30 loads_and_records
	within 60 test ! -e $stamp
	sleep 0.31
	systemctl stop ktally-record
	ktally report --csv /var/lib/ktally/ktally.ktl | grep 'sleep 0\.31'
	# What was written before the crash is still there, and can be read.
	ls -l /var/lib/ktally
	test "$(ls /var/lib/ktally/*.ktl* | wc -l)" -ge 2
	systemctl stop ktally-load
	ktally unload
	test ! -e /dev/ktally
}

carry() { for _ in $(seq "$1"); do carried; done; }
carried_so_far()
{
	ktally totals --csv --no-header -c count,key "$@" | awk -F, '{ gsub(/"/, "", $2) } $2 == "carried" { print $1 }'
}

# Sums that a shutdown saves; the load after it begins at nothing.
counts_some()
{
	within 30 loads_and_records
	cp /bin/true /usr/bin/carried
	systemctl enable --now ktally-totals
	carry 30
	test "$(carried_so_far)" = 30
}

still_has_them()
{
	within 30 systemctl is-active ktally-totals
	test "$(carried_so_far)" = ''
	test "$(carried_so_far --add /var/lib/ktally/totals)" = 30
	carry 5
	systemctl start ktally-totals-save
	systemctl start ktally-totals-save
	test "$(carried_so_far --add /var/lib/ktally/totals)" = 35
	systemctl disable --now ktally-totals
}

from_the_initramfs()
{
	local first systemd
	test "$(cat /sys/module/ktally/parameters/boot)" = Y
	test "$(cat /sys/module/ktally/parameters/boot_seconds)" = 120
	first=$(dmesg | grep -n -m 1 'ktally: ' | cut -d: -f1)
	systemd=$(dmesg | grep -n -m 1 'systemd\[1\]: ' | cut -d: -f1)
	test "$first" -lt "$systemd"
	# The recorder has taken over what began before the root file system.
	within 30 loads_and_records
	systemctl stop ktally-record
	ktally report --csv /var/lib/ktally/ktally.ktl | grep -E 'run-init|init-bottom|/scripts/'
}

disabled()
{
	test ! -e /sys/module/ktally
	test "$(systemctl is-active ktally-load ktally-record | sort -u || true)" = inactive
}

"$(sed 's/.*packages.step=\([a-z_]*\).*/\1/' /proc/cmdline)"
echo passed
systemctl poweroff
END
cat >"$scratch/guest/packages-test.service" <<'END'
[Unit]
After=multi-user.target
[Service]
Type=exec
ExecStart=/guest/step
[Install]
WantedBy=multi-user.target
END
chmod 755 "$scratch/guest/step"

# --- the machine ------------------------------------------------------------

root=$(life_root)
machine=$scratch/machine
inside=$(cat <<'END'
set -eux
dpkg -i /debs/ktally_*.deb /debs/ktally-dkms_*.deb
systemctl enable ktally-load ktally-record
mkdir /guest
cp /new/* /guest/
systemctl enable /guest/packages-test.service
for unit in getty@tty1 serial-getty@ttyS0 systemd-timesyncd apt-daily.timer apt-daily-upgrade.timer; do
	systemctl mask "$unit"
done
printf '/dev/vda / ext4 defaults 0 1\n' >/etc/fstab
END
)
in_root "$root" "$machine" debs="$(packages)" new="$scratch/guest" -- bash -c "$inside" >"$scratch/log" 2>&1 ||
	fail "$(cat "$scratch/log")"
disk_of "$root" "$machine" "$scratch/disk"
# An initramfs that records, of the same machine.
inside=$(cat <<'END'
set -eux
mkdir -p /etc/ktally
echo boot_seconds=120 >/etc/ktally/boot.conf
update-initramfs -u -k "$1"
END
)
cloud=$(kernels_in "$root" | grep cloud)
generic=$(kernels_in "$root" | grep -v cloud)
in_root "$root" "$machine" -- bash -c "$inside" sh "$cloud" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
early=$machine/changes/boot/initrd.img-$cloud

# boot STEP KERNEL [INITRD [ARGUMENT...]]
boot()
{
	local step=$1 kernel=$2 initrd=${3:-$root/boot/initrd.img-$2}
	shift 2
	rm -f "$scratch"/{console,answer}
	timeout 400 qemu-system-x86_64 -M pc -cpu qemu64 -accel tcg,thread=multi -m 1024 -smp 2 \
		-nodefaults -no-user-config -display none -no-reboot \
		-drive "file=$scratch/disk,format=raw,if=virtio,cache=unsafe" \
		-serial "file:$scratch/console" -serial "file:$scratch/answer" \
		-kernel "$root/boot/vmlinuz-$kernel" -initrd "$initrd" \
		-append "root=/dev/vda rw console=ttyS0 panic=-1 oops=panic panic_on_warn=1 packages.step=$step ${*:2}" ||
		fail "$step: the guest did not end: $(tail -n 20 "$scratch/console")"
	tr -d '\r' <"$scratch/answer" | grep -qx passed ||
		fail "$step on $kernel: $(cat "$scratch/answer") $(tail -n 20 "$scratch/console")"
	if grep -aE 'WARNING:|BUG:|Oops|Kernel panic' "$scratch/console"; then
		fail "$step on $kernel: see the kernel's words above"
	fi
}

boot crash "$cloud"
boot once_bitten "$cloud"
boot trusted_again "$generic"
boot counts_some "$generic"
boot still_has_them "$cloud"
boot from_the_initramfs "$cloud" "$early"
boot disabled "$cloud" "$early" ktally.disable=1
