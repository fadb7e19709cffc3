# SPDX-License-Identifier: GPL-2.0-or-later
"""Compute the figures of the ledger from raw counts at both ends of a window."""

from .scenario import PAGE

SLEEPS = "roc/roc_sleep"  # of the driver's threads on work, in the kernel's counts

# Classes of times in tests/bench/state.h: eighths of an octave, from 1 us on.
EIGHTHS = 8


def class_ns(number):
    """Return the lower limit of a class in ns."""
    octave, eighth = divmod(number, EIGHTHS)
    return 1000.0 * (2 ** octave) * (1 + eighth / EIGHTHS)


def percentile(classes, part):
    """
    Return the percentile @part (0..1), with the values of a class spread evenly over it; None if
    there are none.
    """
    wanted = part * sum(classes)
    if not wanted:
        return None
    seen = 0
    for number, count in enumerate(classes):
        if seen + count >= wanted:
            break
        seen += count
    low, high = class_ns(number), class_ns(number + 1)
    return low + (high - low) * (wanted - seen) / count


def cards(snapshot):
    """Return the endpoints of all cards of a snapshot, in order."""
    return [ep for card in snapshot["cards"].values() for ep in card["ep"]]


def total(snapshot, key):
    return sum(ep[key] for ep in cards(snapshot))


def change(begin, end, *keys):
    return sum(total(end, key) - total(begin, key) for key in keys)


def of_readers(begin, end, key):
    """Return the change of a count, summed over the readers' channels."""
    return sum(sign * c.get(key, 0) for sign, snapshot in ((-1, begin), (1, end))
               for r in snapshot["readers"] for c in r["channels"])


def card_seconds(begin, end):
    """Return seconds by the cards' clock, which determines their rate."""
    first = next(iter(begin["cards"]))
    return (end["cards"][first]["now_ns"] - begin["cards"][first]["now_ns"]) / 1e9


def _worked(first, last):
    """
    Return the seconds that an emulated card had for its work, by its own count: it worked, or
    waited for the host. The rest of the time its host was busy; a real card shares its processor
    with nothing. 0 if it is not counted.
    """
    return sum(last.get(key, 0) - first.get(key, 0)
               for key in ("engine_run_ns", "engine_idle_ns")) / 1e9


def rate_at_work(begin, end, written):
    """Return what the cards wrote in bytes/s, relative to the time that they had for their work."""
    seconds = card_seconds(begin, end)
    return sum((written(last) - written(first)) / (_worked(first, last) or seconds)
               for first, last in zip(cards(begin), cards(end)))


def starved(begin, end):
    """Return the largest share of time that a card did not have for its work."""
    seconds = card_seconds(begin, end)
    worked = [_worked(first, last) or seconds for first, last in zip(cards(begin), cards(end))]
    return max(0.0, 1 - min(worked, default=seconds) / seconds)


def reference(raw, recycled):
    """Return the cards' own rate in bytes/s, mean of before and after; None without a reference."""
    rates = [rate_at_work(*raw[name], recycled)
             for name in ("reference_before", "reference_after") if name in raw]
    return sum(rates) / len(rates) if rates else None


def guest_had(begin, end):
    """
    Return the part of the time in which the guest's processors ran, of the time in which they had
    work. The guest counts the rest as CPU time of its processes. 1 if it is not counted.
    """
    first, last = begin["insns"] or {}, end["insns"] or {}
    run, wait = (last.get(key, 0) - first.get(key, 0) for key in ("run_ns", "wait_ns"))
    return run / (run + wait) if run > 0 else 1.0


def copies(begin, end):
    """Return the number of pages that were copied because the card could not reach them."""
    return end["events"].get("swiotlb/swiotlb_bounced", -1) - \
        begin["events"].get("swiotlb/swiotlb_bounced", 0)


def insns(begin, end, idle):
    """
    Return [user, kernel] instructions beyond those of an idle guest, which are insns_per_second()
    or None; None if they are not counted.
    """
    if not begin["insns"] or not end["insns"]:
        return None
    seconds = card_seconds(begin, end)
    return [max(0.0, end["insns"][k] - begin["insns"][k] - rate * seconds)
            for k, rate in zip(("user", "kernel"), idle or (0.0, 0.0))]


def insns_per_second(raw):
    """Return instructions per second of an idle guest: (user, kernel)."""
    begin, end = raw["begin"], raw["end"]
    if not begin["insns"] or not end["insns"]:
        return None
    seconds = (end["ns"] - begin["ns"]) / 1e9
    return tuple((end["insns"][k] - begin["insns"][k]) / seconds for k in ("user", "kernel"))


def _written(ep):
    """Return bytes written into superpages of the host, complete or not."""
    return (ep["packets"] + ep["open"]) * PAGE


def by_key(begin, end, part, key):
    """Return the differences of a counter of readers or threads; those that came later count from 0."""
    before = {one.get("pid", one.get("name")): one for one in begin[part]}
    total = 0
    for one in end[part]:
        old = before.get(one.get("pid", one.get("name")))
        total += one[key] - (old[key] if old else 0)
    return total


def syscalls(begin, end, part="readers"):
    """Return {number: count} of system calls, of all readers or workers."""
    total = {}
    for sign, snapshot in ((-1, begin), (1, end)):
        for reader in snapshot[part]:
            for number, count in reader["syscalls"].items():
                total[number] = total.get(number, 0) + sign * count
    return {number: count for number, count in total.items() if count}


def _merge(times, name):
    length = max((len(t[name]["classes"]) for t in times), default=0)
    merged = [0] * length
    for t in times:
        for number, count in enumerate(t[name]["classes"]):
            merged[number] += count
    return merged


def _latency(times, name):
    classes = _merge(times, name)
    if not sum(classes):
        return None
    longest = max(t[name]["max_ns"] for t in times)
    return {"count": sum(classes), "p50_ms": min(percentile(classes, 0.5), longest) / 1e6,
            "p99_ms": min(percentile(classes, 0.99), longest) / 1e6, "max_ms": longest / 1e6}


STARTUP = ("load", "find", "open", "allocate", "register", "fill", "start", "first")


def startup(times):
    """Return milliseconds of each part between exec and the first superpage, of the slowest reader."""
    slowest = None
    for t in times:
        marks = t["marks"]
        if not all(marks):
            continue
        parts = {name: (b - a) / 1e6 for name, a, b in zip(STARTUP, marks, marks[1:])}
        parts["total"] = (marks[-1] - marks[0]) / 1e6
        if slowest is None or parts["total"] > slowest["total"]:
            slowest = parts
    return slowest


NOTHING = "nothing came in the window"


def forbidden(ep, *names):
    """Return the card's counts of violations, as messages."""
    return ["%s: %d" % (name, ep[name]) for name in names if ep.get(name)]


def disagree(raw, card_key, host_key, sentence, more=0):
    """Return a message unless the cards' count equals that of the readers plus @more."""
    card = total(raw["final"], card_key)
    host = sum(c[host_key] for c in raw["final"]["superpages"])
    return [] if card == host + more else [sentence % (card, host)]


def errors(raw, proofs=0):
    """
    Return all errors, as messages. proofs: cards that finish one page more than the readers get,
    see Scenario.proofs().
    """
    found = []
    for ep in cards(raw["final"]):
        if ep["generated"] != ep["packets"] + ep["dropped"] + ep["discarded"] + ep["open"]:
            found.append("packets are missing in the card's ledger")
        found += forbidden(ep, "dma_outside", "fifo_overflow", "bad_descriptor", "size_overflow",
                           "bad_access")
    for key, each in (("superpages", 1), ("bytes", PAGE)):
        found += disagree(raw, key, key, "the cards finished %d " + key + ", the readers got %d",
                          proofs * each)
    return found + disagree(raw, "dropped", "dropped",
                            "the cards dropped %d packets, the driver counted %d")


def figures(scenario, raw, baseline=None):
    """Return one object of build/bench.json; baseline: insns_per_second() of the same guest."""
    row = {"name": scenario.name(), "purpose": scenario.purpose, "card": scenario.card,
           "mode": scenario.mode, "endpoints": scenario.channels, "rest": scenario.rest,
           "process": scenario.process, "superpage_bytes": scenario.superpage,
           "rate": scenario.rate, "source": scenario.source,
           "links": scenario.links if scenario.card == "cru" else 1}
    if "error" in raw:
        return {**row, "failed": raw["error"]}
    begin, end = raw["begin"], raw["end"]
    seconds = card_seconds(begin, end)
    count = change(begin, end, "superpages")

    def per(amount):
        return amount / count if count else None

    delivered = sum(_written(b) - _written(a) for a, b in zip(cards(begin), cards(end))) / seconds
    wrong = errors(raw, scenario.proofs())
    if scenario.rate is not None and not delivered:
        wrong.append(NOTHING)
    threads = by_key(begin, end, "threads", "cpu_ns") / 1e9 / seconds
    reader = by_key(begin, end, "readers", "cpu_ns") / 1e9 / seconds
    ticks = by_key(begin, end, "threads", "voluntary")
    calls = syscalls(begin, end)
    interrupts = end["interrupts"] - begin["interrupts"]
    lazy = end["events"].get(SLEEPS, -1)
    row.update({
        "seconds": seconds,
        "superpages": count,
        "bytes_per_second": delivered,
        "generator_ratio": None,
        "mmio_reads_per_superpage": per(change(begin, end, "mmio_reads")),
        "mmio_writes_per_superpage": per(change(begin, end, "mmio_writes")),
        "mmio_reads_per_second": change(begin, end, "mmio_reads") / seconds,
        "interrupts_per_superpage": per(interrupts),
        "ticks_per_superpage": per(ticks),
        "ticks_per_second": ticks / seconds,
        "sleeps_on_work": None if lazy < 0 else lazy - begin["events"][SLEEPS],
        "sleeps": ticks,
        "wakeups_per_superpage": per(by_key(begin, end, "readers", "voluntary")),
        "syscalls_per_superpage": per(sum(calls.values())),
        "syscalls": calls,
        "guest_insns_per_superpage": None,
        "cpu_share": threads + reader,
        "cpu_share_kernel_thread": threads,
        "cpu_share_reader": reader,
        "guest_had": guest_had(begin, end),
        "card_starved": starved(begin, end),
        "cpu_share_guest": 2 - (end["idle_ticks"] - begin["idle_ticks"]) / 100 / seconds,
        "latency": _latency(raw["times"], "from_card"),
        "handover": _latency(raw["times"], "from_ready"),
        "startup_ms": startup(raw["times"]),
        "dma_events": {k: end["events"][k] - begin["events"][k]
                       for k in end["events"] if end["events"][k] >= 0 and k != SLEEPS},
        "dropped": change(begin, end, "dropped"),
        "generated": change(begin, end, "generated"),
        "errors": len(wrong),
        "error_texts": wrong,
    })
    if scenario.rate:
        stated = scenario.rate * scenario.channels
        row["generator_ratio"] = delivered / stated
        row["offered_ratio"] = change(begin, end, "generated") * PAGE / seconds / stated
    able = reference(raw, lambda ep: ep["recycled"])
    if able and not scenario.rate:
        row["card_bytes_per_second"] = able
        row["generator_ratio"] = rate_at_work(begin, end, _written) / able
    parts = insns(begin, end, baseline)
    if parts:
        row["guest_insns_user_per_superpage"] = per(parts[0])
        row["guest_insns_kernel_per_superpage"] = per(parts[1])
        row["guest_insns_per_superpage"] = per(sum(parts))
        row["guest_insns_per_second"] = sum(parts) / seconds
    return row


def compare(rows):
    """Set of_standin: a tool row's rate, relative to the stand-in rows before and behind it."""
    for number, row in enumerate(rows):
        if row["rest"] != "tool" or not row.get("bytes_per_second"):
            continue
        there = [r["bytes_per_second"] for r in rows[max(0, number - 1):number + 2]
                 if r["rest"] == "standin" and r["rate"] == row["rate"]
                 and r.get("bytes_per_second")]
        if there:
            row["of_standin"] = row["bytes_per_second"] / (sum(there) / len(there))


def bar_figures(processes, raw):
    """Return figures of BAR operations by several processes at once."""
    row = {"name": "BAR operations, %d process%s" % (processes, "" if processes == 1 else "es"),
           "purpose": "bar", "processes": processes}
    if "error" in raw:
        return {**row, "failed": raw["error"]}
    printed = raw["printed"]
    ops = sum(p["reads"]["count"] + p["writes"]["count"] for p in printed["processes"])
    mmio = change(raw["before"], raw["after"], "mmio_reads", "mmio_writes")
    # In the steady phase one operation is one access.
    steady = change(raw["begin"], raw["end"], "mmio_reads", "mmio_writes")
    calls = sum(syscalls(raw["begin"], raw["end"], "workers").values())
    if len(raw["end"]["workers"]) != processes or not steady:
        row["failed"] = "%d of %d processes were at work" % (len(raw["end"]["workers"]), processes)
        return row
    row.update({"operations": ops, "wrong": printed["wrong"], "mmio_per_op": mmio / ops,
                "syscalls_per_op": calls / steady, "jain": printed["jainIndex"],
                "shares": [p["share"] for p in printed["processes"]],
                "operations_per_second": printed["opsPerSecond"],
                "errors": printed["wrong"]})
    return row
