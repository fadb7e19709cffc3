// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the optical power of the links from the minipod receivers, and that of the PON from its SFP.
 */
#include "libroc_cru.h"

#define MINIPODS (2 * ROC_CRU_LINKS / CRU_MINIPOD_CHANNELS)
#define TENTH_UW 0.1

/* Read two registers, the high byte first, in units of 0.1 uW. */
static bool read_power(struct libroc_pass *c, uint32_t core, uint8_t chip, uint8_t reg, double *uw)
{
	uint8_t high, low;

	if (!libroc_i2c_read(c, core, chip, reg, &high) ||
	    !libroc_i2c_read(c, core, chip, reg + 1, &low))
		return false;
	*uw = (high << 8 | low) * TENTH_UW;
	return true;
}

/* Probe @count addresses from @chip on, in ascending order; other chips may be between them. */
static unsigned int probe_receivers(struct libroc_pass *c, unsigned int chip, unsigned int count,
				    uint8_t chips[MINIPODS])
{
	unsigned int end = chip + count, n = 0;
	uint8_t type;

	for (; chip < end && n < MINIPODS && !c->err; chip++) {
		libroc_i2c_reset(c, CRU_I2C_MINIPOD);
		if (libroc_i2c_read(c, CRU_I2C_MINIPOD, chip, CRU_MINIPOD_TYPE, &type) &&
		    type == CRU_MINIPOD_TYPE_RECEIVER)
			chips[n++] = chip;
	}
	return n;
}

/*
 * Find the receivers. An address without a chip costs a millisecond, and there are 128 addresses.
 * These modules leave three address bits to the board, so the range of those is probed first.
 */
static unsigned int find_receivers(struct libroc_pass *c, uint8_t chips[MINIPODS])
{
	unsigned int n = probe_receivers(c, CRU_MINIPOD_RECEIVERS, CRU_MINIPOD_ADDRESSES, chips);

	return n == MINIPODS ? n : probe_receivers(c, 0, CRU_I2C_CHIPS, chips);
}

bool libroc_optical_power(struct libroc_pass *c, double power[ROC_CRU_LINKS])
{
	uint8_t chips[MINIPODS];
	unsigned int n = find_receivers(c, chips);
	unsigned int l;

	for (l = 0; l < ROC_CRU_LINKS; l++) {
		unsigned int value = CRU_MINIPOD_OF_LINK(c->e, l);
		unsigned int pod = value / CRU_MINIPOD_CHANNELS;

		power[l] = 0;
		/* A single receiver has the values of endpoint 0. */
		if (pod < n &&
		    !read_power(c, CRU_I2C_MINIPOD, chips[pod],
				CRU_MINIPOD_POWER(value % CRU_MINIPOD_CHANNELS), &power[l]))
			return false;
	}
	return n > c->e && !c->err;
}

bool libroc_pon_power(struct libroc_pass *c, double *uw)
{
	libroc_i2c_reset(c, CRU_I2C_SFP1);
	return read_power(c, CRU_I2C_SFP1, CRU_I2C_CHIP_SFP_DIAGNOSTICS, CRU_SFP_RX_POWER, uw);
}
