#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# measure.py make FOLDER     results with values of many kinds, written as ktally writes them
# measure.py many FOLDER     one of ten million, a third of them alike
# measure.py wide FOLDER     one whose figures take as many columns as there can be
# measure.py check FOLDER    FOLDER/NAME.shown, what `ktally measure show --json NAME.json` said,
#                            against Python's own statistics of the values
import json
import math
import os
import random
import statistics
import sys


def series(values, unit="ns", measure="time", **more):
    row = {"command": 1, "measure": measure, "unit": unit, "stage": "runs", "subject": "x", "repeat": 1, "void": False}
    row.update(more)
    row["values"] = values  # the last member, as it is written
    return row


def durations(scale, n):
    return [int(scale * (5e6 + random.expovariate(1) * 4e5 + (2e6 if random.random() < .03 else 0))) for _ in range(n)]


def write(folder, results):
    for name, rows in results.items():
        with open(os.path.join(folder, name + ".json"), "w") as f:
            json.dump({"schema": "ktally.measure/1", "rows": rows, "measurement": {"kernel": "6.1", "cpus": 2}}, f)


def many(folder):
    random.seed(11)
    write(folder, {"ten-million": [series([random.getrandbits(40) if i % 3 else 5 for i in range(10_000_000)])]})


def wide(folder):
    values = {
        "time": [104_000_000, 999_949_999, 120_000_000], "cpu": [99_949, 99_951, 999_949], "wall": [9_999, 99_999, 999_950],
        "user": [1_000_000, 9_999_499, 999_951_000], "system": [59_999_999_999, 61_000_000_000, 999_949_000_000],
    }
    rows = []
    for command in 1, 2:
        rows += [series(v, measure=m, command=command) for m, v in values.items()]
        rows.append(series([99999, 100000, 1234567], "count", "minor faults", command=command))
        rows.append(series([1047552, 1048575, 1073741823], "bytes", "peak memory", command=command))
    write(folder, {"wide": rows})


def make(folder):
    random.seed(7)
    repeats = [series(durations(1, 50), repeat=i + 1, void=i == 3) for i in range(5)]
    results = {
        "durations": [series(durations(1, 1000))],
        "slower": [series(durations(1.1, 1000))],
        "twin": [series(durations(1, 1000))],
        "ties": [series([7] * 500 + [8] * 3)],
        "equal": [series([5, 5, 5, 5])],
        "ramp": [series(list(range(1, 1002)))],
        "one": [series([123456789])],
        "two": [series([1, 2])],
        "zeros": [series([0] * 30)],
        "big": [series([2 ** 52 - 1000 * i for i in range(20)])],
        "decimals": [series([round(random.uniform(0, 1e6), 6) for _ in range(300)], unit="none")],
        "humps": [series([random.choice([1000, 9000000]) + random.randrange(9) for _ in range(2001)], unit="bytes")],
        "many": [series([random.getrandbits(40) for _ in range(100000)])],
        "repeats": repeats,
    }
    write(folder, results)


def wanted(values):
    v = sorted(values)
    n = len(v)
    want = {"runs": n, "min": v[0], "max": v[-1], "total": math.fsum(v), "mean": statistics.fmean(v), "median": statistics.median(v)}
    if n > 1:
        q = statistics.quantiles(v, n=1000, method="inclusive")
        want.update(sd=statistics.stdev(v), p25=q[249], p75=q[749])
        far = 3 * (want["p75"] - want["p25"])
        want["outliers"] = sum(x < want["p25"] - far or x > want["p75"] + far for x in v)
        for name, place, least in ("p90", 899, 10), ("p99", 989, 100), ("p999", 998, 1000):
            want[name] = q[place] if n >= least else None
    # the median lies between these order statistics unless 2.5 % of coin tosses say so
    tosses, k = 0, 0
    while n <= 1000 and tosses + math.comb(n, k) <= 2 ** n * .025:
        tosses += math.comb(n, k)
        k += 1
    if n <= 1000:
        want["low"], want["high"] = (v[k - 1], v[n - k]) if k else (None, None)
    return want


def near(want, got):
    if want is None or got is None:
        return want is got
    return abs(want - got) <= 1e-9 * max(abs(want), 1)


def judge(name, row, want):
    wrong = [f"{key}: {row[key]}, not {value}" for key, value in want.items() if not near(value, row[key])]
    for w in wrong:
        print(f"# {name}: {w}")
    return not wrong


def check(folder):
    good = True
    for name in sorted(n[:-6] for n in os.listdir(folder) if n.endswith(".shown")):
        with open(os.path.join(folder, name + ".json")) as f:
            rows = json.load(f)["rows"]
        with open(os.path.join(folder, name + ".shown")) as f:
            shown = json.load(f)["rows"]
        for row in shown:
            its = [r["values"] for r in rows if not r["void"] and row["repeat"] in (None, r["repeat"])]
            if not its:
                good &= judge(name, row, {"runs": 0, "mean": None, "median": None, "p25": None})
                continue
            want = wanted([v for values in its for v in values])
            if row["repeat"] is None:
                medians = [statistics.median(v) for v in its]
                want["spread"] = statistics.stdev(medians)
                half = 3.182446305284263 * want["spread"] / 2  # Student's t, three degrees of freedom, n = 4
                want["low"] = statistics.fmean(medians) - half
                want["high"] = statistics.fmean(medians) + half
                for key in ("spread", "low", "high"):  # medians are rounded to steps
                    good &= abs(want.pop(key) / row[key] - 1) < 1e-5
            good &= judge(name, row, want)
            if row["repeat"] is not None and row["values"] != its[0]:
                print(f"# {name}: other values")
                good = False
    return good


if __name__ == "__main__":
    if sys.argv[1] == "check":
        sys.exit(0 if check(sys.argv[2]) else 1)
    {"make": make, "many": many, "wide": wide}[sys.argv[1]](sys.argv[2])
