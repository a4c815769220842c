#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ship.py KTALLY MKREC FOLDER - what ktally ship sends, against a server that misbehaves
# and against ktally's own report of the same recordings.
import concurrent.futures
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

from sink import Sink, machine
from tap import end, ok, skip

ktally, mkrec, folder = sys.argv[1:4]
os.chdir(folder)


def run(*words, limit=120, **more):
    return subprocess.run([ktally, *words], text=True, capture_output=True, timeout=limit, **more)


def ship(sink, *words, **more):
    return run("ship", "--to", sink if isinstance(sink, str) else sink.url, *words, **more)


def wait_for(what, limit=60):
    end = time.monotonic() + limit
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
    return what()


def spooled(path):
    """Rows that wait there, by the names of the files."""
    return sum(int(f.split("-")[1].split(".")[0]) for f in (os.listdir(path) if os.path.isdir(path) else [])
               if f.endswith(".gz"))


def report(path, *words):
    rows = [json.loads(line) for line in run("report", path, "--jsonl", "--since-birth", *words).stdout.splitlines()]
    return [r for r in rows if r["schema"] == "ktally.report/1" and r["state"] == "ended"]


def same_as_report(sink, path):
    """Every figure of every process, by the names of report's columns."""
    sent = {(r["pid"], r["start_ns"]): r for r in sink.rows}
    told = {(r["pid"], r["start_ns"]): r for r in report(path, "-a")}
    # Bytes that arrive behind the end, and what only a model of all records can say.
    late = ("partial", "threads_ended", "count", "state", "key", "rx", "tx")
    if set(sent) != set(told):
        return "processes differ: %s %s" % (sorted(sent), sorted(told))
    for who, row in told.items():
        for name, value in row.items():
            if name in late or name.startswith("argv") or name == "schema":
                continue
            if sent[who].get(name) != value:
                return "%s %s: sent %s, report %s" % (who, name, sent[who].get(name), value)
    return ""


machine(mkrec, "a.ktl", 1, 400)
machine(mkrec, "b.ktl", 2, 300)
LIVES_A, LIVES_B = 400, 300

# --- what a row has ---
for name in ("build", "names", "hostile", "lost"):
    s = Sink()
    r = ship(s, name + ".ktl", "-a")
    why = same_as_report(s, name + ".ktl")
    ok(r.returncode == 0 and not why and len(s.keys) == len(s.rows) > 0, "%s: a row per end, figures as in report" % name,
       why, r.returncode, r.stderr)
    ok(all("argv" not in row for row in s.rows), "%s: no command line leaves" % name)
    if name == "lost":
        ok("records were lost while recording" in r.stderr and ship(s, "lost.ktl", "--strict").returncode == 6,
           "losses are said, and status 6 with --strict", r.stderr)
    s.close()
s = Sink()
r = ship(s, "build.ktl", "--args", "-e", "exit,exec")
kinds = sorted(row["event"] for row in s.rows)
ok(r.returncode == 0 and kinds.count("exec") >= 3 and ["cc1", "-quiet", "b c.c"] in [row["argv"] for row in s.rows],
   "command lines and execs on request", r.stderr, kinds)
path, headers, _ = s.requests[0]
ok(path.startswith("/?query=INSERT+INTO+ktally+FORMAT+JSONEachRow&") and headers.get("Content-Encoding") == "gzip",
   "ClickHouse's own way of an INSERT", path, headers)
s.close()
s = Sink()
r = ship(s, "a.ktl", "b.ktl", "--rows", "50", "-n", "worker-1")
ok(r.returncode == 0 and len(s.rows) == len(report("a.ktl", "-n", "worker-1")) + len(report("b.ktl", "-n", "worker-1")),
   "names select", r.stderr, len(s.rows))
s.close()
s = Sink()
r = ship(s, "a.ktl", "--columns", "pid,cpu_ns", "--rows", "100000")
ok(r.returncode == 0 and set(s.rows[0]) == {"schema", "unix_ns", "event", "host", "boot_id", "load_id", "session", "cpu",
                                            "seq", "lost", "pid", "cpu_ns"}, "columns beside the key", r.stderr, s.rows[:1])
s.close()

# --- a server that misbehaves: as many rows as ends, once what came twice is one ---
# All at once: most of it is waiting for the next try.
TROUBLES = (("500 503", "an unwell server"), ("404 403", "refusals"), ("429", "too many requests"),
            ("hang", "no answer in time"), ("cut", "hangs up half-way"),
            ("lose take lose", "takes it and hangs up before it answers"), ("words", "a proxy's words are no answer"))
sinks = [Sink(words.split()) for words, _ in TROUBLES]
with concurrent.futures.ThreadPoolExecutor(len(sinks)) as pool:
    ends = list(pool.map(lambda s: ship(s, "a.ktl", "--rows", "100", "--timeout", "1s"), sinks))
for (words, what), s, r in zip(TROUBLES, sinks, ends):
    ok(r.returncode == 0 and len(s.keys) == LIVES_A and "warning" in r.stderr and "takes rows again" in r.stderr,
       "%s: every row arrives" % what, r.returncode, r.stderr, len(s.keys))
    twice = len(s.rows) - len(s.keys)
    # A machine that is busy for a second has answers come too late.
    late = 100 * r.stderr.count("Timeout was reached") if "hang" not in words else 0
    want = 100 * sum(w in ("lose", "words") for w in words.split())
    ok(want <= twice <= want + late, "%s: %d rows twice" % (what, want), twice, r.stderr)
    ok("\033" not in r.stderr, "%s: the server's words are made safe" % what)
    s.close()
s = Sink(["404"] + ["take"] * 3)
r = ship(s, "a.ktl", "--rows", "100")
ok(r.returncode == 0 and [row["pid"] for row in s.rows[:1]] == [1100], "a batch that is refused does not stand before others",
   s.rows[:1])
s.close()
dead = "http://127.0.0.1:%d/" % s.port
r = ship(dead, "a.ktl", "-D", "2")
ok(r.returncode == 1 and "Connection refused" in r.stderr, "nobody there: said, status 1", r.stderr)
ok(r.stderr.count("warning") == 1, "and said once", r.stderr)

# --- the spool ---
r = ship(dead, "a.ktl", "-D", "1", "--spool", "spool", "--rows", "64")
files = [f for f in os.listdir("spool") if f.endswith(".gz")]
ok(r.returncode == 1 and len(files) == 7 and "400 rows wait in spool" in r.stderr, "rows wait in the spool", r.stderr, files)
ok(all(stat.S_IMODE(os.stat("spool/" + f).st_mode) == 0o600 for f in files) and
   stat.S_IMODE(os.stat("spool").st_mode) == 0o700, "which is its owner's alone")
s = Sink()
r = ship(s, "b.ktl", "--spool", "spool")
ok(r.returncode == 0 and len(s.keys) == len(s.rows) == LIVES_A + LIVES_B and "400 rows of an earlier" in r.stderr,
   "and go with the next", r.stderr, len(s.rows))
ok(sorted(os.listdir("spool")) == ["lock"], "nothing stays behind", os.listdir("spool"))
s.close()
p = subprocess.Popen([ktally, "ship", "--to", dead, "a.ktl", "--spool", "spool"], stderr=subprocess.PIPE, text=True)
wait_for(lambda: any(f.endswith(".gz") for f in os.listdir("spool")))
r = ship(dead, "a.ktl", "--spool", "spool")
ok(r.returncode == 1 and "another ktally ship uses it" in r.stderr, "one at a time", r.stderr)
p.send_signal(signal.SIGINT)
p.communicate(timeout=30)
ok(p.returncode == 1, "Ctrl-C of a recording that is not there yet: status 1", p.returncode)

# Killed again and again, at any moment, and begun again.
shutil.rmtree("spool")
s = Sink(["take", "500", "lose", "take", "cut"] * 4)
kills = 0
for moment in (0.3, 0.7, 1.1, 1.5):
    p = subprocess.Popen([ktally, "ship", "--to", s.url, "a.ktl", "b.ktl", "--spool", "spool", "--rows", "20"],
                         stderr=subprocess.DEVNULL)
    try:
        p.wait(moment)
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
        kills += 1
open("spool/00000000000000000999-20.jsonl.gz.part", "w").close()
r = ship(s, "a.ktl", "b.ktl", "--spool", "spool", "--rows", "20")
ok(r.returncode == 0 and kills and len(s.keys) == LIVES_A + LIVES_B and sorted(os.listdir("spool")) == ["lock"],
   "killed %d times by SIGKILL: every row arrives" % kills, r.returncode, r.stderr, len(s.keys))
s.close()

# Its bound: what the next one finds too much.
machine(mkrec, "big.ktl", 3, 12000)
p = subprocess.Popen([ktally, "ship", "--to", dead, "big.ktl", "--spool", "small", "--spool-size", "8", "--rows", "30", "-q"])
ok(wait_for(lambda: spooled("small") == 12000, 200), "a recording's rows wait in half of the spool", spooled("small"))
p.send_signal(signal.SIGTERM)
ok(p.wait(30) == 1 and spooled("small") == 12000, "and stay there when it is told to end", p.returncode)
s = Sink()
r = ship(s, "a.ktl", "--spool", "small", "--spool-size", "1")
m = re.search(r"the oldest ([\d,]+) rows were dropped", r.stderr)
dropped = int(m.group(1).replace(",", "")) if m else 0
ok(r.returncode == 0 and dropped and len(s.rows) == 12000 + LIVES_A - dropped and "--spool-size" in r.stderr,
   "at its bound the oldest go: counted and said", dropped, len(s.rows), r.stderr)
ok(min(row["pid"] for row in s.rows if row["host"] == "node03") == 1000 + dropped, "the oldest, indeed")
s.close()

# A full disk.
if os.getuid() == 0 and not os.mkdir("full") and not subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", "full"], stderr=subprocess.DEVNULL).returncode:
    s = Sink(["503"] * 2)
    r = ship(s, "big.ktl", "--spool", "full", "--rows", "500")
    ok(r.returncode == 0 and len(s.keys) == 12000 and "No space left" in r.stderr and "wait in memory" in r.stderr,
       "a full disk: rows wait in memory, none is lost", r.returncode, r.stderr, len(s.keys))
    s.close()
    subprocess.run(["umount", "full"])
else:
    skip("a small file system needs root")
r = ship(dead, "a.ktl", "--spool", "no/such/place")
ok(r.returncode == 1 and "no/such/place: No such file" in r.stderr, "a spool that cannot be", r.stderr)

# A server that is down for long; with KTALLY_LONG 100,000 lives.
many = 100000 if os.environ.get("KTALLY_LONG") else 10000
machine(mkrec, "many.ktl", 4, many)
begun = time.monotonic()
p = subprocess.Popen([ktally, "ship", "--to", dead, "many.ktl", "--spool", "long"], stderr=subprocess.PIPE, text=True)
good = wait_for(lambda: spooled("long") == many, 200)
p.kill()
p.communicate()
size = sum(os.stat("long/" + f).st_size for f in os.listdir("long"))
ok(good, "%d lives wait in the spool: %d bytes each, %.1f s" % (many, size / many, time.monotonic() - begun))
s = Sink()
r = ship(s, "a.ktl", "--spool", "long", limit=300)
ok(r.returncode == 0 and len(s.keys) == len(s.rows) == many + LIVES_A, "and all go", r.stderr, len(s.keys))
wire, raw = (sum(b[i] for b in s.bodies) / len(s.rows) for i in (0, 1))
print("# a life: %.0f bytes of rows, %.0f on the wire" % (raw, wire), flush=True)
s.close()

# --- a recorder's folder ---
os.mkdir("rec")
shutil.copy("a.ktl", "rec/ktally-1.ktl")
s = Sink()
words = [ktally, "ship", "--to", s.url, "--follow", "rec", "--spool", "fspool", "--every", "0.2"]
p = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
ok(wait_for(lambda: len(s.keys) == LIVES_A), "--follow takes what is there", len(s.keys))
shutil.copy("b.ktl", "rec/part")
os.rename("rec/part", "rec/ktally-2.ktl")
ok(wait_for(lambda: len(s.keys) == LIVES_A + LIVES_B), "and what comes", len(s.keys))
ok(wait_for(lambda: os.path.exists("fspool/taken") and len(open("fspool/taken").readlines()) == 2 and
            not spooled("fspool")), "and remembers it")
p.kill()
p.communicate()
os.rename("rec/ktally-1.ktl", "rec/ktally-0.ktl")
with open("rec/ktally-3.ktl", "w") as f:
    f.write("no recording")
r = run("ship", "--to", s.url, "--follow", "rec", "--spool", "fspool", "--every", "0.2", "-D", "3")
ok(len(s.rows) == LIVES_A + LIVES_B, "after a restart nothing is sent again, a new name is no new file", len(s.rows))
ok("ktally-3.ktl" in r.stderr and r.returncode == 1, "one that is no recording is said", r.returncode, r.stderr)
s.close()

# --- Influx's lines ---
TAG = r"(?:[^ ,=\\]|\\.)+"
LINE = re.compile(r"ktally_exit((?:,%s=%s)+) ((?:%s=(?:-?\d+i?|\"(?:[^\"\\]|\\.)*\"),?)+) (\d{19})$" % (TAG, TAG, TAG))
for name in ("build", "names", "hostile"):
    s = Sink()
    r = ship(s, name + ".ktl", "-a", "--format", "influx", "--columns", "pid,cpu_ns,comm,filename,cgroup")
    bad = [line for line in s.rows if not LINE.match(line)]
    ok(r.returncode == 0 and not bad and len(s.keys) == len(s.rows) == len(report(name + ".ktl", "-a")),
       "%s: lines as Influx reads them" % name, r.stderr, bad[:2])
    cpu = sum(int(m) for line in s.rows for m in re.findall(r"[ ,]cpu_ns=(\d+)i", line))
    ok(cpu == sum(row["cpu_ns"] or 0 for row in report(name + ".ktl", "-a")), "%s: CPU as in report" % name, cpu)
    s.close()

# --- words ---
with open("auth", "w") as f:
    f.write("alice:open sesame\n")
s = Sink()
r = ship(s, "build.ktl", "--auth", "auth")
ok(r.returncode == 0 and s.requests[0][1].get("Authorization") == "Basic YWxpY2U6b3BlbiBzZXNhbWU=", "--auth", r.stderr)
s.close()
for words, text in (((), "say where to"), (("--to", "ftp://x/"), "a URL is wanted"), (("--to", "http://u:p@h/"), "--auth FILE"),
                    (("--to", "http:///"), "host or port"), (("--to", "http://h:99999/"), "host or port"),
                    (("--to", "http://[::1/", "--format", "influx"), "host or port"),
                    (("--to", dead, "-e", "fork"), "exit, exec and task"), (("--to", dead, "--table", "a;b"), "letters, digits"),
                    (("--to", dead, "--follow"), "name the recorder's folder"), (("--to", dead, "--rows", "0"), "--rows"),
                    (("--to", dead, "--since", "1"), "for reports"), (("--to", dead, "a.ktl", "-p", "1"), "lives now"),
                    (("--to", dead, "-c", "nosuch"), "no column"),
                    (("--print-table", "--format", "influx"), "is for ClickHouse"), (("--to", dead, "-c", "argv"), "no column")):
    r = run("ship", "build.ktl", *words) if "--follow" not in words else run("ship", *words)
    ok(r.returncode == 2 and text in r.stderr and r.stderr.count("\n") == 1, "wrong use: %s" % " ".join(words), r.returncode, r.stderr)
r = ship(dead, "build.ktl", "--auth", "nosuch")
ok(r.returncode == 1 and "nosuch" in r.stderr, "--auth without a file", r.stderr)
r = ship(dead, "nosuch.ktl")
ok(r.returncode == 1 and "nosuch.ktl" in r.stderr, "a recording that is not there", r.stderr)
r = run("ship", "--print-table", "--table", "db.t")
ok(r.returncode == 0 and r.stdout.startswith("CREATE TABLE IF NOT EXISTS db.t\n") and "argv" not in
   re.findall(r"^\t(\w+) ", r.stdout, re.M), "the table", r.stdout[:200], r.stderr)
OWN = "unix_ns event host boot_id load_id session cpu seq lost".split()
for words in ([], ["--args"], ["-c", "pid,cpu_ns"], ["-c", "-container"], ["-c", "-seq,-container"], ["-c", "pid,pid"],
              ["-c", "pid,lost,cpu,user"], ["-c", "+pid", "--args"]):
    s = Sink()
    ship(s, "build.ktl", *words)
    r = run("ship", "--print-table", *words)
    columns = re.findall(r"^\t(\w+) ", r.stdout, re.M)
    ok(["schema", *columns] == [*s.rows[0], "time"] and columns[:len(OWN)] == OWN,
       "the table has the columns of the rows, first of all the key: " + " ".join(words), columns, list(s.rows[0]), r.stderr)
    s.close()
end()
