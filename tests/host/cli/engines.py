# SPDX-License-Identifier: GPL-2.0-or-later
#
# engines.py - real servers on loopback, each started from its unpacked package in a
# folder of its own, and asked by its own protocol. start() says how long it took (0: it
# is not there), kill() ends it at once.
import glob
import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def fetch(url, data=None, timeout=60):
    """The body as text; what the server refuses is a RuntimeError with its words."""
    try:
        with urllib.request.urlopen(url, data, timeout=timeout) as r:
            return r.read().decode()
    except urllib.error.HTTPError as e:
        raise RuntimeError(e.read().decode()) from e


class Engine:
    files = {}      # name: text, with {folder}, {port}, {other} and what the engine was given
    words = ()      # of the command line, the same
    alive = "/"     # answers 2xx when it is there
    environment = {}

    def __init__(self, program, folder, **given):
        self.program, self.port = program, free_port()
        self.folder = os.path.join(folder, type(self).__name__.lower())
        os.mkdir(self.folder)
        self.url = "http://127.0.0.1:%d" % self.port
        given.update(folder=self.folder, port=self.port, other=free_port())
        self.command = [word.format(**given) for word in self.words]
        for name, text in self.files.items():
            with open(os.path.join(self.folder, name), "w") as f:
                f.write(text.format(**given))

    def start(self, limit=60):
        log = open(os.path.join(self.folder, "said"), "ab")
        # Libraries that were unpacked beside it, and are not installed.
        beside = glob.glob(os.path.join(os.path.dirname(self.program), "../lib/*-linux-gnu*"))
        self.process = subprocess.Popen([self.program, *self.command], cwd=self.folder, stdout=log, stderr=log,
                                        env={**os.environ, "LD_LIBRARY_PATH": ":".join(beside), **self.environment})
        begun = time.monotonic()
        while time.monotonic() - begun < limit and self.process.poll() is None:
            try:
                fetch(self.url + self.alive)
                return time.monotonic() - begun
            except (OSError, RuntimeError):
                time.sleep(0.1)
        return 0

    def kill(self):
        self.process.kill()
        self.process.wait()


class ClickHouse(Engine):
    files = {
        "config.xml": """<yandex><logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
<http_port>{port}</http_port><tcp_port>{other}</tcp_port><listen_host>127.0.0.1</listen_host><path>{folder}/data/</path>
<tmp_path>{folder}/tmp/</tmp_path><mark_cache_size>10000000</mark_cache_size><users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database></yandex>""",
        "users.xml": """<yandex><profiles><default/></profiles><users><default><password></password><networks><ip>127.0.0.1</ip>
</networks><profile>default</profile><quota>default</quota></default></users><quotas><default/></quotas></yandex>""",
    }
    words = ("--config-file={folder}/config.xml",)
    environment = {"TZ": "UTC"}

    def ask(self, text):
        return fetch(self.url + "/", text.encode())

    def rows(self, text):
        return [json.loads(line) for line in self.ask(text + " FORMAT JSONEachRow").splitlines()]

    def version(self):
        return self.ask("SELECT version()").strip()
