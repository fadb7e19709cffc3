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
