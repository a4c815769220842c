#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# terminal.py KTALLY NAMES BUILD BOOT - tables on real terminals of every width, colours,
# the pager. Prints TAP lines.
import os, pty, re, subprocess, sys, termios, fcntl, struct, unicodedata, tempfile

from tap import end, ok

ktally, names, build, boot = sys.argv[1:5]


def on_terminal(words, columns, env=None, keep=()):
    """Bytes that a terminal of so many columns gets."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    mode = termios.tcgetattr(slave)
    mode[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, mode)
    e = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "PAGER", "KTALLY_PAGER")}
    e.update(env or {})
    p = subprocess.Popen([ktally, *words], stdout=slave, stderr=subprocess.PIPE, env=e)
    os.close(slave)
    out = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.close(master)
    p.stderr.read()
    return out, p.wait()

def width(text):
    return sum(0 if unicodedata.combining(c) else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)

def table(out):
    lines = out.decode("utf-8", "strict").split("\n")
    return [l for l in lines if l and not re.match(r"(\d[\d,]* process|balance|lost|not in)", l)]

for columns, from_env in ((20, True), (40, True), (80, True), (80, False), (132, False), (300, True),
                          (0, False)):
    env = {"COLUMNS": str(columns)} if from_env else {}
    what = f"{columns} columns by {'COLUMNS' if from_env else 'the terminal'}"
    out, status = on_terminal(["report", names, "--no-pager", "-q"], 99 if from_env else columns, env)
    rows = table(out)
    ok(status == 0, f"{what}: exit status", status)
    ok(len(rows) == 10, f"{what}: one line per process and the header", rows)
    ok(not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]",
                     re.sub(rb"\x1b\[[0-9;]*m", b"", out)), f"{what}: no control bytes", out)
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", r) for r in rows]
    ok(all(re.match(r" *\d+  ", r) for r in plain[1:]), f"{what}: a blank behind every number")
    ok("4194301" in plain[1] and any("700.0G" in r for r in plain), f"{what}: no number is cut")
    limit = max(columns or 80, 75)
    ok(all(width(r) <= limit for r in plain), f"{what}: no line is too long",
       max(width(r) for r in plain))
    if columns == 80:
        ok(any(r.endswith("…") for r in plain), f"{what}: what is cut says so", plain)
    if columns == 300:
        ok(not any(r.endswith("…") for r in plain), f"{what}: nothing is cut")

wide, _ = on_terminal(["report", names, "--no-pager", "--wide"], 40)
ok("an argument, with" in wide.decode() and "…" not in wide.decode(), "--wide cuts nothing")
pipe = subprocess.run([ktally, "report", names], capture_output=True, env={**os.environ, "COLUMNS": "20"})
ok(b"an argument, with" in pipe.stdout and "…".encode() not in pipe.stdout, "a pipe cuts nothing")
ok(b"\x1b[" not in pipe.stdout.replace(b"\\x1b[", b""), "a pipe gets no colour")

csv, _ = on_terminal(["report", names, "--csv", "-c", "comm,argv"], 80)
ok(b"\x1b" not in csv and b"\\x1b" in csv, "CSV on a terminal has no control bytes either", csv)

# What people look at first, on the smallest terminal they have.
for words in ("boot time", "boot blame", "boot blame --all", "boot blame --by script", "boot chain",
              "boot time --gaps", "boot time --every 1", "commands", "commands --runs", "commands --steps"):
    out, status = on_terminal([*words.split(), boot, "--no-pager"], 80)
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", l) for l in out.decode().split("\n")]
    ok(status == 0 and max(map(width, lines)) <= 80, f"{words} fits 80 columns", max(lines, key=width))
out, _ = on_terminal(["boot", "blame", boot, "--no-pager"], 80)
ok(any(re.search(r"…   waiting \d+%$", l) for l in out.decode().split("\n")),
   "blame cuts the command, not how much of it was waiting", out)

plain = ["report", build, "--no-pager"]
red = b"\x1b[31m"
ok(red in on_terminal(plain, 80)[0], "a terminal gets colour")
ok(red not in on_terminal(plain, 80, {"NO_COLOR": "1"})[0], "NO_COLOR switches it off")
ok(red in on_terminal(plain, 80, {"NO_COLOR": ""})[0], "an empty NO_COLOR does not")
ok(red in on_terminal(plain + ["--color=always"], 80, {"NO_COLOR": "1"})[0],
   "--color=always beats NO_COLOR")
ok(red not in on_terminal(plain, 80, {"TERM": "dumb"})[0], "TERM=dumb switches it off")
ok(red not in on_terminal(plain + ["--color", "never"], 80)[0], "--color never")
coloured = on_terminal(plain, 80)[0]
ok(re.sub(rb"\x1b\[[0-9;]*m", b"", coloured) == on_terminal(plain + ["--color=never"], 80)[0],
   "colour changes nothing but colour")

with tempfile.TemporaryDirectory() as d:
    seen = d + "/seen"
    on_terminal(["report", build], 80, {"KTALLY_PAGER": f"cat > {seen}"})
    ok(os.path.exists(seen) and b"make -j2" in open(seen, "rb").read(), "KTALLY_PAGER is run")
    os.path.exists(seen) and os.remove(seen)
    on_terminal(["report", build], 80, {"KTALLY_PAGER": "", "PAGER": f"cat > {seen}"})
    ok(not os.path.exists(seen), "an empty KTALLY_PAGER means none")
    on_terminal(["report", build, "--no-pager"], 80, {"PAGER": f"cat > {seen}"})
    ok(not os.path.exists(seen), "--no-pager means none")
    out, status = on_terminal(["report", build], 80, {"PAGER": "true"})
    ok(status == 0, "a pager that is left at once is no error", status)
    out, status = on_terminal(["report", build], 80, {"PAGER": "no-such-pager-here"})
    ok(status == 0 and b"make -j2" in out, "without the pager the table comes by itself", out)
    on_terminal(["report", build, "--csv"], 80, {"PAGER": f"cat > {seen}"})
    ok(not os.path.exists(seen), "formats for machines are never paged")

utf8 = subprocess.run([ktally, "tree", build, "-a"], capture_output=True, text=True).stdout
c = subprocess.run([ktally, "tree", build, "-a"], capture_output=True,
                   env={**os.environ, "LC_ALL": "C"}).stdout
ok("├─" in utf8 and ">=" in utf8, "UTF-8: its signs, one column a byte before them in pipes")
ok(c.isascii() and b"|- " in c and b">=" in c, "C: ASCII only", c)


# Letters that the locale lacks: nothing hangs, and they are spelt out.
c = subprocess.run([ktally, "report", names], capture_output=True, timeout=60,
                   env={**os.environ, "LC_ALL": "C"}).stdout
ok(c.isascii() and b"caf\\xc3\\xa9" in c, "C: other letters are spelt out", c)
env = {k: v for k, v in os.environ.items() if not k.startswith("LC_")}
c = subprocess.run([ktally, "report", names], capture_output=True, timeout=60,
                   env={**env, "LANG": "xx_XX.UTF-8"}).stdout
ok("café 日本語" in c.decode(), "a UTF-8 locale that is not installed: letters as they are", c)

end()
