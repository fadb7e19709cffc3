// SPDX-License-Identifier: LGPL-2.1-or-later
/* Control the ONU, the card's end of the optical network that delivers clock and triggers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libroc_cru.h"

#define PHASE_STEPS 50000
#define PHASE_GOOD 19 /* consecutive readings */

static const char *const bit_names[] = {
	"RX40 locked",	"phase good",	"RX locked",	     "operational",
	"MGT TX ready", "MGT RX ready", "MGT TX PLL locked", "MGT RX PLL locked",
};

uint32_t libroc_onu_address(struct libroc_pass *c)
{
	return libroc_from_mask(CRU_ONU_CONTROL_ADDRESS,
				libroc_pass_read(c, CRU_BAR_CARD, CRU_ONU_CONTROL));
}

/* Check that everything but "operational" is up. */
static bool good(uint32_t status)
{
	status &= CRU_ONU_STICKY_MASK;
	return (status | CRU_ONU_OPERATIONAL) == CRU_ONU_STICKY_MASK;
}

bool libroc_onu_ready(struct libroc_pass *c, uint32_t address)
{
	return good(libroc_pass_read(c, CRU_BAR_CARD, CRU_ONU_STATUS)) &&
	       libroc_onu_address(c) == address;
}

int libroc_onu_need(struct libroc_pass *c, uint32_t bits, const char *what)
{
	uint32_t status = libroc_pass_read(c, CRU_BAR_CARD, CRU_ONU_STATUS);
	char missing[160] = "";
	size_t used = 0, i;

	if (c->err || (status & bits) == bits)
		return c->err;
	for (i = 0; i < LIBROC_COUNT(bit_names); i++)
		if (bits & ~status & 1u << i)
			used += snprintf(missing + used, sizeof(missing) - used, "%s%s",
					 used ? ", " : "", bit_names[i]);
	libroc_pass_fail(
		c,
		roc_fail(
			ETIME,
			"%s: %s: the ONU's status is 0x%02x without %s: check the fibre of the TTC-PON and that its other end sends",
			roc_endpoint_name(c->ep), what, status & CRU_ONU_STICKY_MASK, missing));
	return c->err;
}

/*
 * Step the transmitter's phase until it has left a bad region and stayed good. That is always at
 * the same place, the beginning of the good region.
 */
static bool scan_phase(struct libroc_pass *c)
{
	unsigned int i, in_a_row = 0;
	bool seen_bad = false;

	libroc_pass_pulse(c, CRU_BAR_CARD, CRU_CLOCK_CONTROL, CRU_CLOCK_CONTROL_FPLL_RESET);
	libroc_pass_write(c, CRU_BAR_CARD, CRU_PON_TX_PLL, CRU_PON_TX_PLL_MANUAL);
	for (i = 0; i < PHASE_STEPS && !c->err; i++) {
		uint32_t status;

		libroc_pass_write(c, CRU_BAR_CARD, CRU_PON_TX_PLL, CRU_PON_TX_PLL_STEP_0);
		libroc_pass_write(c, CRU_BAR_CARD, CRU_PON_TX_PLL, CRU_PON_TX_PLL_STEP_1);
		status = libroc_pass_read(c, CRU_BAR_CARD, CRU_ONU_STATUS);
		if (good(status)) {
			in_a_row++;
		} else {
			in_a_row = 0;
			/* Everything is up except for the phase: this is the bad region. */
			seen_bad |= good(status | CRU_ONU_PHASE_GOOD);
		}
		if (seen_bad && in_a_row == PHASE_GOOD)
			return true;
	}
	return false;
}

int libroc_onu_connect(struct libroc_pass *c, uint32_t address)
{
	uint32_t other = address ? 0 : CRU_ONU_CONTROL_ADDRESS >> CRU_ONU_CONTROL_ADDRESS_SHIFT;
	uint32_t got;
	bool found;

	/*
	 * Clear the address first: if the pass ends during the scan, the next one sees the
	 * difference and scans again.
	 */
	libroc_pass_modify(c, CRU_BAR_CARD, CRU_ONU_CONTROL, CRU_ONU_CONTROL_ADDRESS,
			   libroc_to_mask(CRU_ONU_CONTROL_ADDRESS, other));
	found = scan_phase(c);

	if (!found && !c->err) {
		uint32_t status = libroc_pass_read(c, CRU_BAR_CARD, CRU_ONU_STATUS);

		libroc_pass_fail(
			c,
			roc_fail(
				ETIME,
				"%s: the PON TX phase scan found no good phase in %d steps, and the ONU's status is 0x%02x: check the fibre of the TTC-PON",
				roc_endpoint_name(c->ep), PHASE_STEPS,
				status & CRU_ONU_STICKY_MASK));
	}
	libroc_pass_modify(c, CRU_BAR_CARD, CRU_ONU_CONTROL, CRU_ONU_CONTROL_ADDRESS,
			   libroc_to_mask(CRU_ONU_CONTROL_ADDRESS, address));
	got = libroc_onu_address(c);
	if (!c->err && got != address)
		libroc_pass_fail(
			c, roc_fail(EBADMSG,
				    "%s: the ONU's address was written as %u, but reads back as %u",
				    roc_endpoint_name(c->ep), address, got));
	return c->err;
}

void libroc_onu_status(struct libroc_pass *c, struct roc_cru_onu *onu)
{
	uint32_t ok, again;

	onu->status = libroc_pass_read(c, CRU_BAR_CARD, CRU_ONU_STATUS) & CRU_ONU_STICKY_MASK;
	onu->rx40_locked = onu->status & CRU_ONU_RX40_LOCKED;
	onu->phase_good = onu->status & CRU_ONU_PHASE_GOOD;
	onu->rx_locked = onu->status & CRU_ONU_RX_LOCKED;
	onu->operational = onu->status & CRU_ONU_OPERATIONAL;
	onu->mgt_tx_ready = onu->status & CRU_ONU_MGT_TX_READY;
	onu->mgt_rx_ready = onu->status & CRU_ONU_MGT_RX_READY;
	onu->mgt_tx_pll_locked = onu->status & CRU_ONU_MGT_TX_PLL_LOCKED;
	onu->mgt_rx_pll_locked = onu->status & CRU_ONU_MGT_RX_PLL_LOCKED;
	onu->address = libroc_onu_address(c);
	onu->glitches = libroc_pass_read(c, CRU_BAR_CARD, CRU_ONU_GLITCHES);
	onu->sticky_before =
		libroc_pass_read(c, CRU_BAR_CARD, CRU_ONU_STICKY) & CRU_ONU_STICKY_MASK;
	libroc_pass_pulse(c, CRU_BAR_CARD, CRU_TTC_DATA, CRU_TTC_DATA_CLEAR_STICKY);
	onu->sticky = libroc_pass_read(c, CRU_BAR_CARD, CRU_ONU_STICKY) & CRU_ONU_STICKY_MASK;
	ok = ~onu->sticky;
	onu->upstream_up = (ok & CRU_ONU_UPSTREAM) == CRU_ONU_UPSTREAM;
	onu->downstream_up = (ok & CRU_ONU_DOWNSTREAM) == CRU_ONU_DOWNSTREAM;
	onu->pon_quality = libroc_pass_read(c, CRU_BAR_CARD, CRU_TTC_LINK_ERRORS);
	libroc_pass_sleep(c, CRU_TTC_LINK_ERRORS_MS * 1000);
	again = libroc_pass_read(c, CRU_BAR_CARD, CRU_TTC_LINK_ERRORS);
	onu->pon_quality_good = onu->pon_quality == again;
	onu->has_power = libroc_pon_power(c, &onu->rx_power_uw);
	if (!onu->has_power)
		onu->rx_power_uw = 0;
	onu->rx_power_dbm = onu->rx_power_uw > 0 ? 10 * log10(onu->rx_power_uw / 1000) : -INFINITY;
}
