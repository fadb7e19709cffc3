# SPDX-License-Identifier: GPL-2.0-or-later
"""
How fast this machine is just now. Times of the systems under test are stretched by it, and who
looked at one is told how long the machine stood still meanwhile.
"""

import math
import os
import threading
import time

LEAST, MOST = 1.0, 8.0
LOOK = 0.01  # seconds between two looks of the watch


def slowness():
    """How much longer than on a free machine things take here."""
    began, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < 0.02:
        pass
    share = (time.monotonic() - began) / 0.02
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return max(LEAST, min(MOST, max(load, share)))


class Pace:
    """Times of one case: its scale, and for how long at most nothing ran on this machine."""

    def __init__(self):
        self.scale, self._longest, self._most = LEAST, 0.0, 0.0
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
            before = now

    def begin(self, times=1.0):
        """A case begins."""
        # Who sleeps most of the time gets his turn sooner than one that is always busy.
        self.scale, self._most = math.sqrt(slowness()) * times, 0.0
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

    def ms(self, usual):
        return round(usual * self.scale)


PACE = Pace()
