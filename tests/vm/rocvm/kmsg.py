# SPDX-License-Identifier: GPL-2.0-or-later
"""Find lines in the kernel log of a run that show a bug."""

import re

# Everything that a driver can cause. "roc-vm: BUG:" lines come from the guest's own init.
_BAD = re.compile("|".join([
    r"\bBUG\b", r"\bWARNING\b", r"\bOops\b", r"Kernel panic", r"Call Trace:", r"cut here",
    r"general protection", r"[Uu]nable to handle", r"divide error", r"invalid opcode",
    r"\bRIP: ", r"\bKASAN\b", r"\bKCSAN\b", r"\bUBSAN\b", r"\bKFENCE\b", r"kmemleak",
    r"possible (circular|recursive|irq|deadlock)", r"inconsistent lock state", r"lockdep",
    r"suspicious RCU", r"sleeping function called", r"scheduling while atomic", r"bad unlock",
    r"held lock freed", r"rcu.*detected stalls", r"self-detected stall", r"(soft|hard) lockup",
    r"blocked for more than", r"DMA-API", r"DMAR:.*fault", r"DMAR: \[DMA", r"AMD-Vi:.*FAULT",
    r"refcount_t:", r"list_(add|del) corruption", r"Bad page", r"bad page", r"page_owner",
    r"slab.*(corrupt|overwritten)", r"Out of memory", r"invoked oom-killer",
    r"AER: .*[Ee]rror", r"irq \d+: nobody cared", r"leaked .* pages", r"sysfs: cannot create",
    r"Trying to free nonexistent resource", r"Unknown symbol", r"disagrees about version",
    r"segfault at", r"traps: ",
]))

# Lines of a normal boot that the patterns would match; most come from a debug kernel, which logs
# its checks.
_FINE = re.compile("|".join([
    r"DMAR: Host address width", r"RIP: 0033:", r"Kernel command line:", r"Command line:",
    r"KFENCE|kfence: initialized", r"lockdep is turned off", r"Allocated kfence",
    r"RCU lockdep checking is enabled", r"page_owner is disabled",
    r"DMA-API: (preallocated \d+|dma_debug_entry pool grown|debugging (en|dis)abled)",
    r"kmemleak: (Kernel memory leak detector (initialized|disabled)|Automatic memory scanning)",
    r"bad unlock order:(\s+ok\s+\|)+$",
]))

_PREFIX = re.compile(r"^(<\d+>)?\[\s*(\d+\.\d+)\](\[[^\]]*\])?\s?")
_CASE = re.compile(r"roc-case: (begin|end) (\S+)")


def clean(line):
    """A console line without its time stamp and line end."""
    return _PREFIX.sub("", line.rstrip("\r\n"))


class Finding:
    """One bad line, with the lines around it and the case during which it was logged."""

    def __init__(self, case, lines):
        self.case = case
        self.lines = lines

    def __str__(self):
        return "\n".join(self.lines)


def scan(text, context=25, allow=None):
    """Return all findings of a log. allow: pattern of lines that this run provokes on purpose."""
    allowed = re.compile(allow) if allow else None
    lines = text.splitlines()
    findings, case, covered = [], None, -1
    for number, line in enumerate(lines):
        mark = _CASE.search(line)
        if mark:
            case = mark.group(2) if mark.group(1) == "begin" else None
            continue
        if number <= covered or not _BAD.search(line) or _FINE.search(line):
            continue
        if allowed and allowed.search(line):
            continue
        covered = number + context
        findings.append(Finding(case, [clean(l) for l in lines[number:covered + 1]]))
    return findings
