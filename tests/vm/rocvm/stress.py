# SPDX-License-Identifier: GPL-2.0-or-later
"""
Detect tests that depend on timing: run the same case many times, on a busy machine.
"""

import os
import sys

from .util import start, stop

BUSY = "while True: pass"


class Loops:
    """Busy loops: so many processes on each available processor."""

    def __init__(self, each):
        self._each = each
        self._processes = []

    def __enter__(self):
        for processor in sorted(os.sched_getaffinity(0)):
            for _ in range(self._each):
                loop = start([sys.executable, "-S", "-c", BUSY])
                self._processes.append(loop)
                os.sched_setaffinity(loop.pid, [processor])
        return self

    def __exit__(self, *unused):
        for loop in self._processes:
            loop.kill()
        for loop in self._processes:
            stop(loop)


def pin():
    """Run this process and its later children on one processor."""
    os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])


class Summary:
    """The results of each case, over all its runs."""

    def __init__(self):
        self._cases = {}  # name -> [(good, seconds, slowness, names of failed tests)]

    def add(self, name, good, seconds, slowness, failed):
        self._cases.setdefault(name, []).append((good, seconds, slowness, failed))

    def lines(self):
        for name, runs in sorted(self._cases.items()):
            bad = [run for run in runs if not run[0]]
            seconds, slowness = [run[1] for run in runs], [run[2] for run in runs]
            yield "%-16s %3d runs, %3d good, %d bad; %.1f to %.1f s, %.1f to %.1f times slow%s" % (
                name, len(runs), len(runs) - len(bad), len(bad), min(seconds), max(seconds),
                min(slowness), max(slowness), _failures(bad))


def _failures(bad):
    names = [name for run in bad for name in run[3] or ("(no test by itself)",)]
    return "".join("; %s: %d" % (name, names.count(name)) for name in dict.fromkeys(names))
