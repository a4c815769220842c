#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cli-pipe.sh - a recording that comes through a pipe whose writer goes on: what came before
# the last mark is shown meanwhile, and a pipe that does not wait is waited for.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

cd "$tmp" || exit 1
awk -v lives=40 -v cpus=2 -v mark=10 -f "$top/tests/bench/lives.awk" | "$MKREC" > r.ktl || exit 1
mkfifo way

# shows COMMAND...: while the pipe is open
shows()
{
	sleep 60 > way &
	holder=$!
	"$KTALLY" "$@" - < way > shown 2> said &
	reader=$!
	cat r.ktl > way
	tries=200
	until [ -s shown ] || [ $tries -eq 0 ]; do
		tries=$((tries - 1))
		sleep 0.05
	done
	[ -s shown ]
	ok $? "$*: shows what came while the pipe is open"
	kill $holder $reader
	wait $reader
}

shows dump
shows export --stream --to csv
shows export --stream --to jsonl

"$KTALLY" dump r.ktl > whole 2> said
# the reader's end is set not to wait, then nothing comes for a while
(sleep 0.5; cat r.ktl) | python3 -c '
import os, subprocess, sys
os.set_blocking(0, False)
sys.exit(subprocess.run([sys.argv[1], "dump", "-"], stdout=open("piped", "w")).returncode)' "$KTALLY" 2> said &&
	cmp -s whole piped
ok $? "dump: a pipe that does not wait is read to its end: $(cat said)"
done_testing
