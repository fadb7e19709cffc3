/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internal interface of BAR2 of the CRU model: the description of its registers, and the state of
 * the blocks beyond the register words.
 *
 *	cru_bar2.c      the blocks' tables put together; firmware, user control
 *	cru_words.c     words that change by themselves: meters, counters of packets
 *	cru_gbt.c       GBT wrappers and links
 *	cru_datapath.c  datapath wrappers: counters and flow control
 *	cru_ttc.c       trigger counters, data control, CTP emulator
 *	cru_onu.c       clocks, ONU, PON
 *	cru_players.c   pattern player, user logic
 *	cru_i2c.c       I2C cores and the chips on them, serial number
 *	cru_board_keys.c  settings
 *
 * A register word in struct cru's bar2 is what the register shows, so that a poke persists. Events
 * (writes, settings) change words at once through cru_board_update(), which follows a write whose
 * hook has set @changed; a value that changes with time is a cru_meter, which is added to its word
 * when the word is read.
 */
#ifndef EMU_CRU_BOARD_H
#define EMU_CRU_BOARD_H

#include "tests/emu/core/card.h"

#include "kmod/cards/cru/cru_regs.h"

struct cru;
struct cru_ep;

#define CRU_HZ_240 240474000

/* Count events at a constant rate. */
struct cru_meter {
	uint64_t rate; /* per 1000 s */
	uint64_t since_ns;
	uint64_t rest;	/* of an event, in 1e-12 */
	uint64_t whole; /* events not taken yet */
};

/* Return the events since the last call. */
uint64_t cru_meter_take(struct cru_meter *m, uint64_t now);
void cru_meter_rate(struct cru_meter *m, uint64_t now, uint64_t rate);

enum cru_link_state {
	CRU_LINK_UP,
	CRU_LINK_DOWN,
	CRU_LINK_BAD, /* up, with errors */
};

/* The far end of a GBT link, and the state that was last derived from it. */
struct cru_gbt {
	uint32_t state;
	uint32_t power;		       /* light, 0.1 uW */
	uint32_t fec_rate, error_rate; /* per second, while bad */
	bool known, up;
	uint32_t status, clock;
	uint32_t tx_epoch, rx_epoch; /* of the clock for which it was calibrated last */
	struct cru_meter fec, data, protocol, bad_rdh;
};

/* Triggers as the TTC delivers them; per second. */
struct cru_ttc_rates {
	uint32_t hb, phy, cal, tof;
};

#define CRU_BANKS 4
#define CRU_CHIPS 13
#define CRU_CHIP_PAGES 16
#define CRU_PLLS 3

struct cru_chip {
	uint32_t core; /* where its I2C core is */
	uint8_t addr;
	bool paged; /* register CRU_PLL_PAGE selects */
	uint8_t page;
	uint8_t reg[CRU_CHIP_PAGES * 256];
};

struct cru_board {
	struct cru_gbt gbt[CRU_ENDPOINTS][CRU_GBT_LINKS];
	uint32_t epoch;			/* counts what programs the PLLs */
	uint32_t bank_epoch[CRU_BANKS]; /* as of a link: of the banks' fPLLs */

	struct cru_ttc_rates ttc;
	uint32_t ttc_run;	     /* the central trigger has a run */
	bool local_was, running_was; /* trigger source and its state at the last update */
	struct cru_meter hb, phy, cal, tof;
	uint8_t fixed_at, fixed_count; /* of the CTP emulator's fixed bunch crossings */
	uint32_t fixed[CRU_CTP_FIXED_BCS];

	uint32_t onu;	    /* status the PON would give */
	uint32_t onu_shown; /* status at the last update */
	uint32_t pon_power; /* 0.1 uW */
	uint32_t onu_fec_rate, pon_error_rate;
	uint32_t phase, pll_step; /* of the PON transmit PLL: steps from its reset, last write */
	struct cru_meter onu_single, onu_double, pon;
	bool ctp_clock_was;

	uint64_t pat_runs[2]; /* pattern 1, 2 */
	bool changed;	      /* by a write hook: cru_board_update() is to follow */
	struct cru_chip chip[CRU_CHIPS];
};

/* Registers of a block: one, or an array of up to three dimensions. */
#define CRU_DIMENSIONS 3

struct bar2_reg {
	uint32_t first;
	struct {
		uint32_t count, stride;
	} dim[CRU_DIMENSIONS]; /* widest stride first; count 0: not used */
	uint32_t power_on;
	bool read_only;
	uint32_t (*read)(struct cru *c, uint32_t off, bool peek);
	void (*write)(struct cru *c, uint32_t off, uint32_t value); /* storage is the hook's job */
};

#define RO .read_only = true

/* Each ends with an entry that has no first register but 0xffffffff. */
#define BAR2_END                                                                                   \
	{                                                                                          \
		.first = UINT32_MAX                                                                \
	}

extern const struct bar2_reg cru_gbt_regs[], cru_datapath_regs[], cru_ttc_regs[], cru_onu_regs[],
	cru_player_regs[], cru_i2c_regs[];

/* Add @n to a field of a register, which wraps inside the field. */
void cru_bar2_add(struct cru *c, uint32_t off, uint32_t mask, uint64_t n);
/*
 * Store the value, then update dependent registers: the write hook of registers that others depend
 * on.
 */
void cru_write_and_update(struct cru *c, uint32_t off, uint32_t value);
/* cru_bar2.c: update everything that depends on registers and settings. */
void cru_board_update(struct cru *c);

/* cru_gbt.c */
void cru_gbt_update(struct cru *c);
void cru_gbt_power_on(struct cru *c);

/* cru_datapath.c */
bool cru_datapath_taking(struct cru *c, unsigned int e, unsigned int l);
void cru_datapath_start(struct cru *c); /* run enable */

/* cru_ttc.c */
void cru_ttc_update(struct cru *c);

/* cru_onu.c: clocks first */
uint32_t cru_clock_selected(struct cru *c); /* Hz; 0 while the PLLs are being programmed */
void cru_onu_update(struct cru *c);
void cru_onu_power_on(struct cru *c);

/* cru_players.c */
void cru_pattern_start(struct cru *c); /* run enable */

/* cru_i2c.c */
void cru_i2c_power_on(struct cru *c);
void cru_i2c_serial(struct cru *c, const char *digits); /* into the EEPROM's text */
uint32_t cru_pll_input(struct cru *c);
bool cru_gbt_calibrated(struct cru *c); /* all links and banks, for the clock as it is */
bool cru_pll_open(struct cru *c);	/* between preamble and postamble of a table */
/* A write to the EEPROM core's command also loads it. */
uint32_t cru_serial_read(struct cru *c, uint32_t off, bool peek);

/* cru_board_keys.c */
#define CRU_KEY_FUNCTIONS(name)                                                                    \
	int cru_set_##name(void *card, unsigned int fn, const char *text, char *err);              \
	void cru_get_##name(void *card, unsigned int fn, char *text, size_t size)

CRU_KEY_FUNCTIONS(link_state);
CRU_KEY_FUNCTIONS(optical_power);
CRU_KEY_FUNCTIONS(fec_rate);
CRU_KEY_FUNCTIONS(error_rate);
CRU_KEY_FUNCTIONS(glitches);
CRU_KEY_FUNCTIONS(clock_ctp);
CRU_KEY_FUNCTIONS(clock_local);
CRU_KEY_FUNCTIONS(ttc_run);
CRU_KEY_FUNCTIONS(hb_rate);
CRU_KEY_FUNCTIONS(phy_rate);
CRU_KEY_FUNCTIONS(cal_rate);
CRU_KEY_FUNCTIONS(tof_rate);
CRU_KEY_FUNCTIONS(onu);
CRU_KEY_FUNCTIONS(onu_glitches);
CRU_KEY_FUNCTIONS(onu_fec_rate);
CRU_KEY_FUNCTIONS(pon_power);
CRU_KEY_FUNCTIONS(pon_error_rate);

#endif /* EMU_CRU_BOARD_H */
