# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a system of event building must stand. Each case is a function that gets a directory of its
own and returns what is wrong, and a note with figures.

Rates are low: two processors are shared by all nodes. The clock is the trigger, so a node that was
started anew agrees with the others on event ids.
"""

import os
import signal
import time

from .ledger import HELD, Ledger
from .net import Net
from .system import LEG, System, slowness, wait

STALE, LEASE = 500, 1000  # ms
EVENTS = 4  # of a block
LIVE = "synthetic:size=8Ki,spread=even,rate=200"


def live(network, directory, **more):
    """A system that is fed by the clock and writes files."""
    options = dict(source=LIVE, sink="file:" + directory, stale=STALE, lease=LEASE,
                   options=["--events=%d" % EVENTS])
    options.update(more)
    return System(network, directory, **options)


def settle(system, killed=(), fallible=()):
    """End in order, and the ledger: what is wrong."""
    wrong = ["did not end in order: " + ", ".join(bad) for bad in [system.stop_all()] if bad]
    ledger = Ledger(system.directory, killed, fallible)
    spare = HELD * EVENTS if killed or fallible else 0
    totals = [0, 0, 0]
    for node in system.builders():
        if node.name in killed:
            continue
        # Who is cut off has something in every other's hands.
        own = spare * (system.count - 1) if node.name in fallible else spare
        for i, n in enumerate(ledger.balance(node.last(), own)):
            totals[i] += n
    books = [n.last().get("sinkBooks", {}) for n in system.builders()]
    if sum(b.get("errors", 0) for b in books):
        wrong.append("wrong data")
    if not ledger.complete:
        wrong.append("not one block is complete")
    note = "%d blocks complete, %d incomplete; of those whose books are there %d fragments made, " \
        "%d in files, %d said to be lost" % (ledger.complete, ledger.incomplete, *totals)
    return wrong + ledger.wrong[:5], note


def alone(wrong):
    return [wrong] if wrong else []


def transport(directory, protocol, *options, count=3, events=240):
    """So many events, each complete and byte-checked, and every node ends by itself."""
    network = Net(count)
    system = System(network, directory,
                    "synthetic:size=20000,spread=even,parts=3,gaps=2%%,first=0,events=%d,"
                    "buffer=8Mi" % events, "check", stale=5000, lease=5000,
                    options=["--events=4", "--protocol=" + protocol, "--memory=16Mi",
                             "--peers=%d" % count, *options])
    wrong = []
    try:
        system.start_all()
        for node in system.builders():
            status = node.wait(30)
            if status:
                wrong.append("%s ended with %s: %s" % (node.name, status, node.says()[-200:]))
        last = [n.last() for n in system.builders()]
        books = [x.get("sinkBooks", {}) for x in last]
        made = sum(x.get("sourceBooks", {}).get("events", 0) for x in last)
        got = sum(b.get("fragments", 0) for b in books)
        blocks = sum(b.get("blocks", 0) for b in books)
        bad = sum(b.get(k, 0) for b in books for k in ("errors", "incomplete", "missing"))
        few = [x["node"] for x in last
               if x.get("sourceBooks", {}).get("events", 0) < 0.9 * events]
        if few:
            wrong.append("the sources of %s did not come to their end" % ", ".join(few))
        if made != got or blocks != events // 4 or bad:
            wrong.append("%d fragments made, %d built, in %d blocks, %d wrong or missing" % (
                made, got, blocks, bad))
        return wrong, "%d fragments of %d sources in %d blocks" % (got, count, blocks)
    finally:
        system.end()
        network.close()


def push(directory):
    return transport(directory, "push", "--segment=16Ki")


def push_single(directory):
    return transport(directory, "push", "--single")


def pull(directory):
    return transport(directory, "pull", "--segment=16Ki")


def pull_single(directory):
    return transport(directory, "pull", "--single")


def command(directory):
    return transport(directory, "command")


def limited(directory):
    """The seed's hardware: regions of 2 MiB, eight of them."""
    return transport(directory, "push", "--segment=64Ki", "--max-region=2Mi", "--max-regions=8",
                     "--memory=6Mi")


def eight(directory):
    return transport(directory, "push", "--segment=64Ki", count=8, events=320)


def longest_queue(directory, policy):
    """Most MFPs that waited for one builder, at any readout unit; and the complete blocks."""
    network = Net(4)
    system = System(network, directory,
                    "synthetic:size=64Ki,first=0,events=800,buffer=16Mi,fill=head", "count",
                    stale=8000, lease=8000, policy=policy, options=["--events=4", "--peers=4"])
    try:
        system.start_all()
        bad = [n.name for n in system.builders() if n.wait(40)]
        peers = [p for n in system.builders() for p in n.last().get("peers", [])
                 if p["role"] == "builder"]
        return max((p["queueMax"] for p in peers), default=0), system.complete(), bad
    finally:
        system.end()
        network.close()


def queues(directory):
    """Barrel shift keeps a destination's queue to its window (2), random does not."""
    wrong, most = [], {}
    for policy in ("barrel-shift", "random"):
        most[policy], complete, bad = longest_queue(directory, policy)
        if bad or complete != 200:
            wrong.append("%s: %d blocks of 200 are complete, %s failed" % (policy, complete, bad))
    if most["barrel-shift"] > 2 or most["random"] <= 2:
        wrong.append("the window is no bound, or random needs none")
    return wrong, "most blocks that waited for one builder: %s" % ", ".join(
        "%s %d" % item for item in most.items())


def killed(directory):
    """A node is killed and brought back: it costs only its own, and the others go on."""
    network, wrong = Net(4), []
    system = live(network, directory)
    try:
        system.start_all()
        if not system.builds():
            return ["it does not begin: " + system.nodes["n1"].says()[-300:]], ""
        gone = system.nodes["n3"]
        gone.kill()
        began, before = time.monotonic(), {n.name: n.number("complete")
                                           for n in system.builders() if n.name != "n3"}
        wrong += alone("" if wait(lambda: all(
            system.nodes[n].number("complete") > was + 20 for n, was in before.items()), 10)
            else "the others do not go on")
        took = time.monotonic() - began
        back = system.start(3)
        wrong += alone("" if wait(lambda: back.number("complete") > 10, 20)
                       else "it does not come back: " + back.says()[-300:])
        wrong += alone("" if system.builds() else "it does not go on with all four")
        bad, note = settle(system, killed=["n3"], fallible=["n3"])
        return wrong + bad, "%s; %.1f s until all others had built 20 blocks more" % (note, took)
    finally:
        system.end()
        network.close()


def manager_killed(directory):
    """Without the manager everything goes on, and says so; one that comes back is taken."""
    network, wrong = Net(3), []
    system = live(network, directory)
    try:
        system.start_all()
        if not system.builds():
            return ["it does not begin"], ""
        system.nodes["m"].kill()
        wrong += alone("" if wait(lambda: all(not n.last().get("contact", True)
                                              for n in system.builders()), 10)
                       else "nobody says that the manager is away")
        wrong += alone("" if system.builds() else "they do not go on without a manager")
        system.start_manager()
        wrong += alone("" if wait(lambda: all(n.last().get("contact") for n in system.builders()),
                                  20) else "the manager that came back is not heard")
        wrong += alone("" if system.builds() else "they do not go on with the manager")
        bad, note = settle(system)
        return wrong + bad, note
    finally:
        system.end()
        network.close()


def stopped(directory):
    """A node that is stopped (SIGSTOP) for longer than its lease joins anew."""
    network, wrong = Net(3), []
    system = live(network, directory)
    try:
        system.start_all()
        if not system.builds():
            return ["it does not begin"], ""
        node = system.nodes["n2"]
        node.signal(signal.SIGSTOP)
        wrong += alone("" if system.builds(but=["n2"], more=40) else "the others do not go on")
        time.sleep(2 * LEASE / 1000)
        node.signal(signal.SIGCONT)
        wrong += alone("" if wait(lambda: node.number("rejoined") > 0, 20)
                       else "it does not join anew")
        wrong += alone("" if system.builds() else "it does not go on with all three")
        bad, note = settle(system, fallible=["n2"])
        return wrong + bad, note
    finally:
        system.end()
        network.close()


def slow_leg(directory):
    """One leg with a delay of 20 to 30 ms that loses 1 % of its frames: nothing is lost of events."""
    network, wrong = Net(3, bad=[3], leg=LEG), []
    network.legs[3].set(delay=10, jitter=5, loss=0.01)
    system = live(network, directory, stale=3000, lease=5000)
    try:
        system.start_all()
        if not system.builds(more=40, seconds=30):
            return ["it does not begin"], ""
        bad, note = settle(system)
        missing = sum(bool(b.missing) for b in Ledger(directory).blocks.values())
        if missing:
            wrong.append("%d blocks miss a source" % missing)
        return wrong + bad, note
    finally:
        system.end()
        network.close()


def cut_leg(directory):
    """One node cannot be reached for three seconds: the others go on, and it comes back."""
    network, wrong = Net(3, bad=[3], leg=LEG), []
    system = live(network, directory)
    try:
        system.start_all()
        if not system.builds():
            return ["it does not begin"], ""
        network.legs[3].cut()
        wrong += alone("" if system.builds(but=["n3"], more=40) else "the others do not go on")
        time.sleep(2 * LEASE / 1000)
        network.legs[3].set()
        wrong += alone("" if system.builds(seconds=30) else "it does not go on with all three")
        bad, note = settle(system, fallible=["n3", "n1", "n2"])
        return wrong + bad, note
    finally:
        system.end()
        network.close()


# In make check only the quick ones, of the others there are unit tests.
QUICK = [
    ("push, three nodes, several segments", push),
    ("pull, three nodes, one segment", pull_single),
    ("a node killed and brought back", killed),
]
ALL = QUICK + [
    ("push, one segment", push_single),
    ("pull, several segments", pull),
    ("data as commands", command),
    ("regions of 2 MiB, eight of them", limited),
    ("eight nodes", eight),
    ("a window bounds the queues of barrel shift", queues),
    ("the manager killed and brought back", manager_killed),
    ("a node stopped, and going on", stopped),
    ("a leg that is slow and loses frames", slow_leg),
    ("a leg that is cut", cut_leg),
]
