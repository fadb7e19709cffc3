// SPDX-License-Identifier: GPL-2.0-only
/*
 * The card: what its endpoints share, and register access under its lock and its BAR policy.
 *
 * Two PCI functions with the same type and serial number are one board. They share registers, so
 * a read-modify-write takes the card's lock, not the endpoint's.
 */
#include <linux/capability.h>
#include <linux/list.h>
#include <linux/slab.h>

#include "roc.h"
#include "trace.h"

static LIST_HEAD(roc_cards);
static DEFINE_MUTEX(roc_cards_lock);

int roc_card_get(struct roc_endpoint *ep)
{
	struct roc_card *card;
	int err = 0;

	mutex_lock(&roc_cards_lock);
	list_for_each_entry (card, &roc_cards, node)
		if (ep->serial >= 0 && card->type == ep->ops->type && card->serial == ep->serial)
			goto found;
	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card) {
		err = -ENOMEM;
		goto out;
	}
	card->type = ep->ops->type;
	card->serial = ep->serial;
	mutex_init(&card->lock);
	list_add(&card->node, &roc_cards);
found:
	card->refs++;
	ep->card = card;
out:
	mutex_unlock(&roc_cards_lock);
	return err;
}

void roc_card_put(struct roc_endpoint *ep)
{
	struct roc_card *card = ep->card;

	mutex_lock(&roc_cards_lock);
	if (!--card->refs) {
		list_del(&card->node);
		mutex_destroy(&card->lock);
		kfree(card);
	}
	ep->card = NULL;
	mutex_unlock(&roc_cards_lock);
}

/* What the caller may do with a BAR: the card's policy, or everything with CAP_SYS_RAWIO. */
u32 roc_bar_access(struct roc_endpoint *ep, unsigned int bar)
{
	if (capable(CAP_SYS_RAWIO))
		return ROC_BAR_MMAP_READ | ROC_BAR_MMAP_WRITE | ROC_BAR_REG_WRITE;
	return ep->ops->policy[bar].access;
}

static bool roc_may_write(struct roc_endpoint *ep, unsigned int bar, u32 offset)
{
	const struct roc_bar_policy *policy = &ep->ops->policy[bar];
	unsigned int i;

	if (policy->access & ROC_BAR_REG_WRITE)
		return true;
	for (i = 0; i < policy->writable_count; i++)
		if (policy->writable[i] == offset)
			return true;
	return capable(CAP_SYS_RAWIO);
}

/* The word to be written, or an error before anything was written. Card lock held. */
static int roc_prepare_write(struct roc_endpoint *ep, struct roc_reg *reg, bool modify, u32 *word)
{
	u32 in_use = ep->ops->in_use(ep, reg->bar, reg->offset);
	u32 old = 0;

	if (modify || in_use) {
		old = roc_read(ep, reg->bar, reg->offset);
		if (old == ROC_ALL_ONES && !ep->ops->alive(ep))
			return -EIO;
	}
	*word = modify ? (old & ~reg->mask) | reg->value : reg->value;
	if ((old ^ *word) & in_use)
		return -EBUSY;
	if (modify)
		reg->old = old;
	return 0;
}

static int roc_reg_check(struct roc_endpoint *ep, const struct roc_reg *reg)
{
	if (reg->flags || reg->reserved || reg->old || reg->offset % 4)
		return -EINVAL;
	if (reg->bar >= ROC_BARS || !ep->bar[reg->bar])
		return -ENOENT;
	if (reg->offset > ep->bar_length[reg->bar] - 4)
		return -ERANGE;
	return 0;
}

/* One of the three register ioctls. SRCU read side held. */
int roc_reg_access(struct roc_endpoint *ep, unsigned int nr, struct roc_reg *reg)
{
	bool modify = nr == _IOC_NR(ROC_REG_MODIFY);
	u32 word;
	int err;

	err = roc_reg_check(ep, reg);
	if (err)
		return err;
	if (modify ? !reg->mask : reg->mask)
		return -EINVAL;
	if (nr == _IOC_NR(ROC_REG_READ)) {
		reg->value = roc_read(ep, reg->bar, reg->offset);
		return reg->value == ROC_ALL_ONES && !ep->ops->alive(ep) ? -EIO : 0;
	}
	if (modify && (reg->value & ~reg->mask))
		return -ERANGE;
	if (!roc_may_write(ep, reg->bar, reg->offset))
		return -EPERM;
	mutex_lock(&ep->card->lock);
	err = roc_prepare_write(ep, reg, modify, &word);
	if (!err) {
		roc_write(ep, reg->bar, reg->offset, word);
		if (modify)
			reg->value = word;
		trace_roc_reg_write(ep->minor, reg->bar, reg->offset, word);
	}
	mutex_unlock(&ep->card->lock);
	return err;
}
