# SPDX-License-Identifier: GPL-2.0-or-later
"""List the scenarios: the quick form, the whole matrix, and further experiments."""

from .scenario import GI, KI, MB, MI, SHAPED, SIZES, Scenario

# The first of each kind is on the first node: see "Placement" in Documentation/bench.md.
CARDS = "cru:2,p40:2,robinnp:2,crorc:1"
MODES = (("cru", "timer"), ("cru", "event"), ("cru", "busy"), ("crorc", "timer"),
         ("crorc", "event"))
ENDPOINTS = (1, 2, 4)
CURVE = tuple(rate * MB for rate in (10, 25, 50, 250, 500, 2000))  # beside those of at_rates()


def _batch(superpage, rate, buffer):
    """
    A sleeping reader's batch: some 20 ms of data, but not more than a quarter of its superpages, so
    that the card never runs short because of it.
    """
    if rate in (None, MB):
        return {"batch": 1, "limit_ms": 1000}
    wanted = int(rate * 0.02 / superpage) if rate else 64
    return {"batch": max(1, min(64, wanted, buffer // superpage // 4)), "limit_ms": 100}


def make(card, mode, superpage=MI, endpoints=1, rate=0, **kwargs):
    """Return a scenario whose reader sleeps, to make few system calls."""
    rest = "look" if mode == "busy" else kwargs.pop("rest", "wait")
    # What is larger than a page of 2 MiB needs pages of 1 GiB. A card that has more may be left alone
    # for longer.
    large = superpage > 2 * MI or (rate in (None, MB) and endpoints == 1)
    kwargs.setdefault("buffer", GI if large else 256 * MI)
    options = _batch(superpage, rate, kwargs["buffer"])
    if rate in (None, MB):
        options["patience"] = 0.5  # nothing comes soon
    options.update(kwargs)
    return Scenario(card, mode, superpage, endpoints, rate, rest=rest, **options)


def at_rates(card, mode, low_window):
    """Return rows of 1 MiB at each rate, for costs; latency where a reader wakes at once."""
    rows = [make(card, mode, rate=None, window=3, purpose="rate"),
            make(card, mode, rate=MB, window=low_window, purpose="rate")]
    for rate in (100 * MB, 1000 * MB):
        rows.append(make(card, mode, rate=rate, purpose="rate", window=3))
        rows.append(make(card, mode, rate=rate, batch=1, stamp=True, purpose="latency"))
    rows.append(make(card, mode, rate=0, purpose="rate"))
    return rows


def alone(card, mode):
    """Return rows with superpages so rare that each comes alone, for its cost and latency."""
    return make(card, mode, rate=10 * MB, links=1, batch=1, stamp=True, window=3, purpose="alone")


def quick():
    rows = []
    for card, mode in (("cru", "timer"), ("cru", "event")):
        rows += at_rates(card, mode, 3)
        rows.append(alone(card, mode))
        for size in (32 * KI, 256 * KI, 8 * MI):
            rows.append(make(card, mode, size, rate=SHAPED, purpose="shaped"))
        for count in (1, 4):
            rows.append(make(card, mode, endpoints=count, rate=SHAPED, purpose="shaped"))
        rows.append(make(card, mode, 8 * MI, purpose="unshaped"))
        rows.append(make(card, mode, rate=1000 * MB, rest="spin", purpose="spin"))
    rows.append(make("cru", "busy", purpose="rate"))
    for mode in ("timer", "event"):
        rows.append(make("crorc", mode, rate=None, window=3, purpose="rate"))
        rows.append(make("crorc", mode, rate=100 * MB, batch=1, stamp=True, purpose="latency"))
        rows.append(make("crorc", mode, rate=SHAPED, purpose="shaped"))
        rows.append(make("crorc", mode, purpose="rate"))
    rows.append(make("crorc", "timer", 8 * MI, purpose="unshaped"))
    # The costs at 100 MB/s are those of the latency row.
    rows = [r for r in rows if (r.rate, r.purpose) != (100 * MB, "rate")]
    for row in rows:
        row.window = min(row.window, 1.5) if row.rate not in (None, MB) else row.window
        row.settle, row.reference = 0.3, row.reference and 0.4
    return rows + [epoll(2.0)] + startups() + beside(1.5, 1)


def full():
    rows = []
    for card, mode in MODES:
        rows += at_rates(card, mode, 26)
        rows.append(alone(card, mode))
        # The latency cost of fewer polls.
        rows += [make(card, mode, rate=rate, batch=1, stamp=True, purpose="latency", window=5)
                 for rate in CURVE if mode != "busy" and (card == "cru" or rate <= 500 * MB)]
        for size in SIZES:
            for count in ENDPOINTS:
                rows.append(make(card, mode, size, count, SHAPED, purpose="shaped"))
                rows.append(make(card, mode, size, count, 0, purpose="unshaped"))
        if mode != "busy":
            rows.append(make(card, mode, rate=1000 * MB, rest="spin", purpose="spin"))
    return rows + [epoll(5.0)] + startups() + beside(5.0, 5)


def beside(window, pairs):
    """Return rows of roc-bench-dma, alternating with the stand-in for a reader without a driver."""
    def row(rest, mode, rate):
        return Scenario("cru", mode, rate=rate, rest=rest, buffer=512 * MI, window=window,
                        settle=0.3, reference=0.0, purpose="tool")
    rows = [row("tool", "event", rate) for rate in (0, 1000 * MB)]
    for rate in (0, 1000 * MB):
        rows += [row(rest, "timer", rate) for rest in ("standin", "tool")] * pairs
    return rows


def epoll(window, mode="event"):
    """
    Return rows with eight channels on one epoll: four endpoints of CRUs, four channels of a C-RORC.
    """
    return Scenario("cru", mode, MI, 4, SHAPED, rest="epoll", process="one", source="internal",
                    buffer=64 * MI, window=window, purpose="epoll", extra=("crorc", 4))


def startup(mode):
    return Scenario("cru", mode, MI, 1, 0, buffer=GI, batch=1, window=0.5, reference=0.0,
                    settle=0.0, purpose="startup")


def startups():
    """Return three of each: a single start does not average out other work of the machine."""
    return [startup("timer"), startup("event")] * 3


# The card's FIFO, and whether it drops: one superpage being filled, and as many waiting as are used
# up while a new descriptor cannot be used yet and the driver has not seen that one is needed.
REFILL_MS, DRIVER_MS = 100, 20
LINKS = 12


def fifo_depth(superpage=MI, rate=SHAPED):
    """Return the number of places that the refill latency needs."""
    period_ms = superpage * LINKS / rate * 1000
    waiting = -(-(REFILL_MS + DRIVER_MS) // period_ms)
    return 1 + int(waiting)


def fifo(mode, seconds):
    """Return (depth, expects drops, scenario): deep enough, half, double."""
    deep = fifo_depth()
    found = []
    beside = min(seconds / 4, 60)
    for depth, drops, window in ((deep, False, seconds), (deep // 2, True, beside),
                                 (deep * 2, False, beside)):
        row = make("cru", mode, rate=SHAPED, window=window, batch=1,
                   sets=(("refill-latency-us", REFILL_MS * 1000),), purpose="fifo")
        found.append((depth, drops, row))
    return found


# Processes, and seconds. All on the processor of the card's node: an access from the other node
# takes three times as long here, and the index would show the placement of the processes.
BAR_QUICK = ((1, 3), (8, 5))
BAR_FULL = ((1, 5), (2, 5), (4, 5), (8, 10))
BAR_PROCESSOR = 0
BAR_REGISTER = "0x4"  # the firmware's version: reading it has no effect
