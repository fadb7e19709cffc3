# SPDX-License-Identifier: GPL-2.0-or-later
"""
The ledger of a run: compare the files of all builders, parsed by the documented layout
(Documentation/mep.md), with the counters of each source.

Each fragment is in the files once, or its readout unit counted it as dropped or unassigned, or a
builder that failed had all of it, which the readout unit counted, too. Incomplete blocks are marked,
and lack only nodes that the test made fail. Blocks of a failed builder may lack others. While it is
cut off it builds by its old table, so a block that it cannot complete may exist twice. A block that
is in no file was to be built by the failed builder.
"""

import glob
import os
import struct

MEP, MFP = struct.Struct("<4sIQQQQIIII8x"), struct.Struct("<4sIQQQQIIIIII")
SOURCE, ENTRY = struct.Struct("<32sI4xQ16x"), struct.Struct("<IIQ")
HERE, GONE, MISSING = 0, 1, 2


def padded(size):
    return (size + 7) & ~7


class Block:
    def __init__(self, builder, number, flags):
        self.builder, self.number, self.incomplete = builder, number, bool(flags & 1)
        self.events, self.missing, self.absent = {}, [], 0


def read_mfp(data, at, block):
    """The event ids of an MFP."""
    magic, version, number, first, _, _, events, count, *_ = MFP.unpack_from(data, at)
    if magic != b"RMFP" or version != 1 or number != block or count > events:
        raise ValueError("no MFP of block %d" % block)
    return [first + ENTRY.unpack_from(data, at + MFP.size + i * ENTRY.size)[0]
            for i in range(count)]


def read_file(path, whole=True):
    """Blocks of a file; not @whole: its writer was killed, so the last block may be truncated."""
    builder = os.path.basename(path).rsplit("-", 1)[0]
    with open(path, "rb") as f:
        data = f.read()
    blocks, at = [], 0
    while at < len(data):
        if not whole and (at + MEP.size > len(data) or data[at:at + 4] != b"RMEP"):
            break
        magic, version, number, _, _, size, _, count, _, flags = MEP.unpack_from(data, at)
        if magic != b"RMEP" or version != 1:
            raise ValueError("%s: no MEP at byte %d" % (path, at))
        if at + size > len(data):
            if not whole:
                break
            raise ValueError("%s: cut at byte %d" % (path, at))
        block = Block(builder, number, flags)
        where = at + MEP.size + count * SOURCE.size
        for i in range(count):
            name, state, length = SOURCE.unpack_from(data, at + MEP.size + i * SOURCE.size)
            name = name.split(b"\0")[0].decode()
            if state == MISSING:
                block.missing.append(name)
            if state != HERE:
                block.absent += 1
                continue
            block.events[name] = read_mfp(data, where, number)
            where += padded(length)
        blocks.append(block)
        at += size
    return blocks


class Ledger:
    """
    @killed: builders whose files may be truncated; @fallible: nodes that the test made fail. @span:
    blocks that are checked completely, from the presence of all nodes to the request to end: first,
    one behind the last, events of a block, names of all nodes in order, and names of those whose
    sources omit no event.
    """

    def __init__(self, directory, killed=(), fallible=(), span=None):
        self.wrong, self.blocks, self.have = [], {}, {}
        self.fallible, self.nowhere = fallible, 0
        for path in sorted(glob.glob(os.path.join(directory, "*.mep"))):
            name = os.path.basename(path).rsplit("-", 1)[0]
            for block in read_file(path, name not in killed):
                self._take(block)
        if span:
            self._check(*span)

    def _take(self, block):
        other = self.blocks.get(block.number)
        cut_off = [b for b in (block, other) if b and b.incomplete and b.builder in self.fallible]
        if other and not cut_off:
            self.wrong.append("block %d was built by %s and by %s" % (
                block.number, other.builder, block.builder))
        if not other or block not in cut_off:
            self.blocks[block.number] = block
        # A complete block may be marked: a table that the builder did not have had more nodes.
        if block.absent and not block.incomplete:
            self.wrong.append("block %d lacks %d sources, but is not marked as incomplete" % (
                block.number, block.absent))
        for name, events in block.events.items():
            self.have.setdefault(name, set()).update(events)

    def _check(self, first, behind, events, names, whole):
        """Each block has all sources that did not fail, or is in no file because its builder failed."""
        for number in range(first, behind):
            block = self.blocks.get(number)
            if not block:
                self.nowhere += 1
                owner = names[number % len(names)]
                if owner not in self.fallible:
                    self.wrong.append("block %d is in no file, but its builder %s did not "
                                      "fail" % (number, owner))
                continue
            if block.incomplete and block.builder in self.fallible:
                continue
            for name in whole:
                if name not in self.fallible and len(block.events.get(name, ())) != events:
                    self.wrong.append("block %d of builder %s has %d events of %s, which did "
                                      "not fail" % (number, block.builder,
                                                     len(block.events.get(name, ())), name))

    @property
    def complete(self):
        return sum(not b.incomplete for b in self.blocks.values())

    @property
    def incomplete(self):
        return sum(b.incomplete for b in self.blocks.values())

    def balance(self, line, late):
        """
        Compare the counters of a source with the files. @line: the last line of its node; @late:
        events that builders received too late. An event that is in no file was dropped, unassigned
        or late, or a builder had all of it when it failed (unsureEvents).
        """
        name, made = line["node"], line["sourceCounters"]["events"]
        have = len(self.have.get(name, ()))
        # A node that joins again during a block counts the rest of the block as out of order.
        lost = line["droppedEvents"] + line["unassigned"] + line["disorder"]
        if not 0 <= made - have - lost <= line["unsureEvents"] + late:
            self.wrong.append("%s made %d events: %d are in files, %d are reported as lost, "
                              "%d as unsure, %d were late: %+d" % (
                                  name, made, have, lost, line["unsureEvents"], late,
                                  made - have - lost))
        return made, have, lost
