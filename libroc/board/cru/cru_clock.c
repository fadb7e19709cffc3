// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read and select the card's clock.
 *
 * Three PLLs make the clocks. Their full register tables are made by the vendor's program for a
 * board and are not part of this library. If there is a file for a PLL, it is written. Without one
 * the PLL keeps the table that the card loaded, and only the input of Si5345 #2 is switched.
 * Documentation/configuration.md describes the files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libroc_cru.h"

#define PLL_PAUSE_US 1000000   /* after each write of the preamble register */
#define PLLS_SETTLE_US 2000000 /* after all of them */
#define ONU_RESET_US 500000
#define ONU_SETTLE_US 2000000
#define PLL_ENTRIES_MAX 2048

const char *libroc_pll_directory = "/etc/roc/pll";

struct pll_entry {
	uint16_t address; /* page << 8 | register */
	uint8_t value;
};

static const struct {
	const char *name;
	uint32_t core;
} plls[] = {
	{"si5345-1", CRU_I2C_SI5345_1},
	{"si5345-2", CRU_I2C_SI5345_2},
	{"si5344", CRU_I2C_SI5344},
};

/* Tables of the site's files for one clock; a PLL without a file has 0 entries */
struct pll_tables {
	struct pll_entry entries[LIBROC_COUNT(plls)][PLL_ENTRIES_MAX];
	size_t count[LIBROC_COUNT(plls)];
};

static enum roc_cru_clock clock_of(uint32_t input)
{
	return (input >> CRU_PLL_INPUT_SHIFT & CRU_PLL_INPUT_MASK) == CRU_PLL_INPUT_LOCAL
		       ? ROC_CRU_CLOCK_LOCAL
		       : ROC_CRU_CLOCK_TTC;
}

/* Resets of the GBT links' FIFOs, set from the first write of a clock selection to its last */
#define UNFINISHED (CRU_USER_CONTROL_GBT_TX_RESET | CRU_USER_CONTROL_GBT_RX_RESET)

bool libroc_clock_unfinished(struct libroc_pass *c)
{
	return libroc_pass_read_once(c, CRU_BAR_CARD, CRU_USER_CONTROL) & UNFINISHED;
}

/*
 * Reading a PLL takes register writes, which a configured card must not get. So use the last answer
 * of the PLL's I2C core if it belongs to a read of the input register. Loading the firmware clears
 * that answer, and so does programming the PLL. The acknowledge of a write has no data, and would
 * look like LOCAL.
 */
bool libroc_clock_known(struct libroc_pass *c, enum roc_cru_clock target)
{
	uint32_t answer = libroc_pass_read(c, CRU_BAR_CARD, CRU_I2C_SI5345_2 + CRU_I2C_DATA);
	uint32_t command = libroc_pass_read(c, CRU_BAR_CARD, CRU_I2C_SI5345_2 + CRU_I2C_CONFIG);

	return command == libroc_i2c_read_config(CRU_I2C_CHIP_PLL, CRU_PLL_INPUT & 0xff) &&
	       answer & CRU_I2C_DATA_DONE && clock_of(answer) == target;
}

enum roc_cru_clock libroc_clock_read(struct libroc_pass *c, bool *open)
{
	uint8_t input = 0, preamble = 0;
	bool answers;

	libroc_i2c_reset(c, CRU_I2C_SI5345_2);
	answers = libroc_i2c_write(c, CRU_I2C_SI5345_2, CRU_I2C_CHIP_PLL, CRU_PLL_PAGE,
				   CRU_PLL_INPUT >> 8) &&
		  libroc_i2c_read(c, CRU_I2C_SI5345_2, CRU_I2C_CHIP_PLL, CRU_PLL_PREAMBLE & 0xff,
				  &preamble);
	/*
	 * Clear the answer, which libroc_clock_known() would otherwise use as that of the next
	 * command.
	 */
	libroc_i2c_reset(c, CRU_I2C_SI5345_2);
	answers = answers && libroc_i2c_read(c, CRU_I2C_SI5345_2, CRU_I2C_CHIP_PLL,
					     CRU_PLL_INPUT & 0xff, &input);
	if (!answers && !c->err)
		libroc_pass_fail(
			c,
			roc_fail(
				EIO,
				"%s: clock generator Si5345 #2 does not answer on the card's I2C bus: the card needs a power cycle, or is broken",
				roc_endpoint_name(c->ep)));
	/* The next pass must not use this answer either. */
	if (preamble & CRU_PLL_PREAMBLE_ON)
		libroc_i2c_reset(c, CRU_I2C_SI5345_2);
	if (open)
		*open = preamble & CRU_PLL_PREAMBLE_ON;
	return clock_of(input);
}

/*
 * Read lines "0xADDRESS,0xVALUE"; # begins a comment, a line that does not start with a digit is a
 * heading.
 */
static int read_table(FILE *f, const char *path, struct pll_entry *table, size_t *count)
{
	unsigned int address, value, n = 0;
	char *line = NULL, end;
	size_t room = 0;
	ssize_t length;
	int ret = 0;

	while (!ret && (length = getline(&line, &room, f)) >= 0) {
		/*
		 * The parser stops at a zero byte: reject such a line, unless a comment precedes
		 * the byte.
		 */
		bool cut = strlen(line) != (size_t)length && !strchr(line, '#');

		n++;
		line[strcspn(line, "#\r\n")] = '\0';
		if (!cut && (line[0] < '0' || line[0] > '9'))
			continue;
		if (cut || sscanf(line, "%x , %x %c", &address, &value, &end) != 2 ||
		    address > 0xffff || value > 0xff)
			ret = roc_fail(
				EINVAL,
				"%s:%u: expected a 16-bit address, a comma and an 8-bit value, both hexadecimal",
				path, n);
		else if ((address & 0xff) == (CRU_PLL_NVM_WRITE & 0xff))
			ret = roc_fail(
				EINVAL,
				"%s:%u: register 0x%04x programs the PLL's non-volatile memory, which the driver rejects: remove the line",
				path, n, address);
		else if (*count == PLL_ENTRIES_MAX)
			ret = roc_fail(EINVAL, "%s:%u: more than %d entries", path, n,
				       PLL_ENTRIES_MAX);
		else
			table[(*count)++] = (struct pll_entry){address, value};
	}
	if (!ret && !feof(f))
		ret = roc_fail(errno, "%s: %s", path, strerror(errno));
	free(line);
	if (ret)
		return ret;
	return *count ? 0 : roc_fail(EINVAL, "%s: the file has no entry", path);
}

static int load_table(const char *path, struct pll_entry *table, size_t *count)
{
	int saved = errno, ret;
	FILE *f = fopen(path, "re");

	if (f) {
		ret = read_table(f, path, table, count);
		fclose(f);
	} else {
		ret = errno == ENOENT ? -ENOENT : roc_fail(errno, "%s: %s", path, strerror(errno));
	}
	errno = saved;
	return ret;
}

static void program_pll(struct libroc_pass *c, const char *name, uint32_t core,
			const struct pll_entry *table, size_t count)
{
	unsigned int page = 0;
	bool ok;
	size_t i;

	libroc_i2c_reset(c, core);
	ok = libroc_i2c_write(c, core, CRU_I2C_CHIP_PLL, CRU_PLL_PAGE, page);
	for (i = 0; ok && i < count; i++) {
		if (table[i].address >> 8 != page) {
			page = table[i].address >> 8;
			libroc_i2c_reset(c, core);
			ok = libroc_i2c_write(c, core, CRU_I2C_CHIP_PLL, CRU_PLL_PAGE, page);
		}
		libroc_i2c_reset(c, core);
		ok = ok && libroc_i2c_write(c, core, CRU_I2C_CHIP_PLL, table[i].address & 0xff,
					    table[i].value);
		if (table[i].address == CRU_PLL_PREAMBLE)
			libroc_pass_sleep(c, PLL_PAUSE_US);
	}
	libroc_i2c_reset(c, core);
	if (!ok && !c->err)
		libroc_pass_fail(
			c,
			roc_fail(
				EIO,
				"%s: clock generator %s does not answer on the card's I2C bus while it is programmed",
				roc_endpoint_name(c->ep), name));
}

/* Read all files before the first register write. */
static int load_tables(enum roc_cru_clock clock, struct pll_tables *t)
{
	bool local = clock == ROC_CRU_CLOCK_LOCAL;
	char path[256];
	int ret = 0;
	size_t i;

	*t = (struct pll_tables){0};
	for (i = 0; i < LIBROC_COUNT(plls) && !ret; i++) {
		snprintf(path, sizeof(path), "%s/%s-%s.csv", libroc_pll_directory, plls[i].name,
			 local ? "local" : "ttc");
		ret = load_table(path, t->entries[i], &t->count[i]);
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

int libroc_clock_check(struct libroc_pass *c, enum roc_cru_clock clock)
{
	struct pll_tables t;

	libroc_pass_fail(c, load_tables(clock, &t));
	return c->err;
}

static void program_plls(struct libroc_pass *c, enum roc_cru_clock clock,
			 const struct pll_tables *t)
{
	bool local = clock == ROC_CRU_CLOCK_LOCAL;
	const struct pll_entry input[] = {
		{CRU_PLL_PREAMBLE, 1},
		{CRU_PLL_INPUT, local ? 1 : CRU_PLL_INPUT_TTC << CRU_PLL_INPUT_SHIFT | 1},
		{CRU_PLL_PREAMBLE, 0},
	};
	size_t i;

	for (i = 0; i < LIBROC_COUNT(plls) && !c->err; i++) {
		if (t->count[i])
			program_pll(c, plls[i].name, plls[i].core, t->entries[i], t->count[i]);
		else if (plls[i].core == CRU_I2C_SI5345_2)
			program_pll(c, plls[i].name, plls[i].core, input, LIBROC_COUNT(input));
	}
	libroc_pass_sleep(c, PLLS_SETTLE_US);
	if (!c->err && libroc_clock_read(c, NULL) != clock)
		libroc_pass_fail(
			c,
			roc_fail(
				EBADMSG,
				"%s: clock generator Si5345 #2 did not switch to input %s: register 0x%x does not read back",
				roc_endpoint_name(c->ep), roc_cru_clock_name(clock),
				CRU_PLL_INPUT));
}

/* Steps in a reconfiguration space, which has one 8-bit register per word */
struct step {
	enum {
		SET,
		CHANGE,
		WAIT_CLEAR,
		COPY,
		COPY_BYTE
	} op;
	uint16_t reg;
	uint16_t mask; /* COPY, COPY_BYTE: source register */
	uint8_t value;
};

#define REQUEST {SET, CRU_RECONF_ARBITRATION, 0, CRU_RECONF_ARBITRATION_REQUEST}, GRANTED
#define GRANTED                                                                                    \
	{                                                                                          \
		WAIT_CLEAR, CRU_RECONF_STATUS, CRU_RECONF_STATUS_NOT_GRANTED, 0                    \
	}
#define RELEASE                                                                                    \
	{                                                                                          \
		CHANGE, CRU_RECONF_ARBITRATION, 0xff, CRU_RECONF_ARBITRATION_RELEASE               \
	}

static const struct step atx_calibrate[] = {
	REQUEST,
	{CHANGE, CRU_RECONF_CALIBRATE, CRU_RECONF_CALIBRATE_ATX, CRU_RECONF_CALIBRATE_ATX},
	RELEASE,
	{WAIT_CLEAR, CRU_RECONF_STATUS, CRU_RECONF_STATUS_CALIBRATING, 0},
};

static const struct step tx_calibrate[] = {
	REQUEST,
	{CHANGE, CRU_RECONF_CAL_STATUS, CRU_RECONF_CAL_STATUS_TX_EN, 0},
	{CHANGE, CRU_RECONF_CALIBRATE, CRU_RECONF_CALIBRATE_TX | CRU_RECONF_CALIBRATE_RX_ENABLE,
	 CRU_RECONF_CALIBRATE_TX},
	RELEASE,
	{WAIT_CLEAR, CRU_RECONF_CAL_STATUS, CRU_RECONF_CAL_STATUS_BUSY, 0},
	{CHANGE, CRU_RECONF_CAL_STATUS, CRU_RECONF_CAL_STATUS_TX_EN, CRU_RECONF_CAL_STATUS_TX_EN},
};

static const struct step rx_calibrate[] = {
	REQUEST,
	{CHANGE, CRU_RECONF_CAL_STATUS, CRU_RECONF_CAL_STATUS_RX_EN, 0},
	{CHANGE, CRU_RECONF_CALIBRATE, CRU_RECONF_CALIBRATE_RX | CRU_RECONF_CALIBRATE_RX_ENABLE,
	 CRU_RECONF_CALIBRATE_RX | CRU_RECONF_CALIBRATE_RX_ENABLE},
	RELEASE,
	{WAIT_CLEAR, CRU_RECONF_CAL_STATUS, CRU_RECONF_CAL_STATUS_BUSY, 0},
	{CHANGE, CRU_RECONF_CAL_STATUS, CRU_RECONF_CAL_STATUS_RX_EN, CRU_RECONF_CAL_STATUS_RX_EN},
};

#define FPLL_REFERENCE(r)                                                                          \
	{COPY_BYTE, CRU_RECONF_FPLL_REF_A, CRU_RECONF_FPLL_LOOKUP_A + (r), 0},                     \
	{                                                                                          \
		COPY_BYTE, CRU_RECONF_FPLL_REF_B, CRU_RECONF_FPLL_LOOKUP_B + (r), 0                \
	}

#define FPLL_CALIBRATE                                                                             \
	{CHANGE, CRU_RECONF_FPLL_FEEDBACK, CRU_RECONF_FPLL_FEEDBACK_BIT,                           \
	 CRU_RECONF_FPLL_FEEDBACK_BIT},                                                            \
		{CHANGE, CRU_RECONF_ARBITRATION, 0xff, CRU_RECONF_ARBITRATION_REQUEST}, GRANTED,   \
		{CHANGE, CRU_RECONF_CALIBRATE, CRU_RECONF_CALIBRATE_FPLL,                          \
		 CRU_RECONF_CALIBRATE_FPLL},                                                       \
		RELEASE,                                                                           \
	{                                                                                          \
		WAIT_CLEAR, CRU_RECONF_STATUS, CRU_RECONF_STATUS_CALIBRATING, 0                    \
	}

static const struct step onu_fpll[] = {FPLL_REFERENCE(1), FPLL_CALIBRATE};

static const struct step bank_fpll[] = {
	FPLL_REFERENCE(2),
	FPLL_CALIBRATE,
	{CHANGE, CRU_RECONF_FPLL_FEEDBACK, CRU_RECONF_FPLL_FEEDBACK_BIT, 0},
};

static const struct step cdr_reference[] = {
	{COPY, CRU_RECONF_CDR_REF, CRU_RECONF_CDR_LOOKUP + 2, 0},
};

/*
 * Wait until the bits are clear. A timeout is no error here: the final check decides whether the
 * clock is up.
 */
static void wait_clear(struct libroc_pass *c, uint32_t offset, uint32_t mask)
{
	unsigned int i;

	for (i = 0; i < CRU_RECONF_WAIT_MS && !c->err; i++) {
		if (!(libroc_pass_read(c, CRU_BAR_CARD, offset) & mask))
			return;
		libroc_pass_sleep(c, 1000);
	}
}

static void run_steps(struct libroc_pass *c, uint32_t base, const struct step *steps, size_t n)
{
	size_t i;

	for (i = 0; i < n && !c->err; i++) {
		const struct step *s = &steps[i];
		uint32_t at = base + CRU_RECONF(s->reg);
		uint32_t from = base + CRU_RECONF(s->mask);

		switch (s->op) {
		case SET:
			libroc_pass_write(c, CRU_BAR_CARD, at, s->value);
			break;
		case CHANGE:
			libroc_pass_modify(c, CRU_BAR_CARD, at, s->mask, s->value);
			break;
		case WAIT_CLEAR:
			wait_clear(c, at, s->mask);
			break;
		case COPY:
			libroc_pass_write(c, CRU_BAR_CARD, at,
					  libroc_pass_read(c, CRU_BAR_CARD, from));
			break;
		case COPY_BYTE:
			libroc_pass_modify(c, CRU_BAR_CARD, at, 0xff,
					   libroc_pass_read(c, CRU_BAR_CARD, from) & 0xff);
			break;
		}
	}
}

#define RUN(c, base, steps) run_steps(c, base, steps, LIBROC_COUNT(steps))

static void pon_calibrate(struct libroc_pass *c)
{
	uint32_t refclk;

	libroc_pass_modify(c, CRU_BAR_CARD, CRU_ONU_CONTROL, CRU_ONU_CONTROL_RESET,
			   CRU_ONU_CONTROL_RESET);
	libroc_pass_sleep(c, ONU_RESET_US);
	libroc_pass_modify(c, CRU_BAR_CARD, CRU_ONU_CONTROL, CRU_ONU_CONTROL_RESET, 0);
	refclk = libroc_pass_read(c, CRU_BAR_CARD, CRU_PON_ATX_PLL + CRU_PON_ATX_REFCLK0);
	libroc_pass_write(c, CRU_BAR_CARD, CRU_PON_ATX_PLL + CRU_PON_ATX_REFCLK, refclk);
	RUN(c, CRU_PON_TRANSCEIVER, rx_calibrate);
	RUN(c, CRU_ONU_FPLL, onu_fpll);
	RUN(c, CRU_PON_ATX_PLL, atx_calibrate);
	RUN(c, CRU_PON_TRANSCEIVER, tx_calibrate);
	libroc_pass_sleep(c, ONU_SETTLE_US);
}

/*
 * Check whether a pass ended between two steps of pon_calibrate(), which handles the transmitter
 * last.
 */
static bool pon_unfinished(struct libroc_pass *c)
{
	static const struct {
		uint32_t offset, mask, finished;
	} registers[] = {
		{CRU_ONU_CONTROL, CRU_ONU_CONTROL_RESET, 0},
		{CRU_PON_TRANSCEIVER + CRU_RECONF(CRU_RECONF_ARBITRATION),
		 CRU_RECONF_ARBITRATION_REQUEST, 0},
		{CRU_ONU_FPLL + CRU_RECONF(CRU_RECONF_ARBITRATION), CRU_RECONF_ARBITRATION_REQUEST,
		 0},
		{CRU_PON_ATX_PLL + CRU_RECONF(CRU_RECONF_ARBITRATION),
		 CRU_RECONF_ARBITRATION_REQUEST, 0},
		{CRU_PON_TRANSCEIVER + CRU_RECONF(CRU_RECONF_CALIBRATE),
		 CRU_RECONF_CALIBRATE_RX_ENABLE, 0},
		{CRU_PON_TRANSCEIVER + CRU_RECONF(CRU_RECONF_CAL_STATUS),
		 CRU_RECONF_CAL_STATUS_TX_EN | CRU_RECONF_CAL_STATUS_RX_EN,
		 CRU_RECONF_CAL_STATUS_TX_EN | CRU_RECONF_CAL_STATUS_RX_EN},
	};
	size_t i;

	for (i = 0; i < LIBROC_COUNT(registers); i++)
		if ((libroc_pass_read(c, CRU_BAR_CARD, registers[i].offset) & registers[i].mask) !=
		    registers[i].finished)
			return true;
	return false;
}

void libroc_clock_calibrate_gbt(struct libroc_pass *c)
{
	unsigned int bank, k, n;

	for (bank = 0; bank < 2 * CRU_ENDPOINTS; bank++) {
		n = libroc_cru_bank_links(c, bank);
		for (k = 0; k < n; k++) {
			uint32_t at = CRU_GBT_LINK(0, bank, k) + CRU_GBT_TRANSCEIVER;

			RUN(c, at, cdr_reference);
			RUN(c, at, tx_calibrate);
			RUN(c, at, rx_calibrate);
		}
		if (n)
			RUN(c, CRU_GBT_BANK(0, bank) + CRU_GBT_BANK_FPLL, bank_fpll);
	}
}

int libroc_clock_select(struct libroc_pass *c, enum roc_cru_clock clock, bool *begun)
{
	bool unfinished = libroc_pass_read(c, CRU_BAR_CARD, CRU_USER_CONTROL) & UNFINISHED;
	struct pll_tables t;

	if (c->err)
		return c->err;
	libroc_pass_fail(c, load_tables(clock, &t));
	libroc_pass_modify(c, CRU_BAR_CARD, CRU_USER_CONTROL, UNFINISHED, UNFINISHED);
	if (c->err)
		return c->err;
	*begun = true;
	if (clock == ROC_CRU_CLOCK_TTC) {
		libroc_pass_write(c, CRU_BAR_CARD, CRU_REFGEN, 0);
		libroc_pass_write(c, CRU_BAR_CARD, CRU_REFGEN,
				  CRU_REFGEN_STROBE | CRU_REFGEN_240MHZ);
	}
	program_plls(c, clock, &t);
	libroc_pass_write(c, CRU_BAR_CARD, CRU_LOCK_TO_REF, 0);
	libroc_pass_modify(c, CRU_BAR_CARD, CRU_TTC_DATA, CRU_TTC_DATA_CLOCK, clock);
	if (clock == ROC_CRU_CLOCK_TTC || (unfinished && pon_unfinished(c)))
		pon_calibrate(c);
	if (clock == ROC_CRU_CLOCK_TTC)
		libroc_onu_need(c, CRU_ONU_RX40_LOCKED | CRU_ONU_RX_LOCKED | CRU_ONU_MGT_RX_READY,
				"PON RX calibration failed");
	libroc_clock_calibrate_gbt(c);
	return c->err;
}

/*
 * The FIFOs need the edges of their resets after the calibrations. Until the last write at least
 * one reset is set, so a pass that ends here counts as unfinished.
 */
void libroc_clock_finish(struct libroc_pass *c)
{
	static const uint32_t resets[] = {CRU_USER_CONTROL_GBT_TX_RESET,
					  CRU_USER_CONTROL_GBT_RX_RESET};
	size_t i;

	for (i = 0; i < LIBROC_COUNT(resets); i++) {
		libroc_pass_modify(c, CRU_BAR_CARD, CRU_USER_CONTROL, resets[i], 0);
		libroc_pass_modify(c, CRU_BAR_CARD, CRU_USER_CONTROL, resets[i], resets[i]);
	}
	libroc_pass_modify(c, CRU_BAR_CARD, CRU_USER_CONTROL, UNFINISHED, 0);
}
