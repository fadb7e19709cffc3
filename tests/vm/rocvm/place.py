# SPDX-License-Identifier: GPL-2.0-or-later
"""
Choose the host's processors for the threads of a guest. An access to an emulated card goes from a
virtual CPU to QEMU's thread for the cards, to the card's server and back. Waking a thread on
another processor costs more than all the rest of it, so threads that wait for each other share one
processor: all of QEMU and the cards' servers. The cards' engines, which move the data, have the
other processors, and so have virtual CPUs except the first: two on one processor would wait for
each other's locks. A server does not preempt a thread that posts writes to it, so several writes
cost one wake-up, as on a real bus.
"""

import os
import re
import time

from .util import VmError

LIMIT = 10.0
ELSEWHERE = re.compile(r"engine|CPU [1-9]\d*/")


def _threads(pid):
    for tid in os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/comm" % (pid, tid)) as f:
                yield int(tid), f.read().strip()
        except FileNotFoundError:
            pass  # it has ended


def apart(qemu, cards, cpus):
    """qemu, cards: process ids, just started; cpus: number of virtual ones. New threads inherit."""
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        return
    deadline = time.monotonic() + LIMIT
    while sum(name.startswith("CPU ") for _, name in _threads(qemu)) < cpus:
        if time.monotonic() > deadline:
            raise VmError("QEMU has not started its %d CPUs after %d s" % (cpus, LIMIT))
        time.sleep(0.02)
    for pid in [qemu, *cards]:
        for tid, name in _threads(pid):
            here = processors[1:] if ELSEWHERE.match(name) else processors[:1]
            os.sched_setaffinity(tid, here)
            if pid != qemu and not ELSEWHERE.match(name):
                os.sched_setscheduler(tid, os.SCHED_BATCH, os.sched_param(0))
