# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# dracut: the module is in the initramfs when /etc/ktally/boot.conf asks for it.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

root=$(dracut_root)
kernel=$(kernels_in "$root" | grep cloud)
inside=$(cat <<'END'
set -eux
has() { lsinitrd /tmp/initrd | grep -E "$1"; }
lacks() { if has "$1"; then echo "there is $1"; exit 1; fi; }
make_it() { dracut --force --no-hostonly --quiet /tmp/initrd "$1"; }

dpkg -i /debs/ktally_*.deb /debs/ktally-dkms_*.deb
make_it "$1"
lacks ktally

mkdir -p /etc/ktally
echo boot_seconds=120 >/etc/ktally/boot.conf
make_it "$1"
for f in "modules/$1/.*/ktally\.ko" usr/lib/ktally/early-load etc/ktally/boot.conf hooks/cmdline/00-load.sh; do
	has "$f"
done
END
)
in_root "$root" "$scratch/root" debs="$(packages)" -- \
	bash -c "$inside" sh "$kernel" || fail "see above"
