// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the firmware has the registers of its streams: section 2 of the contract. A card that does
 * not hold what its capability says is not driven.
 */
#include <linux/pci.h>

#include "core/block.h"
#include "core/capability.h"
#include "stream/stream.h"

static void __iomem *roc_stream_block(struct roc_endpoint *ep, const struct roc_piece *piece,
				      u32 magic, u32 number)
{
	return roc_block(ep, piece, magic, STREAM_VSEC_REVISION, number);
}

static void roc_stream_name(struct roc_stream *st, u32 type)
{
	st->type = STREAM_TYPE_KIND(type);
	if (st->type == STREAM_TYPE_MAIN)
		strscpy(st->name, "main", sizeof(st->name));
	else if (st->type == STREAM_TYPE_META)
		strscpy(st->name, "meta", sizeof(st->name));
	else
		snprintf(st->name, sizeof(st->name), "%s%u",
			 st->type == STREAM_TYPE_ODIN ? "odin" : "stream",
			 STREAM_TYPE_NUMBER(type));
}

static int roc_stream_probe_one(struct roc_channel *ch, const struct roc_stream_vsec *vsec,
				const char **why)
{
	struct roc_endpoint *ep = ch->ep;
	struct roc_stream *st = roc_stream(ch);
	const struct roc_piece *bell = &vsec->bell[ch->number];

	spin_lock_init(&st->lock);
	roc_stream_defaults(st);
	st->open =
		roc_stream_block(ep, &vsec->settings[ch->number], STREAM_ID_SETTINGS, ch->number);
	st->block = roc_stream_block(ep, &vsec->stream[ch->number], STREAM_ID_STREAM, ch->number);
	if (!st->open || !st->block)
		return -ENODEV;
	st->card = ep->bar[vsec->card.bar] + vsec->card.offset;
	st->bell_bar = bell->bar;
	st->bell = bell->offset;
	st->ring_max = 1ull << vsec->ring_log2;
	st->segments_max = vsec->segments;
	st->clock = ioread32(st->card + STREAM_CARD_CLOCK);
	if (!st->clock || st->clock == ROC_ALL_ONES) {
		*why = "it does not say how fast its clock is";
		return -ENODEV;
	}
	roc_stream_name(st, ioread32(st->block + STREAM_TYPE));
	return 0;
}

/*
 * Users write the open registers without asking, and number the streams as this card's are: one
 * that has them elsewhere would be set wrong.
 */
static const char *roc_stream_foreign(struct roc_endpoint *ep, const struct roc_stream_vsec *vsec)
{
	const struct roc_stream_ops *ops = container_of(ep->ops, const struct roc_stream_ops, card);
	unsigned int c;

	if (!roc_stream_vsec_agrees(vsec, ep->ops->channels, &ops->open))
		return "its open registers are elsewhere than users look for them";
	for (c = 0; c < ep->ops->channels; c++) {
		u32 type = ioread32(roc_stream(&ep->channels[c])->block + STREAM_TYPE);

		if ((type & 0xffff) != ops->types[c])
			return "its streams are in another order than users know them in";
	}
	return NULL;
}

int roc_stream_probe(struct roc_endpoint *ep)
{
	const char *foreign, *why;
	struct roc_stream_vsec vsec;
	struct roc_vsec_card card;
	unsigned int c;
	int err = 0;

	roc_capability_card(ep, &card);
	if (roc_stream_vsec_find(&card, &vsec, &why) <= 0)
		err = -ENODEV;
	else
		why = "a block's id is not what it should be";
	for (c = 0; c < ep->ops->channels && !err; c++)
		err = roc_stream_probe_one(&ep->channels[c], &vsec, &why);
	if (!err && !roc_stream_block(ep, &vsec.function, STREAM_ID_FUNCTION, ep->ops->channels))
		err = -ENODEV;
	foreign = err ? NULL : roc_stream_foreign(ep, &vsec);
	if (foreign) {
		why = foreign;
		err = -ENODEV;
	}
	if (err) {
		dev_err(&ep->pdev->dev, "the stream interface cannot be used: %s\n", why);
		return err;
	}
	if (!ep->irqs.msix)
		dev_warn(&ep->pdev->dev, "MSI-X is not used: users may write its table\n");
	ep->irqs.block = ep->bar[vsec.function.bar] + vsec.function.offset;
	ep->irqs.most = vsec.vectors;
	ep->irqs.causes = STREAM_CAUSE_ALL & ~STREAM_CAUSE_THROTTLE;
	ep->caps |= ROC_CAP_STREAMS;
	return 0;
}

/* The nodes are gone, or never were. */
void roc_stream_remove(struct roc_endpoint *ep)
{
	unsigned int c;

	for (c = 0; c < ep->ops->channels; c++)
		roc_stream(&ep->channels[c])->block = NULL;
}
