/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface between a card model and the server: registers, a data engine that is stepped,
 * keys, faults and counts. One model serves all functions (endpoints) of a card.
 *
 * A model has no threads and no locks. The caller ensures that
 *  - calls for one function never overlap (step, read, write, ... of that function);
 *  - a call for a BAR in common_bars, and every call without a function argument, overlaps
 *    with nothing at all.
 * Data is in host memory before the registers show it, in program order; the caller's locks make
 * that order visible to others.
 */
#ifndef EMU_CARD_H
#define EMU_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/emu/json.h"

#define CARD_FUNCTIONS 2
#define CARD_BARS 6

/* Reasons why a DMA write cannot be done. */
enum card_dma {
	CARD_DMA_OK,
	CARD_DMA_OUTSIDE,   /* nothing mapped there, or not writable: the write is lost */
	CARD_DMA_NO_MASTER, /* bus mastering is off: the card must wait */
};

/* Results of sending a message-signalled interrupt. */
enum card_message {
	CARD_MESSAGE_SENT,	/* or kept pending by a mask */
	CARD_MESSAGE_OFF,	/* the host has not enabled this vector */
	CARD_MESSAGE_NO_MASTER, /* bus mastering is off: the card must wait */
};

#define CARD_VECTORS 32 /* of a function */
#define CARD_VENDOR_WORDS 16

/*
 * The parts of a function's configuration space that depend on its settings; all 0: a plain card.
 */
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

/* Services that the server provides to the model. They are called from within the model's calls. */
struct card_host {
	void *ctx;
	/*
	 * Where the card may write @len bytes at bus address @addr of function @fn. In: *len is the
	 * requested length. Out: *len contiguous bytes there (at least 1), or, for
	 * CARD_DMA_OUTSIDE, that many bytes from @addr on are outside.
	 */
	enum card_dma (*dma)(void *ctx, unsigned int fn, uint64_t addr, size_t *len, void **ptr);
	uint64_t (*now)(void *ctx); /* ns, monotonic */
	/* The same for reading. Only cards with the event interface read. */
	enum card_dma (*dma_read)(void *ctx, unsigned int fn, uint64_t addr, size_t *len,
				  void **ptr);
	/* Send the message of a vector. */
	enum card_message (*message)(void *ctx, unsigned int fn, unsigned int vector);
};

#define CARD_STEP_AGAIN 0	  /* more work can be done at once */
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
	unsigned int common_bars; /* bit per BAR that all functions share */

	void *(*create)(const struct card_host *host);
	void (*destroy)(void *card);

	/* @off is aligned and inside the BAR. */
	uint32_t (*read)(void *card, unsigned int fn, unsigned int bar, uint32_t off);
	void (*write)(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value);
	/*
	 * After a write: can a waiting engine have new work? NULL: always. Waking the engine for a
	 * value that is only stored costs the writer more time than the write.
	 */
	bool (*wakes_engine)(void *card, unsigned int fn, unsigned int bar, uint32_t off);
	/*
	 * Read and write without side effects; poke returns false if nothing is stored at the
	 * address.
	 */
	uint32_t (*peek)(void *card, unsigned int fn, unsigned int bar, uint32_t off);
	bool (*poke)(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value);

	/*
	 * Move about @budget bytes. Returns CARD_STEP_AGAIN, CARD_STEP_IDLE, or the time of the
	 * next call (ns).
	 */
	uint64_t (*step)(void *card, unsigned int fn, size_t budget);
	/* Function-level reset, also at power-on and when the host disconnects. */
	void (*reset)(void *card, unsigned int fn);

	const struct card_key *keys;	 /* the last entry has the name NULL */
	const struct card_fault *faults; /* the last entry has the name NULL */
	/*
	 * @arg has the meaning that the fault's help describes. Returns false for an unknown fault.
	 * Clear with name NULL clears all faults.
	 */
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
	/*
	 * Has the card cut its own power? NULL: it never does. The call may overlap with every
	 * other call.
	 */
	bool (*off)(void *card);
};

extern const struct card_ops cru_card, crorc_card, p40_card, robinnp_card;

#endif /* EMU_CARD_H */
