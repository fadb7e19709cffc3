/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine under a card with several units (streams, sub-units) in one function. It implements
 * the common part of the interfaces of such cards: identity, enable with a table in host memory,
 * reset with a generation, status and error bits, interrupts, statistics, settings and faults. The
 * card supplies a struct unit_ops: its tables, data format and ring protocol.
 *
 *	unit_card.c    life of the card, block of the function, the step that serves the units
 *	unit_regs.c    registers of both BARs
 *	unit_life.c    enable, table, disable, reset and status of a unit
 *	unit_host.c    host memory, interrupts, pace
 *	unit_counts.c  counters of the registers, counts of the control socket
 *	unit_keys.c    settings of the control socket
 *	unit_faults.c  faults of the control socket
 *
 * A card's state begins with a struct unit_card, that of its units with a struct unit. Both
 * interfaces have the same registers at the same offsets: the engine uses the names of
 * kmod/stream/stream_regs.h.
 */
#ifndef EMU_UNIT_H
#define EMU_UNIT_H

#include "function_block.h"
#include "identity.h"

#include "kmod/stream/stream_regs.h"

#define UNIT_FN 0 /* the only function of such a card */
#define UNIT_BAR_DMA 0
#define UNIT_BAR_CARD 2
#define UNIT_ADDRESSES 5 /* of memory that a unit uses */
#define UNIT_VECTORS 3
#define UNIT_COUNTERS 19
#define UNIT_FAULTS_MAX 40

/* Faults that the engine has; those of a card follow in its list. */
enum unit_fault {
	UNIT_STALL,
	UNIT_LOST_DOORBELL,
	UNIT_IRQ_LOST,
	UNIT_IRQ_SPURIOUS,
	UNIT_ENABLE_SLOW,
	UNIT_LOAD_SLOW,
	UNIT_FETCH_ERROR,
	UNIT_NEVER_QUIESCED,
	UNIT_RESET_IGNORED,
	UNIT_RESET_SLOW,
	UNIT_WRITE_AFTER_OFF,
	UNIT_FAULTS,
};

/* Counts of the control socket that every unit has, besides the counters of its registers. */
struct unit_counts {
	uint64_t arms, unrouted, doorbells_lost;
	uint64_t host_errors, setup_errors, fetch_errors;
	uint64_t resets, stray_writes;
	uint64_t dma_writes, dma_outside, dma_no_master;
};

/* Interrupts of one purpose, moderated by an amount of data and by time. */
struct unit_irq {
	uint32_t count, ns; /* registers */
	uint32_t seen;	    /* value at arming */
	bool armed, sent;
	uint64_t sent_ns;
};

struct unit {
	struct unit_card *card;
	unsigned int nr;

	/* registers */
	uint64_t address[UNIT_ADDRESSES];
	unsigned int written; /* bit per half of an address written since the last disable */
	uint32_t start, generation, vector[UNIT_VECTORS];
	bool setup_error, fetch_error, host_error;

	/* values latched at enabling */
	bool enabled, loading;
	bool load_shows; /* in STATUS */
	uint64_t load_ns;
	uint64_t base[UNIT_ADDRESSES];
	uint64_t *table; /* bus addresses; NULL: there is none */
	uint64_t table_at;
	uint32_t entries, loaded, entry_align;

	uint32_t reset_due; /* fault reset-slow: these levels, at: */
	uint64_t reset_ns;
	uint64_t stray_ns; /* fault write-after-off: 0, or when; at: */
	uint64_t stray_addr;

	uint64_t rate; /* key: bytes/s, 0: no limit */
	uint64_t pace_ns;
	bool no_master; /* waiting, counted */

	uint64_t total[UNIT_COUNTERS]; /* since power-on */
	uint64_t zero[UNIT_COUNTERS];  /* as they were at the last reset of counters */
	uint64_t clear[UNIT_COUNTERS]; /* at the last clear of the control socket */
	uint32_t fault[UNIT_FAULTS_MAX];
	struct unit_counts n;
};

struct unit_card {
	const struct unit_ops *ops;
	const struct card_host *host;
	struct function_block function;
	struct identity identity;
	unsigned int turn; /* unit to be served next */
	uint32_t start;	   /* key: START after the next reset */

	uint64_t fault[UNIT_FAULTS_MAX]; /* of the card; those of a unit are there */
	bool spurious_now;
	uint64_t spurious_ns;

	uint64_t dma_outside_ever; /* not zeroed by clear */
	uint64_t function_resets;
};

/* A register of a unit that only stores its value. */
struct unit_register {
	uint32_t off, mask; /* bits that it takes; a list ends with 0 */
	size_t at;	    /* in the unit */
};

/* Of the amount counted as @offered, @count() is still in the card: counter @waiting shows it. */
struct unit_waiting {
	unsigned int offered, waiting;
	uint64_t (*count)(const struct unit *u); /* a list ends with NULL */
};

struct unit_count {
	const char *name; /* a list ends with NULL */
	size_t at;	  /* in the unit: 64 bits */
};

struct unit_ops {
	/* The card. */
	uint16_t vendor, device;
	size_t card_size;
	const struct identity *identity; /* at power-on, with the default of each key */
	struct function_block_ops function;
	struct unit_places {
		uint32_t function, block, block_size, doorbell; /* BAR 0 */
	} at;
	struct unit_capability {
		unsigned int id, revision, count;
	} vsec;
	void (*vsec_words)(const struct unit_card *c, uint32_t *word);

	/* Its units. */
	const char *one, *many; /* also the argument of faults that is a mask of units */
	unsigned int count;
	size_t units_at, unit_size;	  /* in the card */
	uint32_t id;			  /* in register ID */
	uint32_t trouble;		  /* bits of STATUS that the function's block shows */
	uint32_t last_kept;		  /* writes from the first address to here need no step */
	uint32_t address[UNIT_ADDRESSES]; /* registers of their low halves, 0: no more */
	const struct unit_register *regs;
	unsigned int vectors; /* of a unit; vector 0 is the function's */
	size_t slice;	      /* bytes of a unit before the next one's turn */
	size_t stray;	      /* bytes that the fault write-after-off writes */
	/* A refused or failed enable clears the addresses, as a disable does. */
	bool refusal_forgets;

	const struct card_fault *faults;

	const char *const *counters; /* names of UNIT_COUNTERS */
	uint32_t event_id_counters;  /* bit per counter that holds an event id */
	const struct unit_waiting *waiting;
	const struct unit_count *counts;

	void (*card_default)(struct unit_card *c);		  /* or NULL */
	uint32_t (*open_read)(struct unit_card *c, uint32_t off); /* BAR 2, but for the identity */
	void (*open_write)(struct unit_card *c, uint32_t off, uint32_t value);
	bool (*open_poke)(struct unit_card *c, uint32_t off, uint32_t value);
	void (*show_first)(struct unit_card *c, struct json *j); /* counts, before those of units */
	void (*show_last)(struct unit_card *c, struct json *j);	 /* or NULL */

	/* Registers of a unit that the engine does not have. */
	uint32_t (*read)(struct unit *u, uint32_t off);
	void (*write)(struct unit *u, uint32_t off, uint32_t value);
	void (*before_read)(struct unit *u, uint32_t off); /* by the host; or NULL */
	void (*control)(struct unit *u, uint32_t value);   /* of an enabled one; or NULL */
	uint32_t (*doorbell_read)(struct unit *u, uint32_t off);
	void (*doorbell_write)(struct unit *u, uint32_t off, uint32_t value);
	bool (*doorbell_wakes_engine)(struct unit *u, uint32_t off);

	/* Life of a unit. */
	int (*init)(struct unit *u); /* -1: no memory */
	void (*free)(struct unit *u);
	bool (*setup_ok)(const struct unit *u);
	void (*prepare)(struct unit *u);   /* set counts to START, also if the enable is refused */
	void (*take_over)(struct unit *u); /* sizes; table_at, entries and entry_align if any */
	bool (*begin)(struct unit *u);	   /* called when enabled; false: no memory */
	uint64_t (*stray_at)(const struct unit *u);
	void (*off)(struct unit *u); /* disable, reset, or an error while enabled */
	void (*logic)(struct unit *u);
	void (*reset_counters)(struct unit *u);
	void (*defaults)(struct unit *u);
	void (*flush)(struct unit *u);			/* NULL: there is no such level */
	void (*error)(struct unit *u, uint32_t status); /* an error bit of STATUS was set */
	bool (*quiesced)(const struct unit *u);
	uint32_t (*status)(const struct unit *u);
	/* Returns bytes of budget used; sets *@when to the next call. Not called in a stall. */
	size_t (*turn)(struct unit *u, uint64_t now, size_t budget, uint64_t *when);
	void (*spurious)(struct unit *u, unsigned int vector); /* send it without a reason */
	void (*clear)(struct unit *u);			       /* before counts are cleared */
	void (*show)(struct unit *u, struct json *j);	       /* before its counts */
};

static inline struct unit *unit_of(const struct unit_card *c, unsigned int i)
{
	return (struct unit *)((char *)c + c->ops->units_at + i * c->ops->unit_size);
}

static inline uint64_t unit_now(const struct unit *u)
{
	return u->card->host->now(u->card->host->ctx);
}

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Use a counted fault once. */
static inline bool unit_fault_take(struct unit *u, unsigned int fault)
{
	if (!u->fault[fault])
		return false;
	u->fault[fault]--;
	return true;
}

/* Return the argument of a fault and clear the fault. */
static inline uint32_t unit_fault_once(struct unit *u, unsigned int fault)
{
	uint32_t arg = u->fault[fault];

	u->fault[fault] = 0;
	return arg;
}

/* unit_card.c: the operations of card.h, for UNIT_CARD_OPS */
void *unit_card_create(const struct card_host *host, const struct unit_ops *ops);
void unit_card_destroy(void *card);
void unit_card_reset(void *card, unsigned int fn);
uint64_t unit_card_step(void *card, unsigned int fn, size_t budget);
unsigned int unit_card_vendor(void *card);
unsigned int unit_card_device(void *card);
void unit_card_messages(void *card, struct card_messages *m);
uint64_t unit_card_outside(void *card);
/* Operations for the block of the function. */
bool unit_card_notice(void *card, uint64_t addr, const void *data, size_t bytes);
uint32_t unit_card_trouble(const void *card);
void unit_card_reset_all(void *card, uint32_t levels);

/* unit_regs.c */
uint32_t unit_card_read(void *card, unsigned int fn, unsigned int bar, uint32_t off);
void unit_card_write(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value);
bool unit_card_wakes_engine(void *card, unsigned int fn, unsigned int bar, uint32_t off);
uint32_t unit_card_peek(void *card, unsigned int fn, unsigned int bar, uint32_t off);
bool unit_card_poke(void *card, unsigned int fn, unsigned int bar, uint32_t off, uint32_t value);

/* unit_life.c */
void unit_enable(struct unit *u);
void unit_disable(struct unit *u);
void unit_reset(struct unit *u, uint32_t levels);
/* Reset by the function: immediate, faults do not apply. */
void unit_power_on(struct unit *u);
uint32_t unit_status(const struct unit *u);
void unit_host_error(struct unit *u);
void unit_fetch_failed(struct unit *u);
/* Were both halves of an address written, and is it aligned? */
bool unit_address_ok(const struct unit *u, unsigned int i);
/* A doorbell was written. False: the fault drops it, or the unit is disabled. */
bool unit_doorbell(struct unit *u);
void unit_vectors(struct unit *u);
/* Do delayed resets and writes, and load the table. Returns when to call again. */
uint64_t unit_life_turn(struct unit *u, uint64_t now);

/* unit_host.c */
void unit_outside(struct unit *u);
void unit_no_master(struct unit *u);
/* Write bytes into host memory. False: bus mastering is off. */
bool unit_put(struct unit *u, uint64_t addr, const void *data, size_t bytes);
enum card_dma unit_get(struct unit *u, uint64_t addr, void *data, size_t bytes);
enum card_message unit_message(struct unit *u, unsigned int vector);

/* Bits of STREAM_REASON_*: is an interrupt due for @pending? If not, *@when it will be. */
uint32_t unit_irq_due(const struct unit_irq *irq, uint64_t pending, uint64_t now, uint64_t *when);
void unit_irq_sent(struct unit_irq *irq, uint64_t now);
/* Does the key rate delay the unit until *@when? */
bool unit_paced(const struct unit *u, uint64_t now, uint64_t *when);
void unit_pace(struct unit *u, uint64_t bytes);
/* Does a fault delay something by @us? *@late_ns is 0 while no delay is running. */
bool unit_late(uint64_t us, uint64_t *late_ns, uint64_t now, uint64_t *when);

/* unit_counts.c */
uint64_t unit_counter(const struct unit *u, unsigned int nr);
/* Set @base to the totals. Waiting amounts count as offered again, so that sums stay right. */
void unit_restart_counts(const struct unit *u, uint64_t *base);
void unit_card_counts(void *card, unsigned int fn, struct json *j);
void unit_card_clear(void *card, unsigned int fn);

/* unit_keys.c */
int unit_set_rate(void *card, unsigned int fn, const char *text, char *err);
void unit_get_rate(void *card, unsigned int fn, char *text, size_t size);
int unit_set_start(void *card, unsigned int fn, const char *text, char *err);
void unit_get_start(void *card, unsigned int fn, char *text, size_t size);
int unit_set_temperature(void *card, unsigned int fn, const char *text, char *err);
void unit_get_temperature(void *card, unsigned int fn, char *text, size_t size);
int unit_set_firmware(void *card, unsigned int fn, const char *text, char *err);
void unit_get_firmware(void *card, unsigned int fn, char *text, size_t size);
int unit_set_serial(void *card, unsigned int fn, const char *text, char *err);
void unit_get_serial(void *card, unsigned int fn, char *text, size_t size);
int unit_set_interrupts(void *card, unsigned int fn, const char *text, char *err);
void unit_get_interrupts(void *card, unsigned int fn, char *text, size_t size);
int unit_set_vectors(void *card, unsigned int fn, const char *text, char *err);
void unit_get_vectors(void *card, unsigned int fn, char *text, size_t size);

/* unit_faults.c */
bool unit_card_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg);
bool unit_card_fault_clear(void *card, unsigned int fn, const char *name);
uint64_t unit_card_fault_get(void *card, unsigned int fn, const char *name);

#define UNIT_PER_CARD false, false
#define UNIT_AT_START false, true

/* clang-format off */
#define UNIT_KEYS                                                                                  \
	{"temperature", "degC or none", UNIT_PER_CARD, unit_set_temperature,                       \
	 unit_get_temperature},                                                                    \
	{"firmware", "git hash", UNIT_PER_CARD, unit_set_firmware, unit_get_firmware}
#define UNIT_KEYS_AT_START                                                                         \
	{"serial", "0 to 9999", UNIT_AT_START, unit_set_serial, unit_get_serial},                  \
	{"interrupts", "msix, msix-open, msi or none", UNIT_AT_START, unit_set_interrupts,         \
	 unit_get_interrupts},                                                                     \
	{"vectors", "0 to 32", UNIT_AT_START, unit_set_vectors, unit_get_vectors}

/* The faults of the engine that are the same on every card. */
#define UNIT_FAULT_LIST(many)                                                                      \
	[UNIT_IRQ_LOST] = {"irq-lost", many, "N", "the next N interrupts do not arrive"},          \
	[UNIT_IRQ_SPURIOUS] = {"irq-spurious", "ms", NULL,                                         \
			       "an interrupt without a reason now, and every ms"},                 \
	[UNIT_ENABLE_SLOW] = {"enable-slow", many, "ms",                                           \
			       "enables are carried out that much later"},                         \
	[UNIT_NEVER_QUIESCED] = {"never-quiet", NULL, NULL, "STATUS never shows QUIET"},           \
	[UNIT_RESET_IGNORED] = {"reset-ignored", many, NULL, "reset and disable have no effect"},  \
	[UNIT_RESET_SLOW] = {"reset-slow", many, "ms", "resets are carried out that much later"}

#define UNIT_FUNCTION_OPS                                                                          \
	.put = unit_card_notice, .trouble = unit_card_trouble, .reset = unit_card_reset_all

#define UNIT_CARD_OPS                                                                              \
	.functions = 1,                                                                            \
	.destroy = unit_card_destroy,                                                              \
	.read = unit_card_read,                                                                    \
	.write = unit_card_write,                                                                  \
	.wakes_engine = unit_card_wakes_engine,                                                    \
	.peek = unit_card_peek,                                                                    \
	.poke = unit_card_poke,                                                                    \
	.step = unit_card_step,                                                                    \
	.reset = unit_card_reset,                                                                  \
	.fault_set = unit_card_fault_set,                                                          \
	.fault_clear = unit_card_fault_clear,                                                      \
	.fault_get = unit_card_fault_get,                                                          \
	.counts = unit_card_counts,                                                                \
	.clear = unit_card_clear,                                                                  \
	.vendor = unit_card_vendor,                                                                \
	.device = unit_card_device,                                                                \
	.messages = unit_card_messages,                                                            \
	.dma_outside = unit_card_outside
/* clang-format on */

#endif /* EMU_UNIT_H */
