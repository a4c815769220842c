#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-locale.sh - a locale that writes 1,5 changes no format for machines. The locale
# is compiled here when the machine has its source.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

cd "$tmp" || exit 1
if ! localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" > localedef.log 2>&1; then
	echo "1..0 # SKIP no source of a locale with a decimal comma (package locales)"
	exit 4
fi
LOCPATH=$tmp LC_ALL=de_DE.UTF-8 printf '%.1f' 1.5 > comma 2> /dev/null
LOCPATH=$tmp LC_ALL=de_DE.UTF-8 bash -c "printf '%.1f' 1,5" > comma 2> /dev/null
ok "$(grep -q '1,5' comma; echo $?)" "the locale writes a comma"

recording build
recording names
for words in 'report build.ktl' 'report names.ktl' 'commands build.ktl' 'commands build.ktl --runs' \
	'tree build.ktl' 'report build.ktl --by program' schema; do
	for form in --csv --json --jsonl --raw '--human --no-header'; do
		# shellcheck disable=SC2086
		"$KTALLY" $words $form > plain 2> plain.err
		# shellcheck disable=SC2086
		LOCPATH=$tmp LC_ALL=de_DE.UTF-8 "$KTALLY" $words $form > german 2> german.err
		cmp -s plain german && cmp -s plain.err german.err
		ok $? "$words $form"
	done
done
# Times people type keep their point as well.
LOCPATH=$tmp LC_ALL=de_DE.UTF-8 "$KTALLY" report build.ktl --min-duration 2.45 --csv -q > german
ok "$(grep -q '^101,' german; echo $?)" "--min-duration 2.45 is read as in every locale"

done_testing
