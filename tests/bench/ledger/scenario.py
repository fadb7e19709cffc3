# SPDX-License-Identifier: GPL-2.0-or-later
"""The measurements: one Scenario is one row of the ledger."""

KI, MI, GI = 1 << 10, 1 << 20, 1 << 30
MB = 1000000

SIZES = (32 * KI, 64 * KI, 128 * KI, 256 * KI, 512 * KI, MI, 2 * MI, 4 * MI, 8 * MI)
SHAPED = 250 * MB  # bytes/s of each endpoint
# A card's generator at full rate, bytes/s, 0: as fast as memory permits. That of a C-RORC's channel has
# the rate of its optical line.
LINE = {"cru": 0, "crorc": 600 * MB}
ZEROED = 200 * MB  # bytes/s, by an emulated kernel
PAGE = 8192  # every packet of the generators takes one DMA page


def size_text(size):
    for unit, name in ((GI, "GiB"), (MI, "MiB"), (KI, "KiB")):
        if size >= unit and size % unit == 0:
            return "%d %s" % (size // unit, name)
    return "%d B" % size


def rate_text(rate):
    if rate is None:
        return "idle"
    if rate == 0:
        return "saturated"
    if rate % (1000 * MB) == 0:
        return "%d GB/s" % (rate // (1000 * MB))
    return "%g MB/s" % (rate / MB)


class Scenario:
    """
    card: "cru" or "crorc"; mode: timer, event, busy; endpoints: how many at once; rate: bytes/s of
    each endpoint, 0 as fast as it can (LINE), None no data at all; rest: how the reader waits, or
    which other one there is: "tool" is roc-bench-dma, "standin" what needs no driver.
    """

    def __init__(self, card="cru", mode="timer", superpage=MI, endpoints=1, rate=0, rest="wait",
                 **kwargs):
        self.card = card
        self.mode = mode
        self.superpage = superpage
        self.endpoints = endpoints
        self.rate = rate
        self.rest = rest
        self.batch = 1
        self.limit_ms = 1000
        self.process = "each"
        self.source = "ddg" if card == "cru" else "internal"
        self.links = 12
        self.buffer = 256 * MI
        self.settle = 0.6
        self.window = 3.0
        self.reference = 1.0 if rate == 0 else 0.0
        self.stamp = False
        self.extra = None    # (card, channels) of another kind, read as well
        self.patience = 5.0  # seconds to wait for first superpages
        self.sets = ()       # further keys of the emulated card: (key, value)
        self.purpose = ""    # which targets it is for
        for name, value in kwargs.items():
            if not hasattr(self, name):
                raise TypeError("a scenario has no " + name)
            setattr(self, name, value)

    @property
    def channels(self):
        return self.endpoints + (self.extra[1] if self.extra else 0)

    def proofs(self):
        """
        Plain CRUs that finish nothing in the whole run. At its end the driver has their generator
        fill a page, or no counter could show that they hear a reset; its superpage comes back as
        reclaimed.
        """
        plain = self.card == "cru" and self.mode != "event"
        return self.endpoints if plain and self.rate is None else 0

    def name(self):
        return "%s %s, %s, %d endpoint%s, %s, %s" % (
            self.card.upper() + (" and " + self.extra[0].upper() if self.extra else ""), self.mode,
            size_text(self.superpage), self.channels,
            "" if self.channels == 1 else "s", rate_text(self.rate), self.rest)

    def seconds(self):
        """Return the approximate duration; large buffers are zeroed first."""
        zeroing = max(0, self.buffer * self.channels - GI // 4) / ZEROED
        return zeroing + self.settle + self.window + (self.reference and 2 * self.reference + 0.6) + 2

    def words(self, cards):
        """Return the arguments of roc-ledger; cards: see guest.Cards."""
        # No data at all: links that are enabled, and down. A C-RORC's own generator needs no link.
        sets = [("rate", 1 if self.rate is None else self.rate or LINE[self.card])]
        if self.card == "cru":
            sets.append(("refill-latency-us", 0))
        else:
            sets.append(("full-line", "off" if self.rate else "on"))
        sets += self.sets
        if self.card == "cru":
            sets.append(("link-state", "down" if self.rate is None else "up"))
            links = (1 << self.links) - 1
            sets.append(("links-enabled", hex(links)))
        endpoints = cards.endpoints(self.card, self.endpoints)
        if self.extra:
            endpoints += "," + cards.endpoints(*self.extra)
            sets = [("rate", self.rate or 0)]
        words = ["mode=" + self.mode, "source=" + self.source, "rest=" + self.rest,
                 "superpage=%d" % self.superpage, "buffer=%d" % self.buffer,
                 "batch=%d" % self.batch, "limit=%d" % self.limit_ms, "process=" + self.process,
                 "settle=%g" % self.settle, "window=%g" % self.window,
                 "reference=%g" % self.reference, "stamp=%d" % self.stamp,
                 "patience=%g" % self.patience, "endpoints=" + endpoints]
        return words + ["set=%s=%s" % pair for pair in sets]
