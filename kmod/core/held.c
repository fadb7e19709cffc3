// SPDX-License-Identifier: GPL-2.0-only
/*
 * What its owner gave up while the card might still write to it. See struct roc_held.
 */
#include "core/roc.h"

/* Channel lock held. */
void roc_hold(struct roc_channel *ch, struct roc_held *held)
{
	lockdep_assert_held(&ch->lock);
	list_add(&held->node, &ch->held);
}

/* Only when the card cannot write any more. Channel lock held. */
void roc_held_free(struct roc_channel *ch)
{
	struct roc_held *held, *next;

	lockdep_assert_held(&ch->lock);
	list_for_each_entry_safe (held, next, &ch->held, node) {
		list_del(&held->node);
		held->free(held, ch->ep);
	}
}

/* The device loses its driver, and the card was never stopped: was there something? */
bool roc_held_abandon(struct roc_channel *ch)
{
	bool any = !list_empty(&ch->held);
	struct roc_held *held, *next;

	list_for_each_entry_safe (held, next, &ch->held, node) {
		list_del(&held->node);
		held->abandon(held, ch->ep);
	}
	return any;
}
