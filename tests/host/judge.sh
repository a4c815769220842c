#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# judge.sh - can the judge of the guest cases fail? Every kind of rule is tried
# with a truth that holds and with one that is a little wrong, and every reader
# with text that it must refuse. Builds the judge under sanitizers by itself.
# Prints TAP; needs no root and no module.
set -u

here=$(cd "$(dirname "$0")" && pwd)
judge_dir=$here/../vm/judge
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

: "${CC:=gcc}"
: "${JUDGE_CFLAGS:=-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all}"
# what the judge allocates stays allocated
export ASAN_OPTIONS=detect_leaks=0
# shellcheck disable=SC2086
$CC -std=gnu11 -Wall -Wextra -Werror $JUDGE_CFLAGS -o "$tmp/judge" "$judge_dir"/*.c || exit 1

cat > "$tmp/truth" <<'END'
a line of the workload's own
TRUTH role=burner pid=10 exit=code:7 cpu_ns=100000000 hwm_kb=2048 life_ms=200
TRUTH role=burner pid=11 exit=code:0 cpu_ns=50000000 hwm_kb=1024 life_ms=300
TRUTH role=sum count=2 code_sum=7 cpu_us=150000 sink="disk full"
TRUTH role=texts pid=12 comm_hex=6122622c argc=3 len=13 fnv=3593c41d36e88088 words_hex=6d61696e0074776f20776f726473002700
END

cat > "$tmp/lives.csv" <<'END'
pid,comm,argv,exit_code,cpu_ns,peak_rss_bytes,life_ns,end_ns
10,burner,burner -x,7,101000000,2097152,200500000,900
11,burner,burner -x,0,51000000,1048576,300000000,950
12,"a""b,",main 'two words' \',0,0,400000,100,
END

cat > "$tmp/lives.json" <<'END'
{"schema": "x/1", "balance": {"lost": 0, "exact": true}, "processes": [
 {"pid": 10, "comm": "burner", "argv": ["burner", "-x"], "exit_code": 7, "cpu_ns": 101000000,
  "peak_rss_bytes": 2097152, "life_ns": 200500000, "end_ns": 900},
 {"pid": 11, "comm": "burner", "argv": ["burner", "-x"], "exit_code": 0, "cpu_ns": 51000000,
  "peak_rss_bytes": 1048576, "life_ns": 300000000, "end_ns": 950},
 {"pid": 12, "comm": "a\"b,", "argv": ["main", "two words", "'"], "exit_code": 0, "cpu_ns": 0,
  "peak_rss_bytes": 400000, "life_ns": 100, "end_ns": null}], "runs": 3}
END
printf '%s\n' '{"pid":1,"comm":"\u00e9\ud83d\ude00","dead":true}' '{"pid":2,"comm":"b","dead":false}' \
	'{"pid":3,"comm":"\ufffd","comm_hex":"ff","argv":["\ufffd","b"],"argv_hex":["ff","62"],"dead":null}' > "$tmp/lines.jsonl"

n=0 failed=0
result() # result STATUS WORDS...
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		shift
		echo "ok $n $*"
	else
		shift
		echo "not ok $n $*"
		failed=$((failed + 1))
		sed 's/^/# /' "$tmp/said"
	fi
}

# judged STATUS WORDS RULE [TABLE...]: the judge ends with STATUS and says WORDS
judged()
{
	want=$1 words=$2
	printf '%s\n' "$3" > "$tmp/expected"
	shift 3
	[ $# -gt 0 ] || set -- "$tmp/lives.csv" "$tmp/lives.json"
	"$tmp/judge" "$tmp/expected" "$tmp/truth" "$@" > "$tmp/said" 2>&1
	got=$?
	[ $got -eq "$want" ] && grep -qF -- "$words" "$tmp/said"
	result $? "status $want: $(head -n 1 "$tmp/expected")"
}

holds() { judged 0 ', 0 failed' "$@"; }
fails() { judged 1 "$@"; }
refused() { judged 2 "$@"; }

# table NAME TEXT: a table file; prints its path
table()
{
	printf '%b' "$2" > "$tmp/$1"
	echo "$tmp/$1"
}

# equality, of numbers, texts, patterns
# shellcheck disable=SC2016
{
holds 'role=burner x2 | pid=$pid | comm=burner'
fails 'found burner, wanted burnt' 'role=burner | pid=$pid | comm=burnt'
holds 'role=burner | pid=$pid | comm=b?rn*'
fails 'wanted b?rn' 'role=burner | pid=$pid | comm=b?rn'
holds '| pid=10 | exit_code=7 exit_code!=8'
fails 'found 7, wanted 8' '| pid=10 | exit_code=8'
fails 'found 7, wanted 7' '| pid=10 | exit_code!=7'
fails 'comm=7' '| pid=10 | comm=7'

# order and arithmetic, with units
holds 'role=burner | pid=$pid | life_ns>=$life_ms life_ns<=$life_ms+1ms'
fails 'life_ns<$life_ms: found 200500000, wanted 200000000' 'role=burner | pid=$pid | life_ns<$life_ms'
fails 'life_ns>' '| pid=11 | life_ns>300ms'
holds '| pid=11 | life_ns>=300ms life_ns<=0.3s life_ns>299999us'
holds '| pid=10 | peak_rss_bytes=2MiB peak_rss_bytes=2*1024KiB @cpu_ns<@life_ns'
fails '@cpu_ns>@life_ns' '| pid=10 | @cpu_ns>@life_ns'
fails 'found 2097152, wanted 2097153' '| pid=10 | peak_rss_bytes=2MiB+1'
holds '| pid=10 | exit_code=$sum.code_sum'
fails 'unit unknown' '| pid=10 | life_ns>3parsecs'
fails 'cannot be read to its end' '| pid=10 | life_ns>3/2'

# tolerances, at their edges
holds '| pid=10 | cpu_ns~100ms cpu_ns~101.5ms cpu_ns~84ms'
fails 'cpu_ns~102ms' '| pid=10 | cpu_ns~102ms'
fails 'cpu_ns~83ms' '| pid=10 | cpu_ns~83ms'
holds 'role=burner | pid=$pid | cpu_ns~$cpu_ns peak_rss_bytes~$hwm_kb'
fails 'wanted 1073741824' '| pid=10 | peak_rss_bytes~1024MiB'
fails 'peak_rss_bytes~' '| pid=10 | peak_rss_bytes~1024*$sum.code_sum*1MiB'
fails '~ wants' '| pid=10 | life_ns~200ms'

# unknown values
holds '| pid=12 | end_ns=unknown'
holds '| pid=10 | end_ns=known end_ns!=unknown'
fails 'end_ns=unknown: found 900' '| pid=10 | end_ns=unknown'
fails 'end_ns=known' '| pid=12 | end_ns=known'
fails 'unknown value' '| pid=12 | end_ns>=0'
fails 'end_ns=0' '| pid=12 | end_ns=0'

# many rows
holds 'role=sum | comm=burner | count=$count sum(exit_code)=$code_sum max(life_ns)=300ms min(life_ns)>200ms'
holds '| comm=burner | mean(cpu_ns)=76ms distinct(pid)=2 distinct(comm)=1 distinct(argv)=1'
fails 'count=3: found 2' '| comm=burner | count=3'
fails 'sum(exit_code)=6: found 7' '| comm=burner | sum(exit_code)=6'
fails 'mean(cpu_ns)' '| comm=burner | mean(cpu_ns)=75ms'
fails 'max(life_ns)' '| comm=burner | max(life_ns)<300ms'
fails 'min(life_ns)' '| comm=burner | min(life_ns)>300ms'
fails 'distinct(comm)=2: found 1' '| comm=burner | distinct(comm)=2'
fails 'distinct(argv)=1: found 2' '| | distinct(argv)=1'
fails 'unknown value' '| | sum(end_ns)>0'
holds '| comm=nobody | count=0'
fails 'no rows' '| comm=nobody | max(pid)>0'
holds '| each comm=burner | life_ns>=200ms'
fails 'found 300000000' '| each comm=burner | life_ns<300ms'

# texts taken apart
holds 'role=texts | pid=$pid | hex(comm)=$comm_hex words(argv)=$argc len(argv)=17'
holds 'role=texts | pid=$pid | word(argv,1)="two words" wordshex(argv)=$words_hex'
fails 'hex(comm)=' 'role=texts | pid=$pid | hex(comm)=6122622d'
fails 'words(argv)=2: found 3' 'role=texts | pid=$pid | words(argv)=2'
fails 'found two words' 'role=texts | pid=$pid | word(argv,1)=two'
fails 'no such word' 'role=texts | pid=$pid | word(argv,3)=x'
fails 'wordshex' 'role=texts | pid=$pid | wordshex(argv)=$comm_hex'
fails 'len(argv)' 'role=texts | pid=$pid | len(argv)=16'
# FNV-1a of main\0two words\0'\0, computed elsewhere
holds 'role=texts | pid=$pid | fnv(argv)=$fnv'
fails 'found 3593' 'role=texts | pid=$pid | fnv(argv)=3593c41d36e88089'

# a TRUTH line by itself
holds 'role=sum | - | $count=2 $sink="disk full" $cpu_us<=150ms'
fails '$count=3: found 2' 'role=sum | - | $count=3'
fails 'found disk full' 'role=sum | - | $sink="disk fool"'
holds 'sink="disk*" x1 | - | $count>0'

# rules that find nothing to look at
fails '0 TRUTH lines' 'role=nobody | - | $count=2'
fails '2 TRUTH lines, wanted 3' 'role=burner x3 | pid=$pid | comm=burner'
holds 'role=nobody x0 | - | $count=2'
holds 'role=nobody x* | - | $count=2'
fails 'found 2' 'role=sum x* | - | $count=3'
fails '0 rows, wanted exactly one' '| pid=99 | comm=burner'
fails '2 rows, wanted exactly one' '| comm=burner | exit_code>=0'
fails '0 rows, wanted at least one' '| each pid=99 | comm=burner'
fails 'no such column' '| pid=10 | colour=red'
fails 'no such column' '| colour=red | count=0'
fails 'no such TRUTH key' 'role=sum | pid=10 | exit_code=$nothing'
fails 'no such TRUTH key' '| pid=10 | exit_code=$nobody.pid'
fails 'no such function' '| pid=10 | length(comm)=1'
fails 'there is no such table' '[runs]
| pid=10 | comm=burner'
holds '# a comment, a section, a rule over two lines
[lives]
| pid=10 |
	comm=burner
	exit_code=7'
holds '[lives.document]
| | balance.lost=0 balance.exact=true runs=3 schema=x/1' "$tmp/lives.json"
fails 'balance.lost=1' '[lives.document]
| | balance.lost=1' "$tmp/lives.json"
fails 'lives.json' '| pid=10 | exit_code=7 life_ns=known' "$tmp/lives.csv" "$(sed 's/"exit_code": 7/"exit_code": 8/' "$tmp/lives.json" > "$tmp/x.json"; mkdir -p "$tmp/2"; mv "$tmp/x.json" "$tmp/2/lives.json"; echo "$tmp/2/lives.json")"

# rules that cannot be read
refused 'is no check' '| pid=10 | comm'
refused 'a rule is' '| pid=10 '
refused 'a rule is' '| pid=10 | comm=a | more=b'
refused 'quote' '| pid=10 | comm="a'
refused 'no rules' '# nothing'
refused 'of one row and of many' '| comm=burner | count=2 pid=10'

# tables that cannot be read
lines='[lines]
'
holds "$lines"'| pid=1 | hex(comm)=c3a9f09f9880 dead=1 dead=true' "$tmp/lines.jsonl"
holds "$lines"'| pid=3 | hex(comm)=ff wordshex(argv)=ff006200 dead=unknown' "$tmp/lines.jsonl"
fails 'found false, wanted 1' "$lines"'| pid=2 | dead=1' "$tmp/lines.jsonl"
while read -r name words text; do
	refused "$(echo "$words" | tr _ ' ')" '| pid=10 | comm=x' "$(table "$name" "$text")"
done <<'END'
a.csv empty
a.csv no_line_feed pid\n1
a.csv fields,_header pid,comm\n1\n
a.csv more_fields pid,comm\n1,b,c\n
a.csv quote_inside pid,comm\n1,b"c\n
a.csv quote_is_not_closed pid,comm\n1,"b\n
a.csv control_byte pid,comm\n1,b\tc\n
a.csv twice pid,pid\n1,2\n
a.csv NUL pid,comm\n1,b\0000c\n
a.json not_a_value {"a":nan}
a.json not_a_value {"a":01}
a.json not_a_value {"a":1.}
a.json text_after [{"a":1}]x
a.json expected [{"a":1}
a.json expected [{"a":1,}]
a.json expected [{"a" 1}]
a.json twice [{"a":1,"a":2}]
a.json twice [{"a":null,"a":2}]
a.json invalid_UTF-8 [{"a":"\0377"}]
a.json invalid_UTF-8 [{"a":"\0300\0200"}]
a.json invalid_UTF-8 [{"a":"\0355\0240\0200"}]
a.json control_byte [{"a":"\t"}]
a.json lone_surrogate [{"a":"\\ud800x"}]
a.json unknown_escape [{"a":"\\x41"}]
a.jsonl no_line_feed {"a":1}
a.jsonl more_than {"a":1}{"a":2}\n
a.txt must_end a
END
}

echo "1..$n"
[ $failed -eq 0 ]
