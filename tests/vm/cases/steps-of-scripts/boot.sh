#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What init scripts are made of; run by the guest's own shell, unpatched.
# shellcheck disable=SC2034
for i in 1 2 3; do
	nap 10 loop
done
nap 60 slow | nap 30 middle | nap 10 quick
(nap 10 sub-a; nap 10 sub-b; :)
(nap 10 in-a; nap 10 in-b; :) | nap 10 reader
nap 1500 beside &
nap 20 with
wait
# shellcheck disable=SC2034
caught=$(nap 10 caught)
nap 10 chained && nap 10 again
(nap 10 before; exec nap 10 after)
exec nap 10 last
