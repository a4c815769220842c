# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# dkms.conf takes the kernels it says, and no others, also where DKMS 3.0 reads
# it: in functions, with kernelver naming an older kernel.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

# fits GLOBAL LOCAL CONFIG: what DKMS would find in AUTOINSTALL.
fits()
{
	mkdir -p "$scratch/$1/build"
	echo "$3" >"$scratch/$1/build/.config"
	sed "s|/lib/modules/|$scratch/|; s|/etc/dkms/|$scratch/|" "$PACKAGING/dkms/dkms.conf" >"$scratch/dkms.conf"
	kernelver=$1 bash -c '
		read_conf() { local kernelver=$1; safe_source; }
		safe_source() { (. "$conf"; echo "${AUTOINSTALL:-no}"); }
		conf=$1
		read_conf "$2"
	' sh "$scratch/dkms.conf" "$2"
}

y='CONFIG_MODULES=y
CONFIG_TRACEPOINTS=y
CONFIG_RELAY=y'
for kernel in 5.10.0-32-cloud-amd64 6.1.0-57-amd64 6.12.117+deb13-amd64 7.3.4+deb13-rt-amd64 6.1-custom 5.19; do
	same "$kernel" yes "$(fits "$kernel" "$kernel" "$y")"
	same "$kernel, added only" yes "$(fits "$kernel" '' "$y")"
done
for kernel in 5.1.0 5.9.0-1-amd64 4.19.0-20-amd64 5.100.0 7.4.0-1-amd64 7.30.0 8.0.1 16.1.0; do
	same "$kernel" no "$(fits "$kernel" "$kernel" "$y")"
	same "$kernel after 6.1.0" no "$(fits "$kernel" 6.1.0 "$y")"
done
same 'without RELAY' no "$(fits 6.1.0 6.1.0 "${y/CONFIG_RELAY=y/# CONFIG_RELAY is not set}")"
same 'without RELAY, after 5.10.0' no "$(fits 6.1.0 5.10.0 "${y%CONFIG_RELAY*}")"
touch "$scratch/ktally-any-kernel"
same '8.0.1 when asked for' yes "$(fits 8.0.1 6.1.0 "$y")"

# One version, one name, and the objects that are really built.
same PACKAGE_VERSION '#MODULE_VERSION#' "$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$PACKAGING/dkms/dkms.conf")"
make -s -C "$ROOT" install-dkms DESTDIR="$scratch/root"
source=$scratch/root/usr/src/ktally-$VERSION
grep -q "^PACKAGE_VERSION=\"$VERSION\"" "$source/dkms.conf" || fail 'dkms.conf has no version once installed'
sed -n '/^ktally-y/,/[^\\]$/p' "$source/Kbuild" | grep -o '[a-z0-9/_-]*\.o' | while read -r object; do
	[ -e "$source/${object%.o}.c" ] || fail "$object: its source is not in the DKMS tree"
done
