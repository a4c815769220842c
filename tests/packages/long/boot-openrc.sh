# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A Debian with OpenRC and no systemd records one boot, `enable --once`: from its
# initramfs on, saved by the service at the end of the runlevel default, and then
# everything is taken back by itself, so that the next boot loads no module.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/packages/pids.sh
. "$(dirname "$0")/../pids.sh"

[ "$ARCH" = amd64 ] || skip "this machine's packages are for $ARCH, the guest is amd64"
have qemu-system-x86_64 || skip 'qemu-system-x86_64: not installed; type: scripts/deps'

# --- in the guest -----------------------------------------------------------

mkdir -p "$scratch/guest"
# What the kernel itself counts, read without a fork.
# shellcheck disable=SC2016
count='while read -r a b _; do [ "$a" != processes ] || n=$b; done </proc/stat; read -r _ _ _ _ p </proc/loadavg'
cat >"$scratch/guest/count" <<END
#!/bin/sh
case \${1:-} in prereqs) exit 0 ;; esac
$count
echo "TRUTH early processes=\$n last_pid=\$p own=\$\$" >/run/early
END
# The first process after the recording: what takes everything back removes a file.
cat >"$scratch/guest/rm" <<END
#!/bin/sh
read -r starter </proc/\$PPID/cmdline
case \$starter in *boot-setup*)
	if [ ! -e /run/late ]; then
		$count
		echo "TRUTH late processes=\$n last_pid=\$p own=\$\$" >/run/late
		for task in /proc/[0-9]*/task/[0-9]*; do echo "LIVING \${task##*/}"; done >/run/living
	fi
esac
exec /bin/rm.real "\$@"
END
cat >"$scratch/guest/step" <<'END'
#!/bin/bash
exec >/dev/ttyS1 2>&1
trap 'echo "line $LINENO: $BASH_COMMAND"; rc-status -a; ls -l /var/lib/ktally /etc/init.d; poweroff -f' ERR
set -eEu -o pipefail
rc-status default | sed 's/^/RC /'
if [ -e /root/second ]; then
	test ! -e /sys/module/ktally
	test "$(stat -c %Y /var/lib/ktally/boot.ktl)" = "$(cat /root/second)"
else
	cat /run/early /run/late /run/living
	base64 /var/lib/ktally/boot.ktl | sed 's/^/KTL /'
	test ! -e /etc/ktally
	test ! -e /etc/init.d/ktally-boot
	test ! -e /etc/runlevels/default/ktally-boot
	lsinitramfs "/boot/initrd.img-$(uname -r)" >/tmp/inside
	test -s /tmp/inside
	# The hook itself and modprobe's own file are there while the package is.
	if grep 'ktally\.ko\|boot\.conf' /tmp/inside; then false; fi
	stat -c %Y /var/lib/ktally/boot.ktl >/root/second
fi
echo passed
sync
poweroff -f
END
chmod 755 "$scratch/guest"/*

# --- the machine ------------------------------------------------------------

root=$(openrc_root)
machine=$scratch/machine
kernel=$(kernels_in "$root")
module=$("$ROOT/scripts/kernels" module "$(own_suite)")
inside=$(cat <<'END'
set -eux
mkdir -p "/lib/modules/$1/updates"
cp /module/ktally.ko "/lib/modules/$1/updates/"
depmod "$1"
dpkg -i /debs/ktally_*.deb
mkdir /guest
cp /new/* /guest/
cp /guest/count /etc/initramfs-tools/scripts/init-top/a-count
eval "$2"
mv /bin/rm /bin/rm.real
cp /guest/rm /bin/rm
# nobody logs in, and what is last in the table comes when the runlevel is there
sed -i '/getty/d' /etc/inittab
echo 'st:2345:once:/guest/step' >>/etc/inittab
printf '/dev/vda / ext4 defaults 0 0\n' >/etc/fstab
ktally boot enable --once --parameter boot_kb=32768 >/enabled
END
)
in_root "$root" "$machine" debs="$(packages)" new="$scratch/guest" module="$(dirname "$module")" -- \
	bash -c "$inside" sh "$kernel" "$SMALL_INITRAMFS" >"$scratch/log" 2>&1 || fail "$(tail -n 60 "$scratch/log")"
said=$(cat "$machine/changes/enabled")
for words in 'update-initramfs -u' /etc/init.d/ktally-boot 'the runlevel default' ktally.disable=1 'one boot'; do
	grep -q -e "$words" <<<"$said" || fail "enable says nothing of $words: $said"
done
disk_of "$root" "$machine" "$scratch/disk"

# boot INITRD
boot()
{
	boot_guest passed 1200 'root=/dev/vda rw' -m 1024 -smp 2 \
		-drive "file=$scratch/disk,format=raw,if=virtio,cache=unsafe" \
		-kernel "$root/boot/vmlinuz-$kernel" -initrd "$1"
}

boot "$machine/changes/boot/initrd.img-$kernel"
sed -n 's/^KTL //p' "$scratch/words" | base64 -d >"$scratch/boot.ktl"
[ -z "${KEEP:-}" ] || cp "$scratch/boot.ktl" "$KEEP/"

# --- the truth --------------------------------------------------------------

make -s -C "$ROOT/user" >/dev/null
ktally=$BUILD/user/ktally
all_named "$ktally" "$scratch/boot.ktl" "$scratch/words"
"$ktally" boot time --csv "$scratch/boot.ktl" | cut -d, -f1 | paste -sd' ' |
	grep -qx 'phase kernel initramfs system' || fail "phases: $("$ktally" boot time "$scratch/boot.ktl")"
"$ktally" report --csv "$scratch/boot.ktl" >"$scratch/report.csv"
grep -q 'run-init\|/scripts/' "$scratch/report.csv" || fail 'nothing of the initramfs'
grep -q 'openrc.* default\|rc default' "$scratch/report.csv" || fail 'nothing of the runlevel default'
"$ktally" boot chain --csv "$scratch/boot.ktl" | awk -F, '
	NR > 1 && $1 != last { print "a hole before " $1; exit 1 }
	NR > 1 { last = $2 }' || fail 'the chain has holes'

# The initramfs that the guest itself has made; the journal is played first.
e2fsck -fy "$scratch/disk" >"$scratch/log" 2>&1 || [ $? -lt 4 ] || fail "$(cat "$scratch/log")"
debugfs -R "dump /boot/initrd.img-$kernel $scratch/initrd" "$scratch/disk" 2>/dev/null
[ -s "$scratch/initrd" ] || fail 'no initramfs in the guest'
boot "$scratch/initrd"
