/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc, inside: the CRU's register blocks.
 */
#ifndef LIBROC_CRU_H
#define LIBROC_CRU_H

#include <roc/cru.h>

#include "kmod/cards/cru/cru_regs.h"
#include "libroc/board/libroc_pass.h"

/* Of struct libroc_value. */
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

/* cru.c */

/* Begin a pass: is it a CRU, which endpoint? With @lock also take the card lock. */
int libroc_cru_begin(struct roc_endpoint *ep, struct libroc_pass *c, bool lock);
/*
 * Find the links. An error if @need has one that the card does not have. @still, or NULL: whether
 * their clock stands still, so that none can be used; with NULL that is an error, too.
 */
int libroc_cru_find_links(struct libroc_pass *c, uint32_t need, bool *still);
/* How many links a bank of wrapper 0 has. */
unsigned int libroc_cru_bank_links(struct libroc_pass *c, unsigned int bank);

/* cru_params.c */

extern const struct libroc_params libroc_cru_params, libroc_cru_link_params;
/* -1: not "linkN" of a CRU. */
int libroc_param_link(const char *section);

/* cru_file.c */

extern const struct libroc_config_format libroc_cru_format;

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
	bool allow_rejection, drop_bad_rdh, generator, generator_reset, pon_reset;
	bool dynamic_offset, user_logic, run_stats, user_and_common_logic;
	struct libroc_link_state links[ROC_CRU_LINKS];
};

/*
 * Flags of struct libroc_value in these tables: what counts when. Of a link that is to be off the
 * last three are put right in a pass, and are no reason for one.
 */
#define LIBROC_V_ENABLED (1 << 0)    /* of links that are to be on only */
#define LIBROC_V_UL (1 << 1)	     /* with user logic only */
#define LIBROC_V_CLOCK (1 << 2)	     /* when the clock is selected only */
#define LIBROC_V_OFF_ALWAYS (1 << 3) /* of a link that is to be off: always */
#define LIBROC_V_MODE (1 << 4)	     /* of a link that is to be off: when it was on */
#define LIBROC_V_IDS (1 << 5)	     /* of a link that is to be off: when any link changes */

extern const struct libroc_value libroc_state_first[], libroc_state_links[], libroc_state_last[];
extern const size_t libroc_state_first_count, libroc_state_links_count, libroc_state_last_count;

/* All but the clock. */
void libroc_state_read(struct libroc_pass *c, struct libroc_state *state);
void libroc_state_target(const struct roc_cru_config *config, struct libroc_state *state);
void libroc_state_config(const struct libroc_state *state, struct roc_cru_config *config);

/* cru_clock.c */

/* Read the PLL's input. @open, or NULL: whether a pass ended while it programmed the PLL. */
enum roc_cru_clock libroc_clock_read(struct libroc_pass *c, bool *open);
/* Whether the PLL has the wanted input, without a register write; false: read it. */
bool libroc_clock_known(struct libroc_pass *c, enum roc_cru_clock target);
/* Whether a pass began to select a clock and ended before libroc_clock_finish(). */
bool libroc_clock_unfinished(struct libroc_pass *c);
/* Can the site's tables for @clock be used? Nothing is written. */
int libroc_clock_check(struct libroc_pass *c, enum roc_cru_clock clock);
/*
 * Program the PLLs and calibrate what depends on them; seconds. @begun is set with the first
 * write. A table that cannot be read fails the pass before that. The GBT links are in reset until
 * libroc_clock_finish().
 */
int libroc_clock_select(struct libroc_pass *c, enum roc_cru_clock clock, bool *begun);
/* Of that the last part: the links of both endpoints. */
void libroc_clock_calibrate_gbt(struct libroc_pass *c);
void libroc_clock_finish(struct libroc_pass *c);
/* Where tables of PLLs are looked for; tests have their own. */
extern const char *libroc_pll_directory;

/* cru_onu.c */

bool libroc_onu_ready(struct libroc_pass *c, uint32_t address);
int libroc_onu_connect(struct libroc_pass *c, uint32_t address);
uint32_t libroc_onu_address(struct libroc_pass *c);
/* 0, or -ETIME and which of @bits of the status are missing. */
int libroc_onu_need(struct libroc_pass *c, uint32_t bits, const char *what);
void libroc_onu_status(struct libroc_pass *c, struct roc_cru_onu *onu);

/* cru_i2c.c. The card lock is held. */

/* False: the chip does not answer, which is no error of the pass. */
/* What the core's configuration register has after a read. */
uint32_t libroc_i2c_read_config(uint8_t chip, uint8_t reg);
bool libroc_i2c_read(struct libroc_pass *c, uint32_t core, uint8_t chip, uint8_t reg,
		     uint8_t *value);
bool libroc_i2c_write(struct libroc_pass *c, uint32_t core, uint8_t chip, uint8_t reg,
		      uint8_t value);
void libroc_i2c_reset(struct libroc_pass *c, uint32_t core);

/* cru_optical.c */

/* uW per link; false: no receivers. */
bool libroc_optical_power(struct libroc_pass *c, double power[ROC_CRU_LINKS]);
bool libroc_pon_power(struct libroc_pass *c, double *uw);

#endif /* LIBROC_CRU_H */
