# SPDX-License-Identifier: GPL-2.0-or-later
#
# told.py - what programs in a guest said of themselves, sums of whatever tells of them, and
# how a row may differ that was sent at an end.
import collections
import re


def programs(path):
    """The TRUTH lines about a program: how many lives it had, their status and CPU time."""
    with open(path) as f:
        return [dict(word.split("=") for word in line.split()[1:]) for line in f if line.startswith("TRUTH program")]


def sums(pairs, names):
    """Of pairs (program, CPU ns): how many and how much, of the programs with these names."""
    n, cpu = collections.Counter(), collections.Counter()
    for name, used in pairs:
        if name in names:
            n[name] += 1
            cpu[name] += int(used)
    return n, cpu


def is_cpu(cpu, told):
    """Between what the processes' own clocks said just before their ends and what wait4() told of
    them, which cuts user and system time to microseconds."""
    return int(told["cpu_ns"]) - 5e5 <= cpu <= 1000 * (int(told["rusage_us"]) + 2 * int(told["count"]))


def differs(field, recorded, sent):
    """Bytes that come behind an end are in the recording only: the row had gone by then."""
    if re.search("(^|_)[rt]x_", field):
        return int(sent or 0) > int(recorded or 0)
    return sent != recorded
