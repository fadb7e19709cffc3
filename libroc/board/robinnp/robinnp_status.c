// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a RobinNP says of itself, its sub-units and its links.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include <roc/robinnp.h>

#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_regs.h"
#include "libroc/board/libroc_pass.h"

static uint32_t word(struct libroc_pass *c, uint32_t offset)
{
	return libroc_pass_read(c, ROBINNP_BAR_CARD, offset);
}

static uint32_t card_word(struct libroc_pass *c, uint32_t offset)
{
	return word(c, ROBINNP_CARD + offset);
}

/* Four decimal digits as characters, the first in the lowest byte. */
static int32_t serial_number(uint32_t digits)
{
	int32_t number = 0;
	unsigned int i;

	for (i = 0; i < 4; i++, digits >>= 8) {
		if ((digits & 0xff) < '0' || (digits & 0xff) > '9')
			return -1;
		number = 10 * number + (int32_t)(digits & 0xff) - '0';
	}
	return number;
}

static uint64_t wide(struct libroc_pass *c, uint32_t offset)
{
	return libroc_pass_read_count(c, ROBINNP_BAR_CARD, offset);
}

int roc_robinnp_status_read(struct roc_endpoint *ep, struct roc_robinnp_status *status)
{
	uint32_t firmware, date, daytime, temperature, units;
	struct roc_robinnp_status now;
	struct libroc_pass c;
	int ret;

	ret = libroc_pass_begin(ep, &c, ROC_CARD_ROBINNP, false, NULL);
	if (ret)
		return ret;
	firmware = card_word(&c, CARD_FIRMWARE);
	date = card_word(&c, CARD_DATE);
	daytime = card_word(&c, CARD_TIME);
	temperature = card_word(&c, CARD_TEMPERATURE);
	units = card_word(&c, CARD_UNITS);
	now = (struct roc_robinnp_status){
		.chip_id = wide(&c, ROBINNP_CARD + CARD_CHIP_LOW),
		.cycles = wide(&c, ROBINNP_CARD + CARD_CYCLES),
		.temperature = temperature == CARD_TEMPERATURE_NONE
				       ? NAN
				       : (double)(int32_t)temperature / 1000,
		.clock = card_word(&c, CARD_CLOCK),
		.features = card_word(&c, CARD_FEATURES),
		.subs = units & 0xff,
		.links = units >> 8 & 0xff,
		.source = card_word(&c, CARD_SOURCE),
		.serial = serial_number(card_word(&c, CARD_SERIAL)),
	};
	snprintf(now.firmware, sizeof(now.firmware), "%u.%u.%u", firmware >> 16,
		 firmware >> 8 & 0xff, firmware & 0xff);
	snprintf(now.hash, sizeof(now.hash), "%x", card_word(&c, CARD_HASH));
	/* Decimal digits, four bits each. */
	snprintf(now.date, sizeof(now.date), "%04x-%02x-%02x %02x:%02x:%02x", date >> 16,
		 date >> 8 & 0xff, date & 0xff, daytime >> 16 & 0xff, daytime >> 8 & 0xff,
		 daytime & 0xff);
	ret = libroc_pass_end(&c);
	if (!ret)
		*status = now;
	return ret;
}

static uint64_t sub_count(struct libroc_pass *c, unsigned int sub, unsigned int count)
{
	return wide(c, ROBINNP_COUNTS(sub) + FRAGMENT_COUNTS_COUNTERS + 8 * count);
}

int roc_robinnp_sub_read(struct roc_endpoint *ep, unsigned int sub, struct roc_robinnp_sub *counts)
{
	struct roc_robinnp_sub now;
	struct libroc_pass c;
	int ret;

	if (sub >= ROBINNP_SUBS)
		return roc_fail(ENOENT, "%s: there is no sub-unit %u: a RobinNP has %d",
				roc_endpoint_name(ep), sub, ROBINNP_SUBS);
	ret = libroc_pass_begin(ep, &c, ROC_CARD_ROBINNP, false, NULL);
	if (ret)
		return ret;
	now = (struct roc_robinnp_sub){
		.commands = sub_count(&c, sub, FRAGMENT_COUNT_COMMANDS),
		.ok = sub_count(&c, sub, FRAGMENT_COUNT_OK),
		.bad_page = sub_count(&c, sub, FRAGMENT_COUNT_BAD_PAGE),
		.bad_host_page = sub_count(&c, sub, FRAGMENT_COUNT_BAD_HOST_PAGE),
		.bad_op = sub_count(&c, sub, FRAGMENT_COUNT_BAD_OP),
		.aborted = sub_count(&c, sub, FRAGMENT_COUNT_ABORTED),
		.commands_discarded = sub_count(&c, sub, FRAGMENT_COUNT_COMMANDS_DISCARDED),
		.commands_waiting = sub_count(&c, sub, FRAGMENT_COUNT_COMMANDS_WAITING),
		.transfers = sub_count(&c, sub, FRAGMENT_COUNT_TRANSFERS),
		.releases = sub_count(&c, sub, FRAGMENT_COUNT_RELEASES),
		.bytes = sub_count(&c, sub, FRAGMENT_COUNT_BYTES),
		.frees = sub_count(&c, sub, FRAGMENT_COUNT_FREES),
		.freed = sub_count(&c, sub, FRAGMENT_COUNT_FREED),
		.bad_free = sub_count(&c, sub, FRAGMENT_COUNT_BAD_FREE),
		.frees_discarded = sub_count(&c, sub, FRAGMENT_COUNT_FREES_DISCARDED),
		.frees_waiting = sub_count(&c, sub, FRAGMENT_COUNT_FREES_WAITING),
		.data_interrupts = sub_count(&c, sub, FRAGMENT_COUNT_DATA_INTERRUPTS),
		.done_interrupts = sub_count(&c, sub, FRAGMENT_COUNT_DONE_INTERRUPTS),
		.error_interrupts = sub_count(&c, sub, FRAGMENT_COUNT_ERROR_INTERRUPTS),
	};
	ret = libroc_pass_end(&c);
	if (!ret)
		*counts = now;
	return ret;
}

static uint64_t link_count(struct libroc_pass *c, unsigned int link, unsigned int count)
{
	return wide(c, ROBINNP_LINK(link) + FRAGMENT_LINK_COUNTERS + 8 * count);
}

int roc_robinnp_link_read(struct roc_endpoint *ep, unsigned int link,
			  struct roc_robinnp_link *counts)
{
	struct roc_robinnp_link now;
	struct libroc_pass c;
	uint32_t status;
	int ret;

	if (link >= ROBINNP_SUBS * ROBINNP_LINKS)
		return roc_fail(ENOENT, "%s: there is no link %u: a RobinNP has %d",
				roc_endpoint_name(ep), link, ROBINNP_SUBS * ROBINNP_LINKS);
	ret = libroc_pass_begin(ep, &c, ROC_CARD_ROBINNP, false, NULL);
	if (ret)
		return ret;
	status = word(&c, ROBINNP_LINK(link) + FRAGMENT_LINK_STATUS);
	now = (struct roc_robinnp_link){
		.offered = link_count(&c, link, FRAGMENT_LINK_OFFERED),
		.fragments = link_count(&c, link, FRAGMENT_LINK_FRAGMENTS),
		.discarded = link_count(&c, link, FRAGMENT_LINK_DISCARDED),
		.waiting = link_count(&c, link, FRAGMENT_LINK_WAITING),
		.bytes = link_count(&c, link, FRAGMENT_LINK_BYTES),
		.truncated = link_count(&c, link, FRAGMENT_LINK_TRUNCATED),
		.cut = link_count(&c, link, FRAGMENT_LINK_CUT),
		.link_errors = link_count(&c, link, FRAGMENT_LINK_LINK_ERRORS),
		.format_errors = link_count(&c, link, FRAGMENT_LINK_FORMAT_ERRORS),
		.sequence_errors = link_count(&c, link, FRAGMENT_LINK_SEQUENCE_ERRORS),
		.holds = link_count(&c, link, FRAGMENT_LINK_HOLDS),
		.hold_cycles = link_count(&c, link, FRAGMENT_LINK_HOLD_CYCLES),
		.hold_event = link_count(&c, link, FRAGMENT_LINK_HOLD_EVENT),
		.pages = word(&c, ROBINNP_LINK(link) + FRAGMENT_LINK_PAGES),
		.pages_host = word(&c, ROBINNP_LINK(link) + FRAGMENT_LINK_PAGES_HOST),
		.pages_free = word(&c, ROBINNP_LINK(link) + FRAGMENT_LINK_PAGES_FREE),
		.pages_filled = word(&c, ROBINNP_LINK(link) + FRAGMENT_LINK_PAGES_FILLED),
		.held = status & FRAGMENT_LINK_STATUS_HELD,
		.masked = status & FRAGMENT_LINK_STATUS_MASKED,
	};
	ret = libroc_pass_end(&c);
	if (!ret)
		*counts = now;
	return ret;
}
