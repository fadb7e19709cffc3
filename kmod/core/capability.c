// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function as vsec.c wants it described.
 */
#include <linux/pci.h>

#include "core/capability.h"

static u32 roc_config_word(void *context, unsigned int at)
{
	struct roc_endpoint *ep = context;
	u32 word;

	if (pci_read_config_dword(ep->pdev, at, &word))
		return ROC_ALL_ONES;
	return word;
}

static bool roc_piece_open(void *context, const struct roc_piece *piece)
{
	return roc_users_may_write(context, piece->bar, piece->offset, piece->size);
}

/* At probe, before anything is looked for: whether MSI-X may be used is found out on the way. */
void roc_capability_card(struct roc_endpoint *ep, struct roc_vsec_card *card)
{
	unsigned int i;

	*card = (struct roc_vsec_card){
		.read = roc_config_word,
		.open = roc_piece_open,
		.context = ep,
		.channels = ep->ops->channels,
	};
	for (i = 0; i < ROC_BARS; i++)
		card->bar_length[i] = ep->bar[i] ? ep->bar_length[i] : 0;
	if (ep->pdev->msix_cap)
		roc_vsec_tables(card, ep->pdev->msix_cap);
	ep->irqs.msix = !roc_vsec_tables_open(card);
}
