# SPDX-License-Identifier: GPL-2.0-or-later
"""
Measure one readout unit and one builder on this machine against bare libfabric
(tests/bench/fabric.c, which works like fi_rma_bw of fabtests): with the same provider and operation
size, alternating in one run. Push is compared with writes, pull with reads. Means are compared: of
roc-evb the bytes of its sink from the first whole second on, of libfabric all bytes but the first
operation.
"""

import os
import shutil
import socket
import subprocess
import tempfile

from rocevb.system import BUILD, ENVIRONMENT, Node, wait

from .arithmetic import mean_rate, median, ratio

KI = 1 << 10
SIZES = (KI, 4 * KI, 16 * KI, 64 * KI, 256 * KI, 1024 * KI)
FROM, TARGET = 64 * KI, 0.8
WINDOW = 64  # outstanding: operations of libfabric, blocks of roc-evb
LIMIT = 120
# What is measured: name, provider, protocol, events of a block, sizes of a fragment.
WAYS = (
    ("push, tcp", "tcp", "push", 1, SIZES), ("pull, tcp", "tcp", "pull", 1, SIZES),
    ("push, shm", "shm", "push", 1, SIZES), ("pull, shm", "shm", "pull", 1, SIZES),
    ("commands, tcp", "tcp", "command", 1, (64 * KI, 1024 * KI)),
    ("push, tcp, 32 events", "tcp", "push", 32, (KI, 4 * KI, 16 * KI)),
)


class Here:
    """Without namespaces: all processes use the loopback."""

    @staticmethod
    def inside(_):
        return []


def bare(provider, size, how, operation):
    count = max(200, min(200000, (512 << 20) // size))
    done = subprocess.run(
        [os.path.join(BUILD, "bench", "fabric"), provider, str(size), str(count), str(WINDOW), how,
         operation], check=True, stdout=subprocess.PIPE, env=ENVIRONMENT, timeout=LIMIT)
    return float(done.stdout)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ours(provider, protocol, size, events, seconds):
    """Return bytes per second of the sink; None if there were none."""
    directory = tempfile.mkdtemp(prefix="roc-evb-rate-")
    config = os.path.join(directory, "evb.conf")
    with open(config, "w", encoding="utf-8") as f:
        f.write("[system]\nname = rate\nreadouts = 1\nbuilders = 1\nlease-ms = 20000\n\n"
                "[b]\nroles = builder manager\nhost = 127.0.0.1\nmanager-port = %d\n\n"
                "[r]\nroles = readout\nhost = 127.0.0.1\n" % free_port())
    common = ["--coordinator=static:" + config, "--json", "--provider=" + provider,
              "--protocol=" + protocol, "--events=%d" % events, "--peers=1", "--stale=10000",
              "--single", "--in-flight=%d" % WINDOW, "--blocks=%d" % (2 * WINDOW),
              "--memory=%d" % max(64 << 20, 2 * WINDOW * (size * events + 8 * KI))]
    nodes = [Node(Here, 0, "b", [*common, "--sink=count"], directory),
             Node(Here, 0, "r", [*common, "--source=synthetic:size=%d,first=0,fill=head" % size],
                  directory)]
    try:
        def points():
            return [(line["time"], line["sinkOut"]["bytes"]) for line in list(nodes[0].lines)
                    if line["sinkOut"]["bytes"]]
        # The first line covers a part of a second.
        wait(lambda: len(points()) > seconds + 1, 20 + seconds)
        return mean_rate(points()[1:])
    finally:
        for node in nodes:
            node.kill()
        shutil.rmtree(directory, ignore_errors=True)


def measure(sizes, runs, seconds, say):
    """Return rows: for each way and size bytes per second of both, and their ratio."""
    rows = []
    for size in sizes:
        theirs = {}
        ways = [way[:-1] for way in WAYS if size in way[-1]]
        mine = {name: [] for name, *_ in ways}
        for _ in range(runs):
            for provider in ("tcp", "shm"):
                for operation in ("write", "read"):
                    for how in ("spin", "wait"):
                        theirs.setdefault((provider, operation, how), []).append(
                            bare(provider, size, how, operation))
            for name, provider, protocol, events in ways:
                mine[name].append(ours(provider, protocol, size, events, seconds))
        for name, provider, protocol, events in ways:
            operation = "read" if protocol == "pull" else "write"
            beside = [theirs[provider, operation, how] for how in ("spin", "wait")]
            rows.append({"way": name, "bytes": size, "events": events, "rocEvb": mine[name],
                         "libfabricSpinning": beside[0], "libfabricAsleep": beside[1],
                         "bytesPerSecond": median(mine[name]),
                         "ratio": ratio(mine[name], beside)})
            say(line(rows[-1]))
    return rows


def judged(row):
    """Return whether a row must reach the target; rows of commands are for comparison only."""
    return row["bytes"] >= FROM and not row["way"].startswith("commands") and row["events"] == 1


def missed(rows):
    return ["%s, %d bytes: %s of libfabric, %.1f wanted" % (
        row["way"], row["bytes"], "nothing" if row["ratio"] is None else "%.2f" % row["ratio"],
        TARGET) for row in rows if judged(row) and (row["ratio"] or 0) < TARGET]


def line(row):
    best = max(median(row["libfabricSpinning"]), median(row["libfabricAsleep"]))
    return "%-22s %8d %10s %10.3f %7s %10s" % (
        row["way"], row["bytes"],
        "-" if row["bytesPerSecond"] is None else "%.3f" % (row["bytesPerSecond"] / 1e9),
        best / 1e9, "-" if row["ratio"] is None else "%.2f" % row["ratio"],
        "-" if row["bytesPerSecond"] is None else "%.0f" % (row["bytesPerSecond"] / row["bytes"]))


HEAD = "%-22s %8s %10s %10s %7s %10s" % ("way", "bytes", "GB/s", "libfabric", "ratio", "events/s")


def command_path(rows):
    """Return by size the ratio of the data path to the command path."""
    found = {row["bytes"]: {} for row in rows}
    for row in rows:
        found[row["bytes"]][row["way"]] = row["bytesPerSecond"]
    return {size: ways["push, tcp"] / ways["commands, tcp"] for size, ways in found.items()
            if ways.get("push, tcp") and ways.get("commands, tcp")}


def curves(rows):
    """Return the curves of a plot: (way, None, {size: ratio})."""
    found = {}
    for row in rows:
        if row["ratio"] is not None:
            found.setdefault(row["way"], {})[row["bytes"]] = row["ratio"]
    return [(name, None, points) for name, points in found.items()]
