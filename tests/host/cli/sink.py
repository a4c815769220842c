# SPDX-License-Identifier: GPL-2.0-or-later
#
# sink.py - a server for ktally ship that misbehaves on request, and recordings of
# simulated machines for it.
import gzip
import json
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = ("boot_id", "load_id", "session", "cpu", "seq")


class Sink:
    """Keeps what it takes. `script` has a word per request, then all are taken:
    take, lose (takes, and hangs up before it answers), hang, cut (hangs up within the
    body), words (answers 200 with words), or a status."""

    def __init__(self, script=()):
        self.script = list(script)
        self.rows, self.keys, self.bodies, self.requests = [], set(), [], []
        self.lock = threading.Lock()
        sink = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                sink.answer(self)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # who was killed hangs up
        self.port = self.server.server_address[1]
        self.url = "http://127.0.0.1:%d/" % self.port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, h):
        with self.lock:
            word = self.script.pop(0) if self.script else "take"
            self.requests.append((h.path, dict(h.headers), word))
        size = int(h.headers["Content-Length"])
        if word == "cut":
            h.rfile.read(min(size, 100))
            h.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            h.connection.close()
            h.close_connection = True
            return
        body = h.rfile.read(size)
        if word == "hang":
            time.sleep(3)
            h.close_connection = True
            return
        if word in ("take", "lose", "words"):
            self.take(body)
        if word == "lose":
            h.connection.shutdown(socket.SHUT_RDWR)
            h.close_connection = True
            return
        words = b"" if word == "take" else b"Code: 60, \033[31mno such table\nmore"
        h.send_response(200 if word in ("take", "words") else int(word))
        h.send_header("Content-Length", str(len(words)))
        h.end_headers()
        h.wfile.write(words)

    def take(self, body):
        text = gzip.decompress(body).decode()
        with self.lock:
            self.bodies.append((len(body), len(text)))
            for line in text.splitlines():
                row = json.loads(line) if line[0] == "{" else line
                self.rows.append(row)
                self.keys.add(tuple(row[k] for k in KEY) if line[0] == "{" else line)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def machine(mkrec, path, number, lives, begin=1.0, first=1000, slow=None):
    """A recording of `lives` short processes on two CPUs of simulated machine `number`;
    those of the program `slow` take three times as long."""
    lines = ["host node%02d" % number, "boot %08d-0000-4000-8000-000000000000" % number,
             "%f walk_begin walk=1 purpose=opening" % begin, "%f task pid=1 start=0 comm=init walk=1 live=1" % begin,
             "%f walk_end walk=1 purpose=opening tasks=1" % begin]
    step = 0.0001
    ends = []
    for i in range(lives):
        pid, t = first + i, begin + 0.001 + 3 * step * i
        end = t + step * (6 if i % 37 == slow else 2)
        for at, what in ((t, "fork pid=%d ppid=1" % pid),
                         (t + step, 'exec pid=%d argv="worker-%d --token secret-%d"' % (pid, i % 37, i)),
                         (end, "exit pid=%d code=%d runtime=%dus utime=%dus peak_rss=%dK read_bytes=%d" %
                          (pid, i % 5 == 0, 100 + i % 1000, 60 + i % 500, 800 + i % 4000, 4096 * (i % 9)))):
            ends.append((at, i % 2, what))
    for at, cpu, what in sorted(ends, key=lambda e: e[0]):
        lines += ["cpu %d" % cpu, "%.9f %s" % (at, what)]
    subprocess.run([mkrec, "-o", path], input="\n".join(lines) + "\n", text=True, check=True)
