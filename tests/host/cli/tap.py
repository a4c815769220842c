# SPDX-License-Identifier: GPL-2.0-or-later
#
# tap.py - TAP lines of a test: ok() for each, skip() for what can't be tried here,
# end() behind the last. What goes with a failure is shown, cut.
import sys

CUT = 600
count = failed = 0


def ok(good, name, *why):
    global count, failed
    count += 1
    failed += not good
    print("%sok %d %s" % ("" if good else "not ", count, name), flush=True)
    for w in why if not good else ():
        print("#   " + (w if isinstance(w, str) else repr(w))[:CUT].replace("\n", "\n#   "), flush=True)


def skip(why):
    global count
    count += 1
    print("ok %d # SKIP %s" % (count, why), flush=True)


def end():
    print("1..%d" % count)
    sys.exit(failed > 0)
