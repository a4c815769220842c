# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Everything in the list of files exists and is installed; what is taken away
# leaves nothing but what an administrator wrote.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

root=$scratch/root
place() { DESTDIR=$root PREFIX=$prefix "$PACKAGING/place" "$@"; }
files() { (cd "$root" && find . -type f -o -type l | sort); }

# What the program is, is for other tests; its file need only be there.
tree=$scratch/tree
mkdir -p "$tree/build/user" "$tree/user"
cp -r "$PACKAGING" "$tree/"
cp -r "$ROOT/user/man" "$ROOT/user/completion" "$tree/user/"
cp -r "$ROOT/docs" "$tree/"
touch "$tree/build/user/ktally"
PACKAGING=$tree/packaging

for prefix in /usr/local /usr; do
	mkdir -p "$root$prefix/bin" "$root$prefix/share/man" "$root/lib/modules/6.1.0/kernel"
	before=$(cd "$root" && find . | sort)
	place put program system early >/dev/null
	mkdir -p "$root/lib/modules/6.1.0/updates"
	touch "$root/lib/modules/6.1.0/updates/ktally.ko.xz"
	wanted=$(grep -c '^[a-z]' "$PACKAGING/files")
	same 'files beside the module' "$wanted" "$(files | grep -cv '/lib/modules/')"
	for f in "$prefix/bin/ktally" /etc/modprobe.d/ktally.conf "$prefix/lib/systemd/system/ktally-load.service"; do
		[ -f "$root$f" ] || fail "$f: not installed"
	done
	while read -r f _; do
		[ -f "$root$prefix/share/doc/ktally/$f" ] || fail "$f: the manual names it, and it is not installed"
	done < <(grep -o '[a-z]*\.md of the documentation' "$tree/user/man/ktally.1")
	same "mode of $prefix/bin/ktally" 755 "$(stat -c %a "$root$prefix/bin/ktally")"
	place remove
	left=$(cd "$root" && find . -type f)
	same "files after remove, $prefix" '' "$left"
	after=$(cd "$root" && find . | sort)
	# The standard directories of a system may have been made.
	extra=$(comm -13 <(echo "$before") <(echo "$after") | grep -vxE "\./(etc|etc/modprobe.d|usr|usr/lib|usr/share)|\.$prefix/(lib|share|share/doc)" || true)
	same "directories after remove, $prefix" '' "$extra"
	rm -rf "$root"
done

prefix=/usr
place put system >/dev/null
echo 'options ktally argv=0' >>"$root/etc/modprobe.d/ktally.conf"
place put system >/dev/null
grep -q '^options ktally argv=0' "$root/etc/modprobe.d/ktally.conf" || fail 'installing again lost a changed file of /etc'
words=$(place remove 2>&1)
[ -e "$root/etc/modprobe.d/ktally.conf" ] || fail 'a changed file of /etc was removed'
grep -q 'kept' <<<"$words" || fail "nothing was said of the changed file: $words"
