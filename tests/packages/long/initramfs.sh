# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# initramfs-tools: the module is in the initramfs exactly as long as
# /etc/ktally/boot.conf asks for it and the packages are installed.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

root=$(life_root)
kernel=$(kernels_in "$root" | grep cloud)
inside=$(cat <<'END'
set -eux
image=/boot/initrd.img-$1
has() { lsinitramfs "$image" | grep -E "$1"; }
lacks() { if has "$1"; then echo "there is $1"; exit 1; fi; }

dpkg -i /debs/ktally_*.deb /debs/ktally-dkms_*.deb
update-initramfs -u -k "$1"
lacks ktally

mkdir -p /etc/ktally
echo boot_seconds=120 >/etc/ktally/boot.conf
update-initramfs -u -k "$1"
for f in "modules/$1/.*/ktally\.ko" usr/lib/ktally/early-load etc/ktally/boot.conf scripts/init-top/ktally; do
	has "$f"
done

# A kernel without the module gets its initramfs all the same.
mv "/lib/modules/$1/updates" /tmp/
depmod "$1"
update-initramfs -u -k "$1" 2>&1 | grep "this initramfs will not record"
lacks "ktally\.ko"
mv /tmp/updates "/lib/modules/$1/"
depmod "$1"

# dpkg tells initramfs-tools by itself.
dpkg -i /debs/ktally-dkms_*.deb
has "ktally\.ko"
dpkg -P ktally ktally-dkms
lacks ktally
test ! -e /etc/ktally
END
)
in_root "$root" "$scratch/root" debs="$(packages)" -- \
	bash -c "$inside" sh "$kernel" || fail "see above"
