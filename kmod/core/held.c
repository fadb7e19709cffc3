// SPDX-License-Identifier: GPL-2.0-only
/*
 * What its owner gave up while the card might still write to it. See struct roc_held.
 */
#include "core/roc.h"

/* Channel lock held. */
void roc_hold(struct roc_channel *ch, struct roc_held *held)
{
	held->next = ch->held;
	ch->held = held;
}

/* Only when the card cannot write any more. Channel lock held. */
void roc_held_free(struct roc_channel *ch)
{
	struct roc_held *held;

	while ((held = ch->held)) {
		ch->held = held->next;
		held->free(held, ch->ep);
	}
}

/* The device loses its driver, and the card was never stopped: was there something? */
bool roc_held_abandon(struct roc_channel *ch)
{
	bool any = ch->held;
	struct roc_held *held;

	while ((held = ch->held)) {
		ch->held = held->next;
		held->abandon(held, ch->ep);
	}
	return any;
}
