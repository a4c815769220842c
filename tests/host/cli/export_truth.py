#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# export_truth.py KTALLY RECORDING TRUTH FOLDER - every format of a real recording, read by
# the tool it is for: of each program of the TRUTH lines as many ends as it had, and the
# CPU time that the recording has of them. Prints TAP lines.
import collections
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from pftrace import processes
from tap import end, ok, skip
from told import is_cpu, programs, sums

ktally, recording, truth, folder = sys.argv[1:5]
os.chdir(folder)
told = programs(truth)
COUNT = {t["program"]: int(t["count"]) for t in told}


def run(*words):
    p = subprocess.run(words, capture_output=True)
    if p.returncode:
        ok(False, " ".join(words), p.stderr)
    return p.stdout.decode("utf-8", "replace")


def export(form, *words):
    return run(ktally, "export", recording, "-a", "--to", form, *words)


def of_told(pairs):
    return sums(pairs, COUNT)


rows = [json.loads(line) for line in run(ktally, "report", recording, "-a", "--jsonl").splitlines()]
rows = [r for r in rows if r["schema"] == "ktally.report/1"]
n, cpu = want = of_told((r["comm"], r["cpu_ns"] or 0) for r in rows)
ok(n == COUNT, "report: as many lives as there were", n, COUNT)
ok(all(is_cpu(cpu[t["program"]], t) for t in told), "report: the CPU time that they say", cpu, told)


def trace_dat():
    export("trace.dat", "-o", "t.dat")
    return of_told(re.findall(r" exit: .* comm=(\S+) .* runtime=(\d+)", run("trace-cmd", "report", "-t", "t.dat")))


def ctf():
    export("ctf", "-o", "t.ctf")
    p = subprocess.run(["babeltrace2", "t.ctf"], capture_output=True, text=True, errors="replace")
    ok(p.returncode == 0 and not p.stderr, "ctf: babeltrace2 has no warning", p.stderr)
    return of_told(re.findall(r' ktally:exit: .* comm = "([^"]*)", .* runtime = (\d+)', p.stdout))


def chrome():
    return of_told((e["args"]["comm"], e["args"].get("cpu_ns", 0)) for e in json.loads(export("chrome"))["traceEvents"]
                if e.get("cat") == "process")


def perfetto():
    export("perfetto", "-o", "t.pftrace")
    with open("t.pftrace", "rb") as f:
        return of_told((comm, used or 0) for comm, used in processes(f.read(), "comm", "cpu_ns"))


def sqlite():
    export("sqlite", "-o", "t.db")
    return of_told(sqlite3.connect("t.db").execute("SELECT comm, coalesce(cpu_ns, 0) FROM processes"))


def folded():
    return of_told((line.rsplit(" ", 1)[0].split(";")[-1], line.rsplit(" ", 1)[1]) for line in export("folded").splitlines())


def csv():
    export("csv", "-o", "t.csv")
    db = "sqlite3", ":memory:", ".import --csv t.csv p", "SELECT comm || ' ' || cpu_ns FROM p"
    return of_told(line.rsplit(" ", 1) for line in run(*db).splitlines() if not line.endswith(" "))


def jsonl():
    return of_told((r["comm"], r["cpu_ns"] or 0) for r in map(json.loads, export("jsonl").splitlines()) if "comm" in r)


FORMATS = ((trace_dat, "trace-cmd"), (ctf, "babeltrace2"), (chrome, None), (perfetto, "protoc"), (sqlite, None), (folded, None),
           (csv, "sqlite3"), (jsonl, None))
for form, tool in FORMATS:
    if tool and not shutil.which(tool):
        skip("no " + tool)
        continue
    got = form()
    ok(got == want, "%s: %d lives, %d ns" % (form.__name__, sum(n.values()), sum(cpu.values())), got, want)

last, cpu_of, exits = {}, collections.Counter(), collections.Counter()
text = export("openmetrics", "--by", "program", "--step", "1s")
for line in text.splitlines():
    if not line.startswith("#"):
        last[line.rsplit(" ", 2)[0]] = line.rsplit(" ", 2)[1]
for series, value in last.items():
    name = re.search(r'program="([^"]*)"', series)
    if name and name[1] in COUNT and series.startswith("ktally_program_cpu_seconds_total"):
        cpu_of[name[1]] += round(float(value) * 1e9)
    if name and name[1] in COUNT and series.startswith("ktally_program_exits_total"):
        exits[name[1]] += int(float(value))
ok(+exits == n and all(abs(cpu_of[p] - cpu[p]) <= 3 for p in n), "openmetrics: the same at its end", exits, cpu_of)
if shutil.which("promtool"):
    with open("t.om", "w") as f:
        f.write(text)
    taken = run("promtool", "tsdb", "create-blocks-from", "openmetrics", "t.om", "t.tsdb")
    ok(sum(int(b.split()[4]) for b in taken.splitlines()[1:] if b) == sum(not s.startswith("#") for s in text.splitlines()),
       "openmetrics: promtool takes every sample", taken[-300:])
else:
    skip("no promtool")
end()
