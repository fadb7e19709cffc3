# SPDX-License-Identifier: GPL-2.0-or-later
"""
Cases of whole systems of event building. Each case is a function that gets its own directory and
returns a list of errors, and a note with figures.

Rates are low because all nodes share two processors. The clock is the trigger, so a restarted node
agrees with the others on event ids.
"""

import math
import signal
import time

from .etcd import PROGRAM, Etcd
from .growth import Growth
from .ledger import Ledger
from .net import Net
from .pace import PACE
from .system import BAD_LINK, Clock, System, wait

STALE, LEASE = 500, 2000  # ms: a system that continues after STALE cannot have waited for LEASE
EVENTS, RATE = 4, 200  # in a block; per second
IN_FLIGHT, WINDOW = 32, 2  # limits of blocks of a readout unit: at a builder; waiting
LIVE = "synthetic:size=8Ki,spread=even,rate=%d" % RATE


class Live(System):
    """A system that is triggered by the clock and writes files; @gaps: nodes whose sources omit events."""

    def __init__(self, network, directory, times=1, gaps=(), **more):
        options = dict(source=LIVE, sink="file:" + directory, stale=PACE.ms(times * STALE),
                       lease=PACE.ms(times * LEASE),
                       options=["--events=%d" % EVENTS, "--in-flight=%d" % IN_FLIGHT,
                                "--window=%d" % WINDOW])
        options.update(more)
        super().__init__(network, directory, **options)
        self.first = None  # first block for which all nodes were present
        self.whole = [name for name in self.names() if name not in gaps]

    def begins(self, wrong, seconds=30, more=10):
        """Wait until all nodes build."""
        if not self.builds(seconds=seconds, more=more):
            wrong.append("the system does not begin: " + self.nodes["n1"].messages()[-300:])
            return False
        self.first = self.block_now() + 1
        return True

    @staticmethod
    def block_now():
        """The block whose events are due now, by the clock."""
        return int(time.time() * RATE) // EVENTS

    def collect(self, wrong, killed=(), fallible=()):
        """End all nodes in order. Return the ledger, and the number of late events."""
        # A source makes no events after it is requested to stop.
        behind = self.block_now() - math.ceil(self.stale * RATE / EVENTS)
        wrong += ["nodes that did not end in order: " + ", ".join(bad) for bad in [self.stop_all()] if bad]
        ledger = Ledger(self.directory, killed, fallible,
                        (self.first, behind, EVENTS, self.names(), self.whole))
        for node in self.builders():
            if node.number("sourceCounters.dropped") and node.name not in fallible:
                wrong.append("%s had no space for %d events" % (
                    node.name, node.number("sourceCounters.dropped")))
        if sum(n.number("sinkCounters.errors") for n in self.builders()):
            wrong.append("errors in the data")
        if not ledger.complete:
            wrong.append("no block is complete")
        return ledger, EVENTS * sum(n.number("late") for n in self.builders())

    def check_counters(self, wrong, killed=(), fallible=()):
        """As collect(), and compare the counters of all nodes that printed a last line. Return a note."""
        ledger, late = self.collect(wrong, killed, fallible)
        totals = [0, 0, 0]
        for node in self.builders():
            for i, n in enumerate(() if node.name in killed else
                                  ledger.balance(node.last(), late)):
                totals[i] += n
        wrong += ledger.wrong[:5]
        return "%d blocks complete, %d incomplete, %d in no file; nodes with counters: %d " \
            "fragments made, %d in files, %d reported as lost, at most %d at a builder that was " \
            "lost" % (ledger.complete, ledger.incomplete, ledger.nowhere, *totals,
                      sum(n.number("unsureEvents") for n in self.builders()))


def expect(wrong, condition, message):
    if not condition:
        wrong.append(message)


def check_progress(wrong, growth, names, stale, began):
    """
    Each of these nodes must deliver a block within one stale timeout after a node failed, without
    waiting for the detection of the failure or for a new table.
    """
    still = PACE.longest_stall()
    longest = growth.longest(names, began, time.monotonic())
    # Between two blocks of a node each other node gets a block in its turn.
    allowed = 1.25 * stale + 2 * len(names) * EVENTS / RATE + 3 * still
    if longest > allowed:
        wrong.append("a node delivered nothing for %.2f s" % longest)
    return "each node delivered within %.2f s (stale timeout %.2f s, stall of the machine " \
        "%.2f s)" % (longest, stale, still)


def transport(directory, protocol, *options, count=3, events=240, memory="16Mi"):
    """Build @events events: each is complete and checked, and each node ends by itself."""
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
                wrong.append("%s ended with %s: %s" % (node.name, status, node.messages()[-200:]))
        last = [n.last() for n in system.builders()]
        counters = [x.get("sinkCounters", {}) for x in last]
        made = sum(x.get("sourceCounters", {}).get("events", 0) for x in last)
        got = sum(b.get("fragments", 0) for b in counters)
        blocks = sum(b.get("blocks", 0) for b in counters)
        bad = sum(b.get(k, 0) for b in counters for k in ("errors", "incomplete", "missing"))
        few = [x["node"] for x in last
               if x.get("sourceCounters", {}).get("events", 0) < 0.9 * events]
        if few:
            wrong.append("the sources of %s did not end" % ", ".join(few))
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
    """Memory as on the hardware of the seed: eight regions of 2 MiB."""
    return transport(directory, "push", "--segment=64Ki", "--max-region=2Mi", "--max-regions=8",
                     memory="6Mi")


def eight(directory):
    return transport(directory, "push", "--segment=64Ki", count=8, events=320)


QUEUED_EVENTS = 800


def longest_queue(directory, policy, count=4):
    """The longest queue for a builder at any readout unit, the complete blocks, and failed nodes."""
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
    """Barrel shift limits the queue for a builder to its window (2), random does not."""
    wrong, most = [], {}
    for policy in ("barrel-shift", "random"):
        most[policy], complete, bad = longest_queue(directory, policy)
        if bad or complete != QUEUED_EVENTS // EVENTS:
            wrong.append("%s: %d blocks are complete, %s failed" % (policy, complete, bad))
    if most["barrel-shift"] > WINDOW or most["random"] <= WINDOW:
        wrong.append("barrel-shift exceeds its window, or random does not")
    return wrong, "longest queue for a builder: %s" % ", ".join(
        "%s %d" % item for item in most.items())


def with_live(count, scenario, bad=(), **more):
    """A case: @scenario() gets a running system and the list of errors, and returns a note."""
    def case(directory):
        wrong, note = [], ""
        network = Net(count, bad=bad, link=BAD_LINK)
        system = Live(network, directory, **more)
        try:
            system.start_all()
            if system.begins(wrong):
                note = scenario(system, wrong)
        finally:
            system.end()
            network.close()
        return wrong, note
    case.__name__ = scenario.__name__
    return case


def killed(system, wrong):
    """A node is killed and restarted: only its own data are lost, and the others continue."""
    others, growth = ["n1", "n2", "n4"], Growth(system.directory)
    PACE.forget()
    system.nodes["n3"].kill()
    began = time.monotonic()
    expect(wrong, system.builds(but=["n3"], more=20), "the others do not continue")
    how = check_progress(wrong, growth, others, system.stale, began)
    growth.stop()
    for name in others:
        if system.nodes[name].number("unsure") > IN_FLIGHT:
            wrong.append("%s reports more unsure MFPs than its limit" % name)
    back = system.start(3)
    expect(wrong, wait(lambda: back.number("complete") > 10, 20),
           "the node does not continue after its restart: " + back.messages()[-300:])
    expect(wrong, system.builds(), "the system does not continue with all four nodes")
    return "%s; %s" % (system.check_counters(wrong, killed=["n3"], fallible=["n3"]), how)


def manager_killed(system, wrong):
    """Without the manager the nodes continue and report it; they accept the restarted manager."""
    system.nodes["m"].kill()
    expect(wrong, wait(lambda: all(not n.last().get("contact", True) for n in system.builders()),
                       10), "not all nodes report the lost manager")
    expect(wrong, system.builds(), "the nodes do not continue without a manager")
    system.start_manager()
    expect(wrong, wait(lambda: all(n.last().get("contact") for n in system.builders()), 20),
           "not all nodes are connected to the restarted manager")
    expect(wrong, system.builds(), "the nodes do not continue with the manager")
    return system.check_counters(wrong)


def stopped(system, wrong):
    """A node that is stopped (SIGSTOP) for longer than its lease joins again."""
    node, growth = system.nodes["n2"], Growth(system.directory)
    PACE.forget()
    node.signal(signal.SIGSTOP)
    began = time.monotonic()
    expect(wrong, system.builds(but=["n2"], more=40), "the others do not continue")
    how = check_progress(wrong, growth, ["n1", "n3"], system.stale, began)
    growth.stop()
    time.sleep(max(0, 2 * PACE.ms(LEASE) / 1000 - (time.monotonic() - began)))
    node.signal(signal.SIGCONT)
    expect(wrong, wait(lambda: node.number("rejoined") > 0, 20), "the node does not join again")
    expect(wrong, system.builds(), "the system does not continue with all three nodes")
    return "%s; %s" % (system.check_counters(wrong, fallible=["n2"]), how)


def slow_link(system, wrong):
    """A delay of 20 to 30 ms and a loss of 1 % of the frames: no event is lost."""
    system.network.bad_links[3].set(delay=10, jitter=5, loss=0.01)
    expect(wrong, system.builds(more=40, seconds=30), "the system does not continue")
    return system.check_counters(wrong)


def cut_link(system, wrong):
    """One node cannot be reached for a while: the others continue, and the node rejoins."""
    growth, link = Growth(system.directory), system.network.bad_links[3]
    PACE.forget()
    link.cut()
    began = time.monotonic()
    expect(wrong, system.builds(but=["n3"], more=40), "the others do not continue")
    how = check_progress(wrong, growth, ["n1", "n2"], system.stale, began)
    growth.stop()
    time.sleep(max(0, 2 * PACE.ms(LEASE) / 1000 - (time.monotonic() - began)))
    link.set()
    expect(wrong, system.builds(seconds=30), "the system does not continue with all three nodes")
    return "%s; %s" % (system.check_counters(wrong, fallible=["n3"]), how)


def check_only_excluded(system, wrong, name):
    """The manager logs the clock of this node, and excludes no other node."""
    messages = system.nodes["m"].messages()
    expect(wrong, "clock of %s is 3600.0 s" % name in messages,
           "the manager does not log the clock of the node: " + messages)
    for other in system.names():
        expect(wrong, other == name or other + " is excluded" not in messages,
               "the manager excludes %s" % other)


def wrong_clock(system, wrong, seconds):
    """
    A node restarts with a wrong clock. The manager logs it and does not admit the node, without a
    loss for the others. When the clock is right, the manager admits the node.
    """
    others, clock = ["n1", "n2", "n4"], Clock(system.directory)
    clock.set(seconds)
    system.nodes["n3"].kill()
    expect(wrong, system.builds(but=["n3"], more=60), "the others do not continue without the node")
    before = sum(system.nodes[name].number("incomplete") for name in others)
    back = system.start(3, clock.environment)
    expect(wrong, wait(lambda: system.unit("n3", "clock_ahead_seconds"), 20),
           "the manager has no clock of the node")
    ahead = system.unit("n3", "clock_ahead_seconds") or 0
    expect(wrong, abs(ahead - seconds) < 10, "the metrics have a clock ahead by %f s" % ahead)
    expect(wrong, system.builds(but=["n3"], more=150, seconds=30), "the others do not continue with the node")
    lost = sum(system.nodes[name].number("incomplete") for name in others) - before
    expect(wrong, lost < 50, "%d blocks were incomplete meanwhile" % lost)
    check_only_excluded(system, wrong, "n3")
    expect(wrong, not back.number("sourceIn.count") and not system.unit("n3", "assigned"),
           "the readout unit of the node is in the table")
    clock.set(0)
    expect(wrong, wait(lambda: back.number("sourceIn.count"), 30),
           "the node is not admitted when its clock is right: " + system.nodes["m"].messages()[-300:])
    expect(wrong, system.builds(), "the system does not continue with all four nodes")
    return "%d blocks incomplete meanwhile; %s" % (
        lost, system.check_counters(wrong, killed=["n3"], fallible=["n3"]))


def clock_steps(system, wrong):
    """
    The clock of a running node steps ahead by an hour. Its source drops the events of that hour, and
    the node is excluded. After a restart with the right clock it is admitted.
    """
    clock = Clock(system.directory)
    system.nodes["n3"].kill()
    expect(wrong, system.builds(but=["n3"], more=20), "the others do not continue without the node")
    node = system.start(3, clock.environment)
    expect(wrong, wait(lambda: node.number("sourceIn.count"), 30), "the node does not continue after its restart")
    expect(wrong, system.builds(), "the system does not continue with all four nodes")
    clock.set(3600)
    expect(wrong, wait(lambda: system.unit("n3", "state") == 4, 30), "the node is not excluded")
    expect(wrong, system.builds(but=["n3"], more=60), "the others do not continue without the node")
    check_only_excluded(system, wrong, "n3")
    expect(wrong, (system.unit("n3", "blocks_ahead") or 0) > 3500 * RATE / EVENTS,
           "the metrics do not have the node ahead")
    node.kill()
    expect(wrong, wait(lambda: "n3 has left" in system.nodes["m"].messages().split("is excluded")[-1], 20),
           "the manager does not detect the killed node")
    node = system.start(3)
    expect(wrong, wait(lambda: node.number("sourceIn.count"), 30), "the node is not admitted again")
    expect(wrong, system.builds(), "the system does not continue with all four nodes")
    # Blocks of the wrong hour are in files, which the ledger would count as losses.
    wrong += ["nodes that did not end in order: " + ", ".join(bad) for bad in [system.stop_all()] if bad]
    return "%d blocks complete" % system.complete()


def hour_ahead(system, wrong):
    return wrong_clock(system, wrong, 3600)


def hour_behind(system, wrong):
    return wrong_clock(system, wrong, -3600)


def etcd_restarted(directory):
    """etcd is killed under load and restarted with its data: no node has to join again."""
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
                   "not all nodes report the lost etcd")
            expect(wrong, system.builds(more=30), "the nodes do not continue without etcd")
            etcd.start()
            expect(wrong, wait(lambda: all(n.last().get("contact") for n in system.builders()),
                               30), "not all nodes are connected to the restarted etcd")
            expect(wrong, system.builds(more=30), "the nodes do not continue with etcd")
            expect(wrong, {n.number("epoch") for n in system.builders()} == epochs and
                   not sum(n.number("rejoined") for n in system.builders()),
                   "a node was removed")
            note = system.check_counters(wrong)
        return wrong, note
    finally:
        system.end()
        etcd.end()
        network.close()


etcd_restarted.needs = lambda: "" if PROGRAM else "etcd is missing: install etcd-server"

# make check runs only these; unit tests cover the others.
QUICK = [
    ("push, three nodes, several segments", push),
    ("pull, three nodes, one segment", pull_single),
    ("killed and restarted node", with_live(4, killed)),
]
ALL = QUICK + [
    ("push, one segment", push_single),
    ("pull, several segments", pull),
    ("data as commands", command),
    ("regions of 2 MiB, eight of them", limited),
    ("eight nodes", eight),
    ("the window limits the queues of barrel shift", queues),
    ("killed and restarted manager", with_live(3, manager_killed)),
    ("stopped and continued node", with_live(3, stopped)),
    ("slow link that loses frames",
     with_live(3, slow_link, bad=[3], times=6)),
    ("cut link", with_live(3, cut_link, bad=[3])),
    ("node with a clock an hour ahead", with_live(4, hour_ahead)),
    ("node with a clock an hour behind", with_live(4, hour_behind)),
    ("clock that steps ahead by an hour", with_live(4, clock_steps, kinds={3: LIVE + ",buffer=256Ki"})),
    ("etcd restarted", etcd_restarted),
]
