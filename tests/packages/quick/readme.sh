# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# packaging/README.md names all that the packages need to be built, and everything that
# lies beside it.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

readme=$PACKAGING/README.md

# What control asks for, by the names of packages.
needed=$(sed -n '/^Build-Depends:/,/^Standards/{ /^Standards/d; s/^Build-Depends://; s/(.*)//; s/[ ,]//g; p }' "$PACKAGING/debian/control" |
	sed 's/^debhelper-compat$/debhelper/; s/^dh-sequence-dkms$/dh-dkms/; /^dh-sequence-installsysusers$/d; 1ibuild-essential')
same 'packages to build with' "$(sort <<<"$needed" | paste -sd' ')" \
	"$(sed -n 's/^apt-get install \(build-essential .*\)/\1/p' "$readme" | tr ' ' '\n' | sort | paste -sd' ')"

for path in "$PACKAGING"/*; do
	name=${path##*/}
	[ ! -d "$path" ] || name+=/
	[ "$name" = README.md ] || sed -n '/^## What is here/,$p' "$readme" | grep -q "^|.*\`$name\`.*|.*|" || fail "README.md: nothing of $name"
done
