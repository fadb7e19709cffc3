# SPDX-License-Identifier: GPL-2.0-or-later
"""
Plot the ledger like the published figures: the delivered part of the card's own rate, and its cost,
against superpage size; and the share of each process in BAR operations.
"""

import os

from . import svg
from .scenario import SIZES, rate_text, size_text


def _curves(rows, value, shaped):
    found = {}
    for row in rows:
        if row.get("purpose") not in ("shaped", "unshaped", "rate") or row["rest"] == "spin":
            continue
        if "superpages" not in row or bool(row["rate"]) != shaped or row["rate"] is None:
            continue
        if shaped and row["purpose"] == "rate":
            continue
        amount = value(row)
        if amount is not None:
            key = ("%s %s" % (row["card"].upper(), row["mode"]), row["endpoints"])
            found.setdefault(key, {})[row["superpage_bytes"]] = amount
    return [(name, endpoints, points) for (name, endpoints), points in found.items()]


def _by_rate(rows, value):
    found = {}
    for row in rows:
        if row.get("purpose") != "latency" or "superpages" not in row:
            continue
        amount = value(row)
        if amount is not None:
            key = "%s %s" % (row["card"].upper(), row["mode"])
            found.setdefault(key, {})[row["rate"]] = amount
    return [(name, 1, points) for name, points in found.items()]


def _per_mib(key):
    def value(row):
        amount = row.get(key)
        if amount is None or not row["bytes_per_second"]:
            return None
        return amount * row["superpages"] / (row["bytes_per_second"] * row["seconds"] / (1 << 20))
    return value


def _cpu_per_gb(row):
    """Return per cent of a vCPU for each GB/s."""
    return 100 * row["cpu_share"] / (row["bytes_per_second"] / 1e9) \
        if row["bytes_per_second"] else None


PICTURES = (
    ("ratio-unshaped", "Generator ratio, card as fast as it can", "delivered / card's own rate",
     lambda r: r["generator_ratio"], False, 1.0),
    ("ratio-shaped", "Generator ratio, card shaped", "delivered / stated rate",
     lambda r: r["generator_ratio"], True, 1.0),
    ("cost-unshaped", "Cost, card as fast as it can", "% of a vCPU per GB/s", _cpu_per_gb, False,
     None),
    ("cost-shaped", "Cost, card shaped", "% of a vCPU per GB/s", _cpu_per_gb, True, None),
    ("insns-shaped", "Guest instructions, card shaped", "thousand instructions per MiB",
     lambda r: (lambda v: v and v / 1e3)(_per_mib("guest_insns_per_superpage")(r)), True, None),
    ("reads-shaped", "Register reads, card shaped", "MMIO reads per superpage",
     lambda r: r["mmio_reads_per_superpage"], True, None),
)


# The trade-off: the latency cost of fewer polls.
TRADE = (
    ("trade-latency", "Latency, 1 MiB superpages", "p99, ms",
     lambda r: r["latency"] and r["latency"]["p99_ms"]),
    ("trade-reads", "Register reads, 1 MiB superpages", "MMIO reads per superpage",
     lambda r: r["mmio_reads_per_superpage"]),
)


def _fractions(rows):
    """Return the largest fetched fraction of events, by size of a fragment and rate of events."""
    found = {}
    for row in rows:
        if row.get("purpose") == "most" and row.get("fraction") is not None:
            found.setdefault("%d events/s" % row["rate"], {})[row["fragment_bytes"]] = \
                100 * row["fraction"]
    return [(name, None, points) for name, points in found.items()]


def draw(rows, bar_rows, fragment_rows, directory):
    """Write the pictures that there is something for; names of the files."""
    os.makedirs(directory, exist_ok=True)
    sizes = [(size, size_text(size)) for size in SIZES]
    written = []

    def write(name, text):
        path = os.path.join(directory, name + ".svg")
        with open(path, "w") as f:
            f.write(text)
        written.append(path)

    for name, title, label, value, shaped, top in PICTURES:
        curves = _curves(rows, value, shaped)
        if curves:
            rates = sorted({r["rate"] for r in rows if r.get("purpose") == "shaped"
                            and r.get("rate")})
            if shaped and rates:
                title += " to %s per endpoint" % rate_text(rates[0])
            write(name, svg.lines(title, "superpage", label, sizes, curves, top))
    for name, title, label, value in TRADE:
        curves = _by_rate(rows, value)
        rates = sorted({rate for _, _, points in curves for rate in points})
        if len(rates) > 1:
            write(name, svg.lines(title, "rate", label, [(r, rate_text(r)) for r in rates], curves,
                                  None))
    curves = _fractions(fragment_rows)
    if curves:
        found = sorted({size for _, _, points in curves for size in points})
        write("fragments-fraction", svg.lines(
            "Largest fraction of events that is fetched, six links of each sub-unit",
            "bytes of a fragment", "% of the events", [(s, "%d" % s) for s in found], curves,
            100))
    columns = [("%d" % r["processes"], r["shares"], "Jain %.4f" % r["jain"])
               for r in bar_rows if "shares" in r]
    if columns:
        write("bar-shares", svg.shares("BAR operations: share of each process", columns))
    return written
