# SPDX-License-Identifier: GPL-2.0-or-later
"""
A disk with a volatile write cache, for one guest after the other: an NBD server on a Unix socket,
to which QEMU connects. A write stays in the cache until the guest sends FLUSH. At a power cut each
unflushed sector of the cache is on the medium or not, at random: a real cache writes in any order
and may be interrupted in the middle of a write.
"""

import random
import socket
import struct
import threading

SECTOR = 512
_FIXED_NEWSTYLE, _NO_ZEROES = 1, 2
_HAS_FLAGS, _SEND_FLUSH = 1, 4
_EXPORT_NAME, _ABORT, _GO = 1, 2, 7
_READ, _WRITE, _DISCONNECT, _FLUSH = 0, 1, 2, 3
_REPLY_ACK, _REPLY_INFO, _REPLY_UNSUPPORTED = 1, 3, 0x80000001
_REQUEST = struct.Struct(">IHHQQI")


class Disk:
    """Owns the medium; serve() and close() alternate, one guest at a time."""

    def __init__(self, medium, seed):
        self._medium = bytearray(medium)
        self._random = random.Random(seed)
        self._cache = {}         # sector -> contents
        self._lock = threading.Lock()
        self._on = False
        self._writes_left = 0    # until the power goes, 0: it stays on
        self._then = None
        self._connection = None
        self._listener = None
        self._thread = None
        self.flushes = self.dropped = self.kept = 0

    def serve(self, path):
        """Switch the power on: serve one connection at @path until close()."""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(1)
        self._listener.settimeout(120)
        self._on = True
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def cut_after(self, writes, then):
        """Cut the power at one of the next writes; call @then in the server's thread."""
        with self._lock:
            self._writes_left, self._then = writes, then

    def close(self):
        """Switch the power off, if it is on."""
        with self._lock:
            self._power_off()
        for s in (self._connection, self._listener):
            if s:
                s.close()
        self._thread.join(10)

    def _power_off(self):
        self._on = False
        for sector, content in self._cache.items():
            if self._random.random() < 0.5:
                self._medium[sector * SECTOR:(sector + 1) * SECTOR] = content
                self.kept += 1
            else:
                self.dropped += 1
        self._cache = {}

    def _serve(self):
        try:
            self._connection, _ = self._listener.accept()
            if self._greet(self._connection):
                while self._request(self._connection):
                    pass
        except OSError:
            pass  # closed, or the guest has gone

    def _greet(self, c):
        c.sendall(b"NBDMAGICIHAVEOPT" + struct.pack(">H", _FIXED_NEWSTYLE | _NO_ZEROES))
        _take(c, 4)
        flags = _HAS_FLAGS | _SEND_FLUSH
        while True:
            _, option, length = struct.unpack(">8sII", _take(c, 16))
            _take(c, length)
            if option == _EXPORT_NAME:
                c.sendall(struct.pack(">QH", len(self._medium), flags))
                return True
            if option == _GO:
                info = struct.pack(">HQH", 0, len(self._medium), flags)
                self._option_reply(c, option, _REPLY_INFO, info)
                self._option_reply(c, option, _REPLY_ACK)
                return True
            if option == _ABORT:
                self._option_reply(c, option, _REPLY_ACK)
                return False
            self._option_reply(c, option, _REPLY_UNSUPPORTED)

    @staticmethod
    def _option_reply(c, option, kind, data=b""):
        c.sendall(struct.pack(">QIII", 0x3e889045565a9, option, kind, len(data)) + data)

    def _request(self, c):
        _, _, kind, handle, offset, length = _REQUEST.unpack(_take(c, _REQUEST.size))
        data = _take(c, length) if kind == _WRITE else b""
        if kind == _DISCONNECT:
            return False
        with self._lock:
            if not self._on:
                return False
            answer = self._do(kind, offset, length, data)
            if kind == _WRITE and self._writes_left:
                self._writes_left -= 1
                if not self._writes_left:
                    self._power_off()
                    self._then()
                    return False
        c.sendall(struct.pack(">IIQ", 0x67446698, 0 if answer is not None else 22, handle) + (answer or b""))
        return True

    def _do(self, kind, offset, length, data):
        if offset % SECTOR or length % SECTOR or offset + length > len(self._medium):
            return None
        if kind == _READ:
            return b"".join(self._sector(s) for s in range(offset // SECTOR, (offset + length) // SECTOR))
        if kind == _WRITE:
            for at in range(0, length, SECTOR):
                self._cache[(offset + at) // SECTOR] = data[at:at + SECTOR]
            return b""
        if kind == _FLUSH:
            for sector, content in self._cache.items():
                self._medium[sector * SECTOR:(sector + 1) * SECTOR] = content
            self._cache = {}
            self.flushes += 1
            return b""
        return None

    def _sector(self, s):
        return self._cache.get(s) or bytes(self._medium[s * SECTOR:(s + 1) * SECTOR])


def _take(c, length):
    data = bytearray()
    while len(data) < length:
        part = c.recv(min(length - len(data), 1 << 20))
        if not part:
            raise OSError("the other side hung up")
        data += part
    return bytes(data)
