#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-config.sh - settings from files: which files, in which order of strength, that the
# command line is stronger than all of them, and that what is wrong is said with file
# and line.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

cd "$tmp" || exit 1
recording build
recording lost
cp build.ktl ktally.ktl
mkdir -p folder none home/.config/ktally xdg/ktally

conf() { printf '%s\n' "$@" > conf; }

# gives WORDS-OF-THE-FIRST-LINE COMMAND...: with ./conf as the settings
gives() {
	want=$1
	shift
	KTALLY_CONFIG=${CONFIG-conf} "$KTALLY" "$@" > o 2> e < /dev/null
	got=$?
	[ $got -eq 0 ] && [ "$(head -n 1 o)" = "$want" ]
	good=$?
	[ $good -eq 0 ] || { say "status $got, wanted '$want'"; show o; show e; }
	ok $good "$* begins with '$want'${CONFIG:+ by $CONFIG}"
}

# refuses MESSAGE STATUS COMMAND...
refuses() {
	want=$1 status=$2
	shift 2
	KTALLY_CONFIG=${CONFIG-conf} "$KTALLY" "$@" > o 2> e < /dev/null
	got=$?
	[ $got -eq "$status" ] && [ ! -s o ] && grep -qxF -e "ktally: $want" e
	good=$?
	[ $good -eq 0 ] || { say "status $got, wanted '$want'"; show o; show e; }
	ok $good "refused: $want"
}

conf '# words' '; more words' '' '[report]' '  columns = pid,comm' ' csv'
gives 'pid,comm' report
gives 'pid' report -c pid
gives '{"schema":"ktally.report/1","rows":[' report --json
gives 'depth,pid,ppid,uid' tree --csv -c depth,pid,ppid,uid

conf '[report]' 'csv = yes' 'no-header = no' 'columns = "pid,uid"' '[tree]' 'csv' 'no-such-option here = 1'
gives 'pid,uid' report
conf '[report]' 'csv = yes' 'no-header = true' 'columns = pid'
gives '1' report -a
conf 'csv' 'columns = pid' '[report]' 'columns = ppid'
gives 'ppid' report
gives 'pid' tree
conf '[report]' 'input = lost.ktl' 'csv' 'columns=comm' 'limit=1' 'all'
gives 'comm' report
[ "$(sed -n 2p o)" = "$(KTALLY_CONFIG='' "$KTALLY" report lost.ktl -a --csv -c comm -l 1 2> e | sed -n 2p)" ]
ok $? "a recording from the settings"
[ "$(KTALLY_CONFIG=conf "$KTALLY" report build.ktl 2> e | sed -n 2p)" = "$("$KTALLY" report build.ktl -a --csv -c comm -l 1 2> e | sed -n 2p)" ]
ok $? "a recording named in words takes its place"
conf '[record]' 'buffer = nonsense' 'no-such = 1'
gives 'pid,comm' report --csv -c pid,comm

# which files
CONFIG=''
gives 'pid,comm' report --csv -c pid,comm
printf '[report]\ncsv\ncolumns = pid\n' > first
printf '[report]\ncolumns = ppid\n' > folder/10-a.conf
printf '[report]\ncolumns = uid\n' > folder/20-b.conf
printf '[report]\ncolumns = gid\n' > folder/30-c.no
printf '[report]\ncolumns = comm\n' > last
CONFIG=first
gives 'pid' report
CONFIG=first:folder
gives 'uid' report
CONFIG=first:folder:last
gives 'comm' report
CONFIG=:first::none
gives 'pid' report
unset CONFIG

# the files of the person; those of the machine are not there
if [ -e /etc/ktally.conf ] || [ -e /etc/ktally.conf.d ]; then
	skip "this machine has settings of its own"
else
	cp first home/.config/ktally/config
	HOME=$tmp/home sh -c 'unset KTALLY_CONFIG XDG_CONFIG_HOME; "$0" report' "$KTALLY" 2> e | head -n 1 | grep -qx pid
	ok $? "settings in ~/.config/ktally/config"
	printf '[report]\ncsv\ncolumns = uid\n' > xdg/ktally/config
	XDG_CONFIG_HOME=$tmp/xdg HOME=$tmp/home sh -c 'unset KTALLY_CONFIG; "$0" report' "$KTALLY" 2> e | head -n 1 | grep -qx uid
	ok $? "settings in XDG_CONFIG_HOME"
	if [ "$(id -u)" -eq 0 ]; then
		chown 12345 xdg/ktally/config
		XDG_CONFIG_HOME=$tmp/xdg HOME=$tmp/home sh -c 'unset KTALLY_CONFIG; "$0" report --csv -c pid' "$KTALLY" 2> e | head -n 1 | grep -qx pid &&
			grep -q 'ktally: warning: .*/xdg/ktally/config: settings of another user are not used' e
		ok $? "root does not take another user's settings"
	else
		skip "only root can make a file another user's"
	fi
fi

# what is wrong
conf '[report]' 'csv' '' 'limit = many'
refuses "conf:4: limit 'many': a whole number is wanted" 2 report
conf '[report]' 'colums = pid'
refuses "conf:2: report has no option 'colums'; did you mean columns? see: ktally report --help" 2 report
conf '[report]' 'qqqqqqqq = 1'
refuses "conf:2: report has no option 'qqqqqqqq'; see: ktally report --help" 2 report
conf 'qqqqqqqq = 1'
refuses "conf:1: no command has an option 'qqqqqqqq'" 2 report
conf '[repot]' 'csv'
refuses "conf:1: [repot] is no command; see: ktally help" 2 report
conf '[report' 'csv'
refuses "conf:1: '[report': a section is [COMMAND]" 2 report
conf '[report]' 'columns'
refuses "conf:2: columns wants a value" 2 report
conf '[report]' 'csv = perhaps'
refuses "conf:2: csv 'perhaps': yes or no" 2 report
conf '[report]' '= x'
refuses "conf:2: no name before '='" 2 report
conf '[report]' 'by = nobody'
refuses "conf:2: by 'nobody': one of: process program command user cgroup unit container netns parent all" 2 report
conf '[report]' 'limit = many'
KTALLY_CONFIG=conf "$KTALLY" report --help > o 2> e && grep -q -- '--columns' o
ok $? "--help answers whatever the settings are"
ln -s loop loop
CONFIG=loop
refuses "loop: cannot read settings: Too many levels of symbolic links; mend that, or do without settings: KTALLY_CONFIG= ktally report" 1 report
CONFIG=first:not-there
refuses "KTALLY_CONFIG: 'not-there' is not there; name files or folders that are, or nothing: KTALLY_CONFIG= ktally report" 2 report
CONFIG=first/below
refuses "KTALLY_CONFIG: 'first/below' is not there; name files or folders that are, or nothing: KTALLY_CONFIG= ktally tree" 2 tree
unset CONFIG

# a line of any length, an end without a newline, DOS ends of lines
{ printf '[report]\r\ncsv\r\ncolumns = pid'; i=0; while [ $i -lt 400 ]; do printf ',pid'; i=$((i + 1)); done; } > conf
gives 'pid' report

done_testing
