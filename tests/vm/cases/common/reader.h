/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of a stream for tests, by the ABI alone. It maps ring, pages and doorbell, and checks
 * every byte of the card's generator in place. It reports errors in @found.
 */
#ifndef CASE_READER_H
#define CASE_READER_H

#include <roc/uapi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "findings.h"

#include "kmod/cards/p40/p40_regs.h"
#include "kmod/stream/stream_packet.h"
#include "kmod/stream/stream_regs.h"

#define P40_ID "4001:0"

struct reader {
	/* set by the caller */
	const char *id;	     /* NULL: P40_ID */
	unsigned int stream; /* P40_STREAM_MAIN ... */
	uint64_t ring;	     /* bytes; 0: 1 MiB */
	uint32_t position;   /* where the next run begins */

	/* since it was opened */
	int fd;
	struct roc_st_ring made;
	uint8_t *base;
	const volatile struct roc_st_kernel *kernel;
	const volatile struct roc_st_state *state;
	volatile struct roc_st_user *user;
	volatile uint32_t *bell;

	/* of one run */
	uint32_t read;	   /* read position */
	uint32_t number;   /* of the next unit */
	uint64_t event;	   /* expected next event */
	uint32_t min, max; /* settings of the generator */
	uint64_t units, events, truncated, bytes;
	uint64_t gaps; /* missing events */
	uint64_t first_cut, last_cut;
	uint64_t first_gap, last_gap; /* last event before, and first after, the last gap */
	uint64_t straddled;	      /* units across the ring's end */

	struct findings found;
};

/* Open, make the ring, map all areas. False: @found has the error. */
bool reader_open(struct reader *r);
void reader_close(struct reader *r);

/*
 * Set the card's generator: fragments of @min to @max bytes from event @first on; @more:
 * STREAM_GENERATOR_CLOCKED; @limit: events, 0: no end. Takes effect at the next start.
 */
bool reader_generate(struct reader *r, uint64_t first, uint32_t min, uint32_t max, uint32_t rate,
		     uint64_t limit, uint32_t more);
/* Write a register of the open BAR: a setting of this stream. */
bool reader_set(struct reader *r, uint32_t offset, uint32_t value);

bool reader_start(struct reader *r);
/* End the run; data in the ring stay. */
bool reader_stop(struct reader *r);

/* Check the units in the ring and (@back) consume them. Returns their number. */
unsigned int reader_take(struct reader *r, bool back);
/* Consume data up to @position; @ring: also write the doorbell. */
void reader_consume(struct reader *r, uint32_t position, bool ring);
/* Read until @events came or @ms are over; sleeps in ROC_ST_WAIT. */
bool reader_run(struct reader *r, uint64_t events, unsigned int ms);
/* Sleep until a line beyond the read position is there: 0, or -errno. */
int reader_wait(struct reader *r, unsigned int ms);

struct roc_st_info reader_info(const struct reader *r);
/* Lines of unread data in the ring. */
uint32_t reader_available(const struct reader *r);
uint32_t reader_lines(const struct reader *r);

/* Clear all faults and counts, set all keys to power-on values; works without the driver. */
void emu_keys_p40(unsigned int card);
/* Also reset all settings and counters; no generator runs. */
void emu_normal_p40(unsigned int card);
/* A count of one of a card's streams. */
uint64_t emu_stream(unsigned int card, unsigned int stream, const char *name);

/* Assert that no error was found; else print the first one. */
#define READER_OK(r) FOUND_NOTHING(&(r)->found)

#endif /* CASE_READER_H */
