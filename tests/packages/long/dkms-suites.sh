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

# root_for SUITE: the kernel's headers by their own name, not by that of the package that
# follows the newest: a mirror that lets go of a suite may have lost that one alone.
root_for()
{
	local headers
	update_lists "$1"
	headers=$(depends_of "$1" "linux-headers-cloud-$ARCH" | grep "^linux-headers-[0-9].*-cloud-$ARCH\$") ||
		die 4 "$1: not served: linux-headers-cloud-$ARCH"
	root_of dkms "$1" "dkms,$headers"
}

served='' not_served=()
for suite in bullseye trixie sid; do
	status=0
	root=$(root_for "$suite" 2>"$scratch/said") || status=$?
	case $status in
	0) ;;
	4) not_served+=("$(tail -n 1 "$scratch/said")"); continue ;;
	*) fail "$suite: no root: $(cat "$scratch/said")" ;;
	esac
	in_root "$root" "$scratch/$suite" new="$source" -- bash -c "$inside" sh "$VERSION" || fail "$suite: see above"
	as_root rm -rf "${scratch:?}/$suite"
	served+=" $suite"
done
[ -n "$served" ] || skip "${not_served[*]}"
echo "built:$served"
printf '%s\n' "${not_served[@]}"
