# SPDX-License-Identifier: GPL-2.0-or-later
"""
Debian's programs that collect the tools' output for monitoring: node_exporter with its textfile
collector, promtool, InfluxDB. Each runs on a loopback port that the kernel chose, as long as its
`with` lasts.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from . import cache
from .util import VmError, run, start, stop

LIMIT = 60.0  # seconds, of every wait

# Environment without proxies: all requests go to this machine.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def promtool(text):
    """Return promtool's errors for a text of metrics; empty: none."""
    done = run(cache.program("monitoring", "promtool") + ["check", "metrics"], LIMIT, "promtool",
               input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode and not done.stdout.strip():
        return "promtool ended with %d" % done.returncode
    return done.stdout.strip()


class _Server:
    """A program that logs the address on which it listens."""

    def __init__(self, binary, listens):
        self.folder = tempfile.mkdtemp(prefix="roc-%s-" % binary)
        self._binary, self._listens = binary, listens
        self._log = os.path.join(self.folder, "log")
        self._process = None
        self.address = None

    def arguments(self):
        raise NotImplementedError

    def log(self):
        with open(self._log, errors="replace") as f:
            return f.read()

    def __enter__(self):
        try:
            with open(self._log, "w") as log:
                self._process = start(cache.program("monitoring", self._binary) + self.arguments(),
                                      stdin=subprocess.DEVNULL, stdout=log,
                                      stderr=subprocess.STDOUT, cwd=self.folder)
            deadline = time.monotonic() + LIMIT
            while self.address is None:
                found = re.search(self._listens, self.log())
                if found:
                    self.address = "http://" + found.group(1)
                elif self._process.poll() is not None or time.monotonic() > deadline:
                    raise VmError("%s does not listen:\n%s" % (self._binary, self.log()))
                else:
                    time.sleep(0.05)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        if self._process:
            stop(self._process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, path, data=None):
        """(HTTP status, text)"""
        try:
            with _opener.open(self.address + path, data, LIMIT) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()


class NodeExporter(_Server):
    """Collects the *.prom of a directory."""

    def __init__(self, directory):
        super().__init__("prometheus-node-exporter", r'msg="Listening on" address=(127\.0\.0\.1:\d+)')
        self._directory = directory

    def arguments(self):
        return ["--web.listen-address=127.0.0.1:0", "--collector.disable-defaults",
                "--collector.textfile", "--collector.textfile.directory=" + self._directory]

    def scrape(self):
        status, text = self.ask("/metrics")
        if status != 200:
            raise VmError("node_exporter answers %d:\n%s" % (status, text))
        return Exposition(text)

    def complaints(self):
        """Return lines of its log about the files."""
        return [line for line in self.log().splitlines()
                if "level=ERROR" in line or "level=WARN" in line and "as root" not in line]


class Exposition:
    """The text of a scrape: types and samples by name."""

    _SAMPLE = re.compile(r'([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$')
    _LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')

    def __init__(self, text):
        self.types, self.samples = {}, {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ", 3)
                self.types[name] = kind
            elif line and not line.startswith("#"):
                name, labels, value = self._SAMPLE.match(line).groups()
                key = frozenset(self._LABEL.findall(labels or ""))
                self.samples.setdefault(name, {})[key] = float(value)

    def type_of(self, sample):
        """The type of the family that a sample's name belongs to."""
        family = re.sub("_(bucket|sum|count)$", "", sample)
        return self.types[family] if self.types.get(family) == "histogram" else (
            self.types.get(sample))


class InfluxDb(_Server):
    """A server of its own with one empty database."""

    def __init__(self):
        super().__init__("influxd", r'msg="Listening on HTTP".* addr=(127\.0\.0\.1:\d+)')

    def arguments(self):
        config = os.path.join(self.folder, "influxdb.conf")
        with open(config, "w") as f:
            f.write('reporting-disabled = true\nbind-address = "127.0.0.1:0"\n'
                    '[meta]\ndir = "%s/meta"\n[data]\ndir = "%s/data"\nwal-dir = "%s/wal"\n'
                    '[http]\nbind-address = "127.0.0.1:0"\n[monitor]\nstore-enabled = false\n'
                    % (self.folder, self.folder, self.folder))
        return ["-config", config]

    def __enter__(self):
        super().__enter__()
        try:
            self._query("CREATE DATABASE roc")
        except BaseException:
            self.__exit__()
            raise
        return self

    def _query(self, query):
        data = urllib.parse.urlencode({"q": query, "db": "roc"}).encode()
        status, text = self.ask("/query", data)
        if status != 200:
            raise VmError("InfluxDB answers %d to %s: %s" % (status, query, text))
        return json.loads(text)["results"][0].get("series", [])

    def write(self, lines):
        """Return InfluxDB's errors for these lines; empty: none."""
        status, text = self.ask("/write?db=roc&precision=ns", lines.encode())
        return "" if status == 204 else "%d: %s" % (status, text.strip())

    def tags(self):
        """Tag keys by measurement."""
        return {s["name"]: {key for key, in s["values"]} for s in self._query("SHOW TAG KEYS")}

    def rows(self, measurement):
        """Points as dictionaries."""
        series = self._query('SELECT * FROM "%s"' % measurement)
        return [dict(zip(s["columns"], row)) for s in series for row in s["values"]]
