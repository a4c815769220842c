#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fleet.py KTALLY MKREC FOLDER SERVER MACHINES LIVES - simulated machines ship to a real
# ClickHouse (SERVER: its program), which is killed and started again, as some of them
# are; then the questions of docs/fleet.md. With NODE_PATH that has chdb, the same
# table, rows and questions there. Prints TAP lines.
import json
import os
import re
import shutil
import subprocess
import sys
import time

from engines import ClickHouse
from sink import Sink, machine
from tap import end, ok, skip

ktally, mkrec, folder, server = sys.argv[1:5]
machines, lives = int(sys.argv[5]), int(sys.argv[6])
docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/fleet.md")
with open(docs) as f:
    QUESTIONS = re.findall(r"```sql\n(.*?)```", f.read(), re.S)
os.chdir(folder)


def begin_ship(i):
    return subprocess.Popen([ktally, "ship", "m%d.ktl" % i, "--to", ch.url + "/", "--spool", "spool%d" % i, "--rows", str(max(lives // 10, 10)),
                             "--spool-size", "64"], stderr=open("err%d" % i, "a"))


def dated(text, middle):
    """The question, asked about the time of these recordings."""
    for what, at in (("10:00:00", middle - 7200), ("12:00:00", middle), ("14:00:00", middle + 7200)):
        text = text.replace("2026-11-30 " + what, time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at)))
    return text.replace("now()", "toDateTime(%d)" % (middle + 3600)).strip()


for i in range(machines):
    machine(mkrec, "m%d.ktl" % i, i, lives)
# The same program half an hour later, upgraded: every run of worker-7 takes three times as long.
machine(mkrec, "later.ktl", 99, lives, begin=1801.0, slow=7)
ch = ClickHouse(server, folder)
took = ch.start()
ok(took, "the server starts: %.1f s, version %s" % (took, ch.version() if took else "-"))
if not took:
    sys.exit(1)
table = subprocess.run([ktally, "ship", "--print-table"], capture_output=True, text=True, check=True).stdout
ch.ask(table)

ships = [begin_ship(i) for i in range(machines)]
wanted, kills = machines * lives, 0
limit = time.monotonic() + 600
while any(p.poll() is None for p in ships) and time.monotonic() < limit:
    time.sleep(0.2)
    try:
        there = int(ch.ask("SELECT count() FROM ktally"))
    except OSError:
        there = 0
    if kills < 2 and there > wanted * (kills + 1) // 5:
        ch.kill()
        kills += 1
        victim = ships[kills]
        if victim.poll() is None:
            victim.kill()
            victim.wait()
            ships[kills] = begin_ship(kills)
        time.sleep(1.5)
        ch.start()
errors = "".join(open("err%d" % i).read() for i in range(machines))
ok(all(p.poll() == 0 for p in ships) and kills, "%d machines ship, the server is killed %d times" % (machines, kills),
   [p.poll() for p in ships], errors[-500:])
there, once = int(ch.ask("SELECT count() FROM ktally")), int(ch.ask("SELECT count() FROM ktally FINAL"))
ok(once == wanted, "%d rows, %d without what came twice: %d ends" % (there, once, wanted))
keys = int(ch.ask("SELECT uniqExact(boot_id, load_id, session, cpu, seq) FROM ktally"))
ok(keys == wanted, "as many keys", keys)
report = [json.loads(line) for line in subprocess.run([ktally, "report", "m0.ktl", "--jsonl"], capture_output=True, text=True,
                                                      check=True).stdout.splitlines()]
cpu = machines * sum(r["cpu_ns"] for r in report if r["schema"] == "ktally.report/1" and r["state"] == "ended")
ok(int(ch.ask("SELECT sum(cpu_ns) FROM ktally FINAL")) == cpu, "CPU as in report: %d ns" % cpu)
if machines > 1:
    ch.ask("OPTIMIZE TABLE ktally FINAL")
disk = int(ch.ask("SELECT sum(bytes) FROM system.parts WHERE active AND table = 'ktally'"))
print("# %.1f bytes a row in the table" % (disk / max(int(ch.ask("SELECT count() FROM ktally")), 1)), flush=True)

# --- the questions ---
r = subprocess.run([ktally, "ship", "later.ktl", "--to", ch.url + "/"], capture_output=True, text=True)
ok(r.returncode == 0, "one more, later", r.stderr)
middle = int(ch.ask("SELECT toUInt32(max(time)) FROM ktally")) - 900
answers = []
for text in QUESTIONS:
    try:
        answers.append(ch.rows(dated(text, middle)))
    except RuntimeError as e:
        answers.append(str(e))
ok(len(answers) == 4 and all(isinstance(a, list) for a in answers), "every question of docs/fleet.md is understood", answers)
top, moved, crashed, lost = answers
best = ch.rows("SELECT program, sum(cpu_ns) AS c FROM ktally FINAL GROUP BY program ORDER BY c DESC LIMIT 1")[0]
ok(len(top) == 10 and top[0]["program"] == best["program"] and abs(top[0]["cpu_s"] - int(best["c"]) / 1e9) < 1e-6,
   "who costs most", top[:1], best)
if lives >= 37 * 100:
    ok(moved and moved[0]["program"] == "worker-7" and abs(moved[0]["ratio"] - 3) < 0.01 and
       all(abs(m["ratio"] - 1) < 0.01 for m in moved[1:]), "whose p99 moved: worker-7, three times", moved[:2])
ok(not lost, "nobody lost records", lost)

# --- the dialect of today ---
script = r"""
const { Session } = require("chdb"), fs = require("fs"), s = new Session();
const { table, rows, questions } = JSON.parse(fs.readFileSync("chdb.json", "utf8"));
s.query(table);
s.query("INSERT INTO ktally FORMAT JSONEachRow\n" + rows);
s.query("INSERT INTO ktally FORMAT JSONEachRow\n" + rows);
const n = s.query("SELECT count() FROM ktally FINAL").trim();
console.log(JSON.stringify({ version: s.query("SELECT version()").trim(), n, answers: questions.map((q) => s.query(q + " FORMAT JSONEachRow")) }));
"""
found = shutil.which("node") and subprocess.run(["node", "-e", "require.resolve('chdb')"], capture_output=True).returncode == 0
if found:
    s = Sink()
    subprocess.run([ktally, "ship", "later.ktl", "--to", s.url], check=True, capture_output=True)
    with open("chdb.json", "w") as f:
        json.dump({"table": table, "rows": "\n".join(json.dumps({k: v for k, v in r.items() if k != "schema"}) for r in s.rows),
                   "questions": [dated(q, middle) for q in QUESTIONS]}, f)
    r = subprocess.run(["node", "-e", script], capture_output=True, text=True, timeout=120)
    said = json.loads(r.stdout) if r.returncode == 0 else {}
    ok(said and int(said["n"]) == lives and len(said["answers"]) == 4 and len(said["answers"][0].splitlines()) == 10,
       "the same table, rows twice and questions in %s" % said.get("version"), r.stderr, r.stdout)
    s.close()
else:
    skip("no chdb")
ch.kill()
end()
