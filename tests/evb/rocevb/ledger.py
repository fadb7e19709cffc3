# SPDX-License-Identifier: GPL-2.0-or-later
"""
The ledger of a run: what is in the files of all builders, read here anew from the layout
(Documentation/mep.md), against what each source says that it made.

Every fragment is in the files once; or it is one that its readout unit counted as dropped, or as
of no builder; or a builder that was made to fail had it in its hands: at most HELD blocks of each
source. Blocks that are not complete say so, and lack only who was made to fail; those that such a
builder built may lack others, and while it is cut off it builds by the table that it has: what it
cannot complete may be there a second time.
"""

import glob
import os
import struct

MEP, MFP = struct.Struct("<4sIQQQQIIII8x"), struct.Struct("<4sIQQQQIIIIII")
SOURCE, ENTRY = struct.Struct("<32sI4xQ16x"), struct.Struct("<IIQ")
HERE, GONE, MISSING = 0, 1, 2
HELD = 32 + 2  # --in-flight and --window of a node, as they are by themselves


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
    """@killed: builders of which files may be cut; @fallible: nodes that may be missing."""

    def __init__(self, directory, killed=(), fallible=()):
        self.wrong, self.blocks, self.have = [], {}, {}
        for path in sorted(glob.glob(os.path.join(directory, "*.mep"))):
            name = os.path.basename(path).rsplit("-", 1)[0]
            for block in read_file(path, name not in killed):
                self._take(block, fallible)

    def _take(self, block, fallible):
        other = self.blocks.get(block.number)
        cut_off = [b for b in (block, other) if b and b.incomplete and b.builder in fallible]
        if other and not cut_off:
            self.wrong.append("block %d was built by %s and by %s" % (
                block.number, other.builder, block.builder))
        if not other or block not in cut_off:
            self.blocks[block.number] = block
        if block.incomplete != bool(block.absent):
            self.wrong.append("block %d lacks %d sources, and says otherwise" % (
                block.number, block.absent))
        for name in block.missing:
            if name not in fallible and block.builder not in fallible:
                self.wrong.append("block %d lacks %s, with which nothing was wrong" % (
                    block.number, name))
        for name, events in block.events.items():
            have = self.have.setdefault(name, set())
            have.update(events)

    @property
    def complete(self):
        return sum(not b.incomplete for b in self.blocks.values())

    @property
    def incomplete(self):
        return sum(b.incomplete for b in self.blocks.values())

    def balance(self, line, spare=0):
        """
        A source's books against the files; @line: the last that its node said; @spare: events that
        may have been in the hands of a builder that failed.
        """
        name, made = line["node"], line["sourceBooks"]["events"]
        have = len(self.have.get(name, ()))
        lost = line["droppedEvents"] + line["unassigned"]
        if not 0 <= made - have - lost <= spare:
            self.wrong.append("%s made %d events: %d are in files, %d it says are lost, %+d" % (
                name, made, have, lost, made - have - lost))
        return made, have, lost
