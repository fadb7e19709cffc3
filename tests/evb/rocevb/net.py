# SPDX-License-Identifier: GPL-2.0-or-later
"""
Networks for tests: everything is in a network and mount namespace that ends with the test, so the
machine is not changed. If users may have namespaces, neither root nor a module is needed.

Each node has its own namespace with the address 10.77.0.k; all are on one bridge. A node can have a bad
link: tests/evb/bad_link.c delays or drops its frames.
"""

import ctypes
import os
import subprocess
import sys

SUBNET = "10.77.0."
MTU = "9000"
MARK = "ROC_EVB_NAMESPACES"


def enter():
    """Run this program again in its own namespaces; return in the new process."""
    if os.environ.get(MARK):
        # Names contain process ids, which begin at 1 in the namespace.
        for folder in ("/run", "/dev/shm"):
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
        os.makedirs("/run/netns")
        run("ip", "link", "set", "lo", "up")
        return
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    # All processes of the test end with it.
    argv = ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--mount-proc",
            "--kill-child", sys.executable, "-B", *sys.argv]
    os.execvpe(argv[0], argv, dict(os.environ, **{MARK: "1"}))


def run(*argv):
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, timeout=20)


def address(k):
    return SUBNET + str(k)


class BadLink:
    """The bad link of a node."""

    def __init__(self, program, here, there):
        self.process = subprocess.Popen(
            [program, here, "/run/netns/" + there, "eth0"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, bufsize=1)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError("the bad link did not start")

    def set(self, delay=0, jitter=0, loss=0.0):
        """Set delay and jitter in ms, and the share of lost frames; they are in effect on return."""
        self.process.stdin.write("%d %d %d\n" % (delay, jitter, round(loss * 100000)))
        if self.process.stdout.readline() != "set\n":
            raise RuntimeError("the bad link ended")

    def cut(self):
        self.set(loss=1.0)

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


class Net:
    """A bridge and @count namespaces; those in @bad have a bad link."""

    made = 0  # devices disappear some time after their namespace, so each network has its own names

    def __init__(self, count, bad=(), link=None):
        Net.made += 1
        self.count, self.bridge, self.bad_links = count, "br%d" % Net.made, {}
        run("ip", "link", "add", self.bridge, "type", "bridge")
        run("ip", "link", "set", self.bridge, "mtu", MTU, "up")
        run("ip", "addr", "add", address(254) + "/24", "dev", self.bridge)
        for k in range(1, count + 1):
            name, outside = self.name(k), "v%d.%d" % (Net.made, k)
            run("ip", "netns", "add", name)
            if k in bad:
                self.bad_links[k] = BadLink(link, outside, name)
            else:
                run("ip", "link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns",
                    name)
            run("ip", "link", "set", outside, "mtu", MTU, "master", self.bridge, "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "-n", name, "addr", "add", address(k) + "/24", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "mtu", MTU, "up")

    @staticmethod
    def name(k):
        return "n%d.%d" % (Net.made, k)

    def inside(self, k):
        """The prefix of a command to run it at node @k; 0: beside the bridge."""
        return ["nsenter", "--net=/run/netns/" + self.name(k)] if k else []

    def close(self):
        for link in self.bad_links.values():
            link.end()
        for k in range(1, self.count + 1):
            run("ip", "netns", "delete", self.name(k))
        run("ip", "link", "delete", self.bridge)


def end_with_parent():
    """For preexec_fn: the child ends with its parent."""
    ctypes.CDLL(None).prctl(1, 9)
