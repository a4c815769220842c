#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# export.py KTALLY FOLDER - exports every recording there and compares what a reader of
# the format finds with what report gives. Prints TAP lines.
import csv, io, json, os, subprocess, sys

ktally, folder = sys.argv[1:3]
os.chdir(folder)
count = failed = 0

def ok(good, name, why=""):
    global count, failed
    count += 1
    failed += not good
    print(("ok" if good else "not ok"), count, name)
    if not good and why != "":
        print("#   " + repr(why)[:400])

def run(*words, status=0):
    p = subprocess.run([ktally, *words], capture_output=True)
    if p.returncode != status:
        ok(False, " ".join(words), p.stderr)
    return p.stdout

def export(recording, *words):
    return run("export", recording + ".ktl", "-a", *words).decode("utf-8", "strict")

def report(recording):
    text = run("report", recording + ".ktl", "-a", "--csv").decode("utf-8", "surrogateescape")
    return list(csv.DictReader(io.StringIO(text, newline="")))

def figures(rows, *fields):
    """One number a row: the sum of what is known of it; None if nothing is."""
    for r in rows:
        known = [int(r[f]) for f in fields if r[f] != ""]
        yield sum(known) if known else None

WEIGHTS = {"time": ["life_ns"], "cpu": ["cpu_ns"],
           "bytes": ["read_bytes", "write_bytes", "rx_wire_bytes", "tx_wire_bytes"]}

def stacks(text):
    """As flamegraph.pl reads it: the weight behind the last blank, frames between ';'."""
    for line in text.split("\n")[:-1]:
        stack, weight = line.rsplit(" ", 1)
        yield stack.split(";"), int(weight)

def check_folded(name, rows):
    for weight, fields in WEIGHTS.items():
        text = export(name, "--to", "folded", "--weight", weight)
        want = [f for f in figures(rows, *fields) if f is not None]
        got = list(stacks(text))
        ok([w for _, w in got] == want, f"folded: {name}: a line per process, its own {weight}",
           ([w for _, w in got], want))
        ok(all(f for s, _ in got for f in s) and text.isprintable() == (text == "") or
           all(line.isprintable() for line in text.split("\n")),
           f"folded: {name}: no frame is empty, no control characters ({weight})", text[:200])

def strict(text):
    def refuse(x):
        raise ValueError(x)
    return json.loads(text, parse_constant=refuse)

def of(events, phase, cat=None):
    return [e for e in events if e["ph"] == phase and (cat is None or e.get("cat") == cat)]

def nests(slices):
    """Slices of a track lie within each other or apart."""
    open_until = []
    for e in sorted(slices, key=lambda e: (e["ts"], -e["dur"])):
        while open_until and open_until[-1] <= e["ts"] + 1e-6:
            open_until.pop()
        if open_until and e["ts"] + e["dur"] > open_until[-1] + 1e-3:
            return False
        open_until.append(e["ts"] + e["dur"])
    return True

def integral(counters):
    """A counter keeps its value until the next one; in units times seconds."""
    total = 0
    for a, b in zip(counters, counters[1:]):
        total += list(a["args"].values())[0] * (b["ts"] - a["ts"]) * 1e-6
    return total

def check_chrome(name, rows):
    text = export(name, "--to", "chrome")
    tool = subprocess.run([sys.executable, "-m", "json.tool"], input=text.encode(), capture_output=True)
    ok(tool.returncode == 0, f"chrome: {name}: valid JSON", tool.stderr)
    doc = strict(text)
    events = doc["traceEvents"]
    lives = of(events, "X", "process")
    ok(len(lives) == len(rows) == doc["otherData"]["processes"], f"chrome: {name}: a slice per process",
       (len(lives), len(rows)))
    for field in ("pid", "cpu_ns", "peak_rss_bytes", "tx_wire_bytes", "status"):
        got = [e["args"].get(field) for e in lives]
        ok(got == list(figures(rows, field)), f"chrome: {name}: {field} as in report", got)
    execs = sum(int(r["execs"] or 0) for r in rows)
    ok(len(of(events, "X", "exec")) == execs, f"chrome: {name}: a slice per exec",
       (len(of(events, "X", "exec")), execs))
    tracks = {}
    for e in of(events, "X"):
        tracks.setdefault((e["pid"], e["tid"]), []).append(e)
    ok(len(tracks) == len(rows), f"chrome: {name}: a track per process", (len(tracks), len(rows)))
    ok(all(nests(t) for t in tracks.values()), f"chrome: {name}: slices of a track nest")
    begins, ends = of(events, "s"), of(events, "f")
    ok(sorted(e["id"] for e in begins) == sorted(e["id"] for e in ends) and
       len({e["id"] for e in begins}) == len(begins), f"chrome: {name}: flows have two ends")
    alive = [e for e in of(events, "C") if e["name"] == "processes"]
    ok(not alive or alive[-1]["args"]["alive"] == 0, f"chrome: {name}: the count of the living ends at 0")
    spread = sum(c or 0 for c, e in zip(figures(rows, "cpu_ns"), lives) if e["dur"]) * 1e-9
    cpus = integral([e for e in of(events, "C") if e["name"] == "CPUs"])
    ok(abs(cpus - spread) <= 1e-5 * max(1, spread) + 2e-6 * len(rows),
       f"chrome: {name}: the area below CPUs is the CPU time", (cpus, spread))
    balance = json.loads(run("report", name + ".ktl", "-a", "--json"))["balance"]
    ok(doc["otherData"]["lost"] == balance["lost_total"], f"chrome: {name}: losses are told")

for recording in sorted(f[:-4] for f in os.listdir(".") if f.endswith(".ktl")):
    of_report = report(recording)
    check_folded(recording, of_report)
    check_chrome(recording, of_report)

# Who hangs under whom, and what lies between: build.rec says.
got = [";".join(s) for s, _ in stacks(export("build", "--to", "folded"))]
ok(got == ["init", "init;cron", "init;make", "init;make;cc1", "init;make;cc1", "init;make;make",
           "init;make;daemon.sh"], "folded: stacks of the tree", got)
got = list(stacks(run("export", "build.ktl", "cc1", "--to", "folded").decode()))
ok(got == [(["cc1"], 1900000000), (["cc1"], 812000000)], "folded: only what was meant", got)
got = [s for s, _ in stacks(export("deep", "--to", "folded"))]
ok(got[0] == ["a\\x3bb"], "folded: a ';' of a name is no frame", got[0])
ok(len(got[-1]) == 257 and got[-1][0] == "...", "folded: a deep stack says that it is cut", len(got[-1]))
forks = [e for e in strict(export("build", "--to", "chrome"))["traceEvents"] if e["ph"] == "s"]
ok([e["tid"] for e in forks] == [1, 100, 100, 100, 100], "chrome: forks leave their parent's track", forks)
gaps = of(strict(export("lost", "--to", "chrome"))["traceEvents"], "i")
ok(gaps and all(g["args"]["lost"] > 0 for g in gaps), "chrome: a mark where records were lost", gaps)

# Command lines only when asked for.
for form in ("folded", "chrome"):
    ok("quiet" not in export("build", "--to", form) and "secret" not in export("deep", "--to", form) and
       "make -j2" not in export("build", "--to", form), f"{form}: no arguments")
    ok("quiet" in export("build", "--to", form, "--args"), f"{form}: arguments with --args")

# Words that are wrong, and files that can't be.
run("export", "build.ktl", status=2)
run("export", "build.ktl", "--to", "nothing", status=2)
run("export", "build.ktl", "nobody", "--to", "folded", status=3)
run("export", "lost.ktl", "--to", "folded", "--strict", status=6)
run("export", "build.ktl", "--to", "folded", "-o", "no/such/folder", status=1)
run("export", "build.ktl", "--to", "chrome", "-o", "/dev/full", status=1)

print(f"1..{count}")
sys.exit(failed > 0)
