#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fuzz.sh - the fuzz targets on their corpora, under the same sanitizers.
# shellcheck source-path=SCRIPTDIR source=cli/lib.sh
. "$(dirname "$0")/cli/lib.sh"

make -s -C "$top/tests/fuzz" replay > "$tmp/said" 2>&1
ok $? "targets end on every input of their corpora"
show "$tmp/said"
[ -z "$(find "$top/tests/corpus" -type f -size +16k)" ]
ok $? "no input is longer than 16 KiB"
done_testing
