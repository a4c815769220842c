#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-long.sh - times and sizes that outgrow their columns: in every table there is at
# least a blank between two columns, each value ends under its heading, and scripts
# that cut at blanks find as many fields in each line.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

cd "$tmp" || exit 1
recording long

# crooked FILE ROWS: a line of a table whose values do not stand under their headings
crooked()
{
	head -n $(($2 + 1)) "$1" | tr -d '\200-\277' | awk '
		NR == 1 {
			for (at = 1; match(substr($0, at), /[^ ]+/); at = end[n] + 1) {
				n++
				begin[n] = at + RSTART - 1
				end[n] = begin[n] + RLENGTH - 1
			}
			next
		}
		{
			bad = substr($0, begin[n] - 1, 1) != " " || substr($0, begin[n], 1) == " "
			for (i = 1; i < n; i++)
				bad = bad || substr($0, end[i], 1) == " " || substr($0, end[i] + 1, 1) != " "
			if (bad)
				print
		}'
}

for how in '' --human --ns --bytes '--time boot' '--time wall' '--time wall --human' '--time boot --ns --bytes --wide'; do
	# shellcheck disable=SC2086
	"$KTALLY" report long.ktl -a -q $how > table 2> said
	status=$?
	crooked table 5 > bad
	test $status = 0 && ! test -s bad && test "$(wc -l < table)" -ge 6
	status=$?
	ok $status "report $how: columns stand apart and under their headings"
	[ $status = 0 ] || sed 's/^/# /' table bad said
done

# the figures themselves, to the last digit
"$KTALLY" report long.ktl -a -q --csv --no-header --time boot \
	--columns pid,start_ns,life_ns,cpu_ns,peak_rss_bytes,read_bytes,uid > csv
value()
{
	grep -qx "$2" csv
	ok $? "$1"
	grep -qx "$2" csv || sed 's/^/# /' csv
}
value 'a life of 1,200 days and its clock' '50,22464000000000000,105120004000000000,.*'
value 'a life of 400 hours' '65000,126144001000000000,1440001000000000,1440001000000000,1098437885952,.*'
value 'a u64 is not rounded' '65001,.*,9999999000000000,17293822569102704640,18446744073709551615,.*'
value 'a life of a nanosecond' '2,127584003000000000,1,1,4096,.*'

done_testing
