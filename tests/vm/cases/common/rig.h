/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader for tests: a channel with a buffer cut into superpages, which checks every byte that the
 * card sends and every promise about the entries of the ready ring.
 *
 * What is wrong goes into @found.
 */
#ifndef CASE_RIG_H
#define CASE_RIG_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>

#include "findings.h"

#define RIG_LINKS 16
#define RIG_MAX 4096 /* superpages */

struct rig_link {
	uint64_t superpages, bytes, packets;
	bool started; /* a packet came in this run */
	uint8_t packet;
	uint32_t word; /* next payload word */
	uint32_t tf;   /* time frame of the last packet, in units of the TF length; C-RORC: orbit
			* at which the next one starts
			*/
};

struct rig {
	/* in */
	const char *id;
	unsigned int channel;
	enum roc_source source;
	enum roc_mode mode; /* of a card with events timer is event, unless @by_timer */
	bool by_timer;
	uint32_t links;	    /* 0: all enabled */
	uint32_t configure; /* enum roc_configure_flags */
	uint32_t superpage; /* bytes; 0: 1 MiB */
	unsigned int count; /* superpages; 0: 16 */
	unsigned int ring;  /* entries of both rings; 0: default */
	void *memory;	    /* of the caller; NULL: hugepages of libroc */
	bool import; /* it is a mapping of @dmabuf from @dmabuf_offset on, which is imported */
	int dmabuf;
	uint64_t dmabuf_offset;
	uint32_t tf_length; /* C-RORC: orbits of a time frame; 0: 256 */
	uint32_t spoils;    /* ROC_READY_DAMAGED, _SHORT: these are counted and not wrong */
	bool no_poison;	    /* do not write superpages before they are given to the card */

	/* of one open */
	bool crorc; /* it is one: link slot 0 only, and data of its own kind */
	struct roc_channel *ch;
	struct roc_rings *rings;
	struct roc_memory own;
	uint8_t *base;
	uint32_t handle;
	uint64_t sequence;
	uint64_t pushed; /* superpages, since open */
	bool lent[RIG_MAX];
	unsigned int out;   /* lent now */
	bool sizes_unknown; /* old firmware: received says how long the superpage is */

	/* of one run; zeroed by rig_start() */
	uint32_t run;
	struct rig_link link[RIG_LINKS];
	uint32_t counter; /* internal generator, next word */
	uint64_t filled, reclaimed, refused, bytes, packets, partial, damaged, short_;
	uint32_t reason; /* of the last entry not filled */
	uint64_t pause;	 /* ns, the longest between two rig_take() */
	uint64_t took;	 /* when that was */

	struct findings found;
};

/* Open, get memory, register, configure, make the rings. False: see @wrong. */
bool rig_open(struct rig *r);
void rig_close(struct rig *r);

/* Put all superpages that are ours into the fill ring (at most @max), kick if asked to. */
unsigned int rig_push(struct rig *r, unsigned int max);
bool rig_start(struct rig *r);
/* Stop and take what comes back. */
bool rig_stop(struct rig *r);
/*
 * Entries are in the ring before anybody is told of them: wait until all are told of those that
 * we see.
 */
void rig_settle(struct rig *r);

/*
 * Take entries that are ready, check them, and (@again) give the superpages back. Number of filled
 * ones. rig_run: until @n filled ones came or @ms are over.
 */
unsigned int rig_take(struct rig *r, bool again);
bool rig_run(struct rig *r, uint64_t n, unsigned int ms);
/* roc_channel_wait() with a limit that is longer on a slow machine. */
int rig_wait(struct rig *r, uint32_t n, unsigned int ms);

/* A complete run: open, push, start, @n superpages, stop. The channel stays open. */
bool rig_once(struct rig *r, uint64_t n, unsigned int ms);

/* Is the channel's count equal to the card's, by link? Only if it was alone since `clear`. */
bool rig_agrees(struct rig *r, unsigned int card, unsigned int ep);

/* For rig.c: the checker of a C-RORC's data. */
void rig_check_crorc(struct rig *r, const struct roc_ready *e, const uint8_t *data);

/* Superpages that the driver took and did not give back; 0 once a run is over. */
unsigned int rig_missing(const struct rig *r);

int rig_fd(const struct rig *r);

/* For tests: nothing was wrong, else say what. */
#define RIG_OK(r) FOUND_NOTHING(&(r)->found)

#endif /* CASE_RIG_H */
