# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A Debian with dracut records its own boot, systemd in the initramfs included.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/packages/profile.sh
. "$(dirname "$0")/../profile.sh"

root=$(dracut_root)
machine=$scratch/machine
kernel=$(kernels_in "$root" | grep cloud)
mkdir -p "$scratch/guest/89count"
cat >"$scratch/guest/89count/module-setup.sh" <<'END'
check() { :; }
depends() { :; }
install() { inst_hook cmdline 01 "$moddir/count.sh"; }
END
# hostonly would look for this machine's disk
set_up "$root" "$machine" "$kernel" 'cp -r /guest/89count /usr/lib/dracut/modules.d/
cp /guest/count /usr/lib/dracut/modules.d/89count/count.sh
echo "hostonly=no add_drivers+=\" virtio_blk virtio_pci ext4 \"" >/etc/dracut.conf.d/test.conf'
said=$(cat "$machine/changes/enabled")
grep -q 'dracut --force --regenerate-all' <<<"$said" || fail "no dracut: $said"
boot_it "$root" "$machine" "$kernel"
judge_it 'dracut'
