# SPDX-License-Identifier: GPL-2.0-or-later
"""
How fast this machine is just now. Times of the systems under test are stretched by it, and who
looked at one is told how long the machine stood still meanwhile, or kept one of its processes from
running.
"""

import collections
import math
import os
import threading
import time

LEAST, MOST = 1.0, 8.0
LOOK = 0.01  # seconds between two looks of the watch
KEPT = 0.5  # seconds of which a process has so much to wait, stretched


def slowness():
    """How much longer than on a free machine things take here."""
    began, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < 0.02:
        pass
    share = (time.monotonic() - began) / 0.02
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return max(LEAST, min(MOST, max(load, share)))


def waited(pid):
    """Seconds for which a process could have run and did not; None: it is gone."""
    try:
        with open("/proc/%d/schedstat" % pid, encoding="ascii") as f:
            return int(f.read().split()[1]) / 1e9
    except (OSError, IndexError):
        return None


class Pace:
    """
    Times of one case: its scale, for how long at most nothing ran on this machine, and which of the
    processes that are watched waited for a processor for longest.
    """

    def __init__(self):
        self.scale, self._longest, self._most = LEAST, 0.0, 0.0
        self._watched, self._kept = {}, (0.0, "")
        self._lock = threading.Lock()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        before = time.monotonic()
        while True:
            time.sleep(LOOK)
            now = time.monotonic()
            with self._lock:
                self._longest = max(self._longest, now - before - LOOK)
                self._most = max(self._most, self._longest)
                for pid, (name, looks) in list(self._watched.items()):
                    self._look(pid, name, looks, now)
            before = now

    def _look(self, pid, name, looks, now):
        seconds = waited(pid)
        if seconds is None:
            del self._watched[pid]
            return
        looks.append((now, seconds))
        while looks[0][0] < now - KEPT * self.scale:
            looks.popleft()
        self._kept = max(self._kept, (seconds - looks[0][1], name))

    def watch(self, name, pid):
        """A process, until it ends."""
        with self._lock:
            self._watched[pid] = (name, collections.deque())

    def begin(self, times=1.0):
        """A case begins."""
        # Who sleeps most of the time gets his turn sooner than one that is always busy.
        scale = math.sqrt(slowness()) * times
        with self._lock:
            self.scale, self._most, self._kept = scale, 0.0, (0.0, "")
        self.forget()

    def stood_still(self):
        """Seconds for which nothing ran, at most, since somebody forgot."""
        with self._lock:
            return self._longest

    def forget(self):
        with self._lock:
            self._longest = 0.0

    def most_still(self):
        """The same of the whole case."""
        with self._lock:
            return self._most

    def most_kept(self):
        """Seconds that one waited in so much time, at most, and which one."""
        with self._lock:
            return self._kept

    def ms(self, usual):
        return round(usual * self.scale)


PACE = Pace()
