# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# lib.sh - sourced by scripts that count instructions, in a guest under icount.

# A kernel that has just come up has work of its own left. While nothing runs time
# passes at once, so wait until two runs agree.
settle()
{
	_before=0
	for _try in 1 2 3 4 5 6 7 8 9 10; do
		sleep 10
		_now=$(./packets -n 100 udp4 | sed 's/.* //; s/[.].*//')
		_apart=$((_now - _before))
		[ "$_apart" -ge 0 ] || _apart=$((-_apart))
		[ $((_apart * 100)) -gt "$_now" ] || return 0
		_before=$_now
	done
}
