# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The DKMS of each suite builds the module for its suite's kernel, from the
# source as make install-dkms lays it.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

source=$scratch/source
make -s -C "$ROOT" install-dkms DESTDIR="$source"
inside=$(cat <<'END'
set -eux
cp -r /new/usr/src/* /usr/src/
kernel=$(ls /lib/modules)
# As the kernel's own package does: without modules.dep DKMS 3.2 makes none.
depmod "$kernel"
dkms add "ktally/$1"
dkms install "ktally/$1" -k "$kernel" || { cat /var/lib/dkms/ktally/*/build/make.log; exit 1; }
test "$(modinfo -k "$kernel" -F version ktally)" = "$1"
dkms autoinstall -k "$kernel"
dkms remove "ktally/$1" --all
test -z "$(find "/lib/modules/$kernel" -name '*ktally*')"
END
)
done=''
for suite in bullseye trixie sid; do
	root=$(root_of dkms "$suite" "dkms,linux-headers-cloud-$ARCH") ||
		{ [ $? = 4 ] && continue; fail "$suite: no root"; }
	in_root "$root" "$scratch/$suite" new="$source" -- bash -c "$inside" sh "$VERSION" || fail "$suite: see above"
	as_root rm -rf "${scratch:?}/$suite"
	done+=" $suite"
done
[ -n "$done" ] || skip 'no suite is served'
