# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of the ledger about streams: scenarios, and raw counts to figures per MiB."""

import statistics

from . import figures
from .scenario import KI, MB, MI, rate_text, size_text

RING = 128 * MI
BATCH = 19 * MI  # of a sleeping reader: 20 ms at 1 GB/s as that of pools; rings no doorbell
LIMIT_MS = 100
STREAMS = 7


class Stream:
    """
    packet: bytes of main's packets; streams: 1 (main) or 7, of each of `cards`; rate: bytes/s of each
    stream, 0 as fast as it can; rest: "wait" sleeps for a batch, "spin" does not sleep.
    """

    def __init__(self, packet, rate, streams=1, cards=1, rest="wait", purpose="shaped", window=1.5):
        self.packet, self.rate = packet, rate
        self.streams, self.cards = streams, cards
        self.rest, self.purpose, self.window = rest, purpose, window
        self.reference = 0.4 if not rate and purpose != "alone" else 0.0

    def name(self):
        return "PCIe40, packets of %s, %d stream%s of %d card%s, %s, %s" % (
            size_text(self.packet), self.streams, "" if self.streams == 1 else "s", self.cards,
            "" if self.cards == 1 else "s",
            "alone" if self.purpose == "alone" else rate_text(self.rate), self.rest)

    def seconds(self):
        return 3 + self.window + (self.reference and 2 * self.reference + 0.6)

    def words(self, cards):
        """Return the arguments of roc-ledger."""
        batch, limit = (BATCH, LIMIT_MS) if self.purpose != "alone" else (64, 2)
        return ["mode=stream", "rest=" + self.rest, "source=" + self.purpose,
                "superpage=%d" % self.packet, "buffer=%d" % RING, "batch=%d" % batch,
                "limit=%d" % limit, "process=each", "settle=0.4", "window=%g" % self.window,
                "reference=%g" % self.reference,
                "endpoints=" + cards.of_each("p40", self.cards, self.streams),
                "set=rate=%d" % self.rate]


def quick():
    rows = [Stream(256, 25 * MB)]
    rows += [Stream(size, 250 * MB) for size in (4 * KI, 64 * KI, MI)]
    rows += [Stream(64 * KI, 100 * MB, streams=STREAMS),
             Stream(64 * KI, 250 * MB, cards=2),
             Stream(64 * KI, 1000 * MB, purpose="rate"), Stream(MI, 1000 * MB, purpose="rate"),
             Stream(64 * KI, 1000 * MB, rest="spin", purpose="spin"),
             Stream(64 * KI, 0, purpose="unshaped"), Stream(MI, 0, purpose="unshaped"),
             Stream(4 * KI, 0, purpose="alone", window=3)]
    return rows


def full():
    rows = quick()
    for size in (256, KI, 4 * KI, 16 * KI, 64 * KI, 256 * KI, MI):
        rate = 25 * MB if size < 4 * KI else 250 * MB
        for streams in (1, STREAMS):
            for cards in (1, 2):
                rows.append(Stream(size, rate, streams, cards, window=3))
                rows.append(Stream(size, 0, streams, cards, purpose="unshaped", window=3))
    return rows


def of_main(snapshot, key):
    """
    Return a count of stream main, of all cards: the other streams have little data, which would
    blur it.
    """
    return sum(ep["streams"][0][key] for ep in figures.cards(snapshot))


def errors(raw):
    """Return all errors, as messages."""
    found = []
    for ep in figures.cards(raw["final"]):
        if ep["offered"] != ep["events"] + ep["throttled"] + ep["discarded"] + ep["waiting"]:
            found.append("events are missing in the card's counters")
        found += figures.forbidden(ep, "dma_outside", "host_errors", "stray_writes", "bad_access")
    return found + figures.disagree(raw, "bytes", "bytes",
                                    "the cards wrote %d bytes, the readers got %d")


def walk_ns(raw):
    """Return ns per packet of a reader that only walked through packets; None if there was none."""
    taken = [ps for reader in raw["times"] for ps in reader["walks_ps"]]
    return statistics.median(taken) / 1000 if taken else None


def make_row(scenario, raw, baseline=None):
    """Return one object of "streams" in build/bench.json."""
    row = {"name": scenario.name(), "purpose": scenario.purpose, "rest": scenario.rest,
           "packet_bytes": scenario.packet, "streams": scenario.streams, "cards": scenario.cards,
           "rate": scenario.rate}
    if "error" in raw:
        return {**row, "failed": raw["error"]}
    begin, end = raw["begin"], raw["end"]
    seconds = figures.card_seconds(begin, end)

    def main(key):
        return of_main(end, key) - of_main(begin, key)

    mib = main("bytes") / MI
    taken = figures.of_readers(begin, end, "superpages")
    calls = sum(figures.syscalls(begin, end).values())
    threads = figures.by_key(begin, end, "threads", "cpu_ns") / 1e9 / seconds
    reader = figures.by_key(begin, end, "readers", "cpu_ns") / 1e9 / seconds
    interrupts = main("interrupts")
    walk = walk_ns(raw)
    work = None if walk is None else walk * figures.of_readers(begin, end, "packets") / 1e9 / seconds

    wrong = errors(raw) + [figures.NOTHING] * (not mib)

    def per_mib(amount):
        return amount / mib if mib else None

    row.update({
        "seconds": seconds, "mib": mib, "packets": main("units"), "batches": taken,
        "bytes_per_second": mib * MI / seconds,
        "mmio_reads": figures.change(begin, end, "mmio_reads"),
        "mmio_writes_per_mib": per_mib(main("arms") + main("doorbells")),
        "interrupts_per_mib": per_mib(interrupts),
        "interrupts_per_packet": interrupts / main("units") if main("units") else None,
        "syscalls_per_batch": calls / taken if taken else None,
        "syscalls": calls,
        "cpu_share": threads + reader, "cpu_share_reader": reader,
        "cpu_share_kernel_thread": threads, "walk_ns_per_packet": walk, "cpu_share_work": work,
        "cpu_share_beside_work": None if work is None else threads + reader - work,
        "guest_had": figures.guest_had(begin, end),
        "card_starved": figures.starved(begin, end),
        "copies": figures.copies(begin, end),
        "lost": figures.change(begin, end, "throttled"), "generator_ratio": None, "insns_per_mib": None,
        "errors": len(wrong), "error_texts": wrong})
    if scenario.rate:
        row["generator_ratio"] = mib * MI / seconds / (scenario.rate * scenario.cards)
    able = figures.reference(raw, lambda ep: ep["streams"][0]["recycled"])
    if able and not scenario.rate:
        row["card_bytes_per_second"] = able
        row["generator_ratio"] = figures.rate_at_work(
            begin, end, lambda ep: ep["streams"][0]["bytes"]) / able
    insns = figures.insns(begin, end, baseline)
    if insns:
        row["insns_per_mib"] = per_mib(sum(insns))
    return row


def _percent(share):
    return None if share is None else 100 * share


COLUMNS = (
    ("reader", lambda r: r["rest"], "%s"), ("packet", lambda r: size_text(r["packet_bytes"]), "%s"),
    ("streams", lambda r: r["streams"], "%d"), ("cards", lambda r: r["cards"], "%d"),
    ("rate", lambda r: "alone" if r["purpose"] == "alone" else rate_text(r["rate"]), "%s"),
    ("MiB", lambda r: r["mib"], "%.0f"), ("ratio", lambda r: r["generator_ratio"], "%.3f"),
    ("starved %", lambda r: 100 * r["card_starved"], "%.0f"),
    ("reads", lambda r: r["mmio_reads"], "%d"),
    ("wr/MiB", lambda r: r["mmio_writes_per_mib"], "%.4f"),
    ("irq/MiB", lambda r: r["interrupts_per_mib"], "%.4f"),
    ("call/batch", lambda r: r["syscalls_per_batch"], "%.3f"),
    ("cpu %", lambda r: 100 * r["cpu_share"], "%.1f"),
    ("work %", lambda r: _percent(r["cpu_share_work"]), "%.1f"),
    ("had %", lambda r: 100 * r["guest_had"], "%.0f"),
    ("insn/MiB", lambda r: r["insns_per_mib"], "%.0f"), ("copies", lambda r: r["copies"], "%d"),
    ("lost", lambda r: r["lost"], "%d"), ("errors", lambda r: r["errors"], "%d"),
)
