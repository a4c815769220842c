# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A Debian with systemd and initramfs-tools records its own boot, from the initramfs to
# the default target, once: when it is saved the system takes everything back by
# itself. Then `disable` does, on the system that did not boot.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/packages/profile.sh
. "$(dirname "$0")/../profile.sh"

cat >"$scratch/guest/after" <<'END'
#!/bin/bash
set -eux -o pipefail
test ! -e /etc/ktally
test ! -e /etc/systemd/system/multi-user.target.wants/ktally-boot.service
test ! -e /etc/systemd/system/ktally-boot.service.d/boot.conf
lsinitramfs "/boot/initrd.img-$(uname -r)" >/tmp/inside
test -s /tmp/inside
# The hook itself and modprobe's own file are there while the package is.
if grep 'ktally\.ko\|boot\.conf' /tmp/inside; then exit 1; fi
END
chmod 755 "$scratch/guest/after"
root=$(life_root)
machine=$scratch/machine
cloud=$(kernels_in "$root" | grep cloud)
set_up "$root" "$machine" "$cloud" "cp /guest/count /etc/initramfs-tools/scripts/init-top/a-count
$SMALL_INITRAMFS" --once
said=$(cat "$machine/changes/enabled")
for words in /etc/ktally/boot.conf 'update-initramfs -u' ktally-boot.service ktally.disable=1 'ktally boot disable'; do
	grep -q -e "$words" <<<"$said" || fail "enable says nothing of $words: $said"
done
boot_it "$root" "$machine" "$cloud"
judge_it 'run-init\|/scripts/'

inside=$(cat <<'END'
set -eux
ktally boot disable
lsinitramfs "/boot/initrd.img-$1" >/tmp/inside
test -s /tmp/inside
if grep 'ktally\.ko\|boot\.conf' /tmp/inside; then exit 1; fi
test ! -e /etc/ktally
test ! -e /etc/systemd/system/multi-user.target.wants/ktally-boot.service
END
)
in_root "$root" "$machine" -- bash -c "$inside" sh "$cloud" >"$scratch/log" 2>&1 || fail "$(tail -n 40 "$scratch/log")"
