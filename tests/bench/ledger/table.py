# SPDX-License-Identifier: GPL-2.0-or-later
"""The ledger as text."""

from .scenario import rate_text, size_text


def _number(value, form="%.2f"):
    return "-" if value is None else form % value


COLUMNS = (
    ("mode", lambda r: r["card"] + " " + r["mode"]),
    ("reader", lambda r: r["rest"] + ("*" if r["process"] == "one" else "")),
    ("superpage", lambda r: size_text(r["superpage_bytes"])),
    ("ep", lambda r: "%d" % r["endpoints"]),
    ("rate", lambda r: rate_text(r["rate"])),
    ("superpages", lambda r: "%d" % r["superpages"]),
    ("ratio", lambda r: _number(r["generator_ratio"], "%.3f")),
    ("rd/sp", lambda r: _number(r["mmio_reads_per_superpage"])),
    ("wr/sp", lambda r: _number(r["mmio_writes_per_superpage"])),
    ("irq/sp", lambda r: _number(r["interrupts_per_superpage"], "%.3f")),
    ("tick/sp", lambda r: _number(r["ticks_per_superpage"], "%.3f")),
    ("wake/sp", lambda r: _number(r["wakeups_per_superpage"], "%.3f")),
    ("call/sp", lambda r: _number(r["syscalls_per_superpage"], "%.3f")),
    ("rd/s", lambda r: "%.0f" % r["mmio_reads_per_second"]),
    ("cpu %", lambda r: "%.1f" % (100 * r["cpu_share"])),
    ("kernel %", lambda r: "%.1f" % (100 * r["cpu_share_kernel_thread"])),
    ("guest %", lambda r: "%.1f" % (100 * r["cpu_share_guest"])),
    ("insn/sp", lambda r: _number(r["guest_insns_per_superpage"], "%.0f")),
    ("p99 ms", lambda r: _number(r["latency"] and r["latency"]["p99_ms"])),
    ("dropped", lambda r: "%d" % r["dropped"]),
    ("errors", lambda r: "%d" % r["errors"]),
)


def bar_table(rows):
    """Lines of text about BAR operations."""
    lines = ["processes  operations    ops/s  MMIO/op  calls/op  Jain    shares %"]
    for row in rows:
        if "failed" in row:
            lines.append("failed: %s: %s" % (row["name"], row["failed"]))
            continue
        lines.append("%9d  %10d  %7.0f  %7.4f  %8.4f  %.4f  %s" % (
            row["processes"], row["operations"], row["operations_per_second"],
            row["mmio_per_op"], row["syscalls_per_op"], row["jain"],
            " ".join("%.1f" % (100 * share) for share in row["shares"])))
    return lines


def table(rows):
    """Lines of text; rows that failed or were skipped are said below."""
    cells = [[name for name, _ in COLUMNS]]
    cells += [[show(row) for _, show in COLUMNS] for row in rows if "superpages" in row]
    widths = [max(len(line[i]) for line in cells) for i in range(len(COLUMNS))]
    lines = ["  ".join(c.ljust(w) if i < 2 else c.rjust(w)
                       for i, (c, w) in enumerate(zip(line, widths))) for line in cells]
    for row in rows:
        if "failed" in row:
            lines.append("failed: %s: %s" % (row["name"], row["failed"]))
        if "skipped" in row:
            lines.append("skipped: %s: %s" % (row["name"], row["skipped"]))
        for text in row.get("error_texts", ()):
            lines.append("error: %s: %s" % (row["name"], text))
    return lines
