/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internal interface to the CRU's register blocks. */
#ifndef LIBROC_CRU_H
#define LIBROC_CRU_H

#include <roc/cru.h>

#include "kmod/cards/cru/cru_regs.h"
#include "libroc/board/libroc_pass.h"

/* Places of struct libroc_value */
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

/*
 * Begin a pass: check that the card is a CRU and read the endpoint number. With @lock also lock the
 * card.
 */
int libroc_cru_begin(struct roc_endpoint *ep, struct libroc_pass *c, bool lock);
/*
 * Find the links. Fail if @need contains a missing link. *@still is set if the clock of the links
 * has stopped, so that none can be used; if @still is NULL, that fails, too.
 */
int libroc_cru_find_links(struct libroc_pass *c, uint32_t need, bool *still);
/* Return the number of links of a bank of wrapper 0. */
unsigned int libroc_cru_bank_links(struct libroc_pass *c, unsigned int bank);

/* cru_params.c */

extern const struct libroc_params libroc_cru_params, libroc_cru_link_params;
/* Return N of "linkN"; -1 if it is no link of a CRU. */
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
	uint32_t clock; /* input of the PLL, see cru_clock.c; not in the tables */
	uint32_t trigger_source, downstream, cru_id, virtual_system_id, virtual_fee_id;
	uint32_t trigger_window, time_frame_length, ul_length, ul_mode;
	bool allow_rejection, drop_bad_rdh, generator, generator_reset, pon_reset;
	bool dynamic_offset, user_logic, run_stats, user_and_common_logic;
	struct libroc_link_state links[ROC_CRU_LINKS];
};

/*
 * Flags of struct libroc_value in these tables: when a value is compared and written. For a
 * disabled link, the last three are written in a pass, but a difference alone does not cause one.
 */
#define LIBROC_V_ENABLED (1 << 0)    /* only for links to be enabled */
#define LIBROC_V_UL (1 << 1)	     /* only with user logic */
#define LIBROC_V_CLOCK (1 << 2)	     /* only when the clock is selected */
#define LIBROC_V_OFF_ALWAYS (1 << 3) /* for a link to be disabled: always */
#define LIBROC_V_MODE (1 << 4)	     /* for a link to be disabled: if it was enabled */
#define LIBROC_V_IDS (1 << 5)	     /* for a link to be disabled: if any link changes */

extern const struct libroc_value libroc_state_first[], libroc_state_links[], libroc_state_last[];
extern const size_t libroc_state_first_count, libroc_state_links_count, libroc_state_last_count;

/* Read everything but the clock. */
void libroc_state_read(struct libroc_pass *c, struct libroc_state *state);
void libroc_state_target(const struct roc_cru_config *config, struct libroc_state *state);
void libroc_state_config(const struct libroc_state *state, struct roc_cru_config *config);

/* cru_clock.c */

/*
 * Read the PLL's input. *@open, if @open is not NULL, is set if a pass ended while it programmed
 * the PLL.
 */
enum roc_cru_clock libroc_clock_read(struct libroc_pass *c, bool *open);
/* Check without a register write whether the PLL has the target input. If false, read it. */
bool libroc_clock_known(struct libroc_pass *c, enum roc_cru_clock target);
/* Check whether a pass began to select a clock and ended before libroc_clock_finish(). */
bool libroc_clock_unfinished(struct libroc_pass *c);
/* Check that the site's tables for @clock are valid, without writing. */
int libroc_clock_check(struct libroc_pass *c, enum roc_cru_clock clock);
/*
 * Program the PLLs and calibrate the parts that depend on them, which takes seconds. *@begun is set
 * with the first write. An unreadable table fails the pass before that. The GBT links are in reset
 * until libroc_clock_finish().
 */
int libroc_clock_select(struct libroc_pass *c, enum roc_cru_clock clock, bool *begun);
/* The last step of libroc_clock_select(): calibrate the links of both endpoints. */
void libroc_clock_calibrate_gbt(struct libroc_pass *c);
void libroc_clock_finish(struct libroc_pass *c);
/* Directory of the PLL tables; changed by tests */
extern const char *libroc_pll_directory;

/* cru_onu.c */

bool libroc_onu_ready(struct libroc_pass *c, uint32_t address);
int libroc_onu_connect(struct libroc_pass *c, uint32_t address);
uint32_t libroc_onu_address(struct libroc_pass *c);
/*
 * Check that all of @bits of the status are set. Return 0, or -ETIME with an error text that names
 * the missing ones.
 */
int libroc_onu_need(struct libroc_pass *c, uint32_t bits, const char *what);
void libroc_onu_status(struct libroc_pass *c, struct roc_cru_onu *onu);

/* cru_i2c.c. The caller holds the card lock. */

/* Return false if the chip does not answer, which is no error of the pass. */
/* Return the value of the core's configuration register after a read. */
uint32_t libroc_i2c_read_config(uint8_t chip, uint8_t reg);
bool libroc_i2c_read(struct libroc_pass *c, uint32_t core, uint8_t chip, uint8_t reg,
		     uint8_t *value);
bool libroc_i2c_write(struct libroc_pass *c, uint32_t core, uint8_t chip, uint8_t reg,
		      uint8_t value);
void libroc_i2c_reset(struct libroc_pass *c, uint32_t core);

/* cru_optical.c */

/* Read the power in uW per link. Return false if there are no receivers. */
bool libroc_optical_power(struct libroc_pass *c, double power[ROC_CRU_LINKS]);
bool libroc_pon_power(struct libroc_pass *c, double *uw);

#endif /* LIBROC_CRU_H */
