#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# forms.py KTALLY RECORDING - reads every format for machines with other people's
# parsers and compares: names and arguments must come back byte for byte from all of
# them, and every line must have the same number of fields. Prints TAP lines.
import csv, io, json, re, shlex, sqlite3, subprocess, sys

from tap import end, ok, skip

ktally, recording = sys.argv[1:3]


def run(*words):
    p = subprocess.run([ktally, "report", recording, "-q", *words], capture_output=True)
    if p.returncode:
        ok(False, " ".join(words), p.stderr)
    return p.stdout

# What names.rec says.
comm = {4194301: b"two words", 4194302: b"paren (x)", 3: b'q"uote', 4: b"com,ma", 5: b"tab\there",
        6: b"esc\x1b[31m", 7: b"bad\xff\xfe", 8: b"back\\slash", 9: b"=1+1"}
argv = {4194301: [b"two words", b'an argument, with "both"'], 4194302: [b"paren (x)", b""],
        3: [b'q"uote', b"it's", b'""'], 4: [b"com,ma", b"=1+1", b"a;b", b"<b>&amp;"],
        5: [b"tab\there", b"line\nbreak"],
        6: [b"esc\x1b[31m", b"\x1b]0;title\x07", b"\xc2\x9b31m"],
        7: [b"bad\xff\xfe", "café".encode(), "日本語".encode()],
        8: [b"back\\slash", b"\\x41", b"$HOME", b"`id`", b"-"], 9: [b"=1+1", b"@sum", b'""']}

def bash_words(text):
    """What a shell makes of it: printf '%s\\0' for each word."""
    p = subprocess.run(["bash", "-c", b"printf '%s\\0' " + text], capture_output=True, check=True)
    return p.stdout.split(b"\0")[:-1]

def same(rows, name):
    ok(sorted(rows) == sorted(comm), name + ": every process once", sorted(rows))
    for pid in comm:
        got = rows.get(pid, (None, None))
        ok(got[0] == comm[pid], f"{name}: name of {pid}", got[0])
        ok(got[1] == argv[pid], f"{name}: arguments of {pid}", got[1])

def from_csv(text):
    lines = list(csv.reader(io.StringIO(text.decode("utf-8", "surrogateescape"), newline="")))
    ok(len({len(l) for l in lines}) == 1, "csv: the same number of fields in every line",
       [len(l) for l in lines])
    head = lines[0]
    raw = lambda l, f: l[head.index(f)].encode("utf-8", "surrogateescape")
    return {int(raw(l, "pid")): (raw(l, "comm"), bash_words(raw(l, "argv"))) for l in lines[1:]}

def text_of(row, name):
    if name + "_hex" in row:
        v = row[name + "_hex"]
        return [bytes.fromhex(x) for x in v] if isinstance(v, list) else bytes.fromhex(v)
    v = row[name]
    return [x.encode() for x in v] if isinstance(v, list) else v.encode()

def no_duplicates(pairs):
    keys = [k for k, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)

def strict(text):
    def refuse(x):
        raise ValueError(x)
    return json.loads(text.decode("utf-8", "strict"), parse_constant=refuse,
                      object_pairs_hook=no_duplicates)

def from_json(rows):
    return {r["pid"]: (text_of(r, "comm"), text_of(r, "argv")) for r in rows}

def unhide(text):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), text)

def from_raw(text):
    lines = [l.split(b" ") for l in text.split(b"\n")[:-1]]
    ok(len({len(l) for l in lines}) == 1, "raw: the same number of columns in every line")
    head = [h.decode() for h in lines[0]]
    at = lambda l, f: unhide(l[head.index(f)])
    return {int(at(l, "pid")): (at(l, "comm"), bash_words(at(l, "argv"))) for l in lines[1:]}

csv_text = run("--csv")
same(from_csv(csv_text), "csv")
doc = strict(run("--json"))
same(from_json(doc["rows"]), "json")
ok(doc["schema"] == "ktally.report/1", "json: schema")
ok(doc["balance"]["exact"] is True and doc["balance"]["forks"] == 9, "json: balance", doc["balance"])
lines = [strict(l) for l in run("--jsonl").splitlines()]
same(from_json([l for l in lines if l["schema"] == "ktally.report/1"]), "jsonl")
ok([l["schema"] for l in lines[-4:]] ==
   ["ktally.recording/1", "ktally.balance/1", "ktally.network/1", "ktally.ends/1"],
   "jsonl: ends with recording, balance, network and ends")
same(from_raw(run("--raw")), "raw")

# Exact to the last digit, beyond what a double holds.
row = next(r for r in doc["rows"] if r["pid"] == 3)
ok(row["cpu_ns"] == 400000 * 10**9 and row["peak_rss_bytes"] == 700 << 30, "json: large numbers")
ok(row["rx_wire_bytes"] is None, "json: unknown is null")
by_name = list(csv.DictReader(io.StringIO(csv_text.decode("utf-8", "surrogateescape"))))
ok(all(r["rx_wire_bytes"] == "" for r in by_name), "csv: unknown is empty")
for column in ("rx_wire_bytes", "unit", "pid"):
    alone = run("--csv", "-c", column).decode()
    ok([r[column] for r in csv.DictReader(io.StringIO(alone))] == [r[column] for r in by_name],
       "csv: a row is read where %s is all there is" % column, alone)
ok(all(ord(c) >= 32 or c == "\n" for c in run("--json").decode()), "json: no control characters")

# A spreadsheet computes nothing.
safe = list(csv.reader(io.StringIO(run("--csv", "--csv-safe", "-c", "pid,comm").decode(
    "utf-8", "surrogateescape"))))
ok(["9", "'=1+1"] in safe, "csv-safe: a formula becomes text", safe)

# sqlite's own importer, through its shell's parser when it is here.
try:
    p = subprocess.run(["sqlite3", ":memory:", "-cmd", ".mode csv", "-cmd", ".import /dev/stdin t",
                        "select count(*), sum(pid = '4' and comm = 'com,ma') from t;"],
                       input=csv_text, capture_output=True)
    ok(p.stdout.strip() == b"9,1", "csv: sqlite3 imports it", p.stdout + p.stderr)
except FileNotFoundError:
    skip("no sqlite3")

end()
