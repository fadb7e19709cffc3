# SPDX-License-Identifier: GPL-2.0-or-later
"""
Measure all four flows of a node at once: in from its source, out to builders, in from readout
units, and out to the farm, which is a roc-recv. Two nodes on this machine have all flows; for
comparison the parts run alone, too.
"""

import json
import os
import shutil
import subprocess
import tempfile

from rocevb.system import ENVIRONMENT, ROC, Node, wait

from .arithmetic import mean_rate
from .rate import Here, free_port, ours

FLOWS = ("sourceIn", "sent", "received", "sinkOut")
SIZE, EVENTS, SEGMENT = 64 << 10, 4, 512 << 10
BUFFER = "--buffer-size=%d" % (64 << 20)


class Farm:
    """A roc-recv with its own port."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [ROC, "recv", "--no-errorcheck", "--port=0", "--bind=127.0.0.1", "--connections=1",
             BUFFER, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=ENVIRONMENT)
        self.port = self.process.stderr.readline().rsplit(" ", 1)[1].strip(".\n")

    def end(self):
        self.process.kill()
        self.process.wait()


def sent_alone():
    """Return bytes per second of roc-send to a farm, with nothing else running."""
    farm = Farm("--once")
    try:
        done = subprocess.run(
            [ROC, "send", "127.0.0.1", "--port=" + farm.port, "--synthetic",
             "--superpage-size=%d" % (EVENTS * SIZE), BUFFER, "--units=4000", "--json"],
            check=True, stdout=subprocess.PIPE, env=ENVIRONMENT, timeout=120)
    finally:
        farm.end()
    result = json.loads(done.stdout)
    return result["bytes"] / result["seconds"]


def together(seconds):
    """Return {node: {flow: bytes per second}} with all flows at once."""
    directory = tempfile.mkdtemp(prefix="roc-evb-flows-")
    config, farms, nodes = os.path.join(directory, "evb.conf"), [], []
    with open(config, "w", encoding="utf-8") as f:
        f.write("[system]\nname = flows\nreadouts = 2\nbuilders = 2\nlease-ms = 20000\n\n"
                "[n1]\nroles = readout builder manager\nhost = 127.0.0.1\nmanager-port = %d\n\n"
                "[n2]\nroles = readout builder\nhost = 127.0.0.1\n" % free_port())
    try:
        for name in ("n1", "n2"):
            farms.append(Farm())
            nodes.append(Node(Here, 0, name, [
                "--coordinator=static:" + config, "--json", "--events=%d" % EVENTS, "--peers=2",
                "--stale=10000", "--segment=%d" % SEGMENT, "--memory=64Mi",
                "--source=synthetic:size=%d,first=0,fill=head" % SIZE,
                "--sink=forward:127.0.0.1:" + farms[-1].port], directory))
        wait(lambda: all(sum(line["sinkOut"]["bytes"] > 0 for line in list(n.lines)) > seconds + 1
                         for n in nodes), 30 + seconds)
        return {n.name: {flow: mean_rate([(line["time"], line[flow]["bytes"])
                                          for line in list(n.lines)
                                          if line["sinkOut"]["bytes"]][1:])
                         for flow in FLOWS} for n in nodes}
    finally:
        for one in (*nodes, *farms):
            one.kill() if isinstance(one, Node) else one.end()
        shutil.rmtree(directory, ignore_errors=True)


def measure(seconds):
    found = {"alone": {"built": ours("tcp", "push", SIZE, EVENTS, seconds),
                       "forwarded": sent_alone()},
             "together": together(seconds), "bytes": SIZE, "events": EVENTS}
    return found


def wrong_with(found):
    """Return errors: a flow must not be slower than the one before it."""
    said = []
    for name, flows in found["together"].items():
        if not all(flows.values()):
            said.append("%s: a flow did not flow" % name)
            continue
        for flow in FLOWS[1:]:
            if not 0.8 <= flows[flow] / flows["sourceIn"] <= 1.25:
                said.append("%s: %s is %.2f times what its source gave" % (
                    name, flow, flows[flow] / flows["sourceIn"]))
    return said


def table(found):
    """Return the lines of the table."""
    alone = found["alone"]
    lines = ["%-6s %-10s %8s %14s" % ("node", "flow", "GB/s", "of source in")]
    for name, flows in found["together"].items():
        for flow, rate in flows.items():
            lines.append("%-6s %-10s %8s %14s" % (
                name, flow, "-" if rate is None else "%.3f" % (rate / 1e9),
                "-" if not rate or not flows["sourceIn"] else "%.2f" % (rate / flows["sourceIn"])))
    sums = {flow: sum(flows[flow] or 0 for flows in found["together"].values()) for flow in FLOWS}
    for flow, key in (("received", "built"), ("sinkOut", "forwarded")):
        if alone[key]:
            lines.append("%s by both %.3f GB/s, %s alone %.3f: %.2f" % (
                flow, sums[flow] / 1e9, key, alone[key] / 1e9, sums[flow] / alone[key]))
    return lines
