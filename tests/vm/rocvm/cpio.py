# SPDX-License-Identifier: GPL-2.0-or-later
"""
Writer of the archive format that the kernel unpacks as its first root (cpio "newc").

Written here and not by the cpio program because an ordinary user must be able to make archives
whose files belong to root and which hold device nodes.
"""

import os
import stat

MAX_FILE = 0xffffffff


class Archive:
    def __init__(self, stream):
        self._out = stream
        self._inode = 0
        self._dirs = set()

    def _entry(self, name, mode, data_length, rdev=(0, 0)):
        self._inode += 1
        encoded = os.fsencode(name) + b"\0"
        fields = (self._inode, mode, 0, 0, 1, 0, data_length, 0, 0, rdev[0], rdev[1],
                  len(encoded), 0)
        header = b"070701" + b"".join(b"%08x" % field for field in fields) + encoded
        self._out.write(header + b"\0" * (-len(header) % 4))

    def _parents(self, name):
        parts = name.split("/")[:-1]
        for i in range(1, len(parts) + 1):
            self.directory("/".join(parts[:i]))

    def directory(self, name, mode=0o755):
        if name in self._dirs:
            return
        self._parents(name)
        self._dirs.add(name)
        self._entry(name, stat.S_IFDIR | mode, 0)

    def data(self, name, data, mode=0o644):
        self._parents(name)
        self._entry(name, stat.S_IFREG | mode, len(data))
        self._out.write(data + b"\0" * (-len(data) % 4))

    def symlink(self, name, target):
        self._parents(name)
        data = os.fsencode(target)
        self._entry(name, stat.S_IFLNK | 0o777, len(data))
        self._out.write(data + b"\0" * (-len(data) % 4))

    def char_device(self, name, major, minor, mode=0o600):
        self._parents(name)
        self._entry(name, stat.S_IFCHR | mode, 0, (major, minor))

    def file(self, path, name):
        """One file, directory or link of the host, owned by root in the archive."""
        info = os.lstat(path)
        mode = stat.S_IMODE(info.st_mode)
        if stat.S_ISLNK(info.st_mode):
            self.symlink(name, os.readlink(path))
        elif stat.S_ISDIR(info.st_mode):
            self.directory(name, mode)
        elif stat.S_ISREG(info.st_mode):
            with open(path, "rb") as f:
                self.data(name, f.read(), mode)

    def tree(self, root, below="", skip=()):
        """Add a whole directory. skip: names relative to root, directories or files, left out."""
        for where, dirs, files in os.walk(root):
            dirs.sort()
            relative = os.path.relpath(where, root)
            relative = "" if relative == "." else relative
            for name in sorted(dirs) + sorted(files):
                inside = os.path.join(relative, name)
                if inside in skip:
                    if name in dirs:
                        dirs.remove(name)
                    continue
                self.file(os.path.join(where, name), os.path.join(below, inside))

    def end(self):
        self._entry("TRAILER!!!", 0, 0)
        self._out.flush()
