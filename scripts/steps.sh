# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# steps.sh - run the parts of a check one after the other, each with its time
# limit, and add up what their tests say. After lib.sh; sourced, never run.
#
# A part's last line 'N passed, N failed[, N skipped[, N unsteady]]' counts; a
# part that prints none and fails, or takes too long, is one failed test by itself.

steps_passed=0 steps_failed=0 steps_skipped=0
steps_begun=$SECONDS
steps_bad=() steps_unsteady=() steps_running=''

# timeout makes a process group of its own, out of reach of a signal to ours.
stop_steps()
{
	[ -z "$steps_running" ] || kill "$(cat "$steps_running.pid")" 2>/dev/null || true
	exit 143
}
trap stop_steps TERM INT HUP

minutes() { printf '%d:%02d min' $(($1 / 60)) $(($1 % 60)); }

# add_counts NAME LINE
add_counts()
{
	local p f s u
	p=$(count_of passed "$2")
	f=$(count_of failed "$2")
	s=$(count_of skipped "$2")
	u=$(count_of unsteady "$2")
	steps_passed=$((steps_passed + p))
	steps_failed=$((steps_failed + f))
	steps_skipped=$((steps_skipped + s))
	[ "$u" -eq 0 ] || steps_unsteady+=("$1: $u")
	[ "$f" -eq 0 ] || steps_bad+=("$1: $2")
}

# count_of WORD LINE
count_of() { grep -oE "[0-9]+ $1" <<<"$2" | cut -d' ' -f1 | grep . || echo 0; }

# step NAME SECONDS COMMAND...
step()
{
	local name=$1 limit=$2 begun=$SECONDS status=0 counts log
	shift 2
	mkdir -p "$BUILD/steps"
	log=$BUILD/steps/${name// /-}.log
	say "$name (at most $(minutes "$limit"))"
	{
		timeout -k 10 "$limit" "$@" </dev/null 2>&1 &
		echo $! >"$log.pid"
		wait $! || status=$?
		echo "$status" >"$log.status"
	} | tee "$log" &
	steps_running=$log
	wait $!
	steps_running=''
	status=$(cat "$log.status")
	say "$name: $(minutes $((SECONDS - begun)))"
	counts=$(grep -aE '^([^ ]+: )?[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1) || true
	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		step_failed "$name: stopped after $(minutes "$limit")"
	elif [ -n "$counts" ]; then
		add_counts "$name" "$counts"
		[ "$status" = 0 ] || [ ${#steps_bad[@]} -gt 0 ] || step_failed "$name: exit status $status"
	elif [ "$status" != 0 ]; then
		step_failed "$name: exit status $status"
	fi
}

# step_failed WORDS: one failed test that has no line of its own.
step_failed()
{
	steps_failed=$((steps_failed + 1))
	steps_bad+=("$*")
	say "$*"
}

# Ends with the line that machines read, alone on its line.
end_steps()
{
	local bad
	for bad in "${steps_bad[@]}"; do
		say "failed: $bad"
	done
	for bad in "${steps_unsteady[@]}"; do
		say "unsteady, passed at the second try only: $bad"
	done
	say "$(minutes $((SECONDS - steps_begun))) in all"
	echo "$steps_passed passed, $steps_failed failed, $steps_skipped skipped"
	[ "$steps_failed" = 0 ] && [ "$steps_passed" -gt 0 ]
}
