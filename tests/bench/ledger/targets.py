# SPDX-License-Identifier: GPL-2.0-or-later
"""
The targets, in one place, and whether they are reached.

A Target selects rows of the ledger and has a limit for one of their figures. It is reached if every
selected row keeps the limit, and reports the worst of them, or the median of a repeated measurement.
Without a row it is "not measured". If a limit is easier to keep with less data, a row counts only if
the data of its rate came.
"""

from .scenario import KI, MB, MI, SHAPED

GB = 1000 * MB
ALL = 0.95  # of a rate: generator_ratio from which on its data came


class Target:
    def __init__(self, text, figure, limit, pick, least=False, unit="", median=False,
                 at_rate=False):
        self.text = text
        self.figure = figure  # row -> number, None where the row has none
        self.limit = limit
        self.pick = pick      # row -> bool
        self.least = least    # the limit is the lowest good value, else the highest
        self.unit = unit
        self.median = median  # of the rows, not the worst
        self.at_rate = at_rate  # with less data it is easier to keep

    def _keeps(self, value):
        return value >= self.limit if self.least else value <= self.limit

    def _proves(self, value, row):
        return not (self.at_rate and self._keeps(value) and row["generator_ratio"] < ALL)

    def judge(self, rows):
        """
        (state, figure that counts, its row); state: reached, missed, not measured (with a row for
        which too little came, if there is one).
        """
        given = [(self.figure(row), row) for row in rows
                 if not ("failed" in row or "skipped" in row) and self.pick(row)]
        given = sorted(((value, row) for value, row in given if value is not None),
                       key=lambda pair: pair[0], reverse=self.least)
        proofs = [pair for pair in given if self._proves(*pair)]
        if not proofs:
            return "not measured", None, given[0][1] if given else None
        worst, where = proofs[len(proofs) // 2 if self.median else -1]
        return "reached" if self._keeps(worst) else "missed", worst, where


def _value(key):
    return lambda row: row.get(key)


def _is(**wanted):
    def pick(row):
        return all(value(row.get(key)) if callable(value) else row.get(key) == value
                   for key, value in wanted.items())
    return pick


def _at(mode, rate, size=MI, **kwargs):
    return _is(mode=mode, rate=rate, superpage_bytes=size, endpoints=1, **kwargs)


def _p99(row):
    return row["latency"] and row["latency"]["p99_ms"]


READS, WRITES = _value("mmio_reads_per_superpage"), _value("mmio_writes_per_superpage")
RATIO, CALLS = _value("generator_ratio"), _value("syscalls_per_superpage")
SLEEPING = ("wait", "epoll")
LOAD = (GB, 0)  # rates that count as load, bytes/s
NEEDS = {"cru": 4.0, "crorc": 3.0}  # writes for one superpage, by the cards' protocols


def _cpu(row):
    return 100 * row["cpu_share"]


def _startup_rest(row):
    """Return ms from exec to first superpage, without the zeroing and the card's waits."""
    parts = row["startup_ms"]
    if not parts:
        return None
    wait = {"cru": 210.0, "crorc": 100.0}[row["card"]]
    return parts["total"] - parts["allocate"] - wait


def _from_one(row):
    """One superpage may lie on the edge of the window, and its interrupt outside."""
    value = row["interrupts_per_superpage"]
    return None if value is None else max(0, abs(value - 1) - 1.01 / row["superpages"])


def _wakeups_per_interrupt(row):
    interrupts = row["interrupts_per_superpage"]
    return row["wakeups_per_superpage"] / interrupts if interrupts else None


def _copied(row):
    return row["dma_events"].get("swiotlb/swiotlb_bounced")


def _mapped(row):
    counts = [n for name, n in row["dma_events"].items() if name.startswith("dma/")]
    return sum(counts) if counts else None


def _sleeps_on_work(row):
    """Return the share of sleeps with work left, except two: a superpage may come just before a sleep."""
    count = row["sleeps_on_work"]
    return None if count is None else max(0, count - 2) / max(1, row["sleeps"])


def _of_cpu(part):
    return lambda row: 100 * row["cpu_share_" + part]


def _batched(row):
    return row["purpose"] != "latency" and row["rest"] in SLEEPING


def _event():
    mode = "event"
    return [
        Target("MMIO reads per superpage, every rate", READS, 0, _is(mode=mode)),
        Target("MMIO writes per superpage under load, 1 MiB", WRITES, 1 / 8,
               _is(mode=mode, superpage_bytes=MI, rate=lambda r: r in LOAD)),
        Target("interrupts per superpage under load, 1 MiB", _value("interrupts_per_superpage"),
               1 / 8, _is(mode=mode, superpage_bytes=MI, rate=lambda r: r in LOAD)),
        Target("wake-ups per interrupt, eight channels on one epoll", _wakeups_per_interrupt, 1,
               _is(mode=mode, purpose="epoll")),
        Target("latency p99 at 100 MB/s", _p99, 10, _at(mode, 100 * MB, purpose="latency"),
               unit=" ms"),
        Target("interrupts per superpage that comes alone, distance from 1", _from_one, 0.01,
               _is(mode=mode, purpose="alone")),
        Target("latency of a superpage that comes alone, p99", _p99, 5,
               _is(mode=mode, purpose="alone"), unit=" ms"),
        Target("CPU, idle or 1 MB/s", _cpu, 1, _is(mode=mode, rate=lambda r: r in (None, MB)),
               unit=" %"),
        Target("CPU, 1 GB/s", _cpu, 4, _at(mode, GB, rest=lambda r: r in SLEEPING,
                                           purpose="rate"), unit=" %", at_rate=True),
        Target("CPU of roc-bench-dma and its thread, 1 GB/s", _cpu, 4,
               _is(mode=mode, rest="tool", rate=GB), unit=" %", at_rate=True),
        Target("ratio, shaped, 32 KiB to 8 MiB, 1 to 4 endpoints", RATIO, 0.98,
               _is(mode=mode, rate=SHAPED), least=True),
    ] + [
        Target("ratio, unshaped, 1 endpoint, 1 MiB and above, %s" % card.upper(), RATIO, 0.90,
               _is(mode=mode, card=card, rate=0, endpoints=1, superpage_bytes=lambda s: s >= MI,
                   purpose=lambda p: p != "startup"), least=True) for card in NEEDS
    ]


def _timer():
    mode = "timer"
    targets = [
        Target("MMIO reads per superpage, %s" % text, READS, limit,
               _at(mode, rate, card="cru", purpose=lambda p: p in ("rate", "latency")))
        for text, rate, limit in (("saturated", 0, 1.1), ("1 GB/s", GB, 1.5),
                                  ("100 MB/s", 100 * MB, 2.5))]
    # Three are the read-back of a push.
    targets.append(Target("MMIO reads per superpage, CRORC, every rate", READS, 3.06,
                          _is(mode=mode, card="crorc")))
    targets += [
        Target("latency p99 at %s" % text, _p99, 10, _at(mode, rate, purpose="latency"),
               unit=" ms") for text, rate in (("1 GB/s", GB), ("100 MB/s", 100 * MB))]
    targets += [
        Target("MMIO writes per superpage, %s" % card.upper(), WRITES, NEEDS[card] * 1.02,
               _is(mode=mode, card=card, superpages=lambda n: n >= 500)) for card in NEEDS]
    return targets + [
        Target("timer ticks per superpage under load, 1 MiB", _value("ticks_per_superpage"), 1 / 4,
               _is(mode=mode, superpage_bytes=MI, rate=lambda r: r in LOAD)),
        Target("MMIO reads/s, idle", _value("mmio_reads_per_second"), 100,
               _is(mode=mode, rate=None)),
        Target("CPU, idle or 1 MB/s", _cpu, 1, _is(mode=mode, rate=lambda r: r in (None, MB)),
               unit=" %"),
        Target("CPU, 1 GB/s", _cpu, 10, _at(mode, GB, rest=lambda r: r in SLEEPING,
                                            purpose="rate"), unit=" %", at_rate=True),
        Target("the thread sleeps on work, saturated, of all its sleeps", _sleeps_on_work, 0.05,
               _is(mode=mode, card="cru", rate=0, rest=lambda r: r != "standin")),
        Target("roc-bench-dma, saturated, beside the stand-in", _value("of_standin"), 2,
               _is(mode=mode, rest="tool", rate=0), least=True),
        Target("roc-bench-dma's own CPU, 1 GB/s", _of_cpu("reader"), 4,
               _is(mode=mode, rest="tool", rate=GB), unit=" %", at_rate=True),
        Target("roc-bench-dma, 1 GB/s, dropped", _value("dropped"), 0,
               _is(mode=mode, rest="tool", rate=GB), at_rate=True),
        Target("ratio, shaped, from 256 KiB up, 1 to 4 endpoints", RATIO, 0.98,
               _is(mode=mode, rate=SHAPED, superpage_bytes=lambda s: s >= 256 * KI), least=True),
    ] + [
        Target("ratio, unshaped, 1 endpoint, %s, %s" % (text, card.upper()), RATIO, limit,
               _at(mode, 0, size, card=card, purpose=lambda p: p in ("rate", "unshaped")),
               least=True)
        for card in NEEDS for text, size, limit in (("1 MiB", MI, 0.50), ("8 MiB", 8 * MI, 0.90))
    ]


def _both(mode):
    return [
        Target("system calls per superpage, busy reader", CALLS, 0, _is(mode=mode, rest="spin")),
        Target("system calls per superpage, sleeping reader, 1 GB/s", CALLS, 1 / 16,
               lambda r: _at(mode, GB)(r) and _batched(r)),
        Target("bounces in steady state", _copied, 0, _is(mode=mode)),
        Target("DMA map calls in steady state", _mapped, 0, _is(mode=mode)),
        Target("exec to first superpage, 1 GiB, beyond zeroing and waits", _startup_rest, 50,
               _is(mode=mode, purpose="startup"), unit=" ms", median=True),
    ]


TARGETS = {"event": _event() + _both("event"), "timer": _timer() + _both("timer")}

BAR = [
    Target("MMIO per BAR operation, distance from 1", lambda r: abs(r["mmio_per_op"] - 1), 1e-3,
           lambda r: "mmio_per_op" in r),
    Target("system calls per BAR operation", _value("syscalls_per_op"), 1e-2,
           lambda r: "mmio_per_op" in r),
    Target("Jain index, 8 processes", _value("jain"), 0.99, lambda r: r.get("processes") == 8,
           least=True),
]

def _cpu_beside_work(row):
    share = row["cpu_share_beside_work"]
    return None if share is None else 100 * share


LOADED_STREAM = _is(purpose=lambda p: p in ("rate", "spin", "unshaped"))


def _calls_per_batch(row):
    """One call may lie in the window, and its batch beyond."""
    return row["syscalls_per_batch"] - 1 / row["batches"] if row["batches"] else None


STREAMS = [
    Target("register reads", _value("mmio_reads"), 0, _is()),
    Target("register writes per MiB under load", _value("mmio_writes_per_mib"), 1 / 8,
           LOADED_STREAM),
    Target("interrupts per MiB under load", _value("interrupts_per_mib"), 1 / 8, LOADED_STREAM),
    Target("interrupts per packet that comes alone, distance from 1",
           lambda r: abs(r["interrupts_per_packet"] - 1), 0.05, _is(purpose="alone")),
    Target("system calls per batch, busy reader", _value("syscalls_per_batch"), 0,
           _is(rest="spin")),
    Target("system calls per batch, sleeping reader", _calls_per_batch, 1,
           _is(rest="wait", purpose=lambda p: p in ("rate", "shaped"))),
    Target("copies", _value("copies"), 0, _is()),
    Target("events lost", _value("lost"), 0, _is()),
    Target("ratio, shaped, packets of 64 KiB and above", _value("generator_ratio"), 0.98,
           _is(purpose="shaped", packet_bytes=lambda s: s >= 64 * KI), least=True),
    Target("ratio, unshaped, packets of 64 KiB and above", _value("generator_ratio"), 0.90,
           _is(purpose="unshaped", packet_bytes=lambda s: s >= 64 * KI), least=True),
    Target("CPU of a sleeping reader beside its own work, 1 GB/s", _cpu_beside_work, 4,
           _is(rest="wait", purpose="rate"), unit=" %", at_rate=True),
]

NOT_ALONE = _is(purpose=lambda p: p != "alone")

FRAGMENTS = [
    Target("register reads", _value("mmio_reads"), 0, _is()),
    Target("register writes per fragment", _value("mmio_writes_per_fragment"), 1 / 16, NOT_ALONE),
    Target("interrupts per fragment", _value("interrupts_per_fragment"), 1 / 8, NOT_ALONE),
    Target("interrupts per fragment that comes alone, distance from 1",
           lambda r: abs(r["interrupts_per_fragment"] - 1), 0.02, _is(purpose="alone")),
    Target("system calls, busy reader", _value("syscalls"), 0, _is(rest="spin")),
    Target("copies", _value("copies"), 0, _is()),
    Target("24 links: times that one was held", _value("held"), 0, _is(purpose="fraction")),
    Target("24 links: delivered of the fixed rate", _value("rate_ratio"), 0.98,
           _is(purpose="fraction"), least=True),
    Target("24 links: fetched of what was wanted", lambda r: 100 * r["fraction"] / r["percent"],
           0.98, _is(purpose="fraction"), least=True),
    Target("24 links: fragments kept, at any time", _value("kept_most"), 8192,
           _is(purpose="fraction")),
    Target("fragments lost", _value("lost"), 0, _is()),
]

FIFO = [
    Target("dropped with the FIFO as deep as the refill latency needs", _value("dropped"), 0,
           lambda r: r.get("purpose") == "fifo" and r.get("expect_drops") is False
           and not r.get("double"), at_rate=True),
    Target("dropped with the FIFO half as deep", _value("dropped"), 1,
           lambda r: r.get("purpose") == "fifo" and r.get("expect_drops") is True, least=True),
    Target("dropped with the FIFO double", _value("dropped"), 0,
           lambda r: r.get("purpose") == "fifo" and r.get("double") is True, at_rate=True),
]


def report(rows, bar_rows, stream_rows=(), fragment_rows=()):
    """
    Lines of text, and how many were reached, missed, not measured; of these, those for which too
    little came.
    """
    lines, counts = [], {"reached": 0, "missed": 0, "not measured": 0, "too little": 0}
    ours = [r for r in rows if r.get("purpose") != "fifo" and r.get("rest") != "standin"]
    groups = [(mode, TARGETS[mode], ours) for mode in ("event", "timer")]
    groups += [("streams", STREAMS, stream_rows), ("fragments", FRAGMENTS, fragment_rows),
               ("FIFO depth", FIFO, rows), ("BAR", BAR, bar_rows)]
    for name, targets, given in groups:
        lines.append("%s:" % name)
        for target in targets:
            state, worst, where = target.judge(given)
            counts[state] += 1
            text = "  %-12s %s: " % (state, target.text)
            sign = "at least" if target.least else "at most"
            if worst is None:
                text += "%s %g%s" % (sign, target.limit, target.unit)
                if where:
                    counts["too little"] += 1
                    text += "; too little came: " + where["name"]
            else:
                text += "%.4g%s (%s %.4g%s)" % (worst, target.unit, sign, target.limit, target.unit)
                if state == "missed":
                    text += "; worst: " + where["name"]
            lines.append(text)
    return lines, counts
