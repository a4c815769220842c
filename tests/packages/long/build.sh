# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The Debian packages build, are the same bytes when built elsewhere, later, by
# a machine that is set up otherwise, and lintian has nothing to say.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

sums() { (cd "$1" && sha256sum ./*.deb ./*.dsc ./*.tar.*); }

tree=$(snapshot)
first=$ROOTS/debs
rm -rf "$first"
build_packages "$tree" "$first"
build_packages "$tree" "$scratch/again" TZ=Pacific/Chatham LANG=tr_TR.UTF-8 HOME=/nowhere DEB_BUILD_OPTIONS=parallel=1
same 'checksums of a second build' "$(sums "$first")" "$(sums "$scratch/again")"
[ "$(find "$first" -name '*.deb' | wc -l)" -ge 2 ] || fail "packages: $(ls "$first")"

in_root "$(build_root)" "$scratch/lint" debs="$first" -- \
	sh -c 'lintian --allow-root --fail-on error,warning /debs/*.changes' ||
	fail 'lintian complains'
