# SPDX-License-Identifier: GPL-2.0-or-later
"""scores.py FOLDER WHAT - the ash profiler's analysis, written anew from its rules.

Prints what FOLDER/all or FOLDER/sortedAll must be, from FOLDER/scores.csv.PID alone.
Slow and plain on purpose: lines are compared field by field, each with each. Commands
that hold '!' are beyond the rules: the profiler's own scripts stumble over them.
"""
import os
import sys

HEADER = "command!start!pid!end\n"


def unknown(line):
    fields = line.split("!")
    return any("-1" in f and (len(f) == 2 or f.endswith("\n")) for f in fields)


def one_field_apart(a, b):
    a, b = a.split("!"), b.split("!")
    return len(a) == len(b) and sum(x == y for x, y in zip(a, b)) == len(a) - 1


def merged(folder):
    names = [n for n in os.listdir(folder) if n.startswith("scores.csv.")]
    names.sort(key=lambda n: int(n.rsplit(".", 1)[1]))
    lines = []
    for name in names:
        earlier, own = list(lines), []
        with open(os.path.join(folder, name), newline="\n") as f:
            for line in f:
                if line == HEADER or unknown(line) or line in earlier:
                    continue
                if not any(one_field_apart(line, other) for other in own):
                    own.append(line)
                    lines.append(line)
    return lines


def is_start(line):
    return line.count("!") == 2


def summed(lines):
    starts = [int(l.split("!")[1]) for l in lines if is_start(l)]
    ends = [int(l.split("!")[3]) for l in lines if not is_start(l)]
    out = "command ! total ! nbOfTimes ! avgDuration\n"
    out += "total duration: %d\n" % (max(ends, default=0) - min(starts))
    sums = {}
    for i, line in enumerate(lines):
        if not is_start(line):
            continue
        command, start, pid = line.rstrip("\n").split("!")
        for other in lines[i + 1:]:
            if not is_start(other) and other.split("!")[2] == pid:
                took = int(other.split("!")[3]) - int(start)
                total, n = sums.get(command, (0, 0))
                sums[command] = (total + took, n + 1)
                break
    for command, (total, n) in sorted(sums.items(), key=lambda s: s[1][0] // s[1][1]):
        out += "\n%s! %d ! %d ! %d " % (command, total, n, total // n)
    return out


def main():
    lines = merged(sys.argv[1])
    text = HEADER + "".join(lines) if sys.argv[2] == "all" else summed(lines)
    sys.stdout.write(text)


main()
