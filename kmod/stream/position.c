// SPDX-License-Identifier: GPL-2.0-only
/*
 * Validate the positions of a stream. See position.h.
 */
#include "stream/position.h"

/* Negative if @a lies before @b. */
static __s32 roc_position_ahead(__u32 a, __u32 b)
{
	return (__s32)(a - b);
}

/*
 * The reader may move while the caller loads the positions. Its position is then newer than
 * @written and may lie beyond it, but not beyond @later. An invalid position of the reader is not
 * used to check the card.
 */
_Bool roc_position_update(struct roc_position *p, __u32 written, __u32 read, __u32 card_read,
			  __u32 later)
{
	_Bool good = roc_position_ahead(read, p->read) >= 0 && roc_position_ahead(later, read) >= 0;
	__u32 from = good ? read : p->read;

	if (roc_position_ahead(written, p->written) < 0 || roc_position_ahead(later, written) < 0)
		return 0;
	if (roc_position_ahead(written, from) > (__s32)p->lines &&
	    roc_position_ahead(card_read, from) > 0 && roc_position_ahead(later, card_read) >= 0) {
		from = card_read;
		good = 0;
	}
	if (roc_position_ahead(written, from) > (__s32)p->lines)
		return 0;
	p->bad += !good && (!p->wrong || p->wrong_read != read);
	p->wrong = !good;
	p->wrong_read = read;
	p->read = from;
	p->written = roc_position_ahead(from, written) > 0 ? from : written;
	return 1;
}

void roc_position_update_taken(struct roc_position *p, __u32 taken)
{
	if (taken != p->taken) {
		p->taken = taken;
		p->passed = 0;
	}
	if (roc_position_ahead(p->taken, p->read) <= 0)
		p->passed = 1;
}

__u32 roc_position_unread(const struct roc_position *p)
{
	return !p->passed && p->taken - p->read <= p->written - p->read ? p->taken : p->read;
}
