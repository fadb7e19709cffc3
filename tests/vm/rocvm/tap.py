# SPDX-License-Identifier: GPL-2.0-or-later
"""Count results: TAP of a program, and the closing line `N passed, N failed, N skipped`."""

import re

_PLAN = re.compile(r"^1\.\.(\d+)")
_CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")


class Count:
    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return "%d passed, %d failed, %d skipped" % (self.passed, self.failed, self.skipped)


def count(lines, status):
    """
    Count the results of one TAP program with its exit status. A program that died, or left out
    planned tests, has failed whatever it printed.
    """
    result, planned = Count(), None
    for line in lines:
        plan = _PLAN.match(line)
        if plan:
            planned = int(plan.group(1))
        elif line.startswith("ok "):
            if "# SKIP" in line:
                result.skipped += 1
            else:
                result.passed += 1
        elif line.startswith("not ok "):
            result.failed += 1
    done = result.passed + result.failed + result.skipped
    if planned is None or done != planned or (status and not result.failed):
        result.failed += 1
    return result


def skipped_for(lines, reasons):
    """Return lines of tests that were skipped for one of these reasons."""
    return [line for line in lines if line.startswith("ok ") and
            any(reason in line.partition("# SKIP")[2] for reason in reasons)]


def closing(text):
    """Return the last closing line in a text, or None."""
    found = None
    for line in text.splitlines():
        match = _CLOSING.match(line.strip())
        if match:
            found = Count(*(int(n) for n in match.groups()))
    return found
