// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the status of a RobinNP, and the counters of its sub-units and links.
 */
#include <errno.h>
#include <string.h>

#include <roc/robinnp.h>

#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_regs.h"
#include "libroc/board/libroc_pass.h"

static uint32_t word(struct libroc_pass *c, uint32_t offset)
{
	return libroc_pass_read(c, ROBINNP_BAR_CARD, offset);
}

static uint64_t wide(struct libroc_pass *c, uint32_t offset)
{
	return libroc_pass_read_count(c, ROBINNP_BAR_CARD, offset);
}

int roc_robinnp_status_read(struct roc_endpoint *ep, struct roc_robinnp_status *status)
{
	struct roc_robinnp_status now;
	struct libroc_card_block card;
	struct libroc_pass c;
	int ret;

	ret = libroc_pass_begin(ep, &c, ROC_CARD_ROBINNP, false, NULL);
	if (ret)
		return ret;
	libroc_card_block_read(&c, ROBINNP_BAR_CARD, ROBINNP_CARD, &card);
	now = (struct roc_robinnp_status){
		.chip_id = card.chip_id,
		.cycles = card.cycles,
		.temperature = card.temperature,
		.clock = card.clock,
		.features = card.features,
		.subs = card.units & 0xff,
		.links = card.units >> 8 & 0xff,
		.source = card.source,
		.serial = card.serial,
	};
	memcpy(now.firmware, card.firmware, sizeof(now.firmware));
	memcpy(now.hash, card.hash, sizeof(now.hash));
	memcpy(now.date, card.date, sizeof(now.date));
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
		return roc_fail(ENOENT, "%s: sub-unit %u does not exist: a RobinNP has %d",
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
		return roc_fail(ENOENT, "%s: link %u does not exist: a RobinNP has %d",
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
