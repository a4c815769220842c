#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
[ -z "$NATIVE" ] || exit 0
HOME=$WORK/home
export HOME
unset KTALLY_CONFIG XDG_CONFIG_HOME
mkdir -p /etc/ktally.conf.d "$HOME/.config/ktally"

# columns EXPECTED COMMAND...
columns()
{
	_expected=$1
	shift
	_got=$("$@" 2> "$WORK/said" | head -n 1)
	[ "$_got" = "$_expected" ] || fail "$* begins with '$_got', not '$_expected': $(cat "$WORK/said")"
}

printf '[status]\ncsv\ncolumns = lost\n[record]\nbuffer = 4096\n' > /etc/ktally.conf
columns lost ktally status
# the recorder's buffers are as the file says: 4 MiB
record "$WORK/r.ktl"
columns 4194304 ktally status --no-header -c buffer_bytes
finish "$RECORDER" || fail "record ended with $?"
record "$WORK/r2.ktl" --buffer 2048
columns 2097152 ktally status --no-header -c buffer_bytes
finish "$RECORDER" || fail "record ended with $?"
printf '[status]\ncolumns = kind\n' > /etc/ktally.conf.d/10-kind.conf
columns kind ktally status
printf '[status]\ncolumns = attempts\n' > /etc/ktally.conf.d/20-attempts.conf
columns attempts ktally status
printf '[status]\ncolumns = filtered\n' > "$HOME/.config/ktally/config"
columns filtered ktally status
columns session ktally status --columns session

printf '\n[record]\nbuffer = much\n' > /etc/ktally.conf
ktally record -D 1 -o "$WORK/no.ktl" 2> "$WORK/said"
[ $? -eq 2 ] || fail "a wrong setting did not end with 2"
grep -qx "ktally: /etc/ktally.conf:3: buffer 'much': a whole number is wanted" "$WORK/said" ||
	fail "said: $(cat "$WORK/said")"
[ ! -e "$WORK/no.ktl" ] || fail "recorded all the same"
rm -rf /etc/ktally.conf /etc/ktally.conf.d
