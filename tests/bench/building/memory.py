# SPDX-License-Identifier: GPL-2.0-or-later
"""
Check that the memory of nodes does not grow in a system that runs for a while at a low rate.
libfabric keeps messages without a posted buffer on the heap of the process, without a limit; they
would show in its RssAnon.
"""

import os
import shutil
import tempfile
import time

from rocevb.net import Net
from rocevb.system import System

from .arithmetic import growth, longest_still

# Of the time: what was allocated is touched for the first time. libfabric goes once through rings of
# some ten thousands of operations for each connection.
WARM = 0.4
NODES, RATE = 3, 500
# And for as many seconds at least: by then each builder has had 65536 blocks, which is as long as
# those rings are, and something over.
WARM_LEAST = 1.15 * 65536 * NODES / RATE
# A leak of two bytes per event in half an hour; a difference of a page is within the noise.
ALLOWED = 512 << 10
FIELDS = ("VmRSS", "RssAnon")
# A builder that builds nothing needs no memory either: each builder must have a complete block
# within so many seconds, and at least this share of the blocks.
STILL, SHARE = 30, 0.5
MANAGER = "m"  # builds nothing


def status(pid):
    """Return memory of a process in bytes, from /proc, and its number of open files."""
    found = {"files": len(os.listdir("/proc/%d/fd" % pid))}
    with open("/proc/%d/status" % pid, encoding="ascii") as f:
        for line in f:
            name, _, rest = line.partition(":")
            if name in FIELDS:
                found[name] = int(rest.split()[0]) << 10
    return found


def sample(nodes, seconds, every):
    """Return {node: {field: [(second, value)]}}."""
    found = {n.name: {} for n in nodes}
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        for node in nodes:
            at = time.monotonic() - began
            for field, value in dict(status(node.process.pid),
                                     complete=node.number("complete")).items():
                found[node.name].setdefault(field, []).append((round(at, 3), value))
        time.sleep(every)
    return found


def judge(found, warm, wrong):
    rows = []
    for name, fields in found.items():
        still = longest_still(fields["complete"])
        row = {"node": name, "complete": fields["complete"][-1][1], "still": still}
        if still > STILL and name != MANAGER:
            wrong.append("%s built no complete block for %d s" % (name, still))
        for field, points in fields.items():
            if field == "complete":
                continue
            row[field] = {"first": points[0][1], "last": points[-1][1],
                          "growth": round(growth(points, warm))}
            if field in FIELDS and row[field]["growth"] > ALLOWED:
                wrong.append("%s: %s grows by %d bytes" % (name, field, row[field]["growth"]))
            if field not in FIELDS and row[field]["growth"] >= 1:
                wrong.append("%s has more and more files open" % name)
        rows.append(row)
    return rows


def run(minutes, protocol):
    """Return errors, and the record."""
    directory, wrong = tempfile.mkdtemp(prefix="roc-evb-memory-"), []
    network = Net(NODES)
    seconds = 60 * minutes
    if seconds < WARM_LEAST + 60:
        raise ValueError("memory: %g minutes are too short, libfabric goes through its rings once in "
                         "%.1f: give one more" % (minutes, WARM_LEAST / 60))
    system = System(network, directory,
                    "synthetic:size=1Ki,spread=even,rate=%d,buffer=4Mi" % RATE, "check",
                    stale=5000, lease=30000,
                    options=["--protocol=" + protocol, "--memory=8Mi",
                             "--peers=%d" % NODES])
    try:
        system.start_all()
        if not system.builds(seconds=60):
            return ["it does not begin: " + system.nodes["n1"].says()[-300:]], {}
        found = sample(list(system.nodes.values()), seconds, max(0.5, seconds / 360))
        bad = system.stop_all()
        if bad:
            wrong.append("did not end in order: " + ", ".join(bad))
        rows = judge(found, max(WARM * seconds, WARM_LEAST), wrong)
        events = sum(n.number("sourceCounters.events") for n in system.builders())
        if system.complete() < SHARE * RATE * seconds:
            wrong.append("only %d complete blocks were built" % system.complete())
        if sum(n.number("rejoined") for n in system.builders()):
            wrong.append("a node joined anew: the machine was too busy")
        if events < 0.5 * RATE * seconds * NODES:
            wrong.append("only %d events were made" % events)
        for node in system.builders():
            if node.number("sinkCounters.errors"):
                wrong.append("%s: wrong data: %s" % (node.name, node.says()[-300:]))
        return wrong, {"protocol": protocol, "minutes": minutes, "events": events,
                       "complete": system.complete(), "nodes": rows, "samples": found}
    finally:
        system.end()
        network.close()
        shutil.rmtree(directory, ignore_errors=True)


def table(record):
    """Return the lines of the table."""
    lines = ["%-8s %-6s %14s %14s %14s %14s" % ("protocol", "node", "VmRSS, KiB", "grown by, KiB",
                                                 "RssAnon, KiB", "grown by, KiB")]
    for row in record.get("nodes", ()):
        lines.append("%-8s %-6s %14d %14.1f %14d %14.1f" % (
            record["protocol"], row["node"], row["VmRSS"]["last"] >> 10,
            row["VmRSS"]["growth"] / 1024, row["RssAnon"]["last"] >> 10,
            row["RssAnon"]["growth"] / 1024))
    return lines
