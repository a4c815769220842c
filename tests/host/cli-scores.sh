#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-scores.sh - the ash profiler's files: written from a recording, byte for byte as
# its rules want them, and read into one. The rules are written anew in cli/scores.py.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

# refused STATUS WORDS-ON-STDERR WORD...
refused()
{
	_want=$1 _words=$2
	shift 2
	"$KTALLY" "$@" > out 2> err
	[ $? -eq "$_want" ] && grep -q "$_words" err
	_refused=$?
	[ $_refused -eq 0 ] || show err
	ok $_refused "$* -> $_want"
}

cd "$tmp" || exit 1
recording script
recording build

# same NAME WANTED GOT
same()
{
	cmp -s "$2" "$3"
	_same=$?
	[ $_same -eq 0 ] || diff -u "$2" "$3" > differs
	[ $_same -eq 0 ] || show differs
	ok $_same "$1"
}

# rules FOLDER: all and sortedAll are what its scores make
rules()
{
	for file in all sortedAll; do
		python3 -B "$here/cli/scores.py" "$1" $file > want || show want
		same "$1/$file follows the profiler's rules" want "$1/$file"
	done
}

"$KTALLY" commands script.ktl --scores first > out 2> err
ok $? "commands --scores"
grep -q 'scores of 3 shells in first' err
ok $? "says what it wrote"
# shellcheck disable=SC2012
ls first | LC_ALL=C sort > got
printf '%s\n' all scores.csv.100 scores.csv.104 scores.csv.108 sortedAll > want
same "a file a shell" want got

# By hand: rounds of a pipeline whose last part ends first, of one whose first part was
# gone before the last was forked, and what has not ended.
cat > want <<'END'
command!start!pid!end
syslogd -n!1700000002100000!101
!!101!-1
dmesg!1700000002200000!102
head -n 1!1700000002210000!103
!!102!-1
!!103!1700000002300000
dmesg!1700000002300001!102
head -n 1!-1!103
!!102!1700000002700000
!!103!1700000002300000
(subshell)!1700000002710000!104
logger -t net!1700000002720000!105
!!104!1700000002840000
!!105!-1
(subshell)!-1!104
logger -t net!1700000002840001!105
!!104!1700000002840000
!!105!1700000002850000
(subshell)!1700000002900000!106
cat!1700000002910000!107
!!106!1700000002900500
!!107!-1
(subshell)!-1!106
cat!1700000002910001!107
!!106!1700000002900500
!!107!1700000002930000
sh /etc/init.d/S40network start!1700000003000000!108
!!108!1700000003500000
END
same "rounds of waiting" want first/scores.csv.100
rules first
tail -c 1 first/sortedAll | od -An -c | grep -q '^ *$'
ok $? "sortedAll ends with a blank, without a line break"
sed -n 3p first/sortedAll | cmp -s - /dev/null
[ "$(sed -n 3p first/sortedAll)" = '' ]
ok $? "the third line of sortedAll is empty"

# The environment names the folder, the option wins, an empty name is none.
ASH_SCORES=second "$KTALLY" commands script.ktl > out 2> err
cmp -s first/all second/all
ok $? "ASH_SCORES names the folder"
ASH_SCORES=third "$KTALLY" commands script.ktl --scores fourth > out 2> err
[ -e fourth/all ] && [ ! -e third ]
ok $? "--scores before ASH_SCORES"
ASH_SCORES='' "$KTALLY" commands script.ktl > out 2> err
ok $? "an empty ASH_SCORES is none"
: > file
refused 1 'file/scores.csv.100: Not a directory' commands script.ktl --scores file

# What a make starts is no shell's.
"$KTALLY" commands build.ktl --scores fifth > out 2> err
# shellcheck disable=SC2012
ls fifth | tr '\n' ' ' > got
echo 'all scores.csv.104 sortedAll ' | tr -d '\n' > want
same "scores of shells alone" want got

# The profiler's own files: '!' in commands, rounds, an end that is not known, a line of no use.
mkdir own
cat > own/scores.csv.500 <<'END'
command!start!pid!end
[ ! -f /etc/x ]!1400000000000000!501
!!501!1400000000001000
a b!1400000000002000!502
c!1400000000002000!503
!!502!-1
!!503!1400000000004000
a b!1400000000004010!502
c!-1!503
!!502!1400000000009000
!!503!1400000000004000
sh x.sh!1400000000010000!504
!!504!1400000000050000
never!1400000000060000!505
!!505!-1
nonsense
END
cat > own/scores.csv.504 <<'END'
command!start!pid!end
d!1400000000020000!506
!!506!1400000000030000
END
"$KTALLY" import --from ash-scores own -o own.ktl > out 2> err
ok $? "import --from ash-scores"
grep -q '6 commands of 2 shells in own.ktl' err && grep -q '1 line skipped' err
ok $? "says what it read"
"$KTALLY" commands own.ktl --by command --csv -c runs,total,failed,cpu,command 2> err | LC_ALL=C sort > got
cat > want <<'END'
0,,0,,never
1,1000000,,,'[' '!' -f /etc/x ']'
1,10000000,,,d
1,2000000,,,c
1,40000000,,,sh x.sh
1,7000000,,,a b
runs,total_ns,failed,cpu_ns,command
END
same "its commands with '!' and their durations" want got
"$KTALLY" commands own.ktl --steps --gaps 0 --csv -c depth,step,duration_ns,exit_code,argv 2> err > got
cat > want <<'END'
depth,step,duration_ns,exit_code,argv
0,script,,,
1,command,1000000,,'[' '!' -f /etc/x ']'
1,self,1000000,,
1,pipeline,7000000,,
2,part,7000000,,a b
2,part,2000000,,c
1,self,1000000,,
1,script,40000000,,sh x.sh
2,self,10000000,,
2,command,10000000,,d
2,self,20000000,,
1,self,10000000,,
1,command,,,never
END
same "its rounds as steps" want got
"$KTALLY" report own.ktl -a --csv -c pid,status,uid,peak_rss_bytes,rx_wire_bytes -p 501,502 2> err | tail -n +2 > got
printf '501,,,,\n502,,,,\n' > want
same "what it did not measure is unknown" want got
"$KTALLY" commands own.ktl 2> err | grep -q ' processes in .* - CPU'
ok $? "in the sum below, too"

# There and back.
"$KTALLY" import --from ash-scores first -o again.ktl 2> err && "$KTALLY" commands again.ktl --scores again > out 2> err
for file in all sortedAll scores.csv.100 scores.csv.104 scores.csv.108; do
	cmp "first/$file" "again/$file" > differs 2>&1
	back=$?
	[ $back -eq 0 ] || show differs
	ok $back "there and back: $file"
done

refused 2 'ktally: say what it is' import own
refused 2 "one of: ash-scores" import --from csv own
refused 2 'name one source' import --from ash-scores
refused 1 'nowhere: No such file' import --from ash-scores nowhere
mkdir empty
refused 1 'no scores of a shell' import --from ash-scores empty -o e.ktl
[ ! -e e.ktl ]
ok $? "no recording of nothing"

done_testing
