#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-boot.sh - the boot profile's words and exit statuses, and two boots compared.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

cd "$tmp" || exit 1
recording boot
# Another boot of it: 2 s longer, one command slower, one faster, one new, one gone.
sed -e 's/^boot 1/boot 2/' -e '/fork pid=13/d' -e '/exec pid=13/d' -e '/exit pid=13/d' -e '/mark pid=13/d' \
	-e 's/^1.9 exit pid=10/1.5 exit pid=10/' -e 's/^5.0 exit pid=15/5.1 exit pid=15/' \
	-e 's/=5200000/=7200000/' -e 's/^5\.\([34]\)/7.\1/' "$here/cli/boot.rec" > later.rec
awk '/^5.1 exit pid=15/ { print "5.05 fork pid=40 ppid=1 parent_start=0.1\n5.06 exec pid=40 argv=\"new thing\" runtime=0\n5.08 exit pid=40 runtime=1ms" } 1' \
	later.rec | awk '/^[0-9]/ { print | "sort -s -n"; next } 1' > other.rec
"$MKREC" -o other.ktl other.rec || exit 1

# status WANTED NAME WORDS...
status() {
	want=$1 name=$2
	shift 2
	"$KTALLY" "$@" > out 2> err
	got=$?
	[ $got -eq "$want" ]
	ok $? "$name -> $want"
	[ $got -eq "$want" ] || show err
}

status 0 "boot alone is time" boot -i boot.ktl
grep -q '^system' out
ok $? "with its phases"
if [ ! -e /var/lib/ktally/boot.ktl ]; then
	status 1 "no boot here" boot blame
	grep -q 'make one with: ktally boot enable' err
	ok $? "and how to get one"
else
	skip "a boot of this machine is saved"
fi
status 1 "a slower boot" boot diff boot.ktl other.ktl --csv
change() { awk -F, -v c="$1" '$1 == c { print $(NF - 1) }' out | sort | paste -sd' '; }
[ "$(change slower)" = '/usr/bin/really-evil --daemon' ]
ok $? "slower: $(change slower)"
[ "$(change faster)" = 'modprobe disk' ]
ok $? "faster: $(change faster)"
[ "$(change appeared)" = 'new thing' ]
ok $? "appeared: $(change appeared)"
grep -q '^vanished,.*onerror' out
ok $? "vanished"
status 0 "slower by less than the threshold" boot diff boot.ktl other.ktl --threshold 50%
status 0 "a faster one" boot diff other.ktl boot.ktl
status 2 "a threshold that is none" boot diff boot.ktl other.ktl --threshold much
status 2 "one recording" boot diff boot.ktl
status 2 "two boots at once" boot time boot.ktl other.ktl
status 2 "a verb that does not exist" boot blaim boot.ktl
grep -q 'ktally boot blame' err
ok $? "did you mean"
status 3 "an end that is not there" boot time boot.ktl --end nobody
status 3 "units of a boot without any" boot blame --units "$(recording build; echo build.ktl)"
status 2 "a picture of no kind" boot plot boot.ktl
status 2 "slices of nothing" boot time boot.ktl --every 0
status 4 "nothing to save" boot save -o x.ktl
[ ! -e x.ktl ]
ok $? "and no file is left"

# Put together by any key, the runs are those of blame, to the nanosecond.
"$KTALLY" boot blame --csv boot.ktl > blame.csv
for by in script program command; do
	"$KTALLY" boot blame --by $by --csv boot.ktl > by.csv
	awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
		{ sum[FILENAME] += $at[FILENAME, "time_ns"] }
		FILENAME == "blame.csv" { n++ }
		FILENAME == "by.csv" { runs += $at[FILENAME, "runs"] }
		END { exit !n || runs != n || sum["blame.csv"] != sum["by.csv"] }' blame.csv by.csv
	ok $? "blame --by $by has the runs of blame"
done
status 0 "folded" boot blame --by command --fold boot.ktl

# What the end waited for adds up to the boot, whatever the end is.
for end in last saved mark:x process:evil evil.service exit:modprobe; do
	"$KTALLY" boot chain --csv --end "$end" boot.ktl 2> err > out || { [ $end = mark:x ]; ok $? "no $end"; continue; }
	all=$("$KTALLY" boot time --json --end "$end" boot.ktl | sed -n 's/.*"end_ns":\([0-9]*\).*/\1/p')
	awk -F, -v all="$all" 'NR > 1 { if ($1 != at + 0) bad = 1; at = $2; sum += $3 } END { exit bad || sum != all }' out
	ok $? "the chain to $end has no hole"
done

done_testing
