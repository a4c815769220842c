#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
. "${LIB:=/add/lib}/case.sh"
. "$LIB/net.sh"
burners=''
for _n in 1 2; do
	sh -c 'while :; do :; done' &
	burners="$burners $!"
done
short_connections 4000
# shellcheck disable=SC2086
kill $burners
