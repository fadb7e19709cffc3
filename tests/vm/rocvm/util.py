# SPDX-License-Identifier: GPL-2.0-or-later
"""Small things that every part of the virtual machine code needs."""

import ctypes
import os
import signal
import subprocess
import sys


class VmError(Exception):
    """Something the person at the keyboard must read; printed as one sentence."""


TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
VM_DIR = os.path.join(TOP, "tests", "vm")

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def build_dir():
    """Where make puts its output: $O, by default build/ at the top of the tree."""
    return os.path.abspath(os.path.join(TOP, os.environ.get("O", "build")))


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(argv, limit, what, **kwargs):
    """subprocess.run() with a limit in seconds, and a sentence about what did not end."""
    try:
        return subprocess.run(argv, timeout=limit, **kwargs)
    except subprocess.TimeoutExpired as error:
        raise VmError("%s did not end in %g s" % (what, limit)) from error


def end_on_signals():
    """SIGTERM and SIGHUP (but for nohup) end us as ^C does: with everything put away."""
    def interrupt(*unused):
        raise KeyboardInterrupt
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)


def _child_setup(sig):
    # An own session, so that a ^C at the terminal reaches us and not the child; and the child
    # ends with us even when we are killed with SIGKILL.
    def setup():
        os.setsid()
        _libc.prctl(PR_SET_PDEATHSIG, sig)
    return setup


def start(argv, sig=signal.SIGKILL, **kwargs):
    """Start a process that cannot outlive this one."""
    return subprocess.Popen(argv, preexec_fn=_child_setup(sig), **kwargs)


def stop(process, limit=5.0):
    """End one process of ours: ask, wait, then insist. Returns its status."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(limit)
    return process.returncode
