// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lend superpages: from the ready ring to the consumer, and back through the fill ring at once. The
 * cookie of a fill entry is the index of its buffer in the lender's list.
 */
#include <errno.h>
#include <stdlib.h>

#include "lend.h"
#include "libroc.h"

static int release(struct roc_lender *l, const struct libroc_loan *loan, bool *kick)
{
	struct roc_rings *r = &l->ch->rings;
	struct roc_fill *entry = roc_fill_next(r);

	if (!entry)
		return roc_fail(
			EAGAIN,
			"%s: the fill ring is full, because superpages were pushed by other callers than the lender: push only with roc_lender_add()",
			l->ch->name);
	*entry = loan->fill;
	*kick = roc_fill_publish(r);
	return 0;
}

static int kick_driver(struct roc_lender *l)
{
	int ret = roc_channel_kick(l->ch);

	/*
	 * The superpage is in the fill ring, so neither error loses it. If the card was removed,
	 * roc_lender_wait() reports it; if the run has ended, the next start uses the superpage.
	 */
	return ret == -ENODEV || ret == -EALREADY ? 0 : ret;
}

/* Push an unfilled superpage back into the fill ring for the next start. */
static int put_back(struct roc_lender *l, const struct roc_ready *e)
{
	struct libroc_loan loan = {.fill = {.buffer = e->buffer,
					    .length = e->length,
					    .offset = e->offset,
					    .cookie = e->cookie}};
	bool kick = false;
	int ret;

	pthread_mutex_lock(&l->lock);
	ret = release(l, &loan, &kick);
	pthread_mutex_unlock(&l->lock);
	if (ret)
		return ret;
	roc_ready_release(&l->ch->rings, 1);
	return kick ? kick_driver(l) : 0;
}

/* Check that the lender pushed this superpage. Of others it does not know the address. */
static bool is_known(const struct roc_lender *l, const struct roc_ready *e)
{
	return e->cookie < l->buffer_count && l->buffers[e->cookie].handle == e->buffer;
}

static int peek(struct roc_lender *l, struct libroc_loan *loan)
{
	const struct roc_ready *e;
	int ret;

	while ((e = roc_ready_peek(&l->ch->rings)) && e->flags & ROC_READY_RECLAIMED &&
	       is_known(l, e)) {
		ret = put_back(l, e);
		if (ret)
			return ret;
	}
	if (!e)
		return 0;
	if (!is_known(l, e)) {
		ret = roc_fail(
			EBADMSG,
			"%s: a superpage was ready that the lender did not push: push only with roc_lender_add()",
			l->ch->name);
		roc_ready_release(&l->ch->rings, 1);
		return ret;
	}
	if (e->flags & ROC_READY_REFUSED) {
		ret = roc_fail(EBADMSG, "%s: a superpage was refused: %s", l->ch->name,
			       roc_reason_text(e->reason));
		l->superpages--;
		roc_ready_release(&l->ch->rings, 1);
		return ret;
	}
	*loan = (struct libroc_loan){
		.unit = {.data = l->buffers[e->cookie].addr + e->offset,
			 .length = e->received,
			 .offset = e->offset,
			 .buffer = e->buffer,
			 .link = e->link,
			 .flags = e->flags & (ROC_READY_DAMAGED | ROC_READY_SHORT)
					  ? ROC_UNIT_DAMAGED
					  : 0,
			 .run = e->run},
		.fill = {.buffer = e->buffer,
			 .length = e->length,
			 .offset = e->offset,
			 .cookie = e->cookie},
		.held = e->length,
	};
	return 1;
}

static void taken(struct roc_lender *l, const struct libroc_loan *loan)
{
	roc_ready_release(&l->ch->rings, 1);
}

/* Report that no superpage is ready and the channel does not run. */
static int fail_ended(struct roc_lender *l)
{
	struct roc_ch_info info;
	int ret;

	ret = roc_channel_info(l->ch, &info);
	if (ret)
		return ret;
	if (info.state == ROC_CH_FAILED)
		return roc_fail(ENODATA, "%s: the channel failed: %s", l->ch->name,
				roc_reason_text(info.reason));
	return roc_fail(
		ENODATA,
		"%s: the channel does not run and has no superpage left: start it with roc_channel_start()",
		l->ch->name);
}

static int wait_ready(struct roc_lender *l, int timeout_ms)
{
	int ret = roc_channel_wait(l->ch, 1, timeout_ms);

	if (ret < 0)
		return ret;
	return ret ? 0 : fail_ended(l);
}

static const struct libroc_lend_type pool = {
	.peek = peek,
	.taken = taken,
	.release = release,
	.kick = kick_driver,
	.wait = wait_ready,
};

int roc_lender_pool(struct roc_channel *ch, unsigned int limit, struct roc_lender **lender)
{
	int ret;

	ret = libroc_need_rings(ch);
	if (ret)
		return ret;
	if (roc_fill_space(&ch->rings) <= ch->rings.fill_mask || roc_ready_peek(&ch->rings))
		return roc_fail(
			EBUSY,
			"%s: the rings contain superpages that were pushed before: close the channel and open it again",
			ch->name);
	ret = libroc_lender_new(&pool, &ch->node, limit, lender);
	if (!ret)
		(*lender)->ch = ch;
	return ret;
}

/*
 * Number of superpages that can be added. The fill ring must have space for all superpages in
 * circulation, including those that are lent or in the ready ring. If other callers push, it has
 * less space than that.
 */
static uint32_t fill_space(struct roc_lender *l)
{
	uint32_t now, all = l->ch->rings.fill_mask + 1 - l->superpages;

	pthread_mutex_lock(&l->lock);
	now = roc_fill_space(&l->ch->rings);
	pthread_mutex_unlock(&l->lock);
	return now < all ? now : all;
}

/* Push all superpages of the newest buffer. The caller has checked the space. */
static int push_all(struct roc_lender *l, size_t length, uint32_t superpage)
{
	struct libroc_loan loan = {.fill = {.buffer = l->buffers[l->buffer_count - 1].handle,
					    .length = superpage,
					    .cookie = l->buffer_count - 1}};
	bool kick = false, any = false;
	int ret = 0;

	pthread_mutex_lock(&l->lock);
	for (; loan.fill.offset < length && !ret; loan.fill.offset += superpage) {
		ret = release(l, &loan, &kick);
		any |= kick;
	}
	pthread_mutex_unlock(&l->lock);
	if (ret)
		return ret;
	return any ? kick_driver(l) : 0;
}

int roc_lender_add(struct roc_lender *l, void *addr, size_t length, uint32_t superpage)
{
	struct libroc_lend_buffer *more;
	uint32_t handle, left;
	int ret;

	if (l->type != &pool)
		return libroc_fail_text(
			EINVAL,
			"cannot add a buffer to a lender of a stream or a sub-unit: only the lender of a pool uses buffers");
	if (!superpage || !length || length % superpage)
		return roc_fail(
			EINVAL,
			"%s: a buffer of %zu bytes is not a multiple of the superpage size of %u bytes",
			l->ch->name, length, superpage);
	ret = libroc_need_rings(l->ch);
	if (ret)
		return ret;
	left = fill_space(l);
	if (length / superpage > left)
		return roc_fail(
			ENOSPC,
			"%s: cannot add %zu superpages, because the fill ring has space for %u more: make larger rings with roc_channel_rings(), or use larger superpages",
			l->ch->name, length / superpage, left);
	more = reallocarray(l->buffers, l->buffer_count + 1, sizeof(*more));
	if (!more)
		return libroc_fail_text(ENOMEM, "cannot allocate the list of a lender's buffers");
	l->buffers = more;
	ret = roc_buffer_register(l->ch, addr, length, superpage, &handle);
	if (ret)
		return ret;
	l->buffers[l->buffer_count++] = (struct libroc_lend_buffer){.addr = addr, .handle = handle};
	l->superpages += length / superpage;
	return push_all(l, length, superpage);
}
