# SPDX-License-Identifier: GPL-2.0-or-later
"""Compute figures of event building from counts. tests/bench/selftest tests these functions."""


def slope(points):
    """Return the least-squares slope of (x, y): y per x; 0 with fewer than two different x."""
    n = len(points)
    mean_x, mean_y = (sum(p[i] for p in points) / max(n, 1) for i in (0, 1))
    wide = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / wide if wide else 0.0


def growth(points, warm):
    """
    Return by how many bytes a list of (second, bytes) grows from second @warm to its end: by the
    slope of all samples, so that a single sample has little effect.
    """
    late = [p for p in points if p[0] >= warm]
    return slope(late) * (late[-1][0] - late[0][0]) if len(late) > 1 else 0.0


def longest_still(points):
    """Return the longest time in seconds in which the count of (second, count) did not grow."""
    longest, (since, before) = 0.0, points[0]
    for at, count in points:
        longest = max(longest, at - since)
        if count > before:
            since, before = at, count
    return longest


def mean_rate(points):
    """
    Return bytes per second of a list of (ns, bytes so far), from the first non-zero one to the last;
    None if there are fewer than two.
    """
    there = [p for p in points if p[1] > 0]
    if len(there) < 2 or there[-1][0] <= there[0][0]:
        return None
    return (there[-1][1] - there[0][1]) * 1e9 / (there[-1][0] - there[0][0])


def median(values):
    """Return the median, or None for an empty list."""
    there = sorted(v for v in values if v is not None)
    middle = len(there) // 2
    if not there:
        return None
    return there[middle] if len(there) % 2 else (there[middle - 1] + there[middle]) / 2


def ratio(ours, theirs):
    """Return the ratio of medians of means, with libfabric's better one of spinning and sleeping."""
    mine, best = median(ours), max((m for m in map(median, theirs) if m), default=None)
    return mine / best if mine is not None and best else None
