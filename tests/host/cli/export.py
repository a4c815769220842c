#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# export.py KTALLY FOLDER - exports every recording there and compares what a reader of
# the format finds with what report gives. Prints TAP lines.
import collections, csv, io, json, os, re, shutil, sqlite3, subprocess, sys

from pftrace import decode, notes
from tap import end, ok
from told import differs

ktally, folder, mkrec = sys.argv[1:4]
os.chdir(folder)


def run(*words, status=0):
    p = subprocess.run([ktally, *words], capture_output=True)
    if status is not None and p.returncode != status:
        ok(False, " ".join(words), p.stderr)
    return p.stdout

def export(recording, *words):
    return run("export", recording + ".ktl", "-a", *words).decode("utf-8", "strict")

def report(recording, *words):
    text = run("report", recording + ".ktl", "-a", "--csv", *words).decode("utf-8", "surrogateescape")
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

def query(db, sql):
    return db.execute(sql).fetchall()

def check_sqlite(name, rows):
    run("export", name + ".ktl", "-a", "--to", "sqlite", "-o", name + ".db")
    db = sqlite3.connect(name + ".db")
    db.text_factory = bytes
    ok(query(db, "pragma integrity_check") == [(b"ok",)] and query(db, "pragma foreign_key_check") == [] and
       query(db, "pragma user_version") == [(1,)], f"sqlite: {name}: whole, every parent is there")
    columns = [c[1].decode() for c in query(db, "pragma table_info(processes)")]
    ok(columns[2:] == list(rows[0]), f"sqlite: {name}: the columns of report", set(columns) ^ set(rows[0]))
    wrong = [f for f in columns[2:] if f not in ("argv", "bounds") and not f.endswith("status") and
             [b"" if v[0] is None else v[0] if isinstance(v[0], bytes) else b"%d" % v[0]
              for v in query(db, f'select "{f}" from processes order by id')] !=
             [r[f].encode("utf-8", "surrogateescape") for r in rows]]
    ok(not wrong, f"sqlite: {name}: {len(columns) - 2} columns of {len(rows)} processes as in report", wrong)
    ok(query(db, "select count(*) from processes where argv is not null")[0][0] == 0 and
       query(db, "select count(*) from images where argv is not null")[0][0] == 0 and
       query(db, "select count(*) from facts where name = 'command'")[0][0] == 0,
       f"sqlite: {name}: no command lines")
    execs = sum(int(r["execs"] or 0) for r in rows)
    ok(query(db, "select sum(executed), count(distinct process) from images") == [(execs, len(rows))],
       f"sqlite: {name}: a row per exec", query(db, "select sum(executed) from images"))
    report_json = json.loads(run("report", name + ".ktl", "-a", "--json"))
    for kind in ("balance", "network", "recording"):
        got = {n.decode(): v for n, v in query(db, f"select name, value from facts where kind = '{kind}'")}
        want = {n: v.encode() if isinstance(v, str) else v for n, v in report_json[kind].items() if n != "command"}
        ok(got == want, f"sqlite: {name}: facts of {kind} as in report", set(got.items()) ^ set(want.items()))
    lost = report_json["balance"]["lost_total"]
    ok(query(db, "select coalesce(sum(lost), 0) from kinds") == [(lost,)] and
       query(db, "select coalesce(sum(records), 0) from losses") == [(lost,)],
       f"sqlite: {name}: losses add up", (lost, query(db, "select * from losses")))
    no_devices = report_json["network"]["counted"] is False
    devices = run("report", name + ".ktl", "-a", "--devices", "--csv", status=3 if no_devices else 0).decode()
    devices = [r for r in csv.DictReader(io.StringIO(devices)) if r["bytes"] not in ("", "0")]
    got = query(db, "select count(*), coalesce(sum(abs(bytes)), 0) from devices where bytes <> 0")[0]
    ok(got == (len(devices), sum(abs(int(r["bytes"])) for r in devices)),
       f"sqlite: {name}: terms of devices as in report --devices", got)
    for view in query(db, "select name from sqlite_master where type = 'view'"):
        query(db, "select * from " + view[0].decode())
    ok(query(db, "select coalesce(sum(processes), 0), total(cpu_s) from v_programs")[0][0] == len(rows) and
       len(query(db, "select * from v_tree")) == len(rows), f"sqlite: {name}: views hold every process")
    db.close()

def tool(*words):
    """Standard output and error of a tool that must succeed."""
    p = subprocess.run(words, capture_output=True)
    if p.returncode:
        ok(False, " ".join(words), p.stderr)
    return p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")

SCHED = {"fork": "sched_process_fork", "exec": "sched_process_exec", "exit": "sched_process_exit",
         "thread_exit": "sched_process_exit"}

def kinds(name, args=False):
    """How many records of each kind there are, and what the kernel itself would have traced."""
    lines = run("dump", name + ".ktl").decode("utf-8", "replace").split("\n")[:-1]
    n = collections.Counter(line.split(" ", 4)[3].rstrip(":") for line in lines)
    if not args:
        n.pop("args", None)
    for kind, event in SCHED.items():
        if n[kind]:
            n[event] += n[kind]
    return {kind: n[kind] for kind in n if n[kind]}

def ended(name):
    """CPU of those whose exit record is there, in order of end."""
    lines = run("dump", name + ".ktl", "-e", "exit", status=None).decode("utf-8", "replace").split("\n")[:-1]
    return [int(re.search(r" runtime=(\d+)", line)[1]) for line in lines]

def lost_total(name):
    return json.loads(run("report", name + ".ktl", "-a", "--json"))["balance"]["lost_total"]

def check_tracedat(name):
    if not shutil.which("trace-cmd"):
        return
    export(name, "--to", "trace.dat", "-o", name + ".dat")
    said, _ = tool("trace-cmd", "dump", "--validate", "-i", name + ".dat")
    ok("is a valid trace-cmd file" in said, f"trace.dat: {name}: trace-cmd takes it for valid", said)
    said, errors = tool("trace-cmd", "report", "-t", name + ".dat")
    events = re.findall(r"\[\d{3}\] *\d+\.\d{9}: +(\w+): ", said)
    ok(collections.Counter(events) == kinds(name), f"trace.dat: {name}: {len(events)} events",
       (collections.Counter(events), kinds(name)))
    cpu = [int(t) for t in re.findall(r"\]? +exit: .* runtime=(\d+)", said)]
    ok(cpu == ended(name), f"trace.dat: {name}: CPU of those that ended", (cpu, ended(name)))
    dropped = sum(int(n) for n in re.findall(r"\[(\d+) EVENTS DROPPED\]", said))
    ok(dropped == lost_total(name), f"trace.dat: {name}: losses are dropped events", (dropped, lost_total(name)))
    tool("trace-cmd", "convert", "-i", name + ".dat", "-o", name + ".7.dat")
    again, _ = tool("trace-cmd", "report", "-t", name + ".7.dat")
    ok(len(again) == len(said), f"trace.dat: {name}: the same when converted to version 7", (len(again), len(said)))

def check_ctf(name):
    if not shutil.which("babeltrace2"):
        return
    export(name, "--to", "ctf", "-o", name + ".ctf")
    said, errors = tool("babeltrace2", "--clock-cycles", name + ".ctf")
    events = [e.removeprefix("ktally:") for e in re.findall(r" (ktally:\w+|sched_process_\w+): \{ cpu_id", said)]
    ok(collections.Counter(events) == kinds(name), f"ctf: {name}: {len(events)} events",
       (collections.Counter(events), kinds(name)))
    cpu = [int(t) for t in re.findall(r" ktally:exit: .* runtime = (\d+)", said)]
    ok(cpu == ended(name), f"ctf: {name}: CPU of those that ended", (cpu, ended(name)))
    discarded = re.findall(r"Tracer discarded (\d+) event", errors)
    ok(sum(map(int, discarded)) == lost_total(name), f"ctf: {name}: losses are discarded events", errors)
    ok(len([line for line in errors.split("\n") if line]) == len(discarded), f"ctf: {name}: no other warning", errors)

def check_perfetto(name, rows):
    if not shutil.which("protoc"):
        return
    packets = decode(run("export", name + ".ktl", "-a", "--to", "perfetto"))
    ok(not [k for p in packets for m in [p] + p["track_event"] + p["track_descriptor"] for k in m if k.isdigit()],
       f"perfetto: {name}: no other fields")
    tracks = {t["uuid"][0]: t for p in packets for t in p["track_descriptor"]}
    events = [(p["timestamp"][0], e) for p in packets for e in p["track_event"]]
    lives = [(t, e) for t, e in events if e["categories"] == ["process"]]
    ok(len(lives) == len(rows) == len({e["track_uuid"][0] for _, e in lives}),
       f"perfetto: {name}: a track and a slice per process", (len(lives), len(rows)))
    for field in ("pid", "cpu_ns", "peak_rss_bytes", "tx_wire_bytes", "status"):
        got = [notes(e).get(field) for _, e in lives]
        ok(got == list(figures(rows, field)), f"perfetto: {name}: {field} as in report", got)
    pid = {e["track_uuid"][0]: notes(e)["pid"] for _, e in lives}
    wrong = [e for _, e in lives if tracks[e["track_uuid"][0]]["parent_uuid"][0] not in (1, ) and
             pid[tracks[e["track_uuid"][0]]["parent_uuid"][0]] != notes(e).get("ppid")]
    ok(not wrong, f"perfetto: {name}: tracks lie below their parents'", wrong)
    depth = collections.Counter()
    for t, e in sorted(events, key=lambda x: x[0]):
        if e["type"][0] <= 2:
            depth[e["track_uuid"][0]] += 1 if e["type"][0] == 1 else -1
        if depth[e["track_uuid"][0]] < 0:
            break
    ok(not [d for d in depth.values() if d], f"perfetto: {name}: slices begin, then end", depth)
    ok([f for _, e in events for f in e["flow_ids"]] == [f for _, e in events for f in e["terminating_flow_ids"]],
       f"perfetto: {name}: flows have two ends")
    cpus, last, area = next(u for u in tracks if tracks[u]["name"] == ["CPUs"]), None, 0
    for t, e in events:
        if e["type"] == [4] and e["track_uuid"] == [cpus]:
            area += last[1] * (t - last[0]) if last else 0
            last = (t, e["double_counter_value"][0])
    span = collections.defaultdict(list)
    for t, e in events:
        span[e["track_uuid"][0]].append(t)
    want = sum(notes(e).get("cpu_ns", 0) for t, e in lives if max(span[e["track_uuid"][0]]) > t)
    ok(abs(area - want) <= 1e-6 * max(want, 1e9), f"perfetto: {name}: the area below CPUs is the CPU time", (area, want))
    lost = sum(notes(e)["lost"] for _, e in events if e["categories"] == ["lost"])
    ok(lost == lost_total(name), f"perfetto: {name}: losses are told", lost)

def check_rows(name, rows):
    text = run("export", name + ".ktl", "-a", "--to", "csv").decode("utf-8", "surrogateescape")
    got = list(csv.DictReader(io.StringIO(text, newline="")))
    ok(got == [{k: v for k, v in r.items() if k != "argv"} for r in rows], f"csv: {name}: report's without argv")
    lines = [strict(line) for line in export(name, "--to", "jsonl").split("\n")[:-1]]
    lives = [o for o in lines if o["schema"] == "ktally.report/1"]
    ok([o["cpu_ns"] for o in lives] == list(figures(rows, "cpu_ns")) and len(lives) == len(rows),
       f"jsonl: {name}: a line per process")
    ok(not [o for o in lines if o.get("argv") or o.get("command")], f"jsonl: {name}: no command lines")

def samples(text):
    """name{labels} of OpenMetrics: its values in order of time, in whole nanoseconds, bytes or pieces."""
    series = collections.defaultdict(list)
    for line in text.split("\n")[:-1]:
        if not line.startswith("#"):
            name, value, time = line.rsplit(" ", 2)
            scale = 10 ** 9 if "_seconds_total" in name else 1
            series[name].append((float(time), round(float(value) * scale)))
    return series

def check_openmetrics(name, rows):
    for by in "program", "user":
        info = json.loads(run("report", name + ".ktl", "-a", "--json"))["recording"]
        step = max(0.5, (info["last_ns"] - info["first_ns"]) / 1e9 // 10)
        text = export(name, "--to", "openmetrics", "--by", by, "--step", str(step))
        ok(text.endswith("# EOF\n"), f"openmetrics: {name}: ends as it must")
        series = samples(text)
        ok(all(a[0] < b[0] and (a[1] <= b[1] or not s.split("{")[0].endswith("_total"))
               for s, v in series.items() for a, b in zip(v, v[1:])), f"openmetrics: {name}: counters only rise, by {by}")
        last = collections.Counter()
        for s, v in series.items():
            last[s.split("{")[0]] += v[-1][1]
        for metric, fields in (("cpu_seconds", ["cpu_ns"]), ("storage_bytes", ["read_bytes", "write_bytes"]),
                               ("context_switches", ["nvcsw", "nivcsw"])):
            want = sum(f or 0 for f in figures(rows, *fields))
            got = last[f"ktally_{by}_{metric}_total"]
            ok(abs(got - want) <= 2, f"openmetrics: {name}: {metric} by {by} end with report's sum", (got, want))
        ended = [r for r in rows if r["state"] == "ended"]
        ok(last[f"ktally_{by}_exits_total"] == len(ended), f"openmetrics: {name}: exits by {by}", last)
    if name in ("build", "lost") and shutil.which("promtool"):
        with open(name + ".om", "w") as f:
            f.write(text)
        said, _ = tool("promtool", "tsdb", "create-blocks-from", "openmetrics", name + ".om", name + ".tsdb")
        got = sum(int(b.split()[4]) for b in said.split("\n")[1:] if b)
        ok(got == sum(map(len, series.values())), f"openmetrics: {name}: promtool takes every sample", said)

# What only a model of all records can say.
LATE = ("partial", "threads_ended", "count", "argv", "flags")

def check_stream(name):
    """A stream has the same processes, in order of end, and of what ended the same figures, whatever the format."""
    key = lambda r: (r["pid"], r["start_ns"])
    rows = report(name, "--since-birth")
    text = run("export", name + ".ktl", "-a", "--stream", "--to", "csv").decode("utf-8", "surrogateescape")
    got = list(csv.DictReader(io.StringIO(text, newline="")))
    ends = [int(r["end_ns"]) for r in got if r["end_ns"]]
    ok(ends == sorted(ends) and all(r["end_ns"] for r in got[:len(ends)]), f"stream: {name}: in order of end, the living last", ends)
    ok(sorted(map(key, got)) == sorted(map(key, rows)), f"stream: {name}: the processes of report",
       set(map(key, got)) ^ set(map(key, rows)))
    told = {key(r): r for r in rows}
    wrong = [(key(r), f, v, told[key(r)][f]) for r in got[:len(ends)] for f, v in r.items()
             if f in told.get(key(r), ()) and f not in LATE and differs(f, told[key(r)][f], v)]
    ok(not wrong, f"stream: {name}: figures of report", wrong[:5])
    with open(name + ".ktl", "rb") as f:
        p = subprocess.run([ktally, "export", "-", "-a", "--stream", "--to", "jsonl"], stdin=f, capture_output=True)
    lines = [strict(line) for line in p.stdout.decode().split("\n")[:-1]]
    ok([str(o["pid"]) for o in lines] == [r["pid"] for r in got] and not [o for o in lines if o.get("argv")],
       f"stream: {name}: the same as JSON lines, out of a pipe", p.stderr)
    ok(list(got[0]) == [f for f in rows[0] if f != "argv"], f"stream: {name}: report's columns", list(got[0]))
    want = got
    doc = strict(export(name, "--stream", "--to", "chrome"))
    lives = of(doc, "X", "process")
    for field in ("pid", "cpu_ns", "peak_rss_bytes", "status"):
        ok([e["args"].get(field) for e in lives] == list(figures(want, field)), f"stream: {name}: chrome: the same {field}")
    tracks = collections.defaultdict(list)
    for e in of(doc, "X"):
        tracks[e["tid"]].append(e)
    ok(all(nests(t) for t in tracks.values()), f"stream: {name}: chrome: slices of a track nest")
    # The first record about init of this boot comes when a child of it has ended.
    arrows = len(of(strict(export(name, "--to", "chrome"))["traceEvents"], "s")) - (name == "boot")
    ok(len(of(doc, "s")) == len(of(doc, "f")) == arrows, f"stream: {name}: chrome: an arrow for each fork", len(of(doc, "s")), arrows)
    if not shutil.which("protoc"):
        return
    packets = decode(run("export", name + ".ktl", "-a", "--stream", "--to", "perfetto"))
    tracks = {t["uuid"][0]: t for p in packets for t in p["track_descriptor"]}
    lives = [e for p in packets for e in p["track_event"] if e["categories"] == ["process"]]
    ok([notes(e)["pid"] for e in lives] == [int(r["pid"]) for r in want] and
       [notes(e).get("cpu_ns") for e in lives] == list(figures(want, "cpu_ns")), f"stream: {name}: perfetto: the same CPU")
    pid = {e["track_uuid"][0]: notes(e)["pid"] for e in lives}
    above = {pid[u]: pid.get(tracks[u].get("parent_uuid", [0])[0]) for u in pid}
    wrong = [e for e in lives if above[notes(e)["pid"]] not in (None, notes(e).get("ppid"))]
    ok(len(pid) == len(want) and not wrong, f"stream: {name}: perfetto: a track each, below its parent's", wrong)
    ok(sum(notes(e)["lost"] for p in packets for e in p["track_event"] if e["categories"] == ["lost"]) == lost_total(name),
       f"stream: {name}: perfetto: losses are told")

p = subprocess.run([ktally, "export", "build.ktl", "--to", "sqlite", "-o", "probe.db"], capture_output=True)
has_sqlite = b"built without libsqlite3" not in p.stderr

for recording in sorted(f[:-4] for f in os.listdir(".") if f.endswith(".ktl")):
    of_report = report(recording)
    check_folded(recording, of_report)
    check_chrome(recording, of_report)
    check_perfetto(recording, of_report)
    check_rows(recording, of_report)
    check_openmetrics(recording, of_report)
    check_tracedat(recording)
    check_ctf(recording)
    check_stream(recording)
    if has_sqlite:
        check_sqlite(recording, of_report)

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

def bytes_of(path):
    if os.path.isdir(path):
        return b"".join(bytes_of(os.path.join(path, f)) for f in os.listdir(path))
    with open(path, "rb") as f:
        return f.read()

for form in ("trace.dat", "ctf", "perfetto"):
    run("export", "build.ktl", "-a", "--to", form, "-o", "bare." + form)
    run("export", "build.ktl", "-a", "--args", "--to", form, "-o", "args." + form)
    bare, full = bytes_of("bare." + form), bytes_of("args." + form)
    ok(not [w for w in (b"-quiet", b"-j2", b"--serve") if w in bare], f"{form}: no arguments")
    ok(all(w in full for w in (b"-quiet", b"-j2", b"--serve")), f"{form}: arguments with --args")
    run("export", "build.ktl", "cc1", "--to", form, "-o", "cc1." + form)
    ok(b"cc1" in bytes_of("cc1." + form) and b"daemon.sh" not in bytes_of("cc1." + form), f"{form}: only what was meant")
    run("export", "build.ktl", "--to", form, "-o", "no/such/folder", status=1)
    if form != "perfetto":
        run("export", "build.ktl", "--to", form, status=2)
        run("export", "-", "--to", form, "-o", "x", status=2)
run("export", "build.ktl", "--to", "ctf", "-o", "bare.ctf", status=1)
ok(not [f for f in os.listdir(".") if f.endswith(".part")], "trace.dat, ctf: nothing is left behind")

if has_sqlite:
    run("export", "build.ktl", "-a", "--args", "--to", "sqlite", "-o", "build.db")
    db = sqlite3.connect("build.db")
    ok(query(db, "select argv from processes where pid = 102") == [("cc1 -quiet 'b c.c'",)] and
       query(db, "select value from recording where name = 'command'") == [("make -j2",)],
       "sqlite: arguments with --args, in place of the file that was there")
    ok(query(db, "select q.pid from processes p join processes q on q.id = p.parent where p.pid = 101") == [(100,)] and
       query(db, "select pid, started_by from v_failed order by pid") ==
       [(100, "init"), (102, "make"), (103, "make")] and
       query(db, "select program, runs, max_s from v_durations where program = 'cc1'") == [("cc1", 2, 2.5)],
       "sqlite: views answer", query(db, "select * from v_failed"))
    run("export", "build.ktl", "--to", "sqlite", status=2)
    run("export", "build.ktl", "--to", "sqlite", "-o", "no/such/base.db", status=1)
    ok(not [f for f in os.listdir(".") if f.endswith(".part")], "sqlite: nothing is left behind")
    # Its integers end at 2^63 - 1; what is more is no negative number, and no reason to fail.
    most = 2**64 - 1
    with open("huge.rec", "w") as f:
        f.write("1.0 walk_begin walk=1 purpose=opening\n1.0 walk_end walk=1 purpose=opening tasks=0\n")
        for pid, figure in ((10, most), (11, 2**63), (12, 2**63 - 1)):
            f.write(f"2.{pid} fork pid={pid} ppid=1\n2.{pid}1 exec pid={pid} argv=p{pid}\n")
            f.write(f"2.{pid}2 exit pid={pid} code=0 read_bytes={figure}\n")
    subprocess.run([mkrec, "-o", "huge.ktl", "huge.rec"], check=True)
    ok([r["read_bytes"] for r in report("huge")] == [str(most), str(2**63), str(2**63 - 1)], "huge figures are in the report")
    run("export", "huge.ktl", "-a", "--to", "sqlite", "-o", "huge.db")
    db = sqlite3.connect("huge.db")
    for source in ("processes", "v_programs"):
        got = query(db, f"select read_bytes, typeof(read_bytes) from {source} order by program")
        ok(got == [(float(most), "real"), (float(2**63), "real"), (2**63 - 1, "integer")],
           f"sqlite: figures of 2^63 and above are reals in {source}", got)

# A bound on the series, which hold everything all the same.
few = samples(run("export", "build.ktl", "-a", "--to", "openmetrics", "--groups", "1", "--by", "program").decode())
programs = {re.search('program="([^"]*)"', s)[1] for s in few}
ok(programs == {"cc1", "(others)"}, "openmetrics: the rest beyond --groups is one", programs)
ok(sum(v[-1][1] for s, v in few.items() if "cpu_seconds" in s) == sum(c or 0 for c in figures(report("build"), "cpu_ns")),
   "openmetrics: nothing is missing beyond --groups")

run("export", "names.ktl", "-a", "--to", "openmetrics", "--step", "1ms", status=2)

for form in ("folded", "sqlite", "trace.dat", "ctf", "openmetrics"):
    p = subprocess.run([ktally, "export", "build.ktl", "--stream", "--to", form, "-o", "x"], capture_output=True, text=True)
    ok(p.returncode == 2 and form + " is no stream: it " in p.stderr, f"stream: {form} is none, and why", p.stderr)
run("export", "lost.ktl", "--stream", "--to", "csv", "--strict", status=6)
run("export", "build.ktl", "names.ktl", "--stream", "--to", "csv", status=2)
os.makedirs("two", exist_ok=True)
for name in ("build", "names"):
    shutil.copy(name + ".ktl", "two")
run("export", "two", "--stream", "--to", "csv", status=2)
run("export", "lost.ktl", "--stream", "--to", "csv", "--strict", "-o", "/dev/full", status=1)

# A process that calls itself its parent, of which nobody asked, above one that is asked for.
with open("ring.rec", "w") as f:
    f.write("2.0 fork pid=5 ppid=5 parent_start=2.0\n2.1 fork pid=6 ppid=5\n2.2 exit pid=6 code=0\n")
subprocess.run([mkrec, "-o", "ring.ktl", "ring.rec"], check=True)
for form in ("chrome", "perfetto", "csv"):
    p = subprocess.run([ktally, "export", "ring.ktl", "--stream", "--to", form, "-p", "6"], capture_output=True, timeout=60)
    ok(p.returncode == 0 and (form != "csv" or p.stdout.count(b"\n") == 2), f"stream: {form}: ends above a ring, with -p", p)
run("export", "--live", "--stream", "--to", "csv", status=2)
run("export", "build.ktl", "--to", "csv", "-D", "1", status=2)
run("export", "build.ktl", "--stream", "--to", "chrome", "-o", "/dev/full", status=1)
run("export", "build.ktl", "--stream", "--to", "csv", "-o", "/dev/full", status=1)
ok("quiet" not in run("export", "build.ktl", "--stream", "--to", "chrome").decode() and
   "quiet" in run("export", "build.ktl", "--stream", "--args", "--to", "chrome").decode(), "stream: arguments with --args alone")

# Whatever is refused, the file that was there is as it was, and no other is beside it.
def refused(status, *words):
    os.makedirs("there", exist_ok=True)
    with open("there/out", "w") as f:
        f.write("precious")
    run(*words[:1], "-o", "there/out", *words[1:], status=status)
    ok(os.listdir("there") == ["out"] and bytes_of("there/out") == b"precious", f"refused: {' '.join(words)}: nothing is touched",
       os.listdir("there"))

# --- a part of the recording: what was used in it is spread over that part ---
PART = ("--since", "2", "--until", "4.6")
used = sum(r["cpu_ns"] or 0 for r in json.loads(run("report", "build.ktl", "--json", *PART))["rows"]) * 1e-9
cpus = [e for e in strict(run("export", "build.ktl", "--to", "chrome", *PART))["traceEvents"] if e.get("name") == "CPUs"]
ok(cpus and cpus[0]["ts"] == 2e6 and cpus[-1]["ts"] == 4.6e6 and abs(integral(cpus) - used) < 1e-5,
   "chrome: --since and --until: CPUs are those of that time", (used, cpus))
lines = re.findall(r'^ktally_program_cpu_seconds_total\{program="make",mode="unsplit"\} (\S+)',
                   run("export", "build.ktl", "--to", "openmetrics", "--step", "1", *PART).decode(), re.M)
rate = .02 / 4.1
want = [0, 0, rate, 2 * rate, 2.6 * rate, 2.6 * rate]
ok(len(lines) == len(want) and all(abs(float(a) - b) < 1e-6 for a, b in zip(lines, want)),
   "openmetrics: --since and --until: series rise in that time alone", lines)

with open("none.ktl", "w") as f:
    f.write("no recording")
streams = [("--stream", "--to", form) for form in ("chrome", "perfetto", "csv", "jsonl")]
forms = [("--to", form) for form in ("folded", "chrome", "perfetto", "sqlite", "trace.dat", "ctf", "csv", "jsonl", "openmetrics")]
for form in streams:
    refused(2, "export", "build.ktl", "names.ktl", *form)
    refused(2, "export", "build.ktl", "--since", "1", *form)
    refused(4, "export", *form)
for form in streams + forms:
    refused(1, "export", "none.ktl", *form)
    refused(1, "export", "nowhere.ktl", *form)
for form in forms:
    refused(3, "export", "build.ktl", "nobody", *form)
    refused(2, "export", "build.ktl", "-D", "1", *form)
refused(2, "export", "names.ktl", "-a", "--to", "openmetrics", "--step", "1ms")
for force in ((), ("--force",)):
    refused(4, "record", *force)
    refused(125, "record", *force, "--", "true")
    refused(2, "record", *force, "-D", "1", "surely")
    refused(2, "record", *force, "--trigger", "failed")
    refused(4, "record", *force, "--flight")

# Words that are wrong, and files that can't be.
run("export", "build.ktl", status=2)
run("export", "build.ktl", "--to", "nothing", status=2)
run("export", "build.ktl", "nobody", "--to", "folded", status=3)
run("export", "lost.ktl", "--to", "folded", "--strict", status=6)
run("export", "build.ktl", "--to", "folded", "-o", "no/such/folder", status=1)
run("export", "build.ktl", "--to", "chrome", "-o", "/dev/full", status=1)

end()
