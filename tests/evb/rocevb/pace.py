# SPDX-License-Identifier: GPL-2.0-or-later
"""
The present speed of this machine. Timeouts of the systems under test are scaled by it. The cases
get the longest stall of the machine, and the longest time that one of their processes waited for a
processor.
"""

import collections
import math
import os
import threading
import time

LEAST, MOST = 1.0, 8.0
INTERVAL = 0.01  # seconds between two samples
WAIT_WINDOW = 0.5  # length of the window in seconds for waiting processes, before scaling


def slowness():
    """The factor by which this machine is slower than an idle one."""
    began, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < 0.02:
        pass
    share = (time.monotonic() - began) / 0.02
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return max(LEAST, min(MOST, max(load, share)))


def waited(pid):
    """Seconds that a process waited for a processor; None: the process has ended."""
    try:
        with open("/proc/%d/schedstat" % pid, encoding="ascii") as f:
            return int(f.read().split()[1]) / 1e9
    except (OSError, IndexError):
        return None


class Pace:
    """
    Times of one case: its scale, the longest stall of this machine, and the watched process that
    waited longest for a processor.
    """

    def __init__(self):
        self.scale, self._longest, self._most = LEAST, 0.0, 0.0
        self._watched, self._longest_wait = {}, (0.0, "")
        self._lock = threading.Lock()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        before = time.monotonic()
        while True:
            time.sleep(INTERVAL)
            now = time.monotonic()
            with self._lock:
                self._longest = max(self._longest, now - before - INTERVAL)
                self._most = max(self._most, self._longest)
                for pid, (name, samples) in list(self._watched.items()):
                    self._sample(pid, name, samples, now)
            before = now

    def _sample(self, pid, name, samples, now):
        seconds = waited(pid)
        if seconds is None:
            del self._watched[pid]
            return
        samples.append((now, seconds))
        while samples[0][0] < now - WAIT_WINDOW * self.scale:
            samples.popleft()
        self._longest_wait = max(self._longest_wait, (seconds - samples[0][1], name))

    def watch(self, name, pid):
        """Watch a process until it ends."""
        with self._lock:
            self._watched[pid] = (name, collections.deque())

    def begin(self, times=1.0):
        """Begin a case."""
        # A process that mostly sleeps is scheduled sooner than one that is always busy.
        scale = math.sqrt(slowness()) * times
        with self._lock:
            self.scale, self._most, self._longest_wait = scale, 0.0, (0.0, "")
        self.forget()

    def longest_stall(self):
        """The longest stall of the machine in seconds since forget()."""
        with self._lock:
            return self._longest

    def forget(self):
        with self._lock:
            self._longest = 0.0

    def longest_stall_of_case(self):
        """The longest stall in the whole case."""
        with self._lock:
            return self._most

    def longest_wait_of_case(self):
        """The longest wait of a process in a window in seconds, and its name."""
        with self._lock:
            return self._longest_wait

    def ms(self, usual):
        return round(usual * self.scale)


PACE = Pace()
