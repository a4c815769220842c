# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# roles.sh - sourced by cases of roles behind measure.sh: roles by PID and by cgroup beside
# figures from elsewhere.

group=/sys/fs/cgroup/service
SIZE=100000 COUNT=10 ROUNDS=5

# in_group COMMAND...: a process of its own in the cgroup
# shellcheck disable=SC2016 # of the inner shell
in_group() { sh -c 'echo $$ > '$group'/cgroup.procs; exec "$@"' - "$@"; }
used_us() { awk '$1 == "usage_usec" { print $2 }' $group/cpu.stat; }
newest() { tail -n 1 "$WORK/used"; }
lines() { [ "$(wc -l < "$WORK/used")" -ge "$1" ]; }

# watch_roles: a stage in which a process by PID and those of a cgroup work. Sets own, group_us
# and resident to what others say of them.
watch_roles()
{
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 none /sys/fs/cgroup || skip "no cgroup2"
	mkdir -p $group
	"$SHARED/poked" 40 600 "$WORK/used" &
	poked=$!
	RECORDERS="$RECORDERS $poked"
	until_true 30 test -s "$WORK/used" || broken "the process is not ready"

	ports=
	for round in $(seq $ROUNDS); do
		"$SHARED/xfer" reader recv tcp 127.0.0.1 $((7000 + round)) $COUNT $SIZE "$WORK/ready$round" > /dev/null &
		until_true 20 test -e "$WORK/ready$round" || broken "no receiver"
		ports="$ports $((7000 + round))"
	done
	export SHARED
	begin_resources 30 --role one=pid:$poked --role many=cgroup:/service --role other=cgroup:/elsewhere
	own=$(newest) group_us=$(used_us)
	kill -USR1 $poked
	# What it forks is of the cgroup from birth on. A word per port.
	# shellcheck disable=SC2016,SC2086 # of the inner shell
	in_group sh -c 'for round; do
		"$SHARED/xfer" writer send tcp 127.0.0.1 $round '$COUNT' '$SIZE' > /dev/null && "$SHARED/spin" 200 || exit 1
	done' - $ports || broken "a process of the cgroup"
	until_true 60 lines 2 || broken "the process was not poked"
	own=$(($(newest) - own)) group_us=$(($(used_us) - group_us))
	resident=$(awk '$1 == "VmRSS:" { print $2 * 1024 }' /proc/$poked/status)
	end_resources
	kill $poked
	rmdir $group
}

# roles_by_pid_and_cgroup PERCENT: CPU by roles is that of the clocks outside to within so much
roles_by_pid_and_cgroup()
{
	watch_roles
	say "CPU: one $(role_cpu one) of $own ns, many $(role_cpu many) of $group_us us"

	# --- by PID: its own clock, its status ---
	near "CPU of one process" "$(role_cpu one)" "$own" "$1"
	[ "$(column max both one processes 1) $(column max both one threads 1) $(column total both one ended 1)" = "1 2 0" ] ||
		fail "processes, threads, ended: $(column max both one processes 1) $(column max both one threads 1) $(column total both one ended 1)"
	near "resident" "$(column max both one resident 1)" "$resident" 2

	# --- by cgroup: the kernel's sum for it; each process lived for a part of the stage only ---
	near "CPU of a cgroup" "$(role_cpu many)" "$((group_us * 1000))" "$1"
	[ "$(column total both many ended 1)" = $((2 * ROUNDS + 1)) ] || fail "$(column total both many ended 1) processes ended in the cgroup"
	near "bytes sent" "$(column total both many 'lo tx' 1)" $((ROUNDS * COUNT * SIZE)) 5
	is "$(column total both many 'lo tx' 1) >= $((ROUNDS * COUNT * SIZE))" "fewer bytes than were sent"

	# --- nobody ---
	grep -q "role other has no process" "$WORK/said" || fail "no word about a role without processes: $(cat "$WORK/said")"
}
