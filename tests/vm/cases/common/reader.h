/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of a stream for tests, by the ABI alone: ring, pages and doorbell mapped, and every byte
 * that the card's generator makes checked where it lies.
 * What is wrong goes into @found.
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
	/* in */
	const char *id;	     /* NULL: P40_ID */
	unsigned int stream; /* P40_STREAM_MAIN ... */
	uint64_t ring;	     /* bytes; 0: 1 MiB */
	uint32_t position;   /* where the next run begins */

	/* of one open */
	int fd;
	struct roc_st_ring made;
	uint8_t *base;
	const volatile struct roc_st_kernel *kernel;
	const volatile struct roc_st_state *state;
	volatile struct roc_st_user *user;
	volatile uint32_t *bell;

	/* of one run */
	uint32_t read;	   /* position: ours */
	uint32_t number;   /* of the next unit */
	uint64_t event;	   /* that comes next */
	uint32_t min, max; /* what the generator was told */
	uint64_t units, events, truncated, bytes;
	uint64_t gaps; /* events that never came */
	uint64_t first_cut, last_cut;
	uint64_t first_gap, last_gap; /* events before, and behind, the last gap */
	uint64_t straddled;	      /* units that went over the ring's end */

	struct findings found;
};

/* Open, make the ring, map all. False: see @found. */
bool reader_open(struct reader *r);
void reader_close(struct reader *r);

/*
 * What the card's generator makes, from event @first on: fragments of @min to @max bytes; @more:
 * STREAM_GENERATOR_CLOCKED. @limit: events, 0: no end. Takes effect at the next start.
 */
bool reader_generate(struct reader *r, uint64_t first, uint32_t min, uint32_t max, uint32_t rate,
		     uint64_t limit, uint32_t more);
/* A register of the open BAR: settings of this stream. */
bool reader_set(struct reader *r, uint32_t offset, uint32_t value);

bool reader_start(struct reader *r);
/* Ends the run; what is in the ring stays. */
bool reader_stop(struct reader *r);

/* Units that are in the ring: checked, and (@back) given back. Number of them. */
unsigned int reader_take(struct reader *r, bool back);
/* Give back up to @position; @ring: over the doorbell too. */
void reader_give(struct reader *r, uint32_t position, bool ring);
/* Until @events came or @ms are over; sleeps in ROC_ST_WAIT. */
bool reader_run(struct reader *r, uint64_t events, unsigned int ms);
/* Sleep until a line more than we have read is there: 0, or -errno. */
int reader_wait(struct reader *r, unsigned int ms);

struct roc_st_info reader_info(const struct reader *r);
/* Lines that the card says are there. */
uint32_t reader_there(const struct reader *r);
uint32_t reader_lines(const struct reader *r);

/* All faults off, all keys as at power-on, counts 0; the driver need not be there. */
void emu_keys_p40(unsigned int card);
/* And all settings and counters too, nothing generated. */
void emu_normal_p40(unsigned int card);
/* A count of one of a card's streams. */
uint64_t emu_stream(unsigned int card, unsigned int stream, const char *name);

/* For tests: nothing was wrong, else say what. */
#define READER_OK(r) FOUND_NOTHING(&(r)->found)

#endif /* CASE_READER_H */
