# SPDX-License-Identifier: GPL-2.0-or-later
"""
The ledger of a run: what is in the files of all builders, read here anew from the layout
(Documentation/mep.md), against what each source says that it made.

Every fragment is in the files once; or it is one that its readout unit counted as dropped, or as
of no builder; or a builder that was lost had it whole, which the readout unit counted, too. Blocks
that are not complete say so, and lack only who was made to fail; those that such a builder built may
lack others, and while it is cut off it builds by the table that it has: what it cannot complete may
be there a second time. A block that is nowhere was that builder's.
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
    """Event ids of a MFP."""
    magic, version, number, first, _, _, events, count, *_ = MFP.unpack_from(data, at)
    if magic != b"RMFP" or version != 1 or number != block or count > events:
        raise ValueError("no MFP of block %d" % block)
    return [first + ENTRY.unpack_from(data, at + MFP.size + i * ENTRY.size)[0]
            for i in range(count)]


def read_file(path, whole=True):
    """Blocks of a file; not @whole: who wrote it was killed, and the last may be cut."""
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
    @killed: builders of which files may be cut; @fallible: nodes that were made to fail. @span:
    blocks that are looked at in full, from when all nodes were there until they were asked to end:
    first, one behind the last, events of a block, names of all nodes in their order, and of those
    whose sources leave no event out.
    """

    def __init__(self, directory, killed=(), fallible=(), span=None):
        self.wrong, self.blocks, self.have = [], {}, {}
        self.fallible, self.nowhere = fallible, 0
        for path in sorted(glob.glob(os.path.join(directory, "*.mep"))):
            name = os.path.basename(path).rsplit("-", 1)[0]
            for block in read_file(path, name not in killed):
                self._take(block)
        if span:
            self._look(*span)

    def _take(self, block):
        other = self.blocks.get(block.number)
        cut_off = [b for b in (block, other) if b and b.incomplete and b.builder in self.fallible]
        if other and not cut_off:
            self.wrong.append("block %d was built by %s and by %s" % (
                block.number, other.builder, block.builder))
        if not other or block not in cut_off:
            self.blocks[block.number] = block
        # It may say so although all are here: by a table that the builder never had there were more.
        if block.absent and not block.incomplete:
            self.wrong.append("block %d lacks %d sources, but is not marked as incomplete" % (
                block.number, block.absent))
        for name, events in block.events.items():
            self.have.setdefault(name, set()).update(events)

    def _look(self, first, behind, events, names, whole):
        """A block is whole but for who failed, or it is nowhere, and was that one's to build."""
        for number in range(first, behind):
            block = self.blocks.get(number)
            if not block:
                self.nowhere += 1
                owner = names[number % len(names)]
                if owner not in self.fallible:
                    self.wrong.append("block %d is nowhere, and with %s, who should have built "
                                      "it, nothing was wrong" % (number, owner))
                continue
            if block.incomplete and block.builder in self.fallible:
                continue
            for name in whole:
                if name not in self.fallible and len(block.events.get(name, ())) != events:
                    self.wrong.append("block %d, of %s, has %d events of %s, with which nothing "
                                      "was wrong" % (number, block.builder,
                                                     len(block.events.get(name, ())), name))

    @property
    def complete(self):
        return sum(not b.incomplete for b in self.blocks.values())

    @property
    def incomplete(self):
        return sum(b.incomplete for b in self.blocks.values())

    def balance(self, line, late):
        """
        A source's books against the files; @line: the last that its node said; @late: events that
        builders had delivered their blocks without. What is in no file was dropped, or of no
        builder, or late; or a builder had it whole when it was lost, which the source counts apart.
        """
        name, made = line["node"], line["sourceCounters"]["events"]
        have = len(self.have.get(name, ()))
        # Who joins anew in the middle of a block has no use for the rest of it: out of order.
        lost = line["droppedEvents"] + line["unassigned"] + line["disorder"]
        if not 0 <= made - have - lost <= line["unsureEvents"] + late:
            self.wrong.append("%s made %d events: %d are in files, %d it says are lost, of %d it "
                              "does not know, %d came late: %+d" % (
                                  name, made, have, lost, line["unsureEvents"], late,
                                  made - have - lost))
        return made, have, lost
