# SPDX-License-Identifier: GPL-2.0-or-later
"""
The guest's root, an initramfs in three concatenated archives:

  base      the programs, the same for every run; packed once and kept in the cache
  kernel    the kernel modules that the guest needs for its ports and for a network
  overlay   the code under test: the installed project, roc.ko, the scripts of rootfs/, the command
"""

import glob
import hashlib
import os
import shlex
import tempfile

from . import cache, cpio
from .util import VM_DIR

BASE_FORMAT = 2  # raise it when _write_base changes what it writes

_SKIP = {"usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/lintian",
         "usr/share/bug", "usr/lib/udev/hwdb.d", "usr/share/misc", "usr/lib/x86_64-linux-gnu/gconv",
         "usr/share/bash-completion", "usr/share/zsh", "usr/lib/systemd/system", "var/lib/dpkg",
         # Only sensors-detect is in Perl.
         "usr/share/perl", "usr/share/perl5", "usr/lib/x86_64-linux-gnu/perl",
         "usr/lib/x86_64-linux-gnu/perl-base"}

_MODULES = ["kernel/drivers/virtio/virtio*.ko*", "kernel/drivers/char/virtio_console.ko*",
            # For a disk of its own (disk.py).
            "kernel/drivers/block/virtio_blk.ko*", "kernel/fs/ext4/ext4.ko*", "kernel/fs/jbd2/jbd2.ko*",
            "kernel/fs/mbcache.ko*", "kernel/lib/crc16.ko*", "kernel/crypto/crc32c_generic.ko*",
            "kernel/lib/libcrc32c.ko*",
            # For a network between two namespaces, with delay and loss.
            "kernel/drivers/net/veth.ko*", "kernel/net/sched/sch_netem.ko*"]

SERVICE = "roc-vm.service"

_USERS = """\
root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
reader:x:1000:1000:may read the cards:/tmp:/bin/bash
stranger:x:1001:1001:may not:/tmp:/bin/bash
"""

# The groups of Debian's udev rules, then roc's.
_GROUPS = ("root:x:0:\ndaemon:x:1:\nadm:x:4:\ntty:x:5:\ndisk:x:6:\nlp:x:7:\nkmem:x:15:\n"
           "dialout:x:20:\ncdrom:x:24:\ntape:x:26:\naudio:x:29:\nvideo:x:44:\nplugdev:x:46:\n"
           "input:x:101:\nsgx:x:102:\nkvm:x:103:\nrender:x:104:\nclock:x:105:\nroc:x:900:reader\n"
           "reader:x:1000:\nstranger:x:1001:\nnogroup:x:65534:\n")


def _write_base(stream):
    root = cache.tree("guest")
    archive = cpio.Archive(stream)
    archive.tree(root, skip=_SKIP | {"dev", "init", "etc/passwd", "etc/group", "etc/shadow"})
    for name in ("dev", "proc", "sys", "run", "tmp", "root", "mnt"):
        archive.directory(name)
    archive.char_device("dev/console", 5, 1)
    archive.char_device("dev/null", 1, 3, 0o666)
    archive.data("etc/passwd", _USERS.encode())
    archive.data("etc/group", _GROUPS.encode())
    archive.data("etc/hostname", b"flp\n")
    archive.end()


def _write_kernel(stream, kernel):
    release = cache.kernel_release(kernel)
    lib = os.path.join(cache.module_dir(kernel), release)
    archive = cpio.Archive(stream)
    place = "usr/lib/modules/" + release
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        if os.path.exists(os.path.join(lib, name)):
            archive.file(os.path.join(lib, name), os.path.join(place, name))
    for pattern in _MODULES:
        for path in sorted(glob.glob(os.path.join(lib, pattern))):
            archive.file(path, os.path.join(place, os.path.relpath(path, lib)))
    archive.end()


def _cached(kind, key, write):
    digest = hashlib.sha256(repr((BASE_FORMAT, key)).encode()).hexdigest()[:12]
    path = os.path.join(cache.cache_dir(), "%s-%s.cpio" % (kind, digest))
    if not os.path.exists(path):
        with cache.locked(kind + "-cpio"):
            if not os.path.exists(path):
                handle, work = tempfile.mkstemp(prefix="." + kind, dir=cache.cache_dir())
                with os.fdopen(handle, "wb") as stream:
                    write(stream)
                os.rename(work, path)
                cache.prune(kind, path)
    os.utime(path)
    return path


def base_archives(kernel):
    """Paths of the two cached archives."""
    release = cache.kernel_release(kernel)
    return [
        _cached("base", (cache.tree("guest"), sorted(_SKIP), _USERS, _GROUPS), _write_base),
        _cached("kernel-" + kernel, (release, _MODULES), lambda s: _write_kernel(s, kernel)),
    ]


def _write_systemd(archive):
    """
    Add systemd for a guest in which it is the first process: Debian's units, without the links that
    start those of a whole system. Their time limits are extended for an emulated machine.
    """
    units = os.path.join(cache.tree("guest"), "usr/lib/systemd/system")
    for name in sorted(os.listdir(units)):
        if not os.path.isdir(os.path.join(units, name)):
            archive.file(os.path.join(units, name), "usr/lib/systemd/system/" + name)
    archive.file(os.path.join(VM_DIR, "rootfs", SERVICE), "etc/systemd/system/" + SERVICE)
    archive.symlink("etc/systemd/system/multi-user.target.wants/" + SERVICE, "../" + SERVICE)
    archive.data("etc/machine-id", b"0123456789abcdef0123456789abcdef\n")
    archive.data("etc/systemd/system.conf.d/roc-vm.conf",
                 b"[Manager]\nDefaultTimeoutStartSec=infinity\n")


def write_overlay(stream, kernel, settings, command, installed=None, module=None, systemd=False):
    """
    settings: NAME -> value, read by rootfs/init; command: argument list, empty for a shell;
    installed: archive from build.user_space(); module: contents of roc.ko; systemd: it is the first
    process.
    """
    if installed:
        stream.write(installed)
    archive = cpio.Archive(stream)
    rootfs = os.path.join(VM_DIR, "rootfs")
    archive.file(os.path.join(rootfs, "init"), "init")
    for name in sorted(os.listdir(rootfs)):
        if name not in ("init", SERVICE):
            archive.file(os.path.join(rootfs, name), "usr/bin/" + name)
    if systemd:
        _write_systemd(archive)
    if module:
        place = "usr/lib/modules/%s/updates/dkms/roc.ko" % cache.kernel_release(kernel)
        archive.data(place, module)
    lines = ["%s=%s\n" % (k, shlex.quote(str(v))) for k, v in sorted(settings.items())]
    archive.data("etc/roc-vm/settings", "".join(lines).encode())
    archive.data("etc/roc-vm/command", ("set -- " + shlex.join(command) + "\n").encode())
    archive.end()
