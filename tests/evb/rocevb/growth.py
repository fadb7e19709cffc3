# SPDX-License-Identifier: GPL-2.0-or-later
"""Record when the files of each builder grow, to detect whether it continues, to some 0.01 s."""

import os
import threading
import time

INTERVAL = 0.02


class Growth:
    """Watches the files NODE-*.mep of a directory until stop()."""

    def __init__(self, directory):
        self._directory, self._over = directory, threading.Event()
        self._sizes, self._grew = {}, {}
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _sample(self):
        sizes, now = {}, time.monotonic()
        for entry in os.scandir(self._directory):
            if entry.name.endswith(".mep"):
                name = entry.name.rsplit("-", 1)[0]
                sizes[name] = sizes.get(name, 0) + entry.stat().st_size
        for name, size in sizes.items():
            if size != self._sizes.get(name, 0):
                self._grew.setdefault(name, []).append(now)
        self._sizes = sizes

    def _watch(self):
        while not self._over.wait(INTERVAL):
            self._sample()

    def stop(self):
        self._over.set()
        self._thread.join()

    def longest(self, names, since, until):
        """The longest time in seconds in which the files of one of these nodes did not grow."""
        most = 0.0
        for name in names:
            times = [t for t in self._grew.get(name, ()) if since < t < until]
            most = max(most, max(b - a for a, b in zip([since, *times], [*times, until])))
        return most
