# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile.py KTALLY FOLDER - a recording of hostile names through every output: what a
terminal, a spreadsheet, a browser or a parser would obey must not be in it."""
import csv
import html.parser
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree

from tap import end, ok

ktally, folder = sys.argv[1:3]
recording = os.path.join(folder, "hostile.ktl")


def run(*words, path=None):
    got = subprocess.run([ktally, *[recording if w == "?" else w for w in words]], stdin=subprocess.DEVNULL,
                         capture_output=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
    ok(got.returncode in (0, 1), " ".join(words).replace("?", "FILE"), got.stderr)
    if path:
        with open(path, "rb") as f:
            return f.read()
    return got.stdout, got.stderr


def controls(data):
    return [hex(b) for b in data if (b < 0x20 and b != 0x0a) or b == 0x7f]


def quiet(what, out, err=b""):
    bad = controls(out) + controls(err)
    ok(not bad and out, "no control byte: " + what, bad or "nothing was shown")
    ok(b"\xc2\x9b" not in out, "no C1 control: " + what)


# --- terminals ---
for words in (["report", "?", "-a", "--wide"], ["report", "?", "-a", "--human"], ["tree", "?", "-a"],
              ["commands", "?", "-a"], ["commands", "?", "-a", "--runs"], ["dump", "?"],
              ["report", "?", "-a", "--by", "cgroup"], ["report", "?", "-a", "--by", "command"],
              ["boot", "blame", "?", "-a"], ["boot", "time", "?"], ["boot", "chain", "?"], ["diff", "?", "?"],
              ["report", "?", "-a", "--raw"], ["export", "?", "--to", "folded", "--args", "-a"]):
    quiet(" ".join(words), *run(*words))
quiet("an unknown file's name", b"x", subprocess.run(
    [ktally, "report", "\x1b[31m.ktl"], capture_output=True).stderr)

# --- spreadsheets ---
rows = list(csv.reader(io.StringIO(run("report", "?", "-a", "--csv", "--csv-safe")[0].decode("utf-8", "replace"), newline="")))
cells = [c for r in rows[1:] for c in r]
ok(len({len(r) for r in rows}) == 1, "CSV: every line has as many fields", [len(r) for r in rows])
number = re.compile(r"-?[0-9.]+$")
bad = [c for c in cells if c[:1] in tuple("=+-@\t\r") and not number.match(c)]
ok(not bad, "CSV: no field that is a formula", bad)
plain = list(csv.reader(io.StringIO(run("report", "?", "-a", "--csv")[0].decode("utf-8", "replace"), newline="")))
ok(len({len(r) for r in plain}) == 1 and len(plain) == len(rows), "CSV as it is: a line per process")

# --- parsers ---
def strict(text):
    return json.loads(text.decode("utf-8"), strict=True)


document = strict(run("report", "?", "-a", "--json")[0])
named = [r for r in document["rows"] if r["pid"] == 100][0]
ok("\x1b[31m" in named["argv"] and "</script><script>alert(1)</script>" in named["argv"],
   "JSON: arguments are what they were", named["argv"])
for line in run("report", "?", "-a", "--jsonl")[0].splitlines():
    strict(line)
ok(True, "JSON lines: each is a document")
strict(run("tree", "?", "-a", "--json")[0])
events = strict(run("export", "?", "--to", "chrome", "--args", "-a")[0])
ok(any("alert(1)" in json.dumps(e) for e in events["traceEvents"]), "Chrome: names are in it, as text")
for line in run("export", "?", "--to", "folded", "--args", "-a", "--weight", "time")[0].splitlines():
    ok(re.match(rb"[^\x00-\x1f]+ [0-9]+$", line), "folded: a stack and a number", line)

label = rb'[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"'
sample = re.compile(rb"ktally_[a-z_]+(?:\{(?:" + label + rb",?)*\})? [0-9.e+-]+(?: [0-9.]+)?$")
lines = [n for n in run("export", "?", "--to", "openmetrics", "--by", "cgroup", "-a")[0].splitlines() if n[:1] != b"#"]
bad = [n for n in lines if not sample.match(n)]
ok(lines and not bad, "OpenMetrics: samples only", bad)

# --- browsers ---
class Page(html.parser.HTMLParser):
    """Elements and attributes that came of names would be here."""
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [tag] if tag in ("img", "iframe", "object", "embed", "base") else []
        self.found += [k for k, v in attrs if k.startswith("on") or (k in ("src", "href") and v and not v.startswith(("#", "data:")))]


def plot(kind):
    path = os.path.join(folder, "plot." + kind)
    return run("boot", "plot", "?", "-o", path, path=path).decode("utf-8")


svg = plot("svg")
tree = xml.etree.ElementTree.fromstring(svg)
attributes = [k for e in tree.iter() for k in e.attrib if k.lower().startswith("on")]
ok(not attributes, "SVG: well-formed, no handler", attributes)
ok("<script>alert" not in svg and "<img" not in svg, "SVG: markup is text")
page = plot("html")
seen = Page()
seen.feed(page)
ok(not seen.found, "HTML: nothing loaded, no handler", seen.found)
ok("<script>alert" not in page and "</script><script" not in page, "HTML: a name ends no script")

# --- a database ---
path = os.path.join(folder, "hostile.db")
run("export", "?", "--to", "sqlite", "--args", "-a", "-o", path, path=path)
base = sqlite3.connect(path)
tables = [r[0] for r in base.execute("select name from sqlite_master where type = 'table'")]
rows = [str(r) for t in tables for r in base.execute("select * from \"%s\"" % t)]
ok(any("DROP TABLE processes" in r for r in rows), "SQLite: statements are text")
ok(os.stat(path).st_mode & 0o777 & ~0o644 == 0, "SQLite: nobody else writes it")

end()
