#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
start
watch stat short 0.1
watch process short 0.1 --by process
work "$SHARED/short" 600 4 quiet
[ -z "$NATIVE" ] || exit 0
unwatch
stop
tables "$KTL"
truth "role=records $(sums_of short)"
# What never executed anything: all of it is this program's.
ktally report --csv --no-header -c pid,cpu_ns,minflt,tcp_tx_bytes,execs "$KTL" short 2> /dev/null |
	awk -F, '$5 == 0 { print "TRUTH role=life pid=" $1 " cpu_ns=" $2 " minflt=" $3 " tx=" $4 }' >> "$TRUTH"
compare "$WORK"/stat.* "$WORK"/process.*
