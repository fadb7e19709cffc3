# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of event building from what was counted. tests/bench/selftest looks at these."""


def slope(points):
    """Least squares of (x, y): y per x; 0 when there are not two x."""
    n = len(points)
    mean_x, mean_y = (sum(p[i] for p in points) / max(n, 1) for i in (0, 1))
    wide = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / wide if wide else 0.0


def growth(points, warm):
    """
    Bytes by which something grows from second @warm to the end of (second, bytes): by the slope of
    all that was seen meanwhile, so that one sample more or less says nothing.
    """
    late = [p for p in points if p[0] >= warm]
    return slope(late) * (late[-1][0] - late[0][0]) if len(late) > 1 else 0.0


def longest_still(points):
    """Seconds for which the count of (second, count) did not grow, at most, also at the end."""
    longest, (since, before) = 0.0, points[0]
    for at, count in points:
        longest = max(longest, at - since)
        if count > before:
            since, before = at, count
    return longest


def mean_rate(points):
    """
    Bytes per second of (ns, bytes so far), from the first at which there were any to the last; None:
    there are not two.
    """
    there = [p for p in points if p[1] > 0]
    if len(there) < 2 or there[-1][0] <= there[0][0]:
        return None
    return (there[-1][1] - there[0][1]) * 1e9 / (there[-1][0] - there[0][0])


def median(values):
    """None: there is none."""
    there = sorted(v for v in values if v is not None)
    middle = len(there) // 2
    if not there:
        return None
    return there[middle] if len(there) % 2 else (there[middle - 1] + there[middle]) / 2


def ratio(ours, theirs):
    """Of medians of means; what libfabric does counts as it does best: spinning, or asleep."""
    mine, best = median(ours), max((m for m in map(median, theirs) if m), default=None)
    return mine / best if mine is not None and best else None
