// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The record ring in kmod/pool/ring.c, with a card that writes records in order or leaves some out.
 * Initial counts are chosen such that the 32 bits wrap at different places.
 */
#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "kmod/pool/ring.h"
#include "unit.h"

#define LOG2 5
#define ENTRIES (1u << LOG2)

static struct {
	__u8 before[64]; /* guards without valid records: these may not be read */
	struct event_record record[ENTRIES];
	__u8 behind[64];
} ring;

static const __u32 origins[] = {0,	    1,		ENTRIES - 1, ENTRIES, 3 * ENTRIES - 2,
				0x7ffffff0, 0xfffffff0, ~0u};
#define ORIGINS (sizeof(origins) / sizeof(origins[0]))

static void put(__u32 number, __u32 bytes, __u32 flags)
{
	ring.record[number % ENTRIES] = (struct event_record){
		.sequence = htole32(number),
		.descriptor = htole32(~number),
		.bytes = htole32(bytes),
		.status = htole32(flags | EVENT_PHASE(number, LOG2)),
	};
}

/* State after a run in which all records before @next were written and consumed. */
static void begin(__u32 next)
{
	__u32 i;

	memset(&ring, 0xff, sizeof(ring));
	memset(ring.record, 0, sizeof(ring.record));
	for (i = ENTRIES; i; i--) {
		if (next >= i || next > 0x7fffffff)
			put(next - i, 1, 0);
	}
}

static bool there(__u32 number)
{
	return roc_record_present(ring.record, LOG2, number);
}

static bool hole(__u32 number)
{
	return roc_record_hole(ring.record, LOG2, number);
}

static void reads(void)
{
	struct roc_record r;
	unsigned int i;

	for (i = 0; i < ORIGINS; i++) {
		__u32 next = origins[i];

		begin(next);
		CU_ASSERT(!there(next));
		CU_ASSERT(!roc_record_read(ring.record, LOG2, next, &r));
		put(next, 4096, EVENT_RECORD_PARTIAL | 7);
		CU_ASSERT(there(next));
		CU_ASSERT(roc_record_read(ring.record, LOG2, next, &r));
		UNIT_EQ(r.sequence, next);
		UNIT_EQ(r.descriptor, (__u32)~next);
		UNIT_EQ(r.bytes, 4096);
		UNIT_EQ(r.status & ~EVENT_RECORD_PHASE, EVENT_RECORD_PARTIAL | 7);
		CU_ASSERT(!there(next + 1));
	}
}

/* Holes of any size, followed by one record or by as many as fit into the ring. */
static void holes(void)
{
	unsigned int i;
	__u32 size, behind;

	for (i = 0; i < ORIGINS; i++) {
		__u32 next = origins[i];

		for (size = 1; size < ENTRIES; size++) {
			begin(next);
			CU_ASSERT(!hole(next));
			for (behind = size; behind < ENTRIES; behind++) {
				put(next + behind, 1, 0);
				CU_ASSERT(hole(next));
			}
		}
	}
}

/* Records in order are no hole, up to a full ring. */
static void no_holes(void)
{
	unsigned int i;
	__u32 n;

	for (i = 0; i < ORIGINS; i++) {
		begin(origins[i]);
		for (n = 0; n < ENTRIES; n++) {
			put(origins[i] + n, 1, 0);
			CU_ASSERT(!hole(origins[i]));
		}
	}
}

/* A hole behind valid records is found when these have been consumed. */
static void hole_behind(void)
{
	begin(10);
	put(10, 1, 0);
	put(12, 1, 0);
	CU_ASSERT(!hole(10));
	CU_ASSERT(hole(11));
}

static bool valid(__u32 sequence, __u32 bytes, __u32 flags)
{
	const struct roc_record r = {.sequence = sequence, .bytes = bytes, .status = flags};

	return roc_record_valid(&r, 5);
}

static void contents(void)
{
	CU_ASSERT(valid(5, 1, 0));
	CU_ASSERT(valid(5, 1, EVENT_RECORD_DAMAGED | EVENT_RECORD_PARTIAL | EVENT_RECORD_FLUSHED));
	CU_ASSERT(!valid(4, 1, 0));
	CU_ASSERT(!valid(6, 1, 0));
	/* Only END and REFUSED have 0 bytes. */
	CU_ASSERT(!valid(5, 0, 0));
	CU_ASSERT(!valid(5, 0, EVENT_RECORD_PARTIAL | EVENT_RECORD_DAMAGED));
	CU_ASSERT(valid(5, 0, EVENT_RECORD_END));
	CU_ASSERT(valid(5, 0, EVENT_RECORD_REFUSED));
	CU_ASSERT(!valid(5, 1, EVENT_RECORD_END));
	CU_ASSERT(!valid(5, 1, EVENT_RECORD_REFUSED));
}

static void too_few_bytes(void)
{
	struct roc_record r = {.bytes = 8192};

	CU_ASSERT(!roc_record_short(&r, 8192));
	CU_ASSERT(roc_record_short(&r, 8193));
	r.status = EVENT_RECORD_FLUSHED;
	CU_ASSERT(roc_record_short(&r, 8193));
	r.status |= EVENT_RECORD_PARTIAL;
	CU_ASSERT(!roc_record_short(&r, 8193));
}

UNIT_MAIN("kmod_record", {"reads", reads}, {"holes", holes}, {"no holes", no_holes},
	  {"a hole behind records", hole_behind}, {"contents", contents},
	  {"too few bytes", too_few_bytes})
