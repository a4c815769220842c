#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# engines_guest.py ROOT KTALLY ADD FOLDER PACKAGE=PROGRAM... - a guest with the module ships
# to real servers on this machine's loopback and is scraped by them; ADD is what
# tests/packages/lib.sh made for it, guest/inside.sh what it does. What the servers
# answer is compared with what the programs in the guest said of themselves, and with
# the guest's own recording. With ClickHouse, that is killed and started again meanwhile.
# Prints TAP lines.
import collections
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from engines import ENGINES, Scraper, fetch, free_port
from pftrace import processes
from tap import end, ok, skip
from told import differs, is_cpu, programs, sums

root, ktally, add, folder = sys.argv[1:5]
given = dict(word.split("=", 1) for word in sys.argv[5:])
SEEN = "10.0.2.100"     # this machine, in the guest
LIMIT = 120


class Stages:
    """The guest asks for /NAME when it is there, and waits for the answer: what stands in the `with`."""

    def __init__(self):
        asked = self.asked = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                done = threading.Event()
                asked.put((self.path[1:], done))
                done.wait()
                self.send_response(200)
                self.end_headers()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reached(self, name, guest, meanwhile=lambda: None):
        """The event to set when the guest may go on."""
        while guest.poll() is None:
            meanwhile()
            try:
                there, done = self.asked.get(timeout=0.2)
            except queue.Empty:
                continue
            ok(there == name, "the guest is at: %s" % name, there)
            return done
        ok(False, "the guest is at: %s" % name, "it ended with %d" % guest.returncode)
        end()


def until(what, limit=LIMIT):
    last = time.monotonic() + limit
    while not what() and time.monotonic() < last:
        time.sleep(0.2)
    return what()


def soon(engine, question, want):
    """The answer, as soon as it is what is wanted, or what it is at the end."""
    until(lambda: engine.value(question) == want)
    return engine.value(question)


engines, forwarded = {}, free_port()
for name, program in given.items():
    engines[name] = e = ENGINES[name](program, folder, target="127.0.0.1:%d" % forwarded)
    took = e.start()
    ok(took, "%s is there after %.1f s: %s" % (name, took, e.version() if took else "-"))
    if not took:
        end()
scrapers = {n: e for n, e in engines.items() if isinstance(e, Scraper)}
targets = {}            # what is shipped to, by the engine's name
if "clickhouse-server" in engines:
    engines["clickhouse-server"].ask(subprocess.run([ktally, "ship", "--print-table"], capture_output=True, text=True, check=True).stdout)
    targets["clickhouse-server"] = "/"
if "influxdb" in engines:
    engines["influxdb"].ask("CREATE DATABASE ktally")
    targets["influxdb"] = "/write?db=ktally"
if "victoria-metrics" in engines:
    targets["victoria-metrics"] = "/write"

stages, out = Stages(), os.path.join(folder, "out")
ports = [stages.port] + [engines[n].port for n in targets]
guest = subprocess.Popen(
    [root + "/scripts/vm", "--net", "--forward", "%d:9435" % forwarded, "--add", add, "--out", out, "--timeout", "900",
     *[w for p in ports for w in ("--server", str(p))], "--", "sh", "/add/inside.sh", str(stages.port),
     *["http://%s:%d%s" % (SEEN, engines[n].port, path) for n, path in targets.items()]],
    stdout=sys.stderr)

# --- it begins ---
go_on = stages.reached("begun", guest)
for name, e in scrapers.items():
    ok(soon(e, 'up{job="ktally"}', 1) == 1, "%s scrapes it" % name)
page = fetch("http://127.0.0.1:%d/metrics" % forwarded)
if "prometheus" in given:
    promtool = os.path.join(os.path.dirname(given["prometheus"]), "promtool")
    p = subprocess.run([promtool, "check", "metrics"], input=page, text=True, capture_output=True)
    ok(p.returncode == 0 and not p.stderr, "promtool finds nothing to say about %d lines" % page.count("\n"), p.stderr)
started = {n: until(lambda: e.value("ktally_start_time_seconds")) for n, e in scrapers.items()}
go_on.set()

# --- it works; ClickHouse is killed meanwhile ---
killed = {}


def kill_once():
    """When it has some rows; three seconds later it is started again. Whether it is back, or cannot be."""
    ch = engines.get("clickhouse-server")
    if not ch or "back" in killed:
        return True
    if not killed and int(ch.ask("SELECT count() FROM ktally")) > 20:
        ch.kill()
        killed["at"] = time.monotonic()
    elif killed and time.monotonic() - killed["at"] > 3:
        killed["back"] = ch.start()
    return "back" in killed


def rows_in_clickhouse(e):
    return int(e.ask("SELECT count() FROM ktally FINAL WHERE program LIKE 'fleet-%'"))


def rows_in_influxdb(e):
    series = e.ask("SELECT count(cpu_ns) FROM ktally_exit WHERE program =~ /^fleet-/ GROUP BY program").get("series", [])
    return sum(s["values"][0][1] for s in series)


go_on = stages.reached("worked", guest, kill_once)
if "clickhouse-server" in engines:
    ok(until(kill_once) and killed["back"], "clickhouse: killed, and there again", killed)
truth = {"fleet-ok": (200, "ok"), "fleet-failed": (30, "failed"), "fleet-busy": (5, "ok")}
lives = sum(n for n, _ in truth.values())
# What VictoriaMetrics must have follows from the recording: it is compared below.
for name, rows_of in (("clickhouse-server", rows_in_clickhouse), ("influxdb", rows_in_influxdb)):
    if name in engines:
        e = engines[name]
        until(lambda: rows_of(e) >= lives)
        ok(rows_of(e) == lives, "%s: has the rows" % name, rows_of(e))
scraped = {}
for name, e in scrapers.items():
    for program, (n, result) in truth.items():
        got = soon(e, 'ktally_program_exits_total{program="%s",result="%s"}' % (program, result), n)
        ok(got == n, "%s: %s ended %s: %d" % (name, program, result, n), got)
        scraped[name, program] = e.value('sum(ktally_program_cpu_seconds_total{program="%s"})' % program) or 0
    got = e.value('sum(ktally_program_exits_total) - ignoring(instance, job) ktally_exits_total')
    ok(got == 0, "%s: programs add up to all" % name, got)
go_on.set()

# --- the module is loaded again ---
go_on = stages.reached("unloaded", guest)
for name, e in scrapers.items():
    ok(soon(e, 'up{job="ktally"}', 0) == 0, "%s: nobody answers while the module is away" % name)
go_on.set()
go_on = stages.reached("reloaded", guest)
for name, e in scrapers.items():
    exits = 'ktally_program_exits_total{program="fleet-ok",result="ok"}'
    got = soon(e, exits, 7)
    ok(got == 7, "%s: counters begin anew: 7" % name, got)
    again = e.value("ktally_start_time_seconds")
    ok(again > started[name], "%s: a new start time, %.1f s later" % (name, again - started[name]), started)
    # VictoriaMetrics' own changes() counts the first value, too.
    changes = "changes_prometheus" if name == "victoria-metrics" else "changes"
    got = e.value("%s(ktally_start_time_seconds[15m])" % changes), e.value("resets(%s[15m])" % exits)
    ok(got == (1, 1), "%s: which is one change and one reset" % name, got)
go_on.set()
guest.wait()
ok(guest.returncode == 0, "the guest ends well", guest.returncode)

# --- the rows, against the guest's recording ---
said = programs(os.path.join(out, "truth"))
ok(open(os.path.join(out, "unsent")).read() == "", "nothing waits in the spools")
recording = os.path.join(out, "r.ktl")
document = json.loads(subprocess.run([ktally, "report", recording, "--json", "--since-birth"], capture_output=True,
                                     text=True, check=True).stdout)
ended = {(r["pid"], r["start_ns"]): r for r in document["rows"] if r["state"] == "ended"}
of = collections.defaultdict(list)
for r in ended.values():
    of[r["comm"]].append(r)
for t in said:
    rows = of[t["program"]]
    cpu = sum(r["cpu_ns"] for r in rows)
    ok(len(rows) == int(t["count"]) and all(r["exit_code"] == int(t["status"]) for r in rows),
       "recording: %s of %s, status %s" % (t["count"], t["program"], t["status"]), len(rows))
    ok(is_cpu(cpu, t), "recording: CPU of %s" % t["program"], cpu, t)
    for name in scrapers:
        # Counters never fall: a scrape may meet one alive and read its clock past what its end tells.
        ok(-1e-9 * len(rows) <= scraped[name, t["program"]] - cpu / 1e9 <= 1e-3, "%s: CPU of %s: %.6f s" % (name, t["program"], cpu / 1e9),
           scraped[name, t["program"]])

# --- streams of the same time ---
def stream(form):
    with open(os.path.join(out, "stream." + form), "rb") as f:
        return f.read()


want = sums(((r["comm"], r["cpu_ns"]) for r in ended.values()), truth)
events = json.loads(stream("chrome"))
ok(sums(((e["args"]["comm"], e["args"].get("cpu_ns", 0)) for e in events if e.get("cat") == "process"), truth) == want,
   "stream: chrome has them, in %d events" % len(events))
if shutil.which("protoc"):
    got = sums(((comm, used or 0) for comm, used in processes(stream("perfetto"), "comm", "cpu_ns")), truth)
    ok(got == want, "stream: perfetto has them", got)
else:
    skip("no protoc")

# What differs between sessions: each stamps an end by itself.
OWN = ("end_ns", "life_ns", "partial", "threads_ended", "execs", "count", "state", "key", "bounds", "rx", "tx")


def clickhouse(e):
    # What ends while a recording begins is not yet in it, so others count from the first known one on.
    first = min(r["end_ns"] for t in said for r in of[t["program"]])
    rows = {(int(r["pid"]), int(r["start_ns"])): r for r in e.rows("SELECT * FROM ktally FINAL WHERE event = 'exit'")}
    there = {k for k, r in rows.items() if k in ended or first < int(r["end_ns"]) <= document["recording"]["last_ns"]}
    ok(there == set(ended), "clickhouse: a row for each of %d ends in the recording, no other" % len(ended),
       [(k, "only " + ("recorded" if k in ended else "sent")) for k in there ^ set(ended)])
    wrong = [(k, f, v, rows[k][f]) for k, r in ended.items() if k in rows for f, v in r.items()
             if f in rows[k] and f not in OWN and type(v) is int and differs(f, v, int(rows[k][f] or 0))]
    ok(not wrong, "clickhouse: every figure as in the recording", wrong[:5])
    keys = int(e.ask("SELECT uniqExact(boot_id, load_id, session, cpu, seq) FROM ktally"))
    print("# clickhouse: %s rows, %d keys, killed once" % (e.ask("SELECT count() FROM ktally").strip(), keys), flush=True)


def influxdb(e):
    for t in said:
        s = e.ask("SELECT count(cpu_ns), sum(cpu_ns) FROM ktally_exit WHERE program = '%s'" % t["program"])["series"][0]
        want = [len(of[t["program"]]), sum(r["cpu_ns"] for r in of[t["program"]])]
        ok(s["values"][0][1:] == want, "influxdb: %s: %d ends, %d ns" % (t["program"], *want), s)


def victoria_metrics(e):
    for t in said:
        found = [v for s in e.lines('{__name__="ktally_exit_cpu_ns",program="%s"}' % t["program"]) for v in s["values"]]
        want = collections.Counter(r["cpu_ns"] for r in of[t["program"]])
        got = collections.Counter(int(v) for v in found)
        # Of two ends within a millisecond it keeps one, by the stamps of the session that was shipped.
        ends = sorted(r["end_ns"] for r in of[t["program"]])
        least = sum(b - a > 2e6 for a, b in zip([0] + ends, ends))
        ok(not got - want and len(found) >= least, "victoria-metrics: %s: %d of %d ends (%d or more), each with its CPU time" %
           (t["program"], len(found), len(ends), least), got - want)


for name, compare in (("clickhouse-server", clickhouse), ("influxdb", influxdb), ("victoria-metrics", victoria_metrics)):
    if name in engines:
        compare(engines[name])
    else:
        skip("no %s" % name)
for e in engines.values():
    e.kill()
end()
