# SPDX-License-Identifier: GPL-2.0-or-later
"""
Operations on a card that only the host can do. The guest requests them by one line over the port
roc.host: `kill K`, `revive K`, `unplug K EP`, `plug K EP`, `aer K EP fatal|nonfatal`. The reply is
`ok` or an error message.
"""

import json
import os
import socket
import struct
import time

from .util import VmError

LIMIT = 20.0
CONNECTED = "03"  # in /proc/net/unix
CARDS_THREAD = "IO vfio-user"  # QEMU's thread for the cards
# Errors that a root port may report, by whether they are fatal by default.
ERRORS = {"fatal": "DLP", "nonfatal": "COMP_TIME"}


class Monitor:
    """QEMU's machine protocol over its socket."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(LIMIT)
        self._socket.connect(path)
        self._lines = self._socket.makefile("r")
        self._answer()
        self.call("qmp_capabilities")

    def _answer(self):
        """Return the next message that is not an event."""
        while True:
            line = self._lines.readline()
            if not line:
                raise VmError("QEMU has closed its monitor")
            message = json.loads(line)
            if "event" not in message:
                return message

    def call(self, name, **arguments):
        request = {"execute": name, "arguments": arguments}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        answer = self._answer()
        if "error" in answer:
            raise VmError("%s: %s" % (name, answer["error"]["desc"]))
        return answer.get("return")

    def thread(self, name):
        """Return the /proc path of this thread of QEMU."""
        peer = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        folder = "/proc/%d/task" % struct.unpack("3i", peer)[0]
        for task in os.listdir(folder):
            try:
                with open(os.path.join(folder, task, "comm"), encoding="ascii") as f:
                    if f.read().strip() == name:
                        return os.path.join(folder, task)
            except FileNotFoundError:
                pass  # one that has ended meanwhile
        raise VmError("QEMU has no thread \"%s\"" % name)

    def close(self):
        self._lines.close()
        self._socket.close()


def sleeps(thread):
    """Return whether the thread sleeps, and how often it has begun to."""
    fields = {}
    with open(os.path.join(thread, "status"), encoding="ascii") as f:
        for line in f:
            name, _, rest = line.partition(":")
            fields[name] = rest.split()
    return fields["State"][0] == "S", int(fields["voluntary_ctxt_switches"][0])


def _connected(path):
    """Return the number of peers of connections to this socket."""
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as f:
        lines = [line.rstrip("\n").split(maxsplit=7) for line in f]
    return sum(fields[5] == CONNECTED and fields[7:] == [path] for fields in lines[1:])


class Host:
    """Carry out one line. describe(card, ep): the device as in QEMU's command line."""

    def __init__(self, monitor, cards, describe):
        self._monitor, self._cards, self._describe = monitor, cards, describe

    def do(self, line):
        words = line.split()
        try:
            if words[:1] not in (["kill"], ["revive"], ["unplug"], ["plug"], ["aer"]):
                raise VmError("unknown: " + line)
            getattr(self, "_" + words[0])(self._cards[int(words[1])], *words[2:])
            return "ok"
        except (VmError, OSError, ValueError, IndexError, TypeError) as error:
            return str(error) or type(error).__name__

    def _kill(self, card):
        # QEMU 10.1 dies of an assertion when a guest's write meets the end of the connection, and
        # does not report when it has detected that end. But its thread wakes up at the end of the
        # card's process, and sleeps again when it has processed all events.
        thread = self._monitor.thread(CARDS_THREAD)
        self._monitor.call("stop")
        before = sleeps(thread)[1]
        card.kill()
        deadline = time.monotonic() + LIMIT
        while True:
            asleep, times = sleeps(thread)
            if asleep and times > before:
                break
            if time.monotonic() > deadline:
                raise VmError("QEMU does not see that card %d is gone" % card.number)
            time.sleep(0.01)
        self._monitor.call("cont")

    def _revive(self, card):
        card.start()
        card.wait_ready()

    def _plug(self, card, ep):
        device = self._describe(card, int(ep))
        # The previous device may still be being removed. Its connection outlives its name: QEMU
        # closes it later, and not at all while it waits for the reply to a new one, which the
        # card's server sends only then.
        deadline = time.monotonic() + LIMIT
        while device["id"] in self._devices() or _connected(device["socket"]["path"]):
            if time.monotonic() > deadline:
                raise VmError("%s does not leave" % device["id"])
            time.sleep(0.05)
        self._monitor.call("device_add", **device)

    def _unplug(self, card, ep):
        self._monitor.call("device_del", id=self._describe(card, int(ep))["id"])

    def _devices(self):
        return [d["name"] for d in self._monitor.call("qom-list", path="/machine/peripheral")]

    def _aer(self, card, ep, kind):
        port = self._describe(card, int(ep))["bus"]
        said = self._monitor.call("human-monitor-command", **{
            "command-line": "pcie_aer_inject_error %s %s" % (port, ERRORS[kind])})
        if not said.startswith("OK"):
            raise VmError(said.strip())
