# SPDX-License-Identifier: GPL-2.0-or-later
"""Run scenarios in one guest: build, boot, fetch the results."""

import io
import json
import os
import subprocess
import tempfile

from rocvm import build, cpio, emulator, session
from rocvm.util import TOP, VmError, build_dir

PROGRAMS = ("roc-bench-fragment", "roc-bench-reader", "roc-bench-standin", "roc-bench-stream",
            "roc-ledger")
SCRIPTS = ("guest.sh", "fifo.sh")
PLACE = "usr/lib/roc/bench/"
# On each node: two endpoints with 256 MiB, or four channels with 1 GiB in one page.
MEMORY = {"memory": "12G", "hugepages": 300, "gigapages": 4}
SLACK = 40.0  # seconds that a scenario may take beyond its own duration


class Cards:
    """The emulated cards of a guest, by number, in the order of --cards."""

    def __init__(self, text):
        self.text = text
        self.kinds = emulator.parse_cards(text)

    def endpoints(self, kind, count):
        """Return roc-ledger's text for the first @count channels of cards of a type."""
        found = []
        for number, have in enumerate(self.kinds):
            if have != kind:
                continue
            serial = emulator.SERIALS[kind] + number
            if kind == "cru":
                found += ["%d:%d:%d:%d/0" % (number, e, serial, e) for e in range(2)]
            else:
                found += ["%d:0:%d/%d" % (number, serial, c) for c in range(6)]
        if len(found) < count:
            raise VmError("%d channels of kind %s in %s" % (len(found), kind, self.text))
        return ",".join(found[:count])

    def of_each(self, kind, cards, count):
        """
        Return the same for the first @count streams or sub-units of each of @cards cards of a type.
        """
        numbers = [number for number, have in enumerate(self.kinds) if have == kind]
        if len(numbers) < cards:
            raise VmError("%d cards of kind %s in %s" % (cards, kind, self.text))
        return ",".join("%d:0:%d/%d" % (number, emulator.SERIALS[kind] + number, channel)
                        for number in numbers[:cards] for channel in range(count))

    def id(self, kind):
        number = self.kinds.index(kind)
        return "%d:0" % (emulator.SERIALS[kind] + number)


def programs():
    """Build and return the archive of the guest's programs for measurements."""
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR", "PREFIX")}
    made = subprocess.run(["make", "-s", "-C", TOP, "-j%d" % (os.cpu_count() or 1),
                           "O=" + build_dir(), "bench-programs"], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    if made.returncode:
        raise VmError("make failed:\n" + made.stdout.strip())


def archive(jobs):
    """Return the archive of jobs: (seconds, [program, arguments...])."""
    stream = io.BytesIO()
    out = cpio.Archive(stream)
    for name in PROGRAMS:
        out.file(os.path.join(build_dir(), "bench", name), PLACE + name)
    for name in SCRIPTS:
        out.file(os.path.join(TOP, "tests", "bench", name), PLACE + name)
    lines = ["%d %s\n" % (seconds + SLACK, " ".join(words)) for seconds, words in jobs]
    out.data(PLACE + "scenarios", "".join(lines).encode())
    out.end()
    return stream.getvalue()


def run(jobs, cards, kernel="6.12", progress=None, **options):
    """
    Run jobs in one guest. Returns a list of what each printed (a dictionary; "error" when it
    failed), and the session's result.
    """
    programs()
    installed = build.user_space() + archive(jobs)
    module = build.module(kernel)
    seconds = sum(job[0] for job in jobs)

    def said(data):
        if progress:
            progress(data.decode(errors="replace"))

    with tempfile.TemporaryDirectory(prefix="roc-bench-") as out:
        options = session.Options(cards=cards.text, kernel=kernel, out=out,
                                  timeout=60 + 2 * seconds,
                                  emu_set=["events=on"], apart=True, parallel=True, **MEMORY,
                                  insns=os.path.join(build_dir(), "bench", "insns.so"),
                                  command=["bash", "/" + PLACE + "guest.sh"], **options)
        result = session.Session(options, installed, module, on_stdout=said).run()
        return [_printed(out, n) for n in range(len(jobs))], result


def _printed(directory, number):
    path = os.path.join(directory, "%d." % number)
    try:
        with open(path + "json") as f:
            text = f.read()
        return json.loads(text)
    except FileNotFoundError:
        return {"error": "it was not run"}
    except ValueError:
        try:
            with open(path + "err") as f:
                words = f.read().strip()
        except OSError:
            words = ""
        return {"error": words or "it printed no result"}
