# SPDX-License-Identifier: GPL-2.0-or-later
"""
Bring everything up to date before a guest starts: user space by make, roc.ko by kbuild on a copy of
kmod/ below $(O), with the compiler and the headers of the kernel's own tree.
"""

import fcntl
import hashlib
import io
import os
import re
import shutil
import subprocess
import time

from . import cache, cpio, root
from .util import TOP, VM_DIR, VmError, build_dir, run, say

POINTS = "-points"  # suffix of the folder of roc.ko with points

def case_names():
    """Return the names of all cases, of all folders except common/, which they share."""
    top = os.path.join(VM_DIR, "cases")
    return sorted(name[:-2] for where, _, names in os.walk(top)
                  if where != os.path.join(top, "common")
                  for name in names if name.endswith(".c"))


def user_space(cases=()):
    """
    Build the programs for the guest and for the host. Returns an archive (bytes) of the files of
    `make install` and of the named cases: a copy, so that a later build does not change a running
    guest.
    """
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR", "PREFIX")}
    work = os.path.join(build_dir(), "vm")
    os.makedirs(work, exist_ok=True)
    targets = ["vm-root"] + (["cases", "CASES=" + " ".join(cases)] if cases else [])
    # Two guests started at once must not install into each other's tree.
    with open(os.path.join(work, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = run(["make", "-s", "-C", TOP, "-j%d" % (os.cpu_count() or 1),
                    "O=" + build_dir(), *targets], root.LIMIT, "make",
                   env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            raise VmError("make failed:\n" + made.stdout.strip())
        return installed(cases)


def installed(cases=()):
    """Return the archive of what is installed and built now."""
    stream = io.BytesIO()
    archive = cpio.Archive(stream)
    root = os.path.join(build_dir(), "vm", "root")
    if os.path.isdir(root):
        archive.tree(root)
    for name in cases:
        archive.file(os.path.join(build_dir(), "cases", name), "usr/lib/roc/cases/" + name)
    archive.end()
    return stream.getvalue()


def _sources(root):
    """All files of a folder, relative names."""
    found = []
    for where, dirs, files in os.walk(root):
        dirs.sort()
        found += [os.path.relpath(os.path.join(where, f), root) for f in sorted(files)]
    return found


def _version():
    """Return the version as `make kmod` sets it: the module has the same as library and tools."""
    with open(os.path.join(TOP, "dkms.conf")) as f:
        found = re.search(r'^PACKAGE_VERSION="([^"]*)"', f.read(), re.MULTILINE)
    if not found:
        raise VmError("dkms.conf has no PACKAGE_VERSION")
    return found.group(1)


def _digest(kernel, points, folders):
    digest = hashlib.sha256(("%s %s %s" % (cache.tree("kernel-" + kernel), points,
                                           _version())).encode())
    for root in folders:
        for name in _sources(root):
            digest.update(name.encode() + b"\0")
            with open(os.path.join(root, name), "rb") as f:
                digest.update(hashlib.sha256(f.read()).digest())
    return digest.hexdigest()


def copy_sources(root, target):
    """Copy what changed, so that kbuild compiles only that."""
    for name in _sources(root):
        source, copy = os.path.join(root, name), os.path.join(target, name)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        try:
            with open(source, "rb") as a, open(copy, "rb") as b:
                if a.read() == b.read():
                    continue
        except FileNotFoundError:
            pass
        shutil.copyfile(source, copy)


def module(kernel, points=False):
    """
    Return roc.ko for one of cache.KERNELS (bytes), built if it is not up to date. points: the
    variant in which tests can hold threads at points (kmod/core/points.h).
    """
    if not os.path.exists(os.path.join(TOP, "kmod", "Kbuild")):
        raise VmError("kmod/Kbuild is missing")
    return _module(kernel, points, "kmod", "roc", {"": os.path.join(TOP, "kmod")})


def test_modules(kernel):
    """
    Return the archive (bytes) of the test modules of tests/vm/modules/, in a folder from which
    nothing loads them automatically. They compile against the newest kernel's names, like roc.ko.
    """
    folders = {"": os.path.join(VM_DIR, "modules"),
               "core/compat": os.path.join(TOP, "kmod", "core", "compat")}
    stream = io.BytesIO()
    archive = cpio.Archive(stream)
    for name in ("roc-test-dmabuf", "roc-test-recovery"):
        archive.data("usr/lib/roc/modules/%s.ko" % name,
                     _module(kernel, False, "test-modules", name, folders))
    archive.end()
    return stream.getvalue()


def _module(kernel, points, kind, name, folders):
    """Return one module that kbuild makes of these folders: {place below it: folder}."""
    release = cache.kernel_release(kernel)
    work = os.path.join(build_dir(), kind, release + (POINTS if points else ""))
    os.makedirs(work, exist_ok=True)
    # Two runners started at once must not build in each other's tree.
    with open(os.path.join(work, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _built(kernel, release, work, points, name + ".ko", folders)


def _built(kernel, release, work, points, name, folders):
    product, stamp = os.path.join(work, name), os.path.join(work, ".digest")
    digest = _digest(kernel, points, folders.values())
    try:
        with open(stamp) as f:
            if f.read() == digest and os.path.exists(product):
                return _contents(product)
    except FileNotFoundError:
        pass
    begin = time.monotonic()
    if points and not os.path.exists(stamp):
        _take_objects(work.removesuffix(POINTS), work)
    for place, folder in folders.items():
        copy_sources(folder, os.path.join(work, place))
    command = "make -s -j%d -C /lib/modules/%s/build M=/mnt/kmod modules" % (
        os.cpu_count() or 1, release)
    # Warnings are errors here: the module must be clean on every kernel that is tested.
    command += " KCFLAGS=-Werror ROC_POINTS=%d ROC_VERSION=%s" % (points, _version())
    built = cache.run_in_tree("kernel-" + kernel, command, [(work, "kmod")], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if built.returncode:
        raise VmError("%s does not build for %s:\n%s" % (name, release, built.stdout.strip()))
    with open(stamp, "w") as f:
        f.write(digest)
    say("%s for %s built in %.0f s" % (name, release, time.monotonic() - begin))
    return _contents(product)


def _take_objects(plain, work):
    """Reuse objects of the module without points, if it is built: most are the same."""
    if os.path.exists(os.path.join(plain, ".digest")):
        with open(os.path.join(plain, ".lock")) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            shutil.copytree(plain, work, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns(".lock", ".digest"))


def _contents(path):
    with open(path, "rb") as f:
        return f.read()
