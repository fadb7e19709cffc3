/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contents of the rings of streams: packets, meta records and ODIN records, and the data of the
 * card's generators. See Documentation/hardware/stream-interface.md, sections 8 and 9. All words
 * are little endian, and every unit begins at a multiple of 64 bytes in the ring.
 */
#ifndef STREAM_PACKET_H
#define STREAM_PACKET_H

#include <linux/types.h>

/* First words of every unit. */
struct stream_unit {
	__le16 magic; /* STREAM_MAGIC_* */
	__u8 version; /* STREAM_UNIT_VERSION */
	__u8 align;   /* packets: log2 of the fragments' alignment; records: 0 */
	__le32 size;  /* bytes of the whole unit with all padding, a multiple of 64 */
};

#define STREAM_UNIT_VERSION 1
#define STREAM_MAGIC_PACKET 0x3450 /* "P4" */
#define STREAM_MAGIC_META 0x4d50   /* "PM" */
#define STREAM_MAGIC_ODIN 0x4f50   /* "PO" */

/*
 * Header of a packet. It is followed by a type (8 bits) per fragment, padding to 4, a size (32
 * bits) per fragment, padding to the alignment, and the fragments, each with padding to the
 * alignment. The packet ends with padding to 64. Fragment i belongs to event first_event + i. All
 * padding is 0.
 */
struct stream_packet {
	__le16 magic;
	__u8 version, align;
	__le32 size;
	__le64 first_event;
	__le32 number;	  /* of the packet since the stream was enabled, free running */
	__le32 data;	  /* offset of the first fragment */
	__le32 fragments; /* 1 to 65535 */
	__le16 source;
	__le16 flags; /* STREAM_PACKET_* */
};

#define STREAM_PACKET_TRUNCATED (1u << 0) /* at least one fragment is truncated */
#define STREAM_PACKET_CLOSED (1u << 1)	  /* closed before it was full, by CLOSE */
#define STREAM_PACKET_AGED (1u << 2)	  /* closed by time */
#define STREAM_PACKET_GAP (1u << 3) /* closed by a gap in the event ids behind its last event */

#define STREAM_PACKET_TYPES sizeof(struct stream_packet) /* offset of the types */
#define STREAM_PACKET_SIZES(fragments) ((STREAM_PACKET_TYPES + (fragments) + 3u) & ~3u)

#define STREAM_FRAGMENT_GENERATED 0x01 /* [6:0] of a type */
#define STREAM_FRAGMENT_FRONT_END 0x02
#define STREAM_FRAGMENT_TRUNCATED 0x80 /* bit 7: the fragment is truncated */

/* Meta record: one per packet of the main stream, in the same order. */
struct stream_meta {
	__le16 magic;
	__u8 version, align;
	__le32 size; /* 64 */
	__le64 first_event;
	__le32 number;	      /* of the packet */
	__le32 position;      /* of its first byte in the main ring */
	__le32 bytes;	      /* its size */
	__le32 fragments;     /* number of fragments in it */
	__le32 truncated;     /* number of those that are truncated */
	__le16 source, flags; /* as in the packet */
	__le64 cycles;	      /* when it was closed */
	__le64 zero[2];
};

/* ODIN record: one per event of an ODIN stream. */
struct stream_odin {
	__le16 magic;
	__u8 version, align;
	__le32 size; /* 64 */
	__le64 event;
	__le64 cycles; /* when it was made */
	__le32 number; /* of the record since the stream was enabled, free running */
	__le16 source;
	__le16 stream;	/* 0 to 4: odin0 to odin4 */
	__le32 orbit;	/* event / STREAM_ODIN_BUNCHES, low 32 bits */
	__le16 bunch;	/* event % STREAM_ODIN_BUNCHES */
	__le16 trigger; /* STREAM_ODIN_TRIGGER */
	__le32 word[6]; /* s, s + 1, ... with s = stream_pattern(source, event) */
};

#define STREAM_ODIN_BUNCHES 3564
#define STREAM_ODIN_TRIGGER 0x0001

/*
 * First word s of a generated fragment, from source and event. The payload is the 32-bit words s,
 * s + 1, s + 2, ..., of which the last one may be incomplete.
 */
static inline __u32 stream_pattern(__u16 source, __u64 event)
{
	return (__u32)event * 0x9e3779b1u + (__u32)(event >> 32) * 0x85ebca77u +
	       source * 0xc2b2ae3du;
}

/* Size of a generated fragment with DISTRIBUTED; without it the size is SIZE_MIN. */
static inline __u32 stream_size(__u64 event, __u32 min, __u32 max)
{
	__u32 x = (__u32)event ^ (__u32)(event >> 32) * 0x9e3779b1u;

	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	x ^= x >> 16;
	return min + (__u32)((__u64)x * ((__u64)max - min + 1) >> 32);
}

#endif /* STREAM_PACKET_H */
