#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-measure.sh - results of measure read again: figures against Python's statistics on
# data of many kinds, comparisons, and files that are no results.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

cd "$tmp" || exit 1
measure() { "$KTALLY" measure "$@" > out 2> err < /dev/null; }

# refused TEXT STATUS NAME: the last command failed with status 1 and one line that holds TEXT
refused() {
	if [ "$2" -eq 1 ] && [ ! -s out ] && [ "$(wc -l < err)" = 1 ] && grep -q "$1" err; then
		ok 0 "$3"
	else
		show err
		ok 1 "$3: status $2"
	fi
}

# --- figures ---
if command -v python3 > /dev/null; then
	python3 -B "$here/cli/measure.py" make . || exit 1
	for f in *.json; do
		measure show --json "$f"
		ok $? "shows $f"
		mv out "${f%.json}.shown"
		measure show --json "${f%.json}.shown"
		cmp -s out "${f%.json}.shown"
		ok $? "what it writes of $f it reads"
	done
	python3 -B "$here/cli/measure.py" check .
	ok $? "figures are those of Python"
	measure show --csv repeats.json
	[ "$(awk -F, 'NR > 1 { n++; void += $(NF - 2) } END { print n, void }' out)" = "6 1" ]
	ok $? "repeats, a void one, and all together"
	measure show repeats.json
	[ "$(wc -l < out)" = 2 ]
	ok $? "people see them all together"

	# --- pictures: 1 to 1,001 lies evenly on an axis of 600 pixels from 190 on ---
	measure show --pictures drawn ramp.json && [ "$(ls drawn)" = runs-time.svg ]
	ok $? "a picture per measure"
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse("drawn/runs-time.svg")'
	ok $? "which is XML"
	grep -q '<rect x="340.0" y="[0-9.]*" width="300.0" .*class="b ' drawn/runs-time.svg &&
		grep -q '<line x1="490.0" x2="490.0" .*class="k"' drawn/runs-time.svg
	ok $? "whose box and median are where they belong"
	[ "$(grep -c 'class="h ' drawn/runs-time.svg) $(grep -c circle drawn/runs-time.svg)" = "80 0" ]
	ok $? "with a full histogram and no outliers"
	# Those below the boxes stand again below the histograms.
	for f in ramp durations big decimals humps many; do
		measure show --pictures lines-$f $f.json
		grep -o 'class="m">[^<]*' lines-$f/*.svg | sort | uniq -c | awk '{ n++; bad += $1 != 2 } END { exit n < 3 || bad }'
		ok $? "each line of an axis has a number of its own: $f"
	done
	for f in one equal zeros; do
		measure show --pictures drawn-$f $f.json && ! grep -q 'nan\|inf' drawn-$f/* 2> /dev/null
		ok $? "a picture of $f"
	done

	python3 -B "$here/cli/measure.py" wide .
	measure show wide.json && tr -d '\200-\277' < out | awk 'length > 80 { bad = 1 } END { exit NR < 10 || bad }'
	ok $? "figures of two commands fit 80 columns"
	measure show --ns ramp.json && tail -n 1 out | grep -q '^time  *501  *289  *1  *251  *501  *751  *1001$'
	ok $? "whole nanoseconds"
	measure show --bytes humps.json && tail -n 1 out | grep -qv '[KM]'
	ok $? "whole bytes"
	measure compare --ns ramp.json ramp.json && grep -q ' time  *1001  *1001  *501  *501 ' out
	ok $? "whole nanoseconds of a comparison"
	measure show --wide durations.json && grep -q '^time ' out
	ok $? "--wide, though -w is of --warm-up"
	measure show --columns help durations.json && grep -q '^usual columns: measure,mean,' out
	ok $? "columns of a result"
	measure compare --columns help durations.json twin.json && grep -q '^usual columns: command,measure,values_a,' out
	ok $? "columns of a comparison"

	# --- comparisons ---
	verdict() { # A B WANTED
		measure compare --csv "$1.json" "$2.json"
		[ "$(tail -n 1 out | awk -F, '{ print $NF }')" = "$3" ] || { show out; show err; false; }
		ok $? "$2 beside $1: $3"
	}
	verdict durations slower more
	verdict slower durations less
	verdict durations twin same
	verdict durations durations same
	verdict equal equal few
	verdict one two few
	verdict two one few
	verdict zeros zeros same
	measure compare durations.json decimals.json
	[ $? = 3 ] && grep -q "no measure in common" err
	ok $? "other units are no counterparts"
else
	skip "python3 is not there"
fi

# --- words of a method ---
words() { # WANTED TEXT WORD...
	want=$1 text=$2
	shift 2
	measure "$@"
	got=$?
	good=0
	{ [ "$got" = "$want" ] && grep -q -e "$text" err; } || { show err; good=1; }
	ok $good "$*: $want"
}
words 2 "NAME=WHO is wanted" --role nginx -- true
words 2 "NAME=WHO is wanted" --role x=user:root
words 2 "NAME=WHO is wanted" --role x=unit:
words 2 "NAME=WHO is wanted" --role x=pid:1,x
words 3 "no such process" --role x=pid:2147483647
words 2 "give it another name" --role x=sh --role x=nginx
words 2 "give it another name" --role machine=sh
words 2 "nothing to measure: --samples is 0" --role x=sh --samples 0
words 2 "nothing to measure: --samples, --solo and --shared are 0" --samples 0 --solo 0 --shared 0 -- true
words 2 "workers (-- CMD) or roles" --preset broker
words 2 "5..20" --workers 2 --warm-up 20..5 -- true
words 2 "5..20" --workers 2 --warm-up soon -- true
words 2 "whole number of runs" --warm-up 5..20 -- true
words 2 "1 to 256 workers" --workers 257 -- true
words 2 "1 to 256 workers" --workers 0 -- true
words 2 "from 1 on" --repeats 0 -- true
words 2 "runs without a method" --workers 2 --compare -- true --- true
words 2 "worker numbers" --unit ms -- true
words 2 "one of: quick broker" --preset bank -- true
words 2 "start-server" --ready true -- true
words 1 "cannot read it" --method gone.method
echo 'colour = red' > wrong.method
words 2 "wrong.method:1: " --method wrong.method
echo 'command = "a' > wrong.method
words 2 "words as a shell has them" --method wrong.method
words 2 "no word of the command holds {n}" --scan n=1,2 -- true
words 2 "a name and its values" --scan n -- true
words 2 "compare wants two results" compare r.json
words 2 "show wants a result" show

words 2 "from 1 on" --runs 0 -- true
words 2 "not both" --runs 5 --for 3 -- true
words 2 "--show-output goes with runs without a method" --workers 2 --show-output -- true
# before anything is measured: else the module that is not there would be named
words 2 "no column 'mediam'; did you mean median" --columns mediam -- true
words 2 "no column 'nosuch'" --sort nosuch -- true
words 2 "no column 'mean'" --each --columns mean -- true
words 2 "no column 'nosuch'" --workers 2 --columns nosuch -- true
words 1 "gone/result: No such file" --output gone/result -- true
words 1 "gone/folder: No such file" --pictures gone/folder -- true
words 2 "leave one of them out" --each --pictures drawn -- true
# listed WORD...: --columns help
listed() {
	measure --columns help "$@" && grep -q '^usual columns: ' out && [ ! -s err ]
	ok $? "columns of: $*"
}
listed
listed --each
listed --workers 2

# --- presets, number by number, and a method written down ---
# plan WANTED WORD...: the plan holds these lines, in this order
plan() {
	printf '%s\n' "$1" > want
	shift
	measure --plan "$@"
	cmp -s want out || { diff want out; false; }
	ok $? "the plan of: $*"
}
plan "role = server=name:nginx
warm-up = 5..20
samples = 60
every = 1
command = wrk http://server/
workers = 4
worker = runs
solo = 5000
shared = 60
repeats = 5
seed = 1" --preset broker --role server=name:nginx --workers 4 -- wrk http://server/
plan "warm-up = 1
samples = 6
every = 0.5
command = true
workers = 1
worker = runs
solo = 200
shared = 3
repeats = 5
seed = 1" --preset quick -- true
# shellcheck disable=SC2016 # of the shell that is measured
plan "role = a=pid:1
role = b=cgroup:/x
start-server = exec nginx -c '/a b'
ready = test -s x
prepare = sync
conclude = rm \"x\"
warm-up = stable
samples = 0
every = 0.25
together
command = sh -c 'echo \"a  b\"; \$x' 'it'\\''s'
workers = 2
worker = numbers
unit = ms
solo = 0
shared = 90
repeats = 2
seed = 7
buffer = 64" --role a=pid:1 --role b=cgroup:/x --start-server "exec nginx -c '/a b'" --ready 'test -s x' \
	--prepare sync --conclude 'rm "x"' --warm-up stable --samples 0 --every 250ms --together --workers 2 \
	--worker numbers --unit ms --solo 0 --shared 1.5m --repeats 2 --seed 7 --buffer 64 -- sh -c 'echo "a  b"; $x' "it's"
cp want whole.method
measure --method whole.method --plan
cmp -s want out
ok $? "and a method read again is the same"
measure --method whole.method --preset broker --samples 3 --plan
[ "$(grep -c -x -e 'samples = 3' -e 'solo = 0' -e 'shared = 90' out)" = 3 ]
ok $? "what is asked for stands above a preset"

# --- what is no result ---
row() { printf '{"schema":"ktally.measure/1","rows":[{"command":1,"measure":"time","unit":"ns","stage":"runs","subject":"x","repeat":1,"void":false,"values":[%s]}]}' "$1" > r.json; }
for v in NaN -1 '"7"' null true 1e3 Infinity 0x10 18446744073709551616 '1,,2' '1,' 01 +1 .5; do
	row "$v"
	measure show r.json
	refused 'r.json: ' $? "refuses $v"
done
row 5
sed -i 's/"ns"/"weeks"/' r.json
measure show r.json
refused 'r.json: .*weeks' $? "refuses a unit that it does not know"
row ''
measure show r.json
[ $? = 3 ]
ok $? "a result without values"
echo '{"schema":"ktally.report/1","rows":[]}' > other.json
measure show other.json
refused 'no result of measure' $? "another command's JSON"
: > empty.json
measure show empty.json
refused 'no JSON at byte 0' $? "an empty file"
measure show gone.json
refused 'gone.json: No such file' $? "no file"
row 1,2,3
good=0
for n in 1 20 31 40 60 100 $(seq 140 $(($(wc -c < r.json) - 1))); do
	head -c "$n" r.json > cut.json
	measure show cut.json
	[ $? = 1 ] || good=1
done
ok $good "refuses every cut"
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' > deep.json
measure show deep.json
refused 'no JSON' $? "no depth overflows"
done_testing
