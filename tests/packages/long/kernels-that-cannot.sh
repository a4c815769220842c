# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A kernel for which the module cannot be built neither stops the package's
# installation nor leaves its own half configured, whichever comes first.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

root=$(life_root)
kernel=$(kernels_in "$root" | grep cloud)
inside=$(cat <<'END'
set -eux
kernel=$1 unable="6.1.0-999-amd64 7.99.0-1-amd64 4.19.0-1-amd64"
for k in $unable; do
	cp -a "/usr/src/linux-headers-$kernel" "/usr/src/linux-headers-$k"
	mkdir -p "/lib/modules/$k"
	ln -s "/usr/src/linux-headers-$k" "/lib/modules/$k/build"
done
sed -i "s/^CONFIG_RELAY=y/# CONFIG_RELAY is not set/" /usr/src/linux-headers-6.1.0-999-amd64/.config

dpkg -i /debs/ktally_*.deb /debs/ktally-dkms_*.deb
for k in $unable; do
	run-parts --exit-on-error --arg="$k" /etc/kernel/header_postinst.d
	/etc/kernel/postinst.d/dkms "$k"
	test ! -e "/lib/modules/$k/updates"
done
test -z "$(dpkg --audit)"
test -e "/lib/modules/$kernel/updates/dkms/ktally.ko"

# The same with nothing built before, and with one that can.
dkms remove "ktally/$2" --all
dkms add "ktally/$2"
for k in $unable "$kernel"; do
	run-parts --exit-on-error --arg="$k" /etc/kernel/header_postinst.d
done
test -e "/lib/modules/$kernel/updates/dkms/ktally.ko"
END
)
in_root "$root" "$scratch/root" debs="$(packages)" -- \
	bash -c "$inside" sh "$kernel" "$VERSION" || fail "see above"
