# SPDX-License-Identifier: GPL-2.0-or-later
"""
Run systems of 2, 4 and 8 nodes in network namespaces, with both protocols and with MFPs in one
segment and in several: every event must be complete, with every byte right. Also measure the
longest queue of blocks for a builder by policy: barrel shift keeps to its window, random does not.
"""

import shutil
import tempfile

from rocevb import cases
from rocevb.pace import PACE

NODES = (2, 4, 8)
POLICIES = ("barrel-shift", "round-robin", "random")


def in_folder(act, *args, **more):
    directory = tempfile.mkdtemp(prefix="roc-evb-sweep-")
    PACE.begin()
    try:
        return act(directory, *args, **more)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def transports(say):
    """Return rows: transferred data, and errors."""
    rows = []
    for nodes in NODES:
        for protocol in ("push", "pull"):
            for name, option in (("one segment", "--single"), ("several", "--segment=16Ki")):
                wrong, note = in_folder(cases.transport, protocol, option, count=nodes,
                                        events=80 * nodes)
                rows.append({"nodes": nodes, "protocol": protocol, "segments": name,
                             "wrong": wrong, "note": note})
                say("%5d  %-5s %-12s %s" % (nodes, protocol, name, "; ".join(wrong) or note))
    return rows


def queues(say):
    """Return rows: the longest queue of blocks for one builder."""
    rows = []
    for nodes in NODES:
        for policy in POLICIES:
            most, complete, bad = in_folder(cases.longest_queue, policy, nodes)
            wrong = ["%d blocks complete, %s failed" % (complete, bad)] \
                if bad or complete != cases.QUEUED_EVENTS // cases.EVENTS else []
            if policy == "barrel-shift" and most > cases.WINDOW:
                wrong.append("the window is no bound")
            rows.append({"nodes": nodes, "policy": policy, "most": most, "wrong": wrong})
            say("%5d  %-12s %5d  %s" % (nodes, policy, most, "; ".join(wrong)))
    if max(r["most"] for r in rows if r["policy"] == "random") <= cases.WINDOW:
        rows[-1]["wrong"].append("random needs no window: nothing was measured")
    return rows


def curves(rows):
    """Return the curves of a plot: (policy, None, {nodes: most})."""
    return [(policy, None, {r["nodes"]: r["most"] for r in rows if r["policy"] == policy})
            for policy in POLICIES]
