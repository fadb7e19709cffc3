/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event interface of Documentation/hardware/event-interface.md, for every card model: rings in
 * host memory, records, moderated interrupts, alarms.
 *
 * The model owns a struct event_card for each function and supplies a struct event_ops that takes
 * its descriptors. It calls
 *	event_read, event_write		for registers that event_find() finds
 *	event_finish			when a superpage is closed
 *	event_flush			when its ordinary flush has closed what was open
 *	event_reset			when its ordinary reset has emptied a channel
 *	event_turn			in every step, before and after data moved
 * and moves no payload of a channel while event_backpressure(). These functions have no locks and
 * no threads; card.h has the locking rules.
 */
#ifndef EMU_EVENTS_H
#define EMU_EVENTS_H

#include "card.h"

#include "kmod/pool/event_regs.h"

#define EVENT_CHANNELS 8
#define EVENT_FETCH 32	  /* descriptors in one read */
#define EVENT_RING_MAX 16 /* log2 of the entries of the largest ring */

struct event_card;

/* A record to be written. */
struct event_done {
	uint64_t due_ns; /* not before */
	uint32_t number; /* of the descriptor */
	uint32_t bytes;
	uint32_t status;  /* link, and EVENT_RECORD_* but for the phase */
	uint32_t packets; /* the model's own */
};

enum event_put {
	EVENT_PUT_TAKEN,
	EVENT_PUT_FULL, /* no space in this FIFO now; or bad, and others are before it */
	EVENT_PUT_BAD,
};

struct event_ops {
	unsigned int links; /* slots of a channel */
	/* A descriptor for a link, which is below @links. */
	enum event_put (*put)(void *model, unsigned int channel, unsigned int link, uint64_t addr,
			      uint32_t bytes, uint32_t number);
	/* Are there descriptors in the channel, including used ones? */
	bool (*has_descriptors)(void *model, unsigned int channel);
	/* Drop descriptors and open superpages. */
	void (*drop_all)(void *model, unsigned int channel);
	/*
	 * The record of a finished superpage is in memory; called in the order of event_finish().
	 */
	void (*counted)(void *model, unsigned int channel, const struct event_done *d);
	/* Superpages a link holds. */
	uint32_t (*depth)(void *model, unsigned int channel);
};

struct event_counts {
	uint64_t doorbells, arms, fetches, descriptors, records, refused, ends, interrupts;
	uint64_t unrouted; /* interrupts that no enabled vector took */
	uint64_t waits;	   /* a link's FIFO was full when a descriptor for it came */
	uint64_t stalls, host_errors, fetch_errors;
};

struct event_channel {
	struct event_card *card;
	unsigned int nr;

	/* registers */
	uint32_t control, moderation, vector;
	uint32_t submit_low, submit_high, record_low, record_high;
	uint32_t submit_size, record_size;
	unsigned int written_bases; /* which of the four address registers */
	bool setup_error, fetch_error, host_error;

	/* values latched at enabling */
	uint64_t submit, record;
	unsigned int submit_log2, record_log2;
	uint32_t published, fetched, written, consumed; /* free running */
	uint32_t urgent;				/* end of the last urgent record */
	bool has_urgent;
	bool armed, ending, ended, stalled, waiting;
	bool interrupted; /* since enabled; at: */
	uint64_t interrupt_ns;
	uint64_t quiesced_ns; /* earliest time of QUIET after disabling */

	struct event_descriptor fetch[EVENT_FETCH]; /* read, and not yet in a FIFO */
	unsigned int fetch_at, fetch_count;
	struct event_done *done; /* @room of them */
	uint32_t capacity, done_at, done_count;

	struct event_counts n;
};

/* Faults; 0 is off. They apply to the first channel of the function that meets the condition. */
struct event_faults {
	uint64_t irq_lost, irq_spurious_ms, record_late_us, record_twice, record_sequence;
	uint64_t record_overrun, end_missing, fetch_error, never_quiesced, quiesced_late_us;
	uint64_t record_hole, flushed_missing, damaged, short_bytes, empty;
	bool spurious_now;
	uint64_t spurious_ns; /* when the next is due */
};

/* Settings, common to the functions of a card. */
enum event_interrupts {
	EVENT_MSIX,
	EVENT_MSIX_OPEN, /* the table lies in BAR2, which on a CRU users may write */
	EVENT_MSI,
	EVENT_NO_INTERRUPTS,
};

struct event_setup {
	bool offered;
	enum event_interrupts interrupts;
	unsigned int vectors;
	unsigned int bar, channel_offset, bar_stride, card_offset; /* where the blocks are */
	unsigned int table_offset, pending_offset;
};

struct event_card {
	const struct card_host *host;
	const struct event_ops *ops;
	const struct event_setup *setup;
	void *model;
	unsigned int fn, channels;
	struct event_channel ch[EVENT_CHANNELS];

	uint32_t cause, enable, vector, notice_low;
	uint64_t notice;   /* bus address */
	uint32_t reported; /* value of the notice in memory */
	bool notice_due, interrupt_due;
	bool hot, critical; /* temperature at the last update */
	uint32_t links;	    /* links that were up at the last update */
	bool links_known;

	struct event_faults fault;
	uint64_t alarms; /* interrupts sent */
	uint64_t dma_outside, dma_outside_ever;
};

/*
 * @capacity: superpages of a channel that can be finished and without a record. Returns -1 if out
 * of memory.
 */
int event_init(struct event_card *e, const struct card_host *host, unsigned int fn,
	       unsigned int channels, uint32_t capacity);
void event_free(struct event_card *e);
void event_messages(const struct event_card *e, struct card_messages *m);
void event_vectors(const struct event_setup *s, struct card_messages *m);

/* Is @off a register of the interface? Always false if the interface is not offered. */
bool event_find(const struct event_card *e, unsigned int bar, uint32_t off);
uint32_t event_read(struct event_card *e, unsigned int bar, uint32_t off);
void event_write(struct event_card *e, unsigned int bar, uint32_t off, uint32_t value);

static inline bool event_enabled(const struct event_card *e, unsigned int channel)
{
	return e->ch[channel].control & EVENT_CONTROL_ENABLE;
}

/* May no payload be moved now? A record waits for space, or the channel has ended. */
bool event_backpressure(const struct event_card *e, unsigned int channel);
void event_finish(struct event_card *e, unsigned int channel, const struct event_done *d);
void event_flush(struct event_card *e, unsigned int channel);
/* The host wrote the plain push register. */
void event_pushed(struct event_card *e, unsigned int channel);
void event_reset(struct event_card *e, unsigned int channel);
/* Function-level reset, power-on: all channels and the function's block. */
void event_reset_all(struct event_card *e);
/*
 * Update the states that raise alarms. @temperature: in 1/1000 degC, INT_MIN if there is no value.
 */
void event_observe(struct event_card *e, int temperature, uint32_t links_up);

/*
 * Fetch descriptors, write records and send interrupts that are due. Returns the time of the next
 * call, or CARD_STEP_IDLE if only data or a register can change anything. *fetched: descriptors
 * were fetched.
 */
uint64_t event_turn(struct event_card *e, uint64_t now, bool *fetched);

/* Show sums over the channels, and an array with the counts of each channel. */
void event_counts(struct event_card *e, struct json *j);
void event_clear(struct event_card *e);

/* events.c for event_block.c */
void event_cause(struct event_card *e, uint32_t bits);
void event_host_error(struct event_channel *ch);
bool event_quiesced(const struct event_channel *ch);
/* Is an armed interrupt due later without any new event? */
bool event_interrupt_to_come(const struct event_channel *ch);

/* event_setup.c: start-up settings and faults, for the tables of a card */
/* clang-format off */
#define EVENT_FAULTS                                                                               \
	{"irq-lost", "N", NULL, "the next N interrupts do not arrive"},                            \
	{"irq-spurious", "ms", NULL, "an interrupt without a reason now, and every ms"},           \
	{"record-late", "us", NULL, "records are written that much later"},                        \
	{"record-twice", "N", NULL, "the next N records are written twice"},                       \
	{"record-sequence", "N", NULL, "the sequence of the next record is off by N"},             \
	{"record-overrun", "N", NULL, "the next record is written as if N rings later"},           \
	{"record-hole", "N", NULL, "the next N records are counted and not written"},              \
	{"flushed-missing", "N", NULL, "the same of the next N records with FLUSHED"},             \
	{"damaged", "N", NULL, "the next N records have DAMAGED, their content is right"},         \
	{"short", "bytes", NULL, "the next record has so many bytes fewer, without PARTIAL"},      \
	{"empty", "N", NULL, "the next N records have 0 bytes"},                                   \
	{"end-missing", "N", NULL, "the next N END records are not written"},                      \
	{"fetch-error", "N", NULL, "the next N reads of descriptors fail"},                        \
	{"never-quiet", NULL, NULL, "STATUS never shows QUIET"},                                   \
	{"quiet-late", "us", NULL, "STATUS shows QUIET that much later than disabling"}
/* clang-format on */

/* Returns NULL if it is none of these. */
uint64_t *event_fault(struct event_card *e, const char *name);
void event_fault_set(struct event_card *e, uint64_t *fault, uint64_t arg);

int event_set_offered(struct event_setup *s, const char *text, char *err);
int event_set_interrupts(struct event_setup *s, const char *text, char *err);
int event_set_vectors(struct event_setup *s, const char *text, char *err);
void event_get_offered(const struct event_setup *s, char *text, size_t size);
void event_get_interrupts(const struct event_setup *s, char *text, size_t size);
void event_get_vectors(const struct event_setup *s, char *text, size_t size);

#endif /* EMU_EVENTS_H */
