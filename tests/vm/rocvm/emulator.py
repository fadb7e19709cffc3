# SPDX-License-Identifier: GPL-2.0-or-later
"""The emulated cards of one guest: one roc-emu process each."""

import json
import os
import select
import signal
import socket
import subprocess
import time

from .util import VmError, build_dir, start, stop

FIRST_SERIAL = 245
READY_LIMIT = 60.0
ENDPOINTS = {"cru": 2, "crorc": 1, "p40": 1, "robinnp": 1}
# Of card 0; the number of card K is larger by K.
SERIALS = {"cru": FIRST_SERIAL, "crorc": 1001, "p40": 4001, "robinnp": 6001}


def parse_cards(text):
    """'cru:2' -> ['cru', 'cru']; 'none' -> []."""
    cards = []
    if text in ("none", ""):
        return cards
    for part in text.split(","):
        kind, _, count = part.partition(":")
        if kind not in ENDPOINTS or not (count or "1").isdigit():
            raise VmError("--cards %s: say for example cru:2, cru:2,crorc:1 or none (known cards: %s)"
                          % (text, ", ".join(sorted(ENDPOINTS))))
        cards += [kind] * int(count or "1")
    return cards


def add_event_options(parser):
    parser.add_argument("--events", action="store_true",
                        help="cards with the event interface: records in memory, MSI-X")
    parser.add_argument("--vectors", type=int, metavar="N",
                        help="vectors of each function (default 8); with --events")
    parser.add_argument("--interrupts", choices=["msix", "msix-open", "msi", "none"],
                        help="what the functions have (default msix); with --events")


def event_settings(args):
    """Return start-up settings for the options of add_event_options()."""
    settings = ["events=on"] if args.events else []
    for name in ("vectors", "interrupts"):
        if getattr(args, name) is not None:
            if not args.events:
                raise VmError("--%s goes with --events" % name)
            settings.append("%s=%s" % (name, getattr(args, name)))
    return settings


def arguments(number, kind, settings):
    """
    Return arguments of roc-emu for card `number`; 'crorc:KEY=VALUE' is for cards of that type only.
    """
    argv = ["--card", kind, "--serial", str(SERIALS[kind] + number)]
    for setting in settings:
        wanted, _, rest = setting.partition(":")
        if kind in ("p40", "robinnp") and setting.startswith("events="):
            continue    # its streams or sub-units always have events
        if wanted not in ENDPOINTS:
            argv += ["--set", setting]
        elif wanted == kind:
            argv += ["--set", rest]
    return argv


class Emulator:
    """Owner of one roc-emu process and of its directory of sockets."""

    def __init__(self, number, kind, directory, settings):
        self.number = number
        self.kind = kind
        self.directory = directory
        self.endpoints = ENDPOINTS[kind]
        os.makedirs(directory)
        program = os.path.join(build_dir(), "emu", "roc-emu")
        if not os.path.exists(program):
            raise VmError("%s is missing: run make" % program)
        self._argv = [program, "--dir", directory] + arguments(number, kind, settings)
        self._log = open(os.path.join(directory, "stderr"), "w+")
        self.start()

    def start(self):
        self._process = start(self._argv, signal.SIGTERM, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=self._log)

    def kill(self):
        """Kill it, like a board that loses its power; start() starts another one."""
        self._process.kill()
        self._process.wait(READY_LIMIT)
        self._process.stdout.close()

    def wait_ready(self):
        deadline = time.monotonic() + READY_LIMIT
        text = b""
        while b"ready" not in text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise VmError("card %d: roc-emu is not ready after %d s" %
                              (self.number, READY_LIMIT))
            data = os.read(self._process.stdout.fileno(), 4096)
            if not data:
                raise VmError("card %d: roc-emu ended at once: %s" %
                              (self.number, self.errors().strip()))
            text += data

    @property
    def pid(self):
        return self._process.pid

    def alive(self):
        return self._process.poll() is None

    def socket_path(self, endpoint):
        return os.path.join(self.directory, "ep%d.sock" % endpoint)

    @property
    def control_path(self):
        return os.path.join(self.directory, "ctl.sock")

    def control(self, line, limit=10.0):
        """Send one control line; returns the JSON reply as a dictionary."""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(limit)
            s.connect(self.control_path)
            s.sendall(line.encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n"):
                data = s.recv(65536)
                if not data:
                    raise VmError("card %d: no answer to '%s'" % (self.number, line))
                answer += data
        return json.loads(answer)

    def errors(self):
        with open(self._log.name) as f:
            return f.read()

    def stop(self):
        """End it; returns its exit status (non-zero if the card wrote where nothing was mapped)."""
        status = stop(self._process, 10.0)
        self._process.stdout.close()
        self._log.close()
        return status
