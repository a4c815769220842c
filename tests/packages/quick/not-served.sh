# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A root file system whose suite or package the mirror has no more ends with 4, saying
# which; one that fails in another way does not.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

APT_DIR=$scratch/apt
mkdir -p "$APT_DIR/old-$ARCH"
touch "$APT_DIR/old-$ARCH/sources.list"
need() { :; }
keyring() { :; }
# in the place of mmdebstrap
as_root() { [ "$1" = rm ] || { cat "$scratch/words"; return 1; }; }

# ends_with STATUS SAID WORDS: so does one for which mmdebstrap has these words
ends_with()
{
	local status=0
	echo "$3" >"$scratch/words"
	(bootstrap old "$scratch/root" --variant=apt) 2>"$scratch/said" || status=$?
	same "status ($3)" "$1" "$status"
	grep -q "$2" "$scratch/said" || fail "'$3' is told as: $(cat "$scratch/said")"
}

gone='http://mirror/pool/linux-headers_1_amd64.deb'
ends_with 4 "not served: $gone\$" "E: Failed to fetch $gone  404  Not Found [IP: 1.2.3.4 80]"
ends_with 4 'not served: .*InRelease$' 'E: Failed to fetch http://mirror/dists/old/InRelease  404  Not Found'
ends_with 4 'not served: Unable to locate package kmod$' 'E: Unable to locate package kmod'
ends_with 4 'candidate$' "E: Package 'kmod' has no installation candidate"
ends_with 1 'mmdebstrap failed' "E: Failed to fetch $gone  503  Service Unavailable [IP: 1.2.3.4 80]"
ends_with 1 'mmdebstrap failed' 'E: Sub-process dpkg returned an error code (1)'
