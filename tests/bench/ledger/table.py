# SPDX-License-Identifier: GPL-2.0-or-later
"""The ledger as text."""

from .scenario import rate_text, size_text


# Name, value of a row, its format; None is a dash, and "%-" is flush left.
COLUMNS = (
    ("mode", lambda r: r["card"] + " " + r["mode"], "%-s"),
    ("reader", lambda r: r["rest"] + ("*" if r["process"] == "one" else ""), "%-s"),
    ("superpage", lambda r: size_text(r["superpage_bytes"]), "%s"),
    ("ep", lambda r: r["endpoints"], "%d"),
    ("rate", lambda r: rate_text(r["rate"]), "%s"),
    ("superpages", lambda r: r["superpages"], "%d"),
    ("ratio", lambda r: r["generator_ratio"], "%.3f"),
    ("rd/sp", lambda r: r["mmio_reads_per_superpage"], "%.2f"),
    ("wr/sp", lambda r: r["mmio_writes_per_superpage"], "%.2f"),
    ("irq/sp", lambda r: r["interrupts_per_superpage"], "%.3f"),
    ("tick/sp", lambda r: r["ticks_per_superpage"], "%.3f"),
    ("wake/sp", lambda r: r["wakeups_per_superpage"], "%.3f"),
    ("call/sp", lambda r: r["syscalls_per_superpage"], "%.3f"),
    ("rd/s", lambda r: r["mmio_reads_per_second"], "%.0f"),
    ("cpu %", lambda r: 100 * r["cpu_share"], "%.1f"),
    ("kernel %", lambda r: 100 * r["cpu_share_kernel_thread"], "%.1f"),
    ("guest %", lambda r: 100 * r["cpu_share_guest"], "%.1f"),
    ("insn/sp", lambda r: r["guest_insns_per_superpage"], "%.0f"),
    ("p99 ms", lambda r: r["latency"] and r["latency"]["p99_ms"], "%.2f"),
    ("dropped", lambda r: r["dropped"], "%d"),
    ("errors", lambda r: r["errors"], "%d"),
)


def bar_table(rows):
    """Return lines of text about BAR operations."""
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


def _cell(row, show, form):
    value = show(row)
    return "-" if value is None else form % value


def table(rows, columns=COLUMNS):
    """
    Return lines of text about pools, streams or fragments; below, rows that failed or were skipped.
    """
    cells = [[name for name, _, _ in columns]]
    cells += [[_cell(row, show, form) for _, show, form in columns]
              for row in rows if "seconds" in row]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    lines = ["  ".join(cell.ljust(width) if form.startswith("%-") else cell.rjust(width)
                       for cell, width, (_, _, form) in zip(line, widths, columns))
             for line in cells]
    for row in rows:
        lines += ["%s: %s: %s" % (state, row["name"], row[state])
                  for state in ("failed", "skipped") if state in row]
        lines += ["error: %s: %s" % (row["name"], text) for text in row.get("error_texts", ())]
    return lines
