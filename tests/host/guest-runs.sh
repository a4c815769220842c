#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest-runs.sh - what tests/vm/run makes of cases that pass, fail, fail once, hang or
# make the kernel complain, and what a check adds up from that. The cases here run on
# this machine, in place of a guest: they need none. Prints TAP.
# shellcheck disable=SC2016 # the cases are for another shell
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0

# check NAME COMMAND...
check()
{
	local name=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		sed 's/^/# /' "$tmp/said"
		failed=1
	fi
}

# What stands for a guest: same arguments, streams and marks.
mkdir -p "$tmp"/{scripts/vm.d,tests/vm/cases,tests/vm/guest}
cp "$top"/scripts/{lib,steps}.sh "$tmp/scripts/"
cp "$top/scripts/vm.d/judge" "$tmp/scripts/vm.d/"
cp "$top/tests/vm/run" "$tmp/tests/vm/"
cat >"$tmp/scripts/kernels" <<'END'
#!/bin/bash
dir=$(cd "$(dirname "$0")" && pwd)
echo "CONFIG=$dir/config" >"$dir/kernel.env"
touch "$dir/config"
echo "$dir"
END
cat >"$tmp/scripts/vm" <<'END'
#!/bin/bash
while [ "$1" != -- ]; do
	case $1 in
	--add) add=$2 ;;
	--log) log=$2 ;;
	esac
	shift
done
echo boot >>"$STATE/boots"
for word in "${@:4}"; do
	name=${word%%:*}
	printf '@@ begin %s\n' "$name"
	echo "ktally-case: begin $name" >>"$log"
	LOG=$log bash "$add/cases/$name/run.sh" 2>&1
	status=$?
	[ $status != 99 ] || exit 0
	printf '\n@@ end %s %s 1.0\n' "$name" $status
	[ $status != 124 ] || exit 0
done
END
chmod +x "$tmp/scripts"/{kernels,vm}
export STATE=$tmp/state

# a_case NAME SCRIPT: $try is 1, then 2
a_case()
{
	mkdir -p "$tmp/tests/vm/cases/$1"
	touch "$tmp/tests/vm/cases/$1/case"
	printf 'echo >>"$STATE/%s"; try=$(wc -l <"$STATE/%s")\n%s\n' "$1" "$1" "$2" >"$tmp/tests/vm/cases/$1/run.sh"
}

# run PATTERN: such cases
run()
{
	rm -rf "$STATE"
	mkdir "$STATE"
	"$tmp/tests/vm/run" --native --jobs 1 --kernel k --cases "$1" >"$tmp/said" 2>"$tmp/errors" </dev/null
	status=$?
	last=$(tail -n 1 "$tmp/said")
}

# tries CASE N; verdict CASE WORDS; said LINE, whole; status and last line of the run
tries() { [ "$(wc -l <"$STATE/$1")" = "$2" ]; }
verdict() { grep -qE "^$2 [0-9]+ - k $1\$" "$tmp/said"; }
said() { grep -qxF -- "$1" "$tmp/said"; }
ended() { [ "$status" = "$1" ] && [ "$last" = "$2" ]; }

a_case a-bad 'echo "bad, try $try"; exit 3'
a_case a-bad-then-skip '[ $try = 1 ] && exit 1; exit 77'
a_case a-bad-then-warn '[ $try = 1 ] && exit 1; echo "BUG: x" >>"$LOG"'
a_case a-dies 'exit 99'
a_case a-good 'exit 0'
a_case a-hangs 'exit 124'
a_case a-once 'echo "once, try $try"; [ $try -gt 1 ]'
a_case a-once-tap '[ $try -gt 1 ] || echo "not ok 1 - x"'
a_case a-stalls '[ $try -gt 1 ] || echo "rcu: INFO: rcu_sched self-detected stall on CPU" >>"$LOG"; [ $try -gt 2 ]'
a_case a-warns 'echo "WARNING: x" >>"$LOG"; exit 1'
for i in 1 2 3 4 5 6 7; do
	a_case many$i 'exit 1'
done

run 'a-*'
check 'a run with failures' ended 1 '4 passed, 6 failed, 0 skipped, 3 unsteady'
check 'who passes runs once' tries a-good 1
check 'who passes at the second try has passed' said 'ok 7 - k a-once # unsteady: passed at the second try'
check 'with why it failed' said '# exit status 1'
check 'and what it said then' said '#   once, try 1'
check 'a failure that TAP told has a second try' said 'ok 8 - k a-once-tap # unsteady: passed at the second try'
check 'a second failure is one' verdict a-bad 'not ok'
check 'there is no third try' tries a-bad 2
check 'both tries are shown, the first' said '#   bad, try 1'
check 'and the second' said '#   bad, try 2'
check 'a skip takes no failure back' verdict a-bad-then-skip 'not ok'
check "nor does a pass with a kernel's warning" verdict a-bad-then-warn 'not ok'
for name in hangs warns dies; do
	check "no second try for what $name" tries a-$name 1
	check "it failed" verdict a-$name 'not ok'
done
check 'a void run is no try' tries a-stalls 3
# one for all, one after each of two that end theirs, one after the void, six second tries
check 'each second try in a guest of its own' [ "$(wc -l <"$STATE/boots")" = 10 ]

run 'many*'
check 'many that fail have no second try' tries many7 1
check 'and all have failed' ended 1 '0 passed, 7 failed, 0 skipped, 0 unsteady'

# steps LINE...: a check of parts that end with such lines
steps()
{
	STATE=$tmp bash -c '. "$STATE/scripts/lib.sh"; . "$STATE/scripts/steps.sh"
		for line; do step part 9 echo "$line"; done; end_steps' "$tmp/check" "$@" >"$tmp/said" 2>"$tmp/errors"
	status=$?
	last=$(tail -n 1 "$tmp/said")
}
steps '3 passed, 0 failed, 1 skipped, 2 unsteady' '4 passed, 0 failed'
check 'steps: unsteady ones have passed' ended 0 '7 passed, 0 failed, 1 skipped'
check 'steps: and are named' grep -q 'unsteady.*part: 2' "$tmp/errors"
steps '3 passed, 1 failed, 1 skipped, 0 unsteady' '4 passed, 0 failed'
check 'steps: a failure fails' ended 1 '7 passed, 1 failed, 1 skipped'
check 'steps: no word of unsteady ones' [ "$(grep -c 'unsteady.*part' "$tmp/errors")" = 0 ]

echo "1..$n"
exit $failed
