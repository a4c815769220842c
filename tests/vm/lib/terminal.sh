# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# terminal.sh - sourced by cases behind case.sh, with TOOLS="tmux /lib/terminfo/s/screen
# /usr/lib/locale/C.utf8": a terminal of a given size, what stands on it, keys pressed.
# shellcheck disable=SC2119,SC2120 # it is cases that give options to look
_tools=${LIB%/lib}/tools
export PATH="$_tools/bin:$PATH" TERMINFO="$_tools/lib/terminfo" LOCPATH="$_tools/usr/lib/locale"
export LC_ALL=C.utf8 TMUX_TMPDIR="$WORK" TERM=screen
SCREEN=$WORK/screen
echo "set -g default-terminal screen" > "$WORK/tmux.conf"

on() { tmux -f "$WORK/tmux.conf" -S "$WORK/tmux" "$@"; }
look() { on capture-pane -p "$@" -t t > "$SCREEN"; }
press() { on send-keys -t t "$@"; }
# shows PATTERN WHEN, hides PATTERN WHEN: within a few refreshes
shows() { until_true 20 shown "$1" || { cat "$SCREEN" >&2; fail "$2: nothing like '$1' on the screen"; }; }
shown() { look && grep -q -e "$1" "$SCREEN"; }
hides() { until_true 20 hidden "$1" || { cat "$SCREEN" >&2; fail "$2: '$1' is still there"; }; }
hidden() { look && ! grep -q -e "$1" "$SCREEN"; }
# columns of the longest line
widest() { tr -d '\200-\277' < "$SCREEN" | awk '{ if (length($0) > m) m = length($0) } END { print m + 0 }'; }

# open_terminal COLUMNS LINES COMMAND...: the shell in it outlives Ctrl-C, and tells what
# became of the command and of the terminal
open_terminal()
{
	_size="-x $1 -y $2"
	shift 2
	# shellcheck disable=SC2086
	on new-session -d -s t $_size "trap : INT; echo before; $*; s=\$?; stty -a; echo status=\$s; exec sleep 1000" || fail "tmux"
}
close_terminal() { on kill-server; until_true 20 no_terminal; }
no_terminal() { ! on ls > /dev/null 2>&1; }
