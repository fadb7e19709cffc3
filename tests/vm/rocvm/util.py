# SPDX-License-Identifier: GPL-2.0-or-later
"""Small functions for all parts of the virtual machine code."""

import ctypes
import os
import signal
import subprocess
import sys


class VmError(Exception):
    """An error message for the user; printed as one sentence."""


TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
VM_DIR = os.path.join(TOP, "tests", "vm")

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def build_dir():
    """Return make's output folder: $O, by default build/ at the top of the tree."""
    return os.path.abspath(os.path.join(TOP, os.environ.get("O", "build")))


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(argv, limit, what, **kwargs):
    """subprocess.run() with a limit in seconds, and an error message if the limit is exceeded."""
    try:
        return subprocess.run(argv, timeout=limit, **kwargs)
    except subprocess.TimeoutExpired as error:
        raise VmError("%s did not end in %g s" % (what, limit)) from error


def end_on_signals():
    """Let SIGTERM and SIGHUP (except under nohup) end the program as SIGINT does: with a clean-up."""
    def interrupt(*unused):
        raise KeyboardInterrupt
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)


def _child_setup(sig):
    # A session of its own, so that a SIGINT of the terminal reaches this program and not the child.
    # The child ends with this program, even if that is killed with SIGKILL.
    def setup():
        os.setsid()
        _libc.prctl(PR_SET_PDEATHSIG, sig)
    return setup


def start(argv, sig=signal.SIGKILL, **kwargs):
    """Start a process that cannot outlive this one."""
    return subprocess.Popen(argv, preexec_fn=_child_setup(sig), **kwargs)


def stop(process, limit=5.0):
    """End one child process: terminate it, wait, then kill it. Returns its status."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(limit)
    return process.returncode
