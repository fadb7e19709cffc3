# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of the ledger about fragments on request: raw counts to figures per fragment taken in."""

from . import figures
from .scenario import MB, rate_text

LINKS = 6  # of a sub-unit
SUBS = 2  # of a card
RATE = 1000  # events/s that this kind of machine carries with two cards
SIZES = (400, 700, 1600)
PERCENT = (10, 50, 100)
# The largest fraction: each sub-unit can send so much, and gets events of six links at this rate.
MOST = 101
MOST_RATE, MOST_BYTES = 1000, 4 * MB
MOST_SIZES = (200, 400, 700, 1000, 1600, 3200)


class Fragments:
    """
    size: bytes of a fragment; percent: of the events that are fetched, MOST: as many as there is
    room for; rate: events/s of each link; purpose: "fraction", "most", "alone", "spin", "load".
    """

    def __init__(self, size, percent, rate=RATE, cards=2, subs=SUBS, rest="wait",
                 purpose="fraction", window=1.5):
        self.size, self.percent, self.rate = size, percent, rate
        self.cards, self.subs = cards, subs
        self.rest, self.purpose, self.window = rest, purpose, window

    def name(self):
        return "RobinNP, fragments of %d bytes, %s of the events, %d links at %d/s, %s" % (
            self.size, "most" if self.percent == MOST else "%d %%" % self.percent,
            1 if self.purpose == "alone" else self.cards * self.subs * LINKS, self.rate, self.rest)

    def seconds(self):
        return 4 + self.window

    def words(self, cards):
        """Return the arguments of roc-ledger."""
        return ["mode=fragment", "rest=" + self.rest, "source=" + self.purpose,
                "superpage=%d" % self.size, "percent=%d" % self.percent, "batch=%d" % self.rate,
                "process=each", "settle=0.6", "window=%g" % self.window,
                "endpoints=" + cards.of_each("robinnp", self.cards, self.subs),
                "set=rate=%d" % (MOST_BYTES if self.purpose == "most" else 0)]


def quick():
    rows = [Fragments(size, percent) for size in SIZES for percent in PERCENT]
    rows += [Fragments(size, MOST, MOST_RATE, cards=1, purpose="most") for size in MOST_SIZES]
    return rows + [Fragments(1000, 10, 8000, cards=1, subs=1, purpose="load"),
                   Fragments(1000, 10, 8000, cards=1, subs=1, rest="spin", purpose="spin"),
                   Fragments(1000, 0, 20, cards=1, subs=1, purpose="alone", window=3)]


def full():
    return quick() + [Fragments(size, percent, rate, window=3)
                      for size in SIZES for percent in PERCENT for rate in (500, 2000, 4000)]


def errors(raw):
    """Return all errors, as messages."""
    found = []
    for ep in figures.cards(raw["final"]):
        if ep["offered"] != ep["fragments"] + ep["discarded"] + ep["waiting"]:
            found.append("fragments are missing in the card's counters")
        if ep["commands"] != ep["ok"] + ep["commands_discarded"] + ep["commands_waiting"]:
            found.append("commands failed, or are missing in the card's counters")
        found += figures.forbidden(ep, "bad_free", "dma_outside", "host_errors", "stray_writes",
                                   "bad_access")
    found += figures.disagree(raw, "fragments", "superpages",
                              "the cards reported %d fragments, the readers took %d")
    return found + figures.disagree(raw, "transferred", "bytes",
                                    "the cards sent %d bytes, the readers got %d")


def make_row(scenario, raw, baseline=None):
    """Return one object of "fragments" in build/bench.json."""
    row = {"name": scenario.name(), "purpose": scenario.purpose, "rest": scenario.rest,
           "fragment_bytes": scenario.size, "percent": scenario.percent, "cards": scenario.cards,
           "rate": scenario.rate}
    if "error" in raw:
        return {**row, "failed": raw["error"]}
    begin, end = raw["begin"], raw["end"]
    seconds = figures.card_seconds(begin, end)

    def change(*keys):
        return figures.change(begin, end, *keys)

    fragments, calls = change("fragments"), sum(figures.syscalls(begin, end).values())
    events = figures.of_readers(begin, end, "reclaimed")
    fetched = figures.of_readers(begin, end, "refused")
    links = 1 if scenario.purpose == "alone" else scenario.cards * scenario.subs * LINKS

    wrong = errors(raw) + [figures.NOTHING] * (not fragments)

    def per(amount):
        return amount / fragments if fragments else None

    row.update({
        "seconds": seconds, "fragments": fragments, "events": events, "links": links,
        "bytes_per_second": change("transferred") / seconds,
        "fraction": fetched / events if events else None,
        "rate_ratio": fragments / seconds / (scenario.rate * links),
        "mmio_reads": change("mmio_reads"),
        "mmio_writes_per_fragment": per(change("arms", "free_doorbells", "command_doorbells")),
        "interrupts_per_fragment": per(change("data_interrupts", "done_interrupts")),
        "syscalls_per_fragment": per(calls), "syscalls": calls,
        "cpu_share": figures.by_key(begin, end, "threads", "cpu_ns") / 1e9 / seconds +
        figures.by_key(begin, end, "readers", "cpu_ns") / 1e9 / seconds,
        "copies": figures.copies(begin, end),
        "kept_most": max(c["looks"] for r in end["readers"] for c in r["channels"]),
        "held": change("holds"), "lost": change("discarded"), "insns_per_fragment": None,
        "errors": len(wrong), "error_texts": wrong})
    insns = figures.insns(begin, end, baseline)
    if insns:
        row["insns_per_fragment"] = per(sum(insns))
    return row


COLUMNS = (
    ("reader", lambda r: r["rest"], "%s"), ("bytes", lambda r: r["fragment_bytes"], "%d"),
    ("links", lambda r: r["links"], "%d"), ("events/s", lambda r: r["rate"], "%d"),
    ("requested %", lambda r: "most" if r["percent"] == MOST else str(r["percent"]), "%s"),
    ("got %", lambda r: r["fraction"] and 100 * r["fraction"], "%.1f"),
    ("fragments", lambda r: r["fragments"], "%d"), ("ratio", lambda r: r["rate_ratio"], "%.3f"),
    ("sent", lambda r: rate_text(r["bytes_per_second"]), "%s"),
    ("reads", lambda r: r["mmio_reads"], "%d"),
    ("wr/frag", lambda r: r["mmio_writes_per_fragment"], "%.4f"),
    ("irq/frag", lambda r: r["interrupts_per_fragment"], "%.4f"),
    ("call/frag", lambda r: r["syscalls_per_fragment"], "%.4f"),
    ("cpu %", lambda r: 100 * r["cpu_share"], "%.1f"),
    ("insn/frag", lambda r: r["insns_per_fragment"], "%.0f"),
    ("kept", lambda r: r["kept_most"], "%d"), ("held", lambda r: r["held"], "%d"),
    ("copies", lambda r: r["copies"], "%d"), ("errors", lambda r: r["errors"], "%d"),
)
