#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-man.sh - the manual is well-formed, made from the present tables, and what it
# shows can be typed: every example of the manual and of every --help is run. Those
# that need the module are parsed only, by way of the refusal that follows.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

page=$top/user/man/ktally.1
cd "$tmp" || exit 1

if command -v mandoc > /dev/null; then
	mandoc -T lint "$page" 2>&1 | grep -v 'referenced manual not found\|outdated mandoc.db' > linted
	[ ! -s linted ] || show linted
	[ ! -s linted ]
	ok $? "mandoc -T lint"
else
	skip "no mandoc"
fi

awk '/^\.\\" END made/ { on = 0 } on; /^\.\\" BEGIN made/ { on = 1 }' "$page" > page.part
"$KTALLY" help man > man.part
cmp page.part man.part
ok $? "the manual's commands are those of the parser (make -C user texts)"
for shell in bash:ktally.bash zsh:_ktally fish:ktally.fish; do
	"$KTALLY" help "${shell%%:*}" > made
	cmp made "$top/user/completion/${shell#*:}"
	ok $? "completion of ${shell%%:*} is that of the parser (make -C user texts)"
	if command -v "${shell%%:*}" > /dev/null; then
		"${shell%%:*}" -n "$top/user/completion/${shell#*:}"
		ok $? "${shell%%:*} reads it"
	else
		skip "no ${shell%%:*}"
	fi
done

# completed WORD...: what bash offers for the last one, where no files are
completed()
{
	mkdir -p nothing-here
	(cd nothing-here && bash -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _ktally; echo "${COMPREPLY[*]}"' \
		- "$top/user/completion/ktally.bash" ktally "$@")
}

[ "$(completed boot di)" = 'diff disable' ] && [ "$(completed measure '')" = 'show compare' ] &&
	[ "$(completed boot time di)" = '' ] && [ "$(completed help sh)" = ship ] && [ "$(completed hel)" = help ] &&
	[ "$(completed report --by proc)" = process ]
ok $? "bash completes verbs, behind help commands, and words of an option"
for verb in $(completed boot ''); do
	! "$KTALLY" boot "$verb" /no/such/file --least 1ms 2> said && ! grep -q 'is neither' said
	ok $? "boot knows the verb $verb"
done

# Every command, every option, every exit status that the program has is in the page.
for c in $("$KTALLY" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -v ktally); do
	grep -q "^\.Ss $c\$" "$page"
	ok $? "the manual has $c"
	"$KTALLY" "$c" --help > help
	[ -z "$(grep -o '^  -[a-zA-Z],' help | sort | uniq -d)$(grep -o '^  [ -].[ ,] --[a-z-]*' help | sed 's/.* //' | sort | uniq -d)" ]
	ok $? "a letter and a name of $c mean one thing"
done

recording build
mkdir bin
ln -s "$KTALLY" bin/ktally
PATH=$tmp/bin:$PATH
cp build.ktl ktally.ktl
cp build.ktl r.ktl
cp build.ktl before.ktl
cp build.ktl after.ktl
mkdir recordings && cp build.ktl recordings/

{
	awk '/^\.Ed/ { on = 0 } on; /^\.Bd -literal -offset indent/ { on = 1 }' "$page"
	for c in report record run stat top events totals commands import tree diff dump mark status doctor load unload \
		 schema; do
		"$KTALLY" $c --help | sed -n 's/10\.0\.0\.1/127.0.0.1/; /^Examples:/,$s/^  \(ktally .*\)/\1/p'
	done
} > examples
[ "$(wc -l < examples)" -gt 25 ]
ok $? "there are examples"

awk '/^\.Ed/ { on = 0 } on; /^\.Bd -literal -offset 4n/ { on = 1 }' "$page" > settings
KTALLY_CONFIG=settings "$KTALLY" report build.ktl 2> err | head -n 1 > out
! grep -q START out && grep -q USER out && [ ! -s err ]
ok $? "the manual's settings do what they say"
mkdir -p scores && printf 'a!1!2\n!!2!3\n' > scores/scores.csv.1

# what status takes for the module's price is what the bench has counted
base=$top/tests/bench/base/$(sed -n 's/#define COUNTED_ON.*"\(.*\)"/\1/p' "$top/user/status/price.c")
priced() { grep -Eq "$1[^0-9]*$2(,|\$)" "$top/user/status/price.c"; }
figure() { sed -n "s/^$1 //p" "$base"; }
priced KTALLY_FORK "$(figure life.fork)" && priced KTALLY_EXEC "$(figure life.exec)" &&
	priced KTALLY_EXIT "$(figure life.exit)" && priced KTALLY_TASK "$(figure walk.task)" &&
	priced PACKET "$(sed -n 's/^packet.* //p' "$base" | sort -n | tail -n 1)"
ok $? "status has the bench's figures"

needs_module() {
	case $1 in
	'ktally record '*|'ktally run '*|'ktally mark '*|'ktally status'*|'ktally load'*|\
	'ktally unload'*|'ktally doctor'*|'ktally stat'*|'ktally top'*|'ktally events'*|\
	'ktally totals'*|*--live*) return 0 ;;
	esac
	return 1
}

while read -r line; do
	bash -o pipefail -c "$line" > out 2> err < /dev/null
	status=$?
	if needs_module "$line"; then
		# 2 would be wrong use: what is shown can't be typed.
		[ $status -ne 2 ] && [ $status -ne 127 ] && [ $status -ne 99 ]
	else
		[ $status -eq 0 ]
	fi
	good=$?
	[ $good -eq 0 ] || { say "exit status $status"; show err; }
	ok $good "$line"
done < examples

done_testing
