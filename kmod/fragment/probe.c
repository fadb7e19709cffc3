// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the firmware has the registers of its sub-units: section 2 of the contract. A card that
 * does not hold what its capability says is not driven.
 */
#include <linux/pci.h>

#include "core/block.h"
#include "core/capability.h"
#include "fragment/fragment.h"

static void __iomem *roc_fragment_block(struct roc_endpoint *ep, const struct roc_piece *piece,
					u32 magic, u32 number)
{
	return roc_block(ep, piece, magic, FRAGMENT_VSEC_REVISION, number);
}

static int roc_fragment_probe_one(struct roc_channel *ch, const struct roc_fragment_vsec *vsec)
{
	struct roc_endpoint *ep = ch->ep;
	const struct roc_fragment_ops *ops =
		container_of(ep->ops, const struct roc_fragment_ops, card);
	struct roc_sub *sub = roc_sub(ch);
	unsigned int c = ch->number;

	spin_lock_init(&sub->lock);
	sub->links = vsec->links;
	sub->memory = vsec->memory;
	sub->data_log2 = vsec->data_log2;
	sub->command_log2 = vsec->command_log2;
	sub->host_pages_max = vsec->host_pages;
	sub->bell.bar = vsec->bell[c].bar;
	sub->bell.offset = vsec->bell[c].offset;
	sub->link = ep->bar[ops->open.link.bar] + ops->open.link.offset +
		    c * sub->links * ops->open.link_stride;
	sub->link_stride = ops->open.link_stride;
	roc_sub_defaults(sub);
	sub->counts = roc_fragment_block(ep, &vsec->counts[c], FRAGMENT_ID_COUNTS, c);
	sub->block = roc_fragment_block(ep, &vsec->sub[c], FRAGMENT_ID_SUB, c);
	return sub->counts && sub->block ? 0 : -ENODEV;
}

/*
 * Users write the open registers without asking, and number the links as this card's are: one that
 * has them elsewhere would be set wrong.
 */
static bool roc_fragment_foreign(struct roc_endpoint *ep, const struct roc_fragment_vsec *vsec)
{
	const struct roc_fragment_ops *ops =
		container_of(ep->ops, const struct roc_fragment_ops, card);

	return !roc_fragment_vsec_agrees(vsec, ep->ops->channels, &ops->open);
}

static bool roc_fragment_links_there(struct roc_endpoint *ep)
{
	const struct roc_fragment_ops *ops =
		container_of(ep->ops, const struct roc_fragment_ops, card);
	struct roc_piece link = {.bar = ops->open.link.bar, .size = FRAGMENT_LINK_SIZE};
	unsigned int i;

	for (i = 0; i < ops->open.links * ep->ops->channels; i++) {
		link.offset = ops->open.link.offset + i * ops->open.link_stride;
		if (!roc_fragment_block(ep, &link, FRAGMENT_ID_LINK, i))
			return false;
	}
	return true;
}

int roc_fragment_probe(struct roc_endpoint *ep)
{
	const char *why = "a block's id is not what it should be";
	struct roc_fragment_vsec vsec;
	struct roc_vsec_card card;
	unsigned int c;
	int err = 0;

	roc_capability_card(ep, &card);
	if (roc_fragment_vsec_find(&card, &vsec, &why) <= 0) {
		err = -ENODEV;
	} else if (roc_fragment_foreign(ep, &vsec)) {
		why = "its open registers are elsewhere than users look for them";
		err = -ENODEV;
	} else {
		why = "a block's id is not what it should be";
	}
	for (c = 0; c < ep->ops->channels && !err; c++)
		err = roc_fragment_probe_one(&ep->channels[c], &vsec);
	if (!err &&
	    (!roc_fragment_block(ep, &vsec.function, FRAGMENT_ID_FUNCTION, ep->ops->channels) ||
	     !roc_fragment_links_there(ep)))
		err = -ENODEV;
	if (err) {
		dev_err(&ep->pdev->dev, "the fragment interface cannot be used: %s\n", why);
		return err;
	}
	if (!ep->irqs.msix)
		dev_warn(&ep->pdev->dev, "MSI-X is not used: users may write its table\n");
	ep->irqs.block = ep->bar[vsec.function.bar] + vsec.function.offset;
	ep->irqs.most = vsec.vectors;
	ep->irqs.causes = FRAGMENT_CAUSE_ALL & ~FRAGMENT_CAUSE_PAGES_OUT;
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
