// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Access the CRU's I2C cores. A transaction uses several registers, so the caller must hold the
 * card lock.
 */
#include "libroc_cru.h"

static void command(struct libroc_pass *c, uint32_t core, uint32_t strobe)
{
	libroc_pass_write(c, CRU_BAR_CARD, core + CRU_I2C_COMMAND, strobe);
	libroc_pass_write(c, CRU_BAR_CARD, core + CRU_I2C_COMMAND, 0);
}

void libroc_i2c_reset(struct libroc_pass *c, uint32_t core)
{
	command(c, core, CRU_I2C_RESET);
}

/* The done bit of an earlier transaction may still be set at first, so sleep before each poll. */
static bool transact(struct libroc_pass *c, uint32_t core, uint32_t config, uint32_t strobe,
		     uint32_t *answer)
{
	unsigned int i;

	libroc_pass_write(c, CRU_BAR_CARD, core + CRU_I2C_CONFIG, config);
	command(c, core, strobe);
	for (i = 0; i < CRU_I2C_POLLS && !c->err; i++) {
		libroc_pass_sleep(c, CRU_I2C_POLL_US);
		*answer = libroc_pass_read(c, CRU_BAR_CARD, core + CRU_I2C_DATA);
		if (*answer & CRU_I2C_DATA_DONE)
			return !c->err;
	}
	return false;
}

uint32_t libroc_i2c_read_config(uint8_t chip, uint8_t reg)
{
	return libroc_to_mask(CRU_I2C_CONFIG_CHIP, chip) | libroc_to_mask(CRU_I2C_CONFIG_REG, reg);
}

bool libroc_i2c_read(struct libroc_pass *c, uint32_t core, uint8_t chip, uint8_t reg,
		     uint8_t *value)
{
	uint32_t answer = 0;

	if (!transact(c, core, libroc_i2c_read_config(chip, reg), CRU_I2C_READ, &answer))
		return false;
	*value = answer & CRU_I2C_DATA_VALUE;
	return true;
}

bool libroc_i2c_write(struct libroc_pass *c, uint32_t core, uint8_t chip, uint8_t reg,
		      uint8_t value)
{
	uint32_t answer = 0;

	return transact(c, core, libroc_i2c_read_config(chip, reg) | value, CRU_I2C_WRITE, &answer);
}
