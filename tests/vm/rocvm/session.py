# SPDX-License-Identifier: GPL-2.0-or-later
"""
Run one guest: start the cards and QEMU, run one command, carry its streams, collect the kernel log,
end everything. Every wait has a limit and every process is ended by its owner. Time limits of the
guest are for a machine of usual speed; the guest measures how many times slower it is
(rootfs/slowness).
"""

import fcntl
import os
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import tarfile
import tempfile
import termios
import threading
import time
import tty as tty_module

from . import emulator, host, image, kmsg, place, qemu
from .util import VmError, say, start, stop

BOOT_LIMIT = 180.0        # without output while it boots
BOOT_LIMIT_ALL = 3600.0   # with output
EXIT_BAD_LOG = 99
EXIT_BAD_DMA = 98
EXIT_TIMEOUT = 124
EXIT_NO_GUEST = 125
OUTSIDE = "DMA outside any"  # a card's message about an access where nothing is mapped


# Set by a thread that must not wait until the other guests end by themselves.
interrupted = threading.Event()


class Options:
    """What tests/vm/guest takes on its command line; see there."""

    def __init__(self, **kwargs):
        self.cards = "cru:2"
        self.iommu = "off"
        self.kernel = "6.12"
        self.memory = "4G"
        self.emu_set = []
        self.hugepages = 256
        self.gigapages = 0
        self.shuffled = False  # qemu.command()
        self.parallel = False  # qemu.command()
        self.timeout = 600.0
        self.out = None
        self.log = None
        self.module = True
        self.systemd = False  # it is the first process, with Debian's units
        self.tty = False
        self.stdin = False  # standard input goes to the command
        self.allow_log = None
        self.insns = None   # QEMU plugin that counts instructions
        self.apart = False  # place.apart()
        self.host = False   # the guest may request operations of host.py
        self.disk = None    # disk.Disk: the guest's /dev/vda
        self.command = []
        for name, value in kwargs.items():
            if not hasattr(self, name):
                raise TypeError("no option " + name)
            setattr(self, name, value)


# A guest in which an order of events is forced: kmod/core/points.h, host.py. Little free memory,
# since all of it is filled and checked; errors of the PCI bus are intended.
FORCED = {"host": True, "hugepages": 24, "allow_log": r"pcieport .*AER:"}


class Result:
    def __init__(self):
        self.status = EXIT_NO_GUEST  # of the command, or one of EXIT_*
        self.command_status = None   # None: the command did not end by itself
        self.error = None            # a message when the guest itself failed
        self.log = ""                # kernel log
        self.findings = []           # of kmsg.scan()
        self.card_errors = []        # messages about emulated cards
        self.qemu_signal = 0         # that killed QEMU, unless the session did
        self.boot_seconds = None
        self.slowness = 1.0          # as measured when it came up
        self.run_seconds = None


class Session:
    """Owns the run directory, the sockets in it, the emulators and QEMU."""

    def __init__(self, options, installed, module, on_stdout=None, on_stderr=None):
        self._options = options
        self._installed = installed
        self._module = module
        self._on_stdout = on_stdout or (lambda data: _write_all(1, data))
        self._on_stderr = on_stderr or (lambda data: _write_all(2, data))
        self._dir = None
        self._cards = []
        self._qemu = None
        self._listeners = {}
        self._selector = selectors.DefaultSelector()
        self._control = b""
        self._host = None
        self._asked = b""
        self._monitor = None
        self._out_file = None
        self._result = Result()
        self._ready_at = None
        self._begin = None
        self._heard = (None, 0)      # when the kernel log last grew, and its size
        self._since = None           # when the command's limit began
        self._slowness = 1.0

    def alive(self, slowness=None):
        """The command makes progress: restart its time limit."""
        self._since = time.monotonic()
        self._slowness = slowness or self._slowness

    def run(self):
        result = self._result
        # A short path, because a socket's name must fit into 108 bytes.
        self._dir = tempfile.mkdtemp(prefix="roc-vm-")
        try:
            self._start()
            self._pump()
        except VmError as error:
            result.error = str(error)
        finally:
            self._end()
            shutil.rmtree(self._dir, ignore_errors=True)
        return self._judge()

    def _start(self):
        options = self._options
        for number, kind in enumerate(emulator.parse_cards(options.cards)):
            self._cards.append(emulator.Emulator(
                number, kind, os.path.join(self._dir, "card%d" % number), options.emu_set))
        for card in self._cards:
            card.wait_ready()
        initrd = self._write_initrd()
        names = ["roc.control", "roc.stdin", "roc.stdout", "roc.stderr"]
        if options.host:
            names.append("roc.host")
        if options.out:
            names.append("roc.out")
            self._out_file = open(os.path.join(self._dir, "out.tar"), "wb")
        ports = {name: self._listen(name) for name in names}
        for card in self._cards:
            ports["roc.emu.%d" % card.number] = card.control_path
        tty = self._listen("tty") if options.tty else None
        insns = (options.insns, os.path.join(self._dir, "insns")) if options.insns else None
        argv = qemu.command(options.kernel, options.memory, options.gigapages, options.iommu,
                            self._cards, ports, initrd, self._console(), tty, insns,
                            os.path.join(self._dir, "monitor") if options.host else None,
                            options.shuffled, options.parallel, self._disk())
        self._begin = time.monotonic()
        with open(os.path.join(self._dir, "qemu.log"), "w") as log:
            self._qemu = start(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if options.apart:
            place.apart(self._qemu.pid, [card.pid for card in self._cards], qemu.NODES)

    def _disk(self):
        if not self._options.disk:
            return None
        path = os.path.join(self._dir, "disk")
        self._options.disk.serve(path)
        return path

    def kill(self):
        """End the guest at once, from any thread."""
        self._qemu.kill()

    def _console(self):
        return os.path.join(self._dir, "console.log")

    def _write_initrd(self):
        options = self._options
        size = shutil.get_terminal_size()
        settings = {"HUGEPAGES": options.hugepages, "MODULE": int(bool(options.module)),
                    "SYSTEMD": int(options.systemd),
                    "TTY": int(options.tty), "OUT": options.out or "", "ROWS": size.lines, "COLUMNS": size.columns,
                    "GUEST_TERM": os.environ.get("TERM", "linux")}
        path = os.path.join(self._dir, "initrd")
        with open(path, "wb") as stream:
            for archive in image.base_archives(options.kernel):
                with open(archive, "rb") as part:
                    shutil.copyfileobj(part, stream, 1 << 20)
            image.write_overlay(stream, options.kernel, settings, options.command,
                                self._installed, self._module, options.systemd)
        return path

    def _listen(self, name):
        path = os.path.join(self._dir, name)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(1)
        self._listeners[name] = listener
        self._selector.register(listener, selectors.EVENT_READ, ("accept", name))
        return path

    def _pump(self):
        """Carry data until QEMU has ended and all its sockets are drained."""
        streams = 0
        while True:
            now = time.monotonic()
            deadline = self._deadline(now)
            if interrupted.is_set():
                raise VmError("interrupted")
            if now >= deadline and self._qemu.poll() is None:
                self._timed_out()
                return
            events = self._selector.select(0.2)
            for key, _ in events:
                what, name = key.data
                if what == "accept":
                    streams += self._accept(key.fileobj, name)
                else:
                    data = _take(key.fileobj)
                    if data and name == "roc.host":
                        self._answer(key.fileobj, data)
                    elif data:
                        self._receive(name, data)
                    else:
                        self._selector.unregister(key.fileobj)
                        key.fileobj.close()
                        streams -= 1
            if not events and self._qemu.poll() is not None:
                break
        if self._result.command_status is None and not self._result.error:
            raise VmError("the guest ended before its command did%s" % self._last_words())

    def _deadline(self, now):
        if self._ready_at is not None:
            return self._since + self._options.timeout * self._slowness
        try:
            size = os.stat(self._console()).st_size
        except FileNotFoundError:
            size = 0
        if self._heard[0] is None or size != self._heard[1]:
            self._heard = (now, size)
        return min(self._heard[0] + BOOT_LIMIT * self._slowness, self._begin + BOOT_LIMIT_ALL)

    def _timed_out(self):
        now = time.monotonic()
        if self._ready_at is None:
            raise VmError("the guest did not come up in %d s%s" %
                          (now - self._begin, self._last_words()))
        self._result.status = EXIT_TIMEOUT
        raise VmError("the command did not end in %d s%s" %
                      (now - self._since, self._last_words()))

    def _last_words(self):
        words = self._read("qemu.log") + "\n".join(self._read("console.log").splitlines()[-15:])
        return ":\n" + words if words.strip() else ""

    def _accept(self, listener, name):
        connection, _ = listener.accept()
        self._selector.unregister(listener)
        listener.close()
        del self._listeners[name]
        if name == "roc.stdin":
            self._feed(connection, stdin_is_data=True)
            return 0
        if name == "tty":
            self._feed(connection, stdin_is_data=False)
        self._selector.register(connection, selectors.EVENT_READ, ("data", name))
        return 1

    def _feed(self, connection, stdin_is_data):
        """Send standard input to the guest: to its terminal, or as the command's input."""
        if stdin_is_data and (not self._options.stdin or os.isatty(0)):
            connection.close()
            return

        def carry():
            try:
                while True:
                    data = os.read(0, 1 << 16)
                    if not data:
                        break
                    connection.sendall(data)
                # QEMU loses unread data when the peer closes the connection.
                while _unread(connection):
                    time.sleep(0.05)
                if stdin_is_data:
                    connection.close()
            except OSError:
                pass  # the guest ended, or there is no standard input

        threading.Thread(target=carry, daemon=True).start()

    def _receive(self, name, data):
        if name in ("roc.stdout", "tty"):
            self._on_stdout(data)
        elif name == "roc.stderr":
            self._on_stderr(data)
        elif name == "roc.out":
            self._out_file.write(data)
        else:
            self._control += data
            *lines, self._control = self._control.split(b"\n")
            for line in lines:
                self._control_line(line.decode(errors="replace"))

    def _answer(self, connection, data):
        if not self._host:
            self._monitor = host.Monitor(os.path.join(self._dir, "monitor"))
            self._host = host.Host(self._monitor, self._cards, qemu.function)
        self._asked += data
        *lines, self._asked = self._asked.split(b"\n")
        for line in lines:
            connection.sendall(self._host.do(line.decode(errors="replace")).encode() + b"\n")

    def _control_line(self, line):
        word, _, rest = line.partition(" ")
        now = time.monotonic()
        if word == "up":
            self._heard = (now, self._heard[1])
            self._slowness = self._result.slowness = float(rest)
        elif word == "ready":
            self._ready_at = self._since = now
            self._result.boot_seconds = now - self._begin
        elif word == "fail":
            self._result.error = rest
        elif word == "exit":
            self._result.command_status = int(rest)
            self._result.run_seconds = now - self._ready_at

    def _read(self, name):
        try:
            with open(os.path.join(self._dir, name), errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def _end(self):
        result = self._result
        if self._monitor:
            self._monitor.close()
        if self._qemu:
            result.qemu_signal = max(0, -(self._qemu.poll() or 0))
            stop(self._qemu)
            result.log = self._read("console.log")
        for card in self._cards:
            alive = card.alive()
            status = card.stop()
            words = card.errors()
            # A card that was killed on request (host.py) has left its errors in its log only.
            if not alive or status not in (0, -signal.SIGTERM) or OUTSIDE in words:
                result.card_errors.append("card %d: roc-emu ended with %s: %s" % (
                    card.number, status, words.strip() or "no message"))
        for listener in self._listeners.values():
            listener.close()
        self._selector.close()
        if self._out_file:
            self._out_file.close()
            self._unpack()

    def _unpack(self):
        os.makedirs(self._options.out, exist_ok=True)
        try:
            with tarfile.open(self._out_file.name) as archive:
                archive.extractall(self._options.out)
        except tarfile.TarError as error:
            self._result.error = self._result.error or "no files came out: %s" % error

    def _judge(self):
        result, options = self._result, self._options
        result.findings = kmsg.scan(result.log, allow=options.allow_log)
        if options.log:
            os.makedirs(os.path.dirname(os.path.abspath(options.log)), exist_ok=True)
            with open(options.log, "w") as f:
                f.write(result.log)
        if result.findings:
            result.status = EXIT_BAD_LOG
        elif result.card_errors:
            result.status = EXIT_BAD_DMA
        elif result.error:
            pass
        elif result.command_status is not None:
            result.status = result.command_status
        return result


def report(result):
    """Print on stderr all errors besides those of the command."""
    for finding in result.findings:
        say("roc-vm: kernel log%s:" % (" during " + finding.case if finding.case else ""))
        say("".join("    %s\n" % line for line in finding.lines).rstrip("\n"))
    for sentence in result.card_errors:
        say("roc-vm: " + sentence)
    if result.error:
        say("roc-vm: " + result.error)


def _take(connection):
    """Return received data; empty at the end, also when the peer died with unread data."""
    try:
        return connection.recv(1 << 16)
    except ConnectionResetError:
        return b""


def _unread(connection):
    """Return the number of bytes that the peer has not read yet."""
    return struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))[0]


def _write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


class RawTerminal:
    """Set the terminal to raw mode while the guest's shell uses it."""

    def __enter__(self):
        self._old = termios.tcgetattr(0) if os.isatty(0) else None
        if self._old:
            tty_module.setraw(0)

    def __exit__(self, *unused):
        if self._old:
            termios.tcsetattr(0, termios.TCSADRAIN, self._old)
