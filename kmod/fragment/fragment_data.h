/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contents of a generated fragment, by which a receiver can check every word. See
 * Documentation/hardware/fragment-interface.md, section 9. All words are little endian. This is
 * separate from fragment_regs.h, because programs that check data need no registers.
 */
#ifndef FRAGMENT_DATA_H
#define FRAGMENT_DATA_H

#include <linux/types.h>

/* Header of a fragment: 16 bytes. */
struct fragment_header {
	__le32 magic;  /* FRAGMENT_MAGIC */
	__le32 event;  /* id */
	__le32 source; /* fragment_source() */
	__le32 size;   /* bytes of the whole fragment with this header, before any truncation */
};

#define FRAGMENT_MAGIC 0x504e5246u /* "FRNP" */

/* Source id of a fragment: the card's, 16 bits, and the number of the link in the card. */
static inline __u32 fragment_source(__u32 card, __u32 link)
{
	return card << 4 | link;
}

/* First word s of the payload, from source and event. The payload is s, s + 1, s + 2, ... */
static inline __u32 fragment_pattern(__u32 source, __u32 event)
{
	return event * 0x9e3779b1u + source * 0xc2b2ae3du;
}

/* Size of a generated fragment with DISTRIBUTED, a multiple of 4; otherwise it is SIZE_MIN. */
static inline __u32 fragment_size(__u32 source, __u32 event, __u32 min, __u32 max)
{
	__u32 x = event ^ source * 0x9e3779b1u;

	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	x ^= x >> 16;
	return min + 4 * (__u32)((__u64)x * ((max - min) / 4 + 1) >> 32);
}

#endif /* FRAGMENT_DATA_H */
