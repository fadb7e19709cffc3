# SPDX-License-Identifier: GPL-2.0-or-later
"""
Bringing everything up to date before a guest starts: user space by make, roc.ko by kbuild on a
copy of kmod/ below $(O), with the compiler and the headers of the kernel's own tree.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import time

from . import cache
from .util import TOP, VmError, build_dir, say


def root():
    """What `make vm-root` installs: the tree that is laid over the guest's own root."""
    return os.path.join(build_dir(), "vm", "root")


def user_space(cases=(), make_args=()):
    """
    Build what goes into the guest and what stands beside it; the installed tree's path. cases:
    names, or None for all there are.
    """
    target = "vm-root" if cases is not None and not cases else "vm-root-cases"
    if cases:
        make_args = [*make_args, "CASE_NAMES=" + " ".join(cases)]
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR", "PREFIX")}
    os.makedirs(os.path.dirname(root()), exist_ok=True)
    # Two guests started at once must not install into each other's tree.
    with open(os.path.join(os.path.dirname(root()), "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run(["make", "-s", "-C", TOP, "-j%d" % (os.cpu_count() or 1),
                               "O=" + build_dir(), target, *make_args],
                              env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=1800)
    if made.returncode:
        raise VmError("make %s failed:\n%s" % (target, made.stdout.strip()))
    return root()


def _sources():
    """All files of kmod/, relative names."""
    root = os.path.join(TOP, "kmod")
    found = []
    for where, dirs, files in os.walk(root):
        dirs.sort()
        found += [os.path.relpath(os.path.join(where, f), root) for f in sorted(files)]
    return found


def _digest(kernel):
    digest = hashlib.sha256(cache.tree("kernel-" + kernel).encode())
    for name in _sources():
        digest.update(name.encode() + b"\0")
        with open(os.path.join(TOP, "kmod", name), "rb") as f:
            digest.update(hashlib.sha256(f.read()).digest())
    return digest.hexdigest()


def _copy_sources(target):
    """Copy what changed, so that kbuild compiles only that."""
    wanted = set(_sources())
    for name in wanted:
        source, copy = os.path.join(TOP, "kmod", name), os.path.join(target, name)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        try:
            with open(source, "rb") as a, open(copy, "rb") as b:
                if a.read() == b.read():
                    continue
        except FileNotFoundError:
            pass
        shutil.copyfile(source, copy)


def module(kernel):
    """Path of roc.ko for one of cache.KERNELS, built when it is not up to date."""
    if not os.path.exists(os.path.join(TOP, "kmod", "Kbuild")):
        raise VmError("kmod/Kbuild is missing")
    release = cache.kernel_release(kernel)
    work = os.path.join(build_dir(), "kmod", release)
    product, stamp = os.path.join(work, "roc.ko"), os.path.join(work, ".digest")
    digest = _digest(kernel)
    try:
        with open(stamp) as f:
            if f.read() == digest and os.path.exists(product):
                return product
    except FileNotFoundError:
        pass
    begin = time.monotonic()
    os.makedirs(work, exist_ok=True)
    _copy_sources(work)
    command = "make -s -j%d -C /lib/modules/%s/build M=/mnt/kmod modules" % (
        os.cpu_count() or 1, release)
    # Warnings are errors here: the module must be clean on every kernel that is tested.
    command += " KCFLAGS=-Werror"
    built = cache.run_in_tree("kernel-" + kernel, command, [(work, "kmod")], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if built.returncode:
        raise VmError("roc.ko does not build for %s:\n%s" % (release, built.stdout.strip()))
    with open(stamp, "w") as f:
        f.write(digest)
    say("kmod: roc.ko for %s built in %.0f s" % (release, time.monotonic() - begin))
    return product
