/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a card model is to the server around it: registers, a data engine to be stepped, keys,
 * faults and counts. One model serves all functions (endpoints) of a card.
 *
 * A model has no threads and no locks. Whoever drives it makes sure that
 *  - calls for one function never overlap (step, read, write, ... of that function);
 *  - a call for a BAR in common_bars, and every call without a function argument, overlaps
 *    with nothing at all.
 * Data is in host memory before the registers show it, in program order; the caller's locks
 * make that order visible to others.
 */
#ifndef EMU_CARD_H
#define EMU_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/emu/json.h"

#define CARD_FUNCTIONS 2
#define CARD_BARS 6

/* Why a DMA write cannot be done. */
enum card_dma {
	CARD_DMA_OK,
	CARD_DMA_OUTSIDE,   /* nothing mapped there, or not writable: the write is lost */
	CARD_DMA_NO_MASTER, /* bus mastering is off: the card has to wait */
};

/* What became of a message-signalled interrupt. */
enum card_message {
	CARD_MESSAGE_SENT,	/* or kept pending by a mask */
	CARD_MESSAGE_OFF,	/* the host has not enabled this vector */
	CARD_MESSAGE_NO_MASTER, /* bus mastering is off: the card has to wait */
};

#define CARD_VECTORS 32 /* of a function */
#define CARD_VENDOR_WORDS 16

/* What of a function's configuration space depends on its settings; all 0: a plain card. */
struct card_messages {
	unsigned int msix; /* vectors, 0: no such capability */
	unsigned int bar, table, pending;
	unsigned int msi; /* vectors, a power of two, 0: no such capability */
	/* An extended vendor-specific capability: its words from the signature on; 0: none. */
	struct {
		unsigned int id, revision, count;
		uint32_t word[CARD_VENDOR_WORDS];
	} vendor;
};

/* What the model needs from outside. Called from within the model's calls. */
struct card_host {
	void *ctx;
	/*
	 * Where the card may write @len bytes at bus address @addr of function @fn. In: *len
	 * wanted. Out: *len contiguous bytes there (at least 1), or, for CARD_DMA_OUTSIDE, that
	 * many bytes from @addr on are outside.
	 */
	enum card_dma (*dma)(void *ctx, unsigned int fn, uint64_t addr, size_t *len, void **ptr);
	uint64_t (*now)(void *ctx); /* ns, monotonic */
	/* The same for reading. Only cards with the event interface read. */
	enum card_dma (*dma_read)(void *ctx, unsigned int fn, uint64_t addr, size_t *len,
				  void **ptr);
	/* Send the message of a vector. */
	enum card_message (*message)(void *ctx, unsigned int fn, unsigned int vector);
};

#define CARD_STEP_AGAIN 0	  /* there is more to do at once */
#define CARD_STEP_IDLE UINT64_MAX /* nothing until a register or a key is written */

struct card_key {
	const char *name;
	const char *help;
	bool per_function;
	bool startup_only;
	/* The value as text; -1 and a sentence in @err (size CARD_ERR) when refused. */
	int (*set)(void *card, unsigned int fn, const char *value, char *err);
	void (*get)(void *card, unsigned int fn, char *text, size_t size);
};

#define CARD_ERR 160
#define CARD_TEXT 256

struct card_fault {
	const char *name;
	const char *arg;     /* what the argument is; NULL: takes none */
	const char *low_arg; /* of a second one: both have 32 bits, the first is the upper half */
	const char *help;
};

struct card_ops {
	const char *name;
	unsigned int functions;
	uint32_t bar_size[CARD_BARS]; /* 0: no such BAR */
	bool bars_32bit;	      /* else each takes two of six places */
	unsigned int pcie_gen;
	unsigned int common_bars; /* bit per BAR that is one space for all functions */

	void *(*create)(const struct card_host *host);
	void (*destroy)(void *card);

	/* @off is aligned and inside the BAR. */
	uint32_t (*read)(void *card, unsigned int fn, unsigned int bar, uint32_t off);
	void (*write)(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value);
	/*
	 * After a write: may an engine that waits have something to do? NULL: always. To wake it
	 * for a value that is only kept costs the writer more than the write.
	 */
	bool (*stirs)(void *card, unsigned int fn, unsigned int bar, uint32_t off);
	/* read and write without side effects; poke says false where nothing is stored. */
	uint32_t (*peek)(void *card, unsigned int fn, unsigned int bar, uint32_t off);
	bool (*poke)(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value);

	/* Move about @budget bytes: CARD_STEP_AGAIN, CARD_STEP_IDLE, or when to come back (ns). */
	uint64_t (*step)(void *card, unsigned int fn, size_t budget);
	/* Function-level reset, also at power-on and when the host is gone. */
	void (*reset)(void *card, unsigned int fn);

	const struct card_key *keys;	 /* up to one with name NULL */
	const struct card_fault *faults; /* up to one with name NULL */
	/* @arg is what the fault's help says; false if unknown. Clear with name NULL clears all. */
	bool (*fault_set)(void *card, unsigned int fn, const char *name, uint64_t arg);
	bool (*fault_clear)(void *card, unsigned int fn, const char *name);
	uint64_t (*fault_get)(void *card, unsigned int fn, const char *name); /* 0: not set */

	void (*counts)(void *card, unsigned int fn, struct json *j); /* members of an object */
	void (*clear)(void *card, unsigned int fn);
	unsigned int (*vendor)(void *card);
	unsigned int (*device)(void *card);
	/* Interrupts and vendor-specific capability, as set at start-up. NULL: a plain card. */
	void (*messages)(void *card, struct card_messages *m);
	uint64_t (*dma_outside)(void *card); /* since creation; clear does not touch it */
	/* Has the card cut its own power? NULL: it never does. Overlaps with everything. */
	bool (*off)(void *card);
};

extern const struct card_ops cru_card, crorc_card, p40_card, robinnp_card;

#endif /* EMU_CARD_H */
