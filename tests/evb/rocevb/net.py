# SPDX-License-Identifier: GPL-2.0-or-later
"""
Networks of our own: everything is in a network and mount namespace that ends with us, so nothing of
the machine is touched, and neither root nor a module is needed where users may have namespaces.

Node k has the namespace nk and the address 10.77.0.k, all are on one bridge. A node can have a bad
leg: tests/evb/leg.c carries its frames late, loses some, or all of them.
"""

import ctypes
import os
import subprocess
import sys

SUBNET = "10.77.0."
MTU = "9000"
MARK = "ROC_EVB_NAMESPACES"


def enter():
    """Run this program again in namespaces of its own; returns when it is there."""
    if os.environ.get(MARK):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
        os.makedirs("/run/netns")
        run("ip", "link", "set", "lo", "up")
        return
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    # The processes of the test end with it, however it ends.
    argv = ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--mount-proc",
            "--kill-child", sys.executable, "-B", *sys.argv]
    os.execvpe(argv[0], argv, dict(os.environ, **{MARK: "1"}))


def run(*argv):
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, timeout=20)


def address(k):
    return SUBNET + str(k)


class Leg:
    """The bad leg of a node."""

    def __init__(self, program, here, there):
        self.process = subprocess.Popen(
            [program, here, "/run/netns/" + there, "eth0"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, bufsize=1)
        if self.process.stdout.readline() != "there\n":
            raise RuntimeError("the bad leg did not start")

    def set(self, delay=0, jitter=0, loss=0.0):
        """ms, ms, and a share; it holds when this returns."""
        self.process.stdin.write("%d %d %d\n" % (delay, jitter, round(loss * 100000)))
        if self.process.stdout.readline() != "now\n":
            raise RuntimeError("the bad leg ended")

    def cut(self):
        self.set(loss=1.0)

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


class Net:
    """A bridge and namespaces n1 to n@count; those in @bad have a leg."""

    def __init__(self, count, bad=(), leg=None):
        self.count = count
        self.legs = {}
        run("ip", "link", "add", "br0", "type", "bridge")
        run("ip", "link", "set", "br0", "mtu", MTU, "up")
        run("ip", "addr", "add", address(254) + "/24", "dev", "br0")
        for k in range(1, count + 1):
            name, outside = "n%d" % k, "v%d" % k
            run("ip", "netns", "add", name)
            if k in bad:
                self.legs[k] = Leg(leg, outside, name)
            else:
                run("ip", "link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns",
                    name)
            run("ip", "link", "set", outside, "mtu", MTU, "master", "br0", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "-n", name, "addr", "add", address(k) + "/24", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "mtu", MTU, "up")

    def inside(self, k):
        """What to put before a command to run it at node @k; 0: beside the bridge."""
        return ["nsenter", "--net=/run/netns/n%d" % k] if k else []

    def close(self):
        for leg in self.legs.values():
            leg.end()
        for k in range(1, self.count + 1):
            run("ip", "netns", "delete", "n%d" % k)
        run("ip", "link", "delete", "br0")


def end_with_parent():
    """For preexec_fn: a child ends when its parent does."""
    ctypes.CDLL(None).prctl(1, 9)
