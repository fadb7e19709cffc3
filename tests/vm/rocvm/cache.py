# SPDX-License-Identifier: GPL-2.0-or-later
"""
Downloads that are kept outside the source tree, in $XDG_CACHE_HOME/roc.

A *tree* is a directory of unpacked Debian packages made by mmdebstrap: nothing is installed, no
package script runs, so neither root nor a user namespace is needed to make one. Each tree is
named by a hash of its recipe, built beside its final place and renamed, under a lock: a tree that
exists is complete, and two builds at once share the work.

  qemu          QEMU with the vfio-user client, run by its own dynamic loader
  kernel-NAME   one kernel: image, modules, headers and the compiler that fits it; kernel-debug is
                compiled here (debug_kernel.py), the others are Debian's
  guest         the programs inside the guest
  monitoring    collectors of the tools' monitoring output, run by its own dynamic loader
  lint          checkers of the sources, and the kernel's scripts for that
  compilers     the compilers that must build everything, and the libraries for it
"""

import contextlib
import fcntl
import glob
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time

from . import debug_kernel, lint, mirror, root
from .util import VmError, run, say

UNUSED_LIMIT = 14 * 86400
FETCH_LIMIT = 1800
FORMAT = 3  # raise it when the way trees are made changes

_TRIXIE = ["debian trixie main", "debian-security trixie-security main"]
_BOOKWORM = ["debian bookworm main", "debian-security bookworm-security main"]
_BACKPORTS = ["debian trixie-backports main"]
_SID = ["debian sid main"]
_BUILD_TOOLS = ["bash", "coreutils", "diffutils", "findutils", "gawk", "gcc", "grep", "kmod",
                "linux-headers-amd64", "linux-image-amd64", "make", "sed"]

# suite to take as base, sources for mirror.sources(), suite that wins, packages
RECIPES = {
    "qemu": ("trixie", _TRIXIE + _BACKPORTS, "trixie-backports", ["qemu-system-x86"]),
    "kernel-6.1": ("bookworm", _BOOKWORM, None, _BUILD_TOOLS + ["dkms"]),
    "kernel-6.12": ("trixie", _TRIXIE, None, _BUILD_TOOLS + ["dkms"]),
    "kernel-new": ("trixie", _TRIXIE + _BACKPORTS, "trixie-backports", _BUILD_TOOLS),
    "kernel-debug": ("trixie", _TRIXIE, None, debug_kernel.PACKAGES),
    "guest": ("trixie", _TRIXIE, None, [
        "base-files", "base-passwd", "bash", "coreutils", "findutils", "gawk", "grep", "iproute2",
        "kmod", "less", "libcunit1", "libfabric1", "libjson-c5", "libnuma1", "libudev1",
        "liburing2", "lm-sensors", "mount", "ncurses-base", "ncurses-bin", "numactl", "pciutils",
        "procps", "sed", "strace", "tar", "udev", "util-linux"]),
    "monitoring": ("trixie", _TRIXIE, None, ["influxdb", "prometheus-node-exporter", "promtool"]),
    "lint": ("trixie", _TRIXIE, None, [
        "bash", "clang-19", "coccinelle", "codespell", "coreutils", "diffutils", "findutils", "gawk",
        "gcc", "grep", "kmod", "libpython3.13", "linux-headers-amd64", "linux-source", "lld-19",
        "llvm-19", "make", "perl", "python3", "sed", "sparse", "tar", "xz-utils"]),
    # No suite has all of them.
    "compilers": ("sid", _SID + _TRIXIE + _BOOKWORM, None, [
        "bash", "clang-14", "clang-15", "clang-16", "clang-17", "clang-18", "clang-19", "coreutils",
        "diffutils", "findutils", "gawk", "gcc-12", "gcc-13", "gcc-14", "gcc-15", "grep",
        "libcunit1-dev", "libcurl4-openssl-dev", "libfabric-dev", "libjson-c-dev", "libnuma-dev",
        "libpci-dev", "libudev-dev", "liburing-dev", "lld-14", "lld-15", "lld-16", "lld-17", "lld-18",
        "lld-19", "llvm-14", "llvm-15", "llvm-16", "llvm-17", "llvm-18", "llvm-19", "make",
        "pkg-config", "python3", "sed"]),
}

# Steps that complete a tree, and what they depend on besides the recipe.
_FINISH = {
    "kernel-debug": (debug_kernel.build, debug_kernel.key),
    "lint": (lint.unpack, lint.key),
}

KERNELS = [name[len("kernel-"):] for name in RECIPES if name.startswith("kernel-")]


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.join(base, "roc")
    os.makedirs(path, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(name):
    with open(os.path.join(cache_dir(), name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _recipe_hash(name):
    recipe = [FORMAT, RECIPES[name]]
    if name in _FINISH:
        recipe.append(_FINISH[name][1]())
    return hashlib.sha256(json.dumps(recipe).encode()).hexdigest()[:12]


def tree(name):
    """The path of a tree, built now when it is not there yet."""
    path = os.path.join(cache_dir(), "%s-%s" % (name, _recipe_hash(name)))
    if not os.path.isdir(path):
        with locked(name):
            if not os.path.isdir(path):
                _build_tree(name, path)
                prune(name, path)
    os.utime(path)
    return path


def prune(name, keep):
    """Remove trees and archives of older recipes that no checkout has used for a while."""
    for other in glob.glob(os.path.join(cache_dir(), name + "-" + "[0-9a-f]" * 12 + "*")):
        if other != keep and time.time() - os.stat(other).st_mtime > UNUSED_LIMIT:
            if os.path.isdir(other):
                shutil.rmtree(other, ignore_errors=True)
            else:
                os.unlink(other)


def _build_tree(name, path):
    if not shutil.which("mmdebstrap"):
        raise VmError("mmdebstrap is missing: run tests/vm/packages")
    base, wanted, winner, packages = RECIPES[name]
    sources = mirror.sources(wanted)
    say("cache: fetching %s into %s" % (name, path))
    begin = time.monotonic()
    work = tempfile.mkdtemp(prefix=".%s-" % name, dir=cache_dir())
    try:
        top = os.path.join(work, "root")
        argv = ["mmdebstrap", "--quiet", "--variant=extract", "--mode=chrootless",
                "--architectures=amd64", "--aptopt=APT::Install-Recommends \"false\"",
                "--aptopt=Acquire::Retries \"3\"", "--include=" + ",".join(packages)]
        if winner:
            pin = os.path.join(work, "preferences")
            with open(pin, "w") as f:
                f.write("Package: *\nPin: release n=%s\nPin-Priority: 990\n" % winner)
            argv.append("--aptopt=Dir::Etc::Preferences \"%s\"" % pin)
        argv += ["--aptopt=" + option for option in mirror.apt_options()]
        made = run(argv + [base, top, "-"], FETCH_LIMIT, "mmdebstrap",
                   input="\n".join(sources) + "\n", text=True, stdout=subprocess.PIPE,
                   stderr=subprocess.STDOUT)
        if made.returncode:
            raise VmError("mmdebstrap could not make '%s':\n%s\nThe sources were:\n%s\n"
                          "%s names another mirror" % (name, made.stdout.strip(),
                                                      "\n".join(sources), mirror.VARIABLE))
        # Only files that are needed: no device node, no package list. Directories that the
        # package left unreadable for others must stay removable by their owner.
        for sub in ("dev", "var/lib/apt", "var/cache"):
            shutil.rmtree(os.path.join(top, sub), ignore_errors=True)
        for sub in ("dev", "proc", "sys", "mnt", "tmp"):
            os.makedirs(os.path.join(top, sub), exist_ok=True)
        # Links that package scripts would make; kbuild and popen() need them.
        for where in ("bin", "usr/bin"):
            for link, program in (("sh", "bash"), ("awk", "gawk")):
                link = os.path.join(top, where, link)
                if (os.path.exists(os.path.join(top, where, program))
                        and not os.path.lexists(link)):
                    os.symlink(program, link)
        if name in _FINISH:
            _FINISH[name][0](top)
        os.rename(top, path)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    say("cache: %s ready in %.0f s" % (name, time.monotonic() - begin))


def kernel_release(kernel):
    """Full version text of one of KERNELS, for example 6.12.107+deb13-amd64."""
    releases = os.listdir(module_dir(kernel))
    if len(releases) != 1:
        raise VmError("expected one kernel in %s, found %s" % (module_dir(kernel), releases))
    return releases[0]


def module_dir(kernel):
    return os.path.join(tree("kernel-" + kernel), "lib/modules")


def kernel_image(kernel):
    release = kernel_release(kernel)
    # Debian moved the image from /boot beside the modules between the kernels in use here.
    for path in (os.path.join(tree("kernel-" + kernel), "boot", "vmlinuz-" + release),
                 os.path.join(module_dir(kernel), release, "vmlinuz")):
        if os.path.exists(path):
            return path
    raise VmError("no image of kernel %s in %s" % (release, tree("kernel-" + kernel)))


def program(name, binary):
    """How to call a program of a tree: by the tree's own loader, with its own libraries."""
    top = tree(name)
    lib = os.path.join(top, "usr/lib/x86_64-linux-gnu")
    return [os.path.join(lib, "ld-linux-x86-64.so.2"), "--library-path", lib,
            os.path.join(top, "usr/bin", binary)]


def qemu_command():
    """How to call QEMU: $QEMU if set, else the cached one."""
    own = os.environ.get("QEMU")
    if own:
        return own.split()
    share = os.path.join(tree("qemu"), "usr/share")
    return program("qemu", "qemu-system-x86_64") + [
        "-L", os.path.join(share, "seabios"), "-L", os.path.join(share, "qemu")]


def run_in_tree(name, command, binds, limit=root.LIMIT, **kwargs):
    """Run a shell command with a tree as its root, for building modules: root.run()."""
    return root.run(tree(name), command, binds, limit, **kwargs)
