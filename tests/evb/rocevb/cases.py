# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a system of event building must stand. Each case is a function that gets a directory of its
own and returns what is wrong, and a note with figures.

Rates are low: two processors are shared by all nodes. The clock is the trigger, so a node that was
started anew agrees with the others on event ids.
"""

import math
import signal
import time

from .etcd import PROGRAM, Etcd
from .growth import Growth
from .ledger import Ledger
from .net import Net
from .pace import PACE
from .system import LEG, Clock, System, wait

STALE, LEASE = 500, 2000  # ms: what goes on after the former cannot have waited for the latter
EVENTS, RATE = 4, 200  # of a block, and per second
IN_FLIGHT, WINDOW = 32, 2  # blocks that a builder may have of a readout unit, and that wait there
LIVE = "synthetic:size=8Ki,spread=even,rate=%d" % RATE


class Live(System):
    """A system that is fed by the clock and writes files; @gaps: whose sources leave events out."""

    def __init__(self, network, directory, times=1, gaps=(), **more):
        options = dict(source=LIVE, sink="file:" + directory, stale=PACE.ms(times * STALE),
                       lease=PACE.ms(times * LEASE),
                       options=["--events=%d" % EVENTS, "--in-flight=%d" % IN_FLIGHT,
                                "--window=%d" % WINDOW])
        options.update(more)
        super().__init__(network, directory, **options)
        self.first = None  # block from which on all of them were there
        self.whole = [name for name in self.names() if name not in gaps]

    def begins(self, wrong, seconds=30, more=10):
        """All of them build."""
        if not self.builds(seconds=seconds, more=more):
            wrong.append("it does not begin: " + self.nodes["n1"].says()[-300:])
            return False
        self.first = self.block_now() + 1
        return True

    @staticmethod
    def block_now():
        """The clock is the trigger: the block whose events are due now."""
        return int(time.time() * RATE) // EVENTS

    def look(self, wrong, killed=(), fallible=()):
        """End in order; the ledger, and events that came late."""
        # What is not taken from a source by the time that it is told to stop is not made.
        behind = self.block_now() - math.ceil(self.stale * RATE / EVENTS)
        wrong += ["did not end in order: " + ", ".join(bad) for bad in [self.stop_all()] if bad]
        ledger = Ledger(self.directory, killed, fallible,
                        (self.first, behind, EVENTS, self.names(), self.whole))
        for node in self.builders():
            if node.number("sourceCounters.dropped") and node.name not in fallible:
                wrong.append("%s had no room for %d events" % (
                    node.name, node.number("sourceCounters.dropped")))
        if sum(n.number("sinkCounters.errors") for n in self.builders()):
            wrong.append("wrong data")
        if not ledger.complete:
            wrong.append("not one block is complete")
        return ledger, EVENTS * sum(n.number("late") for n in self.builders())

    def settle(self, wrong, killed=(), fallible=()):
        """The same, with the books of all whose last line is there; a note."""
        ledger, late = self.look(wrong, killed, fallible)
        totals = [0, 0, 0]
        for node in self.builders():
            for i, n in enumerate(() if node.name in killed else
                                  ledger.balance(node.last(), late)):
                totals[i] += n
        wrong += ledger.wrong[:5]
        return "%d blocks complete, %d incomplete, %d nowhere; of those whose books are there %d " \
            "fragments made, %d in files, %d said to be lost, at most %d in the hands of who was " \
            "lost" % (ledger.complete, ledger.incomplete, ledger.nowhere, *totals,
                      sum(n.number("unsureEvents") for n in self.builders()))


def expect(wrong, well, sentence):
    if not well:
        wrong.append(sentence)


def goes_on(wrong, growth, names, stale, began):
    """
    Each of these delivered a block within one stale timeout, since a node failed: what it takes
    to find out about that node, or to write another table, is no part of it.
    """
    still = PACE.stood_still()
    longest = growth.longest(names, began, time.monotonic())
    # What comes between is a block for each, in its turn.
    allowed = 1.25 * stale + 2 * len(names) * EVENTS / RATE + 3 * still
    if longest > allowed:
        wrong.append("one delivered nothing for %.2f s" % longest)
    return "nobody delivered nothing for more than %.2f s (stale timeout %.2f s, of the machine " \
        "%.2f s)" % (longest, stale, still)


def transport(directory, protocol, *options, count=3, events=240, memory="16Mi"):
    """So many events, each complete and byte-checked, and every node ends by itself."""
    network = Net(count)
    system = System(network, directory,
                    "synthetic:size=20000,spread=even,parts=3,gaps=2%%,first=0,events=%d,"
                    "buffer=8Mi" % events, "check", stale=PACE.ms(8000), lease=PACE.ms(8000),
                    options=["--events=4", "--protocol=" + protocol, "--memory=" + memory,
                             "--peers=%d" % count, *options])
    wrong = []
    try:
        system.start_all()
        for node in system.builders():
            status = node.wait(30)
            if status:
                wrong.append("%s ended with %s: %s" % (node.name, status, node.says()[-200:]))
        last = [n.last() for n in system.builders()]
        books = [x.get("sinkCounters", {}) for x in last]
        made = sum(x.get("sourceCounters", {}).get("events", 0) for x in last)
        got = sum(b.get("fragments", 0) for b in books)
        blocks = sum(b.get("blocks", 0) for b in books)
        bad = sum(b.get(k, 0) for b in books for k in ("errors", "incomplete", "missing"))
        few = [x["node"] for x in last
               if x.get("sourceCounters", {}).get("events", 0) < 0.9 * events]
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
                     memory="6Mi")


def eight(directory):
    return transport(directory, "push", "--segment=64Ki", count=8, events=320)


QUEUED_EVENTS = 800


def longest_queue(directory, policy, count=4):
    """Most MFPs that waited for one builder, at any readout unit; and the complete blocks."""
    network = Net(count)
    system = System(network, directory,
                    "synthetic:size=64Ki,first=0,events=%d,buffer=16Mi,fill=head" %
                    QUEUED_EVENTS, "count",
                    stale=PACE.ms(8000), lease=PACE.ms(8000), policy=policy, options=["--events=%d" % EVENTS, "--peers=%d" % count])
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
        if bad or complete != QUEUED_EVENTS // EVENTS:
            wrong.append("%s: %d blocks are complete, %s failed" % (policy, complete, bad))
    if most["barrel-shift"] > WINDOW or most["random"] <= WINDOW:
        wrong.append("the window is no bound, or random needs none")
    return wrong, "most blocks that waited for one builder: %s" % ", ".join(
        "%s %d" % item for item in most.items())


def with_live(count, act, bad=(), **more):
    """A case: @act() gets a system that has begun, and what is wrong so far; it returns a note."""
    def case(directory):
        wrong, note = [], ""
        network = Net(count, bad=bad, leg=LEG)
        system = Live(network, directory, **more)
        try:
            system.start_all()
            if system.begins(wrong):
                note = act(system, wrong)
        finally:
            system.end()
            network.close()
        return wrong, note
    case.__name__ = act.__name__
    return case


def killed(system, wrong):
    """A node is killed and brought back: it costs only its own, and the others go on."""
    others, growth = ["n1", "n2", "n4"], Growth(system.directory)
    PACE.forget()
    system.nodes["n3"].kill()
    began = time.monotonic()
    expect(wrong, system.builds(but=["n3"], more=20), "the others do not go on")
    how = goes_on(wrong, growth, others, system.stale, began)
    growth.stop()
    for name in others:
        if system.nodes[name].number("unsure") > IN_FLIGHT:
            wrong.append("%s says that more was in its hands than may be" % name)
    back = system.start(3)
    expect(wrong, wait(lambda: back.number("complete") > 10, 20),
           "it does not come back: " + back.says()[-300:])
    expect(wrong, system.builds(), "it does not go on with all four")
    return "%s; %s" % (system.settle(wrong, killed=["n3"], fallible=["n3"]), how)


def manager_killed(system, wrong):
    """Without the manager everything goes on, and says so; one that comes back is taken."""
    system.nodes["m"].kill()
    expect(wrong, wait(lambda: all(not n.last().get("contact", True) for n in system.builders()),
                       10), "nobody says that the manager is away")
    expect(wrong, system.builds(), "they do not go on without a manager")
    system.start_manager()
    expect(wrong, wait(lambda: all(n.last().get("contact") for n in system.builders()), 20),
           "the manager that came back is not heard")
    expect(wrong, system.builds(), "they do not go on with the manager")
    return system.settle(wrong)


def stopped(system, wrong):
    """A node that is stopped (SIGSTOP) for longer than its lease joins anew."""
    node, growth = system.nodes["n2"], Growth(system.directory)
    PACE.forget()
    node.signal(signal.SIGSTOP)
    began = time.monotonic()
    expect(wrong, system.builds(but=["n2"], more=40), "the others do not go on")
    how = goes_on(wrong, growth, ["n1", "n3"], system.stale, began)
    growth.stop()
    time.sleep(max(0, 2 * PACE.ms(LEASE) / 1000 - (time.monotonic() - began)))
    node.signal(signal.SIGCONT)
    expect(wrong, wait(lambda: node.number("rejoined") > 0, 20), "it does not join anew")
    expect(wrong, system.builds(), "it does not go on with all three")
    return "%s; %s" % (system.settle(wrong, fallible=["n2"]), how)


def slow_leg(system, wrong):
    """A delay of 20 to 30 ms and 1 % of the frames lost, from then on: no event is."""
    system.network.legs[3].set(delay=10, jitter=5, loss=0.01)
    expect(wrong, system.builds(more=40, seconds=30), "it does not go on")
    return system.settle(wrong)


def cut_leg(system, wrong):
    """One node cannot be reached for a while: the others go on, and it comes back."""
    growth, leg = Growth(system.directory), system.network.legs[3]
    PACE.forget()
    leg.cut()
    began = time.monotonic()
    expect(wrong, system.builds(but=["n3"], more=40), "the others do not go on")
    how = goes_on(wrong, growth, ["n1", "n2"], system.stale, began)
    growth.stop()
    time.sleep(max(0, 2 * PACE.ms(LEASE) / 1000 - (time.monotonic() - began)))
    leg.set()
    expect(wrong, system.builds(seconds=30), "it does not go on with all three")
    return "%s; %s" % (system.settle(wrong, fallible=["n3"]), how)


def is_alone_out(system, wrong, name):
    """The manager names this node, and takes out no other."""
    says = system.nodes["m"].says()
    expect(wrong, "clock of %s is 3600.0 s" % name in says, "the manager does not name it: " + says)
    for other in system.names():
        expect(wrong, other == name or other + " is taken out" not in says,
               "the manager takes %s out" % other)


def wrong_clock(system, wrong, seconds):
    """
    A node comes back with a clock that is wrong. The manager names it and does not let it in, which
    costs the others nothing, and when its clock is right it is let in.
    """
    others, clock = ["n1", "n2", "n4"], Clock(system.directory)
    clock.set(seconds)
    system.nodes["n3"].kill()
    expect(wrong, system.builds(but=["n3"], more=60), "the others do not go on without it")
    before = sum(system.nodes[name].number("incomplete") for name in others)
    back = system.start(3, clock.environment)
    expect(wrong, wait(lambda: system.unit("n3", "clock_ahead_seconds"), 20),
           "the manager does not know its clock")
    ahead = system.unit("n3", "clock_ahead_seconds") or 0
    expect(wrong, abs(ahead - seconds) < 10, "its clock is ahead by %f s, by the metrics" % ahead)
    expect(wrong, system.builds(but=["n3"], more=150, seconds=30), "the others do not go on with it")
    lost = sum(system.nodes[name].number("incomplete") for name in others) - before
    expect(wrong, lost < 50, "%d blocks are incomplete meanwhile" % lost)
    is_alone_out(system, wrong, "n3")
    expect(wrong, not back.number("sourceIn.count") and not system.unit("n3", "assigned"),
           "its readout unit is in the table")
    clock.set(0)
    expect(wrong, wait(lambda: back.number("sourceIn.count"), 30),
           "it is not let in when its clock is right: " + system.nodes["m"].says()[-300:])
    expect(wrong, system.builds(), "it does not go on with all four")
    return "%d blocks incomplete meanwhile; %s" % (
        lost, system.settle(wrong, killed=["n3"], fallible=["n3"]))


def clock_steps(system, wrong):
    """
    The clock of a node that runs goes ahead by an hour. Its source has no room for the events of
    that hour and is there, the node is taken out, and let in when it is started anew with a clock
    that is right.
    """
    clock = Clock(system.directory)
    system.nodes["n3"].kill()
    expect(wrong, system.builds(but=["n3"], more=20), "the others do not go on without it")
    node = system.start(3, clock.environment)
    expect(wrong, wait(lambda: node.number("sourceIn.count"), 30), "it does not come back")
    expect(wrong, system.builds(), "it does not go on with all four")
    clock.set(3600)
    expect(wrong, wait(lambda: system.unit("n3", "state") == 4, 30), "it is not taken out")
    expect(wrong, system.builds(but=["n3"], more=60), "the others do not go on without it")
    is_alone_out(system, wrong, "n3")
    expect(wrong, (system.unit("n3", "blocks_ahead") or 0) > 3500 * RATE / EVENTS,
           "it is not ahead, by the metrics")
    node.kill()
    expect(wrong, wait(lambda: "n3 is gone" in system.nodes["m"].says().split("taken out")[-1], 20),
           "the manager does not miss it")
    node = system.start(3)
    expect(wrong, wait(lambda: node.number("sourceIn.count"), 30), "it is not let in again")
    expect(wrong, system.builds(), "it does not go on with all four")
    # What it had an hour too early is in files, and the ledger takes that for losses.
    wrong += ["did not end in order: " + ", ".join(bad) for bad in [system.stop_all()] if bad]
    return "%d blocks complete" % system.complete()


def hour_ahead(system, wrong):
    return wrong_clock(system, wrong, 3600)


def hour_behind(system, wrong):
    return wrong_clock(system, wrong, -3600)


def etcd_restarted(directory):
    """etcd is killed under load and started again with what it knew: nobody has to join anew."""
    network, wrong, note = Net(3), [], ""
    etcd = Etcd(directory)
    # Leases of etcd are in whole seconds.
    system = Live(network, directory, etcd="etcd:" + etcd.url,
                  lease=1000 * math.ceil(PACE.ms(5000) / 1000))
    try:
        etcd.start()
        system.start_all()
        if system.begins(wrong):
            epochs = {n.number("epoch") for n in system.builders()}
            etcd.end()
            expect(wrong, wait(lambda: all(not n.last().get("contact", True)
                                           for n in system.builders()), 20),
                   "nobody says that etcd is away")
            expect(wrong, system.builds(more=30), "they do not go on without etcd")
            etcd.start()
            expect(wrong, wait(lambda: all(n.last().get("contact") for n in system.builders()),
                               30), "the etcd that came back is not heard")
            expect(wrong, system.builds(more=30), "they do not go on with etcd")
            expect(wrong, {n.number("epoch") for n in system.builders()} == epochs and
                   not sum(n.number("rejoined") for n in system.builders()),
                   "somebody was given up")
            note = system.settle(wrong)
        return wrong, note
    finally:
        system.end()
        etcd.end()
        network.close()


etcd_restarted.needs = lambda: "" if PROGRAM else "there is no etcd: install etcd-server"

# In make check only the quick ones, of the others there are unit tests.
QUICK = [
    ("push, three nodes, several segments", push),
    ("pull, three nodes, one segment", pull_single),
    ("a node killed and brought back", with_live(4, killed)),
]
ALL = QUICK + [
    ("push, one segment", push_single),
    ("pull, several segments", pull),
    ("data as commands", command),
    ("regions of 2 MiB, eight of them", limited),
    ("eight nodes", eight),
    ("a window bounds the queues of barrel shift", queues),
    ("the manager killed and brought back", with_live(3, manager_killed)),
    ("a node stopped, and going on", with_live(3, stopped)),
    ("a leg that is slow and loses frames",
     with_live(3, slow_leg, bad=[3], times=6)),
    ("a leg that is cut", with_live(3, cut_leg, bad=[3])),
    ("a node whose clock is an hour ahead", with_live(4, hour_ahead)),
    ("a node whose clock is an hour behind", with_live(4, hour_behind)),
    ("a clock that goes ahead by an hour", with_live(4, clock_steps, kinds={3: LIVE + ",buffer=256Ki"})),
    ("etcd restarted", etcd_restarted),
]
