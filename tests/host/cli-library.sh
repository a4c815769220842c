#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-library.sh - the library as others meet it: installed, found by pkg-config, with a
# page per function, used by the two examples and by the Python of docs/library.md.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

make -s -C "$top/user" install-dev O="$output/dev" CFLAGS=-O0 PREFIX=/usr DESTDIR="$tmp/root" > log 2>&1 < /dev/null
installed=$?
[ $installed -eq 0 ] || show log
ok $installed "make install-dev"
rm -f log

header=$top/user/lib/ktally.h
lib=$tmp/root/usr/lib
export PKG_CONFIG_PATH="$lib/pkgconfig:${PKG_CONFIG_PATH:-}" PKG_CONFIG_SYSROOT_DIR="$tmp/root"
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 LD_LIBRARY_PATH="$lib"
cd "$tmp" || exit 1
recording build
recording script

# shellcheck disable=SC2094
"$top/scripts/libdoc" functions "$header" | LC_ALL=C sort > functions
grep -oh 'ktally_[a-z_0-9]*(' "$header" "${header%.h}"/*.h | tr -d '(' | LC_ALL=C sort -u > want
cmp -s want functions
ok $? "every function of the header has a prototype that libdoc reads"
nm -D --defined-only "$lib/libktally.so.0" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort > exported
diff functions exported > differs
same=$?
[ $same -eq 0 ] || show differs
ok $same "exports the functions of the header and nothing else"

missing=0
while read -r name; do
	[ -s "$tmp/root/usr/share/man/man3/$name.3" ] || { say "no page: $name"; missing=1; }
done < functions
ok $missing "a manual page per function"
if command -v mandoc > /dev/null; then
	# shellcheck disable=SC2094
	mandoc -T lint -W error root/usr/share/man/man3/*.3 > lint 2>&1
	pages=$?
	[ $pages -eq 0 ] || show lint
	ok $pages "the pages are in order"
else
	skip "mandoc is not installed"
fi

for name in lives steps; do
	# shellcheck disable=SC2046
	${CC:-cc} -Wall -Werror "$here/example_$name.c" $(pkg-config --cflags --libs ktally) -o $name > log 2>&1
	built=$?
	[ $built -eq 0 ] || show log
	ok $built "example_$name.c, found by pkg-config"
done

# What the examples say is what the program says.
./lives build.ktl > got
"$KTALLY" report -a build.ktl --raw --no-header -c pid,life_ns,cpu_ns,peak_rss_bytes,program,state 2> err |
	sed -n 's/ ended$//p' > want
diff want got > differs
same=$?
[ $same -eq 0 ] || show differs
ok $same "example_lives.c agrees with report"
./steps script.ktl 100 | awk '$1 != "self" { n += $3 } { s += $1 == "self" ? $2 : 0 } END { print n, s }' > got
"$KTALLY" commands --steps script.ktl --gaps 0 --csv 2> err | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["depth"] == 1 && $at["step"] == "self" { s += $at["duration_ns"] }
	$at["depth"] == 1 && $at["step"] == "exec" { s += $at["self_ns"] }
	$at["depth"] == 1 && $at["step"] != "self" && $at["step"] != "exec" { n += $at["parts"] }
	END { print n, s }' > want
diff want got > differs
same=$?
[ $same -eq 0 ] || show differs
ok $same "example_steps.c agrees with commands --steps"

if command -v python3 > /dev/null; then
	# shellcheck disable=SC2016
	sed -n '/^```python$/,/^```$/p' "$top/docs/library.md" | sed '1d;$d' > ten.py
	[ "$(python3 ten.py build.ktl 101 2> err)" = "process 101" ]
	python=$?
	[ $python -eq 0 ] || show err
	ok $python "the Python of docs/library.md"
else
	skip "python3 is not installed"
fi

done_testing
