# SPDX-License-Identifier: GPL-2.0-or-later
#
# engines.py - real servers on loopback, each started from its unpacked package in a
# folder of its own, and asked by its own protocol: ClickHouse, Prometheus,
# VictoriaMetrics, InfluxDB. start() says how long it took (0: it is not there), kill()
# ends it at once.
import atexit
import glob
import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.parse
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
        atexit.register(self.kill)
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


class Scraper(Engine):
    """What scrapes `target` each second, and is asked by Prometheus' API."""
    files = {"scrape.yml": """global:
  scrape_interval: 1s
scrape_configs:
- job_name: ktally
  static_configs:
  - targets: ['{target}']
"""}
    def value(self, question):
        """Of a question with one answer; None: it has none yet."""
        text = fetch(self.url + "/api/v1/query?nocache=1&query=" + urllib.parse.quote(question))
        found = json.loads(text)["data"]["result"]
        return float(found[0]["value"][1]) if len(found) == 1 else None


class Prometheus(Scraper):
    alive = "/-/ready"
    words = ("--config.file={folder}/scrape.yml", "--storage.tsdb.path={folder}/data", "--web.listen-address=127.0.0.1:{port}")

    def version(self):
        return json.loads(fetch(self.url + "/api/v1/status/buildinfo"))["data"]["version"]


class VictoriaMetrics(Scraper):
    alive = "/health"
    words = ("-promscrape.config={folder}/scrape.yml", "-storageDataPath={folder}/data", "-httpListenAddr=127.0.0.1:{port}",
             "-search.latencyOffset=0s")

    def version(self):
        found = re.search(r'vm_app_version\{[^}]*short_version="([^"]*)"', fetch(self.url + "/metrics"))
        return found[1] if found and found[1] else "it does not say which"

    def lines(self, match):
        """Series that Influx's lines became: their labels, milliseconds and values."""
        fetch(self.url + "/internal/force_flush")
        text = fetch(self.url + "/api/v1/export?match[]=" + urllib.parse.quote(match))
        return [json.loads(line) for line in text.splitlines()]


class InfluxDB(Engine):
    files = {"influxdb.conf": """reporting-disabled = true
bind-address = "127.0.0.1:{other}"
[meta]
  dir = "{folder}/meta"
[data]
  dir = "{folder}/data"
  wal-dir = "{folder}/wal"
[http]
  bind-address = "127.0.0.1:{port}"
  log-enabled = false
"""}
    words = ("run", "-config", "{folder}/influxdb.conf")
    alive = "/ping"

    def ask(self, text):
        return json.loads(fetch(self.url + "/query?db=ktally", urllib.parse.urlencode({"q": text}).encode()))["results"][0]

    def version(self):
        with urllib.request.urlopen(self.url + "/ping") as r:
            return r.headers["X-Influxdb-Version"]


# By the package that has them.
ENGINES = {"clickhouse-server": ClickHouse, "prometheus": Prometheus, "victoria-metrics": VictoriaMetrics, "influxdb": InfluxDB}
