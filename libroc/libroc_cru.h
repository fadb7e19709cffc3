/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc, inside: the CRU's register blocks.
 *
 * A block is a table of struct libroc_value: which bits of which register are which member of a
 * structure. One engine (cru_values.c) reads, compares, writes and verifies by such tables.
 *
 * Accesses go through a struct libroc_cru, one pass over a card. It keeps the first error: after
 * it, reads give 0 and writes do nothing, so that a sequence is checked once, at its end.
 */
#ifndef LIBROC_CRU_H
#define LIBROC_CRU_H

#include <roc/cru.h>

#include "cru_regs.h"
#include "libroc.h"

#define LIBROC_CRU_LOCK_MS 15000
#define LIBROC_CRU_CACHE 256

struct libroc_cru_cached {
	uint8_t bar;
	uint32_t offset, value;
};

/* One pass over a card, on the stack of its function. */
struct libroc_cru {
	struct roc_endpoint *ep;
	unsigned int e; /* number of the endpoint */
	bool locked;	/* we took the card lock and give it back */
	int err;	/* first failure, -errno */
	unsigned int reads, writes;
	uint32_t links; /* mask of those the card has; base of each, after cru_links() */
	uint32_t base[ROC_CRU_LINKS];
	unsigned int cached;
	struct libroc_cru_cached cache[LIBROC_CRU_CACHE];
};

/* cru.c */

/* Begin a pass: is it a CRU, which endpoint? With @lock also take the card lock. */
int libroc_cru_begin(struct roc_endpoint *ep, struct libroc_cru *c, bool lock);
/* End it: unlock; the pass's first error. */
int libroc_cru_end(struct libroc_cru *c);
/* Find the links. An error if @need has one that the card does not have. */
int libroc_cru_find_links(struct libroc_cru *c, uint32_t need);

uint32_t libroc_cru_read(struct libroc_cru *c, unsigned int bar, uint32_t offset);
/* The same, once a pass for each register. */
uint32_t libroc_cru_read_once(struct libroc_cru *c, unsigned int bar, uint32_t offset);
void libroc_cru_write(struct libroc_cru *c, unsigned int bar, uint32_t offset, uint32_t value);
/* The word found before. */
uint32_t libroc_cru_modify(struct libroc_cru *c, unsigned int bar, uint32_t offset, uint32_t mask,
			   uint32_t value);
/* Bits to 1, then to 0. */
void libroc_cru_pulse(struct libroc_cru *c, unsigned int bar, uint32_t offset, uint32_t mask);
void libroc_cru_sleep(struct libroc_cru *c, unsigned int us);
void libroc_cru_fail(struct libroc_cru *c, int ret);
/* -EBUSY if a channel of the card runs. */
int libroc_cru_need_stopped(struct libroc_cru *c, const char *what);

/* cru_values.c */

enum libroc_place {
	LIBROC_DMA,	      /* BAR0 */
	LIBROC_CARD,	      /* BAR2 */
	LIBROC_DATAPATH,      /* this endpoint's datapath wrapper */
	LIBROC_DATAPATH_LINK, /* the same; mask << number of the link */
	LIBROC_DATAPATH_EP,   /* the same; mask << number of the endpoint */
	LIBROC_DPL,	      /* datapath link of the link */
	LIBROC_DPL_UL,	      /* datapath link of user logic */
	LIBROC_GBT,	      /* GBT link */
	LIBROC_MUX,	      /* downlink multiplexer of the link */
};

enum libroc_kind {
	LIBROC_U32,
	LIBROC_BOOL, /* any bit set */
};

struct libroc_value {
	const char *name;
	enum libroc_place place;
	uint32_t offset; /* of the register, from the place */
	uint32_t mask;
	size_t member; /* offset in the structure */
	enum libroc_kind kind;
	unsigned int flags; /* the block's own */
	unsigned int first; /* smallest value; the largest is the mask's, or this: */
	uint32_t last;
};

/* The five that each has, then .kind = LIBROC_BOOL and the like. */
#define LIBROC_VALUE(name_, place_, offset_, mask_, ...)                                           \
	{                                                                                          \
		.name = (name_), .place = (place_), .offset = (offset_), .mask = (mask_),          \
		.member = __VA_ARGS__                                                              \
	}

#define LIBROC_COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct libroc_where {
	unsigned int bar;
	uint32_t offset, mask;
};

struct libroc_where libroc_value_where(const struct libroc_cru *c, const struct libroc_value *v,
				       unsigned int link);
uint32_t libroc_value_get(const struct libroc_value *v, const void *from);
void libroc_value_put(const struct libroc_value *v, void *to, uint32_t value);
/* Largest value that fits. */
uint32_t libroc_value_max(const struct libroc_value *v);
/* All values of a table into a structure; one read a register and pass. */
void libroc_values_read(struct libroc_cru *c, const struct libroc_value *table, size_t n,
			unsigned int link, void *to);
/* -ERANGE and a sentence that begins with @what. */
int libroc_values_check(const char *what, const struct libroc_value *table, size_t n,
			const void *from);
/* Whole registers, in the table's order, each read back. */
void libroc_values_write(struct libroc_cru *c, const char *what, const struct libroc_value *table,
			 size_t n, const void *from);

/* Bits of a word moved to where the mask is, and back. */
static inline uint32_t libroc_to_mask(uint32_t mask, uint32_t value)
{
	return mask ? value << __builtin_ctz(mask) & mask : 0;
}

static inline uint32_t libroc_from_mask(uint32_t mask, uint32_t word)
{
	return mask ? (word & mask) >> __builtin_ctz(mask) : 0;
}

/* cru_params.c: the parameters as files name them */

struct libroc_param {
	const char *key;
	enum {
		LIBROC_P_BOOL,
		LIBROC_P_NAME,
		LIBROC_P_DEC,
		LIBROC_P_HEX
	} kind;
	size_t member; /* in struct roc_cru_config or roc_cru_link_config */
	uint32_t last;
	const char *const *names; /* LIBROC_P_NAME: indexed by value, NULL: no such value */
};

extern const struct libroc_param libroc_cru_params[], libroc_cru_link_params[];
extern const size_t libroc_cru_param_count, libroc_cru_link_param_count;

uint32_t libroc_param_get(const struct libroc_param *p, const void *from);
void libroc_param_text(const struct libroc_param *p, uint32_t value, char *text, size_t size);
/* "cru" or "links": those of the card or of the links; NULL: no such key. */
const struct libroc_param *libroc_param_find(bool link, const char *key);
/* -EINVAL or -ERANGE, and what is wrong in @why. */
int libroc_param_parse(const struct libroc_param *p, const char *text, uint32_t *value, char *why,
		       size_t size);
void libroc_param_put(const struct libroc_param *p, void *to, uint32_t value);
/* -1: not "linkN". */
int libroc_param_link(const char *section);

/* cru_state.c: all configuration registers of an endpoint, as one structure */

struct libroc_link_state {
	bool enabled;
	uint32_t generator, loopback, tx_mode, rx_mode, mux, length, datapath_mode, system_id,
		fee_id;
};

struct libroc_state {
	uint32_t clock; /* the PLL's, see cru_clock.c; not of the tables */
	uint32_t trigger_source, downstream, cru_id, virtual_system_id, virtual_fee_id;
	uint32_t trigger_window, time_frame_length, ul_length, ul_mode;
	bool allow_rejection, drop_bad_rdh, generator;
	bool dynamic_offset, user_logic, run_stats, user_and_common_logic;
	struct libroc_link_state links[ROC_CRU_LINKS];
};

/* Flags of struct libroc_value in these tables. */
#define LIBROC_V_ENABLED (1 << 0) /* counts for enabled links only */
#define LIBROC_V_UL (1 << 1)	  /* counts with user logic only */
#define LIBROC_V_QUIET (1 << 2)	  /* put right in a pass, is no reason for one */

extern const struct libroc_value libroc_state_first[], libroc_state_links[], libroc_state_last[];
extern const size_t libroc_state_first_count, libroc_state_links_count, libroc_state_last_count;

/* All but the clock. */
void libroc_state_read(struct libroc_cru *c, struct libroc_state *state);
void libroc_state_wanted(const struct roc_cru_config *config, struct libroc_state *state);
void libroc_state_config(const struct libroc_state *state, struct roc_cru_config *config);

/* cru_clock.c */

/* Ask the PLL. */
enum roc_cru_clock libroc_clock_read(struct libroc_cru *c);
/* Whether the clock is the wanted one, without a register write; false: ask. */
bool libroc_clock_known(struct libroc_cru *c, enum roc_cru_clock wanted, uint32_t trigger_source);
/* Program the PLLs and calibrate what depends on them; seconds. */
int libroc_clock_select(struct libroc_cru *c, enum roc_cru_clock clock, bool gbt);
/* Where tables of PLLs are looked for; tests have their own. */
extern const char *libroc_pll_directory;

/* cru_onu.c */

bool libroc_onu_ready(struct libroc_cru *c, uint32_t address);
int libroc_onu_connect(struct libroc_cru *c, uint32_t address);
uint32_t libroc_onu_address(struct libroc_cru *c);
/* 0, or -ETIME and which of @bits of the status are missing. */
int libroc_onu_need(struct libroc_cru *c, uint32_t bits, const char *what);
void libroc_onu_status(struct libroc_cru *c, struct roc_cru_onu *onu);

/* cru_i2c.c. The card lock is held. */

/* False: the chip does not answer, which is no error of the pass. */
bool libroc_i2c_read(struct libroc_cru *c, uint32_t core, uint8_t chip, uint8_t reg,
		     uint8_t *value);
bool libroc_i2c_write(struct libroc_cru *c, uint32_t core, uint8_t chip, uint8_t reg,
		      uint8_t value);
bool libroc_i2c_probe(struct libroc_cru *c, uint32_t core, uint8_t chip);
void libroc_i2c_reset(struct libroc_cru *c, uint32_t core);

/* cru_optical.c */

/* uW per link; false: no receivers. */
bool libroc_optical_power(struct libroc_cru *c, double power[ROC_CRU_LINKS]);
bool libroc_pon_power(struct libroc_cru *c, double *uw);

/* ini.c */

struct libroc_ini {
	const char *file;
	unsigned int line;
	char section[64];
	unsigned int section_line;
	/* A value: 0, or the -errno that ends the reading. */
	int (*value)(struct libroc_ini *ini, const char *key, const char *value);
	int (*begin)(struct libroc_ini *ini); /* a section begins */
	int (*end)(struct libroc_ini *ini);   /* it ends; also called when none is open */
};

int libroc_ini_read(struct libroc_ini *ini, char *text);

#endif /* LIBROC_CRU_H */
