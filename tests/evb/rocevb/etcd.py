# SPDX-License-Identifier: GPL-2.0-or-later
"""An etcd for the test, beside the bridge: only the namespaces of the test can reach it."""

import os
import shutil
import signal
import subprocess
import urllib.request

from . import net
from .system import wait

PROGRAM = shutil.which("etcd")


class Etcd:
    """An etcd with its data in a folder, so it can be restarted with them."""

    def __init__(self, directory):
        self.directory = os.path.join(directory, "etcd")
        self.url = "http://%s:2379" % net.address(254)
        self.process = None

    def start(self):
        with open(self.directory + ".log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "--data-dir", self.directory, "--unsafe-no-fsync",
                 "--auto-compaction-mode", "periodic", "--auto-compaction-retention", "10m",
                 "--listen-client-urls", self.url, "--advertise-client-urls", self.url,
                 "--listen-peer-urls", "http://127.0.0.1:2380",
                 "--initial-advertise-peer-urls", "http://127.0.0.1:2380",
                 "--initial-cluster", "default=http://127.0.0.1:2380"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=net.end_with_parent)
        if not wait(self._is_healthy, 30):
            raise RuntimeError("etcd does not start")

    def _is_healthy(self):
        try:
            with urllib.request.urlopen(self.url + "/health", timeout=1) as answer:
                return b'"true"' in answer.read()
        except OSError:
            return False

    def end(self, number=signal.SIGKILL):
        if self.process:
            self.process.send_signal(number)
            self.process.wait(30)
            self.process = None
