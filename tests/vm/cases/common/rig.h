/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of a pool for tests: a channel with a buffer cut into superpages. It checks every byte
 * that the card sends and every rule of the entries in the ready ring. It reports errors in @found.
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
	/* set by the caller */
	const char *id;
	unsigned int channel;
	enum roc_source source;
	enum roc_mode mode; /* on a card with events, timer mode is event mode, unless @by_timer */
	bool by_timer;
	uint32_t links;	    /* 0: all enabled */
	uint32_t configure; /* enum roc_configure_flags */
	uint32_t superpage; /* bytes; 0: 1 MiB */
	unsigned int count; /* superpages; 0: 16 */
	unsigned int ring;  /* entries of both rings; 0: default */
	void *memory;	    /* the caller's memory; NULL: hugepages of libroc */
	bool import; /* @memory is a mapping of @dmabuf from @dmabuf_offset on, and is imported */
	int dmabuf;
	uint64_t dmabuf_offset;
	uint32_t tf_length; /* C-RORC: orbits of a time frame; 0: 256 */
	uint32_t spoils;    /* ROC_READY_DAMAGED, _SHORT: count these, report no error */
	bool no_poison;	    /* do not write superpages before they are submitted */

	/* since it was opened */
	bool crorc; /* it is a C-RORC: link slot 0 only, and its own data format */
	struct roc_channel *ch;
	struct roc_rings *rings;
	struct roc_memory own;
	uint8_t *base;
	uint32_t handle;
	uint64_t sequence;
	uint64_t pushed; /* superpages, since open */
	bool lent[RIG_MAX];
	unsigned int out;   /* in the driver now */
	bool sizes_unknown; /* old firmware: received is the superpage's length */

	/* of one run; zeroed by rig_start() */
	uint32_t run;
	struct rig_link link[RIG_LINKS];
	uint32_t counter; /* internal generator, next word */
	uint64_t filled, reclaimed, refused, bytes, packets, partial, damaged, short_;
	uint32_t reason; /* of the last entry not filled */
	uint64_t pause;	 /* ns, the longest between two rig_take() */
	uint64_t took;	 /* time of the last rig_take() */

	struct findings found;
};

/* Open, get memory, register, configure, make the rings. False: @found has the error. */
bool rig_open(struct rig *r);
void rig_close(struct rig *r);

/* Submit all free superpages (at most @max) to the fill ring; kick if requested. */
unsigned int rig_push(struct rig *r, unsigned int max);
bool rig_start(struct rig *r);
/* Stop and take the returned superpages. */
bool rig_stop(struct rig *r);
/*
 * Entries are in the ring before the driver reports them to waiters: wait until it has reported all
 * that are visible.
 */
void rig_wait_reported(struct rig *r);

/*
 * Take ready entries, check them, and (@again) submit the superpages again. Returns the number of
 * filled ones. rig_run(): until @n filled ones came or @ms are over.
 */
unsigned int rig_take(struct rig *r, bool again);
bool rig_run(struct rig *r, uint64_t n, unsigned int ms);
/* roc_channel_wait() with a limit that is longer on a slow machine. */
int rig_wait(struct rig *r, uint32_t n, unsigned int ms);

/* A complete run: open, push, start, @n superpages, stop. The channel stays open. */
bool rig_once(struct rig *r, uint64_t n, unsigned int ms);

/*
 * True if the channel's and the card's counts are equal, by link. Only if no other channel ran
 * since `clear`.
 */
bool rig_agrees(struct rig *r, unsigned int card, unsigned int ep);

/* For rig.c: checks a C-RORC's data. */
void rig_check_crorc(struct rig *r, const struct roc_ready *e, const uint8_t *data);

/* Superpages that the driver took and did not return; 0 after a run. */
unsigned int rig_missing(const struct rig *r);

int rig_fd(const struct rig *r);

/* Assert that no error was found; else print the first one. */
#define RIG_OK(r) FOUND_NOTHING(&(r)->found)

#endif /* CASE_RIG_H */
