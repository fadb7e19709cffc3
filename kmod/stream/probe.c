// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the firmware has the registers of its streams: section 2 of the contract. A card that does
 * not hold what its capability says is not driven.
 */
#include <linux/pci.h>

#include "core/block.h"
#include "stream/stream.h"

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

static const char *roc_stream_probe_one(struct roc_channel *ch, const struct roc_stream_vsec *vsec,
					u16 type)
{
	struct roc_endpoint *ep = ch->ep;
	struct roc_stream *st = roc_stream(ch);
	const struct roc_piece *bell = &vsec->bell[ch->number];
	u32 is;

	spin_lock_init(&st->lock);
	roc_stream_defaults(st);
	st->open = roc_block(ep, &vsec->settings[ch->number]);
	st->block = roc_block(ep, &vsec->stream[ch->number]);
	st->card = roc_block(ep, &vsec->card);
	st->bell_bar = bell->bar;
	st->bell = bell->offset;
	st->ring_max = 1ull << vsec->ring_log2;
	st->segments_max = vsec->segments;
	st->clock = ioread32(st->card + STREAM_CARD_CLOCK);
	if (!st->clock || st->clock == ROC_ALL_ONES)
		return "it does not say how fast its clock is";
	is = ioread32(st->block + STREAM_TYPE);
	roc_stream_name(st, is);
	return (is & 0xffff) == type ? NULL
				     : "its streams are in another order than users know them in";
}

/*
 * Users write the open registers without asking, and number the streams as this card's are: one
 * that has them elsewhere would be set wrong.
 */
int roc_stream_probe(struct roc_endpoint *ep)
{
	const struct roc_stream_ops *ops = container_of(ep->ops, const struct roc_stream_ops, card);
	unsigned int c, channels = ep->ops->channels;
	struct roc_stream_vsec vsec;
	const char *why;

	if (roc_block_find(ep, &roc_stream_contract, &vsec, &why) > 0)
		why = roc_stream_vsec_agrees(&vsec, channels, &ops->open)
			      ? roc_block_check(ep, &roc_stream_contract, &vsec)
			      : "its open registers are elsewhere than users look for them";
	for (c = 0; c < channels && !why; c++)
		why = roc_stream_probe_one(&ep->channels[c], &vsec, ops->types[c]);
	if (why) {
		dev_err(&ep->pdev->dev, "the stream interface cannot be used: %s\n", why);
		return -ENODEV;
	}
	roc_block_interrupts(ep, &vsec.function, vsec.vectors,
			     STREAM_CAUSE_ALL & ~STREAM_CAUSE_THROTTLE);
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
