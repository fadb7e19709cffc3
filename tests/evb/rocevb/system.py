# SPDX-License-Identifier: GPL-2.0-or-later
"""
A system of event building: its nodes as processes, their output, and how they end.

Each node is `roc-evb node`, which prints a JSON line each second. A thread collects the lines. Waits
have a limit, which is longer on a slow machine.
"""

import collections
import json
import os
import signal
import struct
import subprocess
import threading
import time

from . import net
from .pace import PACE, slowness

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.path.join(TOP, os.environ.get("O", "build"))
ROC = os.path.join(BUILD, "utils", "roc")
BAD_LINK = os.path.join(BUILD, "evb", "bad_link")
CLOCK = os.path.join(BUILD, "evb", "clock.so")
ENVIRONMENT = dict(os.environ, LD_LIBRARY_PATH=os.path.join(BUILD, "libroc"))


LINES = 60  # kept lines of each node
PATIENCE = 3  # factor for waits that usually end at once


def wait(what, seconds):
    """Wait until @what() is true, or the time is over. Return whether it became true."""
    until = time.monotonic() + PATIENCE * seconds * slowness()
    while not what():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


class Node:
    """One node; @k is its namespace."""

    def __init__(self, network, k, name, argv, directory, environment=None):
        self.k, self.name, self.other_lines = k, name, []
        self.lines = collections.deque(maxlen=LINES)
        self.lock = threading.Lock()
        self.log = open(os.path.join(directory, "%s-%d.log" % (name, int(time.time() * 1000))),
                        "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            network.inside(k) + [ROC, "evb", "node", "--name=" + name, *argv],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True,
            env=dict(ENVIRONMENT, **(environment or {})), preexec_fn=net.end_with_parent)
        PACE.watch(name, self.process.pid)
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self):
        for line in self.process.stdout:
            try:
                values = json.loads(line)
            except ValueError:
                values = None
            with self.lock:
                if isinstance(values, dict):
                    values["at"] = time.monotonic()
                    self.lines.append(values)
                else:
                    self.other_lines.append(line)

    def last(self):
        """The newest line, {} before the first one."""
        with self.lock:
            return self.lines[-1] if self.lines else {}

    def number(self, way):
        """A number in the newest line by its path, as in "sinkOut.count"; 0: missing."""
        at = self.last()
        for key in way.split("."):
            at = at.get(key, {}) if isinstance(at, dict) else {}
        return at if isinstance(at, (int, float)) else 0

    def messages(self):
        """The messages of the node."""
        self.log.flush()
        with open(self.log.name, encoding="utf-8", errors="replace") as f:
            return f.read()

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def wait(self, seconds):
        """Exit status; None: the node did not end."""
        try:
            status = self.process.wait(PATIENCE * seconds * slowness())
        except subprocess.TimeoutExpired:
            return None
        self.thread.join(5)
        return status

    def stop(self, seconds=20):
        """End the node in order; exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.wait(seconds)
        if status is None:
            self.kill()
        return status


class Clock:
    """The clock of one node, which may be wrong."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "clock")
        self.environment = {"LD_PRELOAD": CLOCK, "ROC_TEST_CLOCK": self.path}
        self.set(0)

    def set(self, seconds):
        """Set the clock ahead by this time."""
        with open(self.path, "r+b" if os.path.exists(self.path) else "wb") as f:
            f.write(struct.pack("=q", round(seconds * 1e9)))


class System:
    """Nodes n1 to n@count, each readout unit and builder, and the manager m beside the bridge."""

    def __init__(self, network, directory, source, sink, count=None, policy="barrel-shift",
                 stale=500, lease=1000, options=(), kinds=None, etcd=None):
        self.network, self.directory, self.count = network, directory, count or network.count
        self.nodes, self.kinds, self.stale = {}, kinds or {}, stale / 1000
        self.options = ["--json", "--sink=" + sink, "--stale=%d" % stale, *options]
        self.source = source
        self.config = os.path.join(directory, "evb.conf")
        self.coordinator = etcd or "static:" + self.config
        self.metrics = os.path.join(directory, "m.prom")
        self.manager_options = ["--json", "--metrics=" + self.metrics]
        if etcd:
            self.options += ["--lease=%d" % lease]
            self.manager_options += ["--lease=%d" % lease, "--policy=" + policy,
                                     "--readouts=%d" % self.count, "--builders=%d" % self.count]
        with open(self.config, "w", encoding="utf-8") as f:
            f.write("[system]\nname = test\npolicy = %s\nreadouts = %d\nbuilders = %d\n"
                    "lease-ms = %d\n\n[m]\nroles = manager\nhost = %s\n" % (
                        policy, self.count, self.count, lease, net.address(254)))
            for k in range(1, self.count + 1):
                f.write("\n[n%d]\nroles = readout builder\nhost = %s\n" % (k, net.address(k)))

    def start_manager(self):
        roles = [] if self.coordinator.startswith("static:") else ["--roles=manager"]
        self.nodes["m"] = Node(self.network, 0, "m",
                               ["--coordinator=" + self.coordinator, *roles,
                                *self.manager_options], self.directory)
        return self.nodes["m"]

    def unit(self, name, family):
        """A metric of the manager for a readout unit; None: missing."""
        try:
            with open(self.metrics, encoding="utf-8") as f:
                lines = [line.split() for line in f]
        except FileNotFoundError:
            return None
        values = [float(line[1]) for line in lines if len(line) == 2 and
                  line[0].startswith("roc_evb_unit_%s{" % family) and
                  'unit="%s"' % name in line[0]]
        return values[0] if values else None

    def start(self, k, environment=None):
        """@environment: additional variables of the process."""
        name = "n%d" % k
        roles = [] if self.coordinator.startswith("static:") else [
            "--roles=readout,builder", "--host=" + net.address(k)]
        self.nodes[name] = Node(
            self.network, k, name,
            ["--coordinator=" + self.coordinator, "--source=" + self.kinds.get(k, self.source),
             *roles, *self.options], self.directory, environment)
        return self.nodes[name]

    def start_all(self):
        self.start_manager()
        for k in range(1, self.count + 1):
            self.start(k)

    def builders(self):
        return [n for name, n in self.nodes.items() if name != "m"]

    def names(self):
        """All builders, in the order of tables."""
        return ["n%d" % k for k in range(1, self.count + 1)]

    def complete(self, but=()):
        """Complete blocks so far, without those of some builders."""
        return sum(n.number("complete") for n in self.builders() if n.name not in but)

    def builds(self, but=(), seconds=15, more=10):
        """Wait until each builder, except some, has built @more complete blocks."""
        before = {n.name: n.number("complete") for n in self.builders() if n.name not in but}
        return wait(lambda: all(self.nodes[name].number("complete") >= was + more
                                for name, was in before.items()), seconds)

    def stop_all(self):
        """End all nodes in order, the manager last. Return the names of those that failed."""
        nodes = self.builders()
        for node in nodes:
            if node.process.poll() is None:
                node.signal(signal.SIGTERM)
        bad = ["%s (%s)" % (n.name, s) for n in nodes for s in [n.wait(20)] if s]
        bad += [n.name for n in nodes if n.process.poll() is None]
        if "m" in self.nodes and self.nodes["m"].stop():
            bad.append("m")
        return bad

    def end(self):
        for node in self.nodes.values():
            if node.process.poll() is None:
                node.kill()
