// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the firmware has the registers of its sub-units: section 2 of the contract. A card that
 * does not hold what its capability says is not driven.
 */
#include <linux/pci.h>

#include "core/block.h"
#include "fragment/fragment.h"

static void roc_fragment_probe_one(struct roc_channel *ch, const struct roc_fragment_vsec *vsec,
				   const struct roc_fragment_open *open)
{
	struct roc_sub *sub = roc_sub(ch);
	unsigned int c = ch->number;

	spin_lock_init(&sub->lock);
	sub->links = vsec->links;
	sub->memory = (u64)vsec->memory_kib << 10;
	sub->data_log2 = vsec->data_log2;
	sub->command_log2 = vsec->command_log2;
	sub->host_pages_max = vsec->host_pages;
	sub->bell.bar = vsec->bell[c].bar;
	sub->bell.offset = vsec->bell[c].offset;
	sub->link = roc_block(ch->ep, &open->link) + c * sub->links * open->link_stride;
	sub->link_stride = open->link_stride;
	roc_sub_defaults(sub);
	sub->counts = roc_block(ch->ep, &vsec->counts[c]);
	sub->block = roc_block(ch->ep, &vsec->sub[c]);
}

static const char *roc_fragment_check(struct roc_endpoint *ep, struct roc_fragment_vsec *vsec,
				      const struct roc_fragment_open *open)
{
	struct roc_piece link = {.bar = open->link.bar, .size = FRAGMENT_LINK_SIZE};
	const char *why;
	unsigned int i;

	/*
	 * Users write the open registers without asking, and number the links as this card's are:
	 * one that has them elsewhere would be set wrong.
	 */
	if (!roc_fragment_vsec_agrees(vsec, ep->ops->channels, open))
		return "its open registers are elsewhere than users look for them";
	why = roc_block_check(ep, &roc_fragment_contract, vsec);
	for (i = 0; i < open->links * ep->ops->channels && !why; i++) {
		link.offset = open->link.offset + i * open->link_stride;
		if (!roc_block_is(ep, &link, FRAGMENT_ID_LINK, FRAGMENT_VSEC_REVISION, i))
			why = "a block's id is not what it should be";
	}
	return why;
}

int roc_fragment_probe(struct roc_endpoint *ep)
{
	const struct roc_fragment_ops *ops =
		container_of(ep->ops, const struct roc_fragment_ops, card);
	struct roc_fragment_vsec vsec;
	const char *why;
	unsigned int c;

	if (roc_block_find(ep, &roc_fragment_contract, &vsec, &why) > 0)
		why = roc_fragment_check(ep, &vsec, &ops->open);
	if (why) {
		dev_err(&ep->pdev->dev, "the fragment interface cannot be used: %s\n", why);
		return -ENODEV;
	}
	for (c = 0; c < ep->ops->channels; c++)
		roc_fragment_probe_one(&ep->channels[c], &vsec, &ops->open);
	roc_block_interrupts(ep, &vsec.function, vsec.vectors,
			     FRAGMENT_CAUSE_ALL & ~FRAGMENT_CAUSE_PAGES_OUT);
	ep->caps |= ROC_CAP_FRAGMENTS;
	return 0;
}

/* The nodes are gone, or never were. */
void roc_fragment_remove(struct roc_endpoint *ep)
{
	unsigned int c;

	for (c = 0; c < ep->ops->channels; c++)
		roc_sub(&ep->channels[c])->block = NULL;
}
