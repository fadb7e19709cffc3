// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Track lent units: which are lent, since when, and whether a returned unit is one of them. The
 * lender type defines what a unit is and how its memory returns to the card.
 *
 * A handle is a unit's number and its slot, so the look-up is one array access and a repeated
 * return is detected. The lent units are a list in the order in which they were taken. Its head is
 * the oldest; for a stream, the card may write up to there.
 */
#include <errno.h>
#include <stdlib.h>

#include "handle.h"
#include "lend.h"
#include "libroc.h"

static const char lender_name[] = "the lender's channel";

int libroc_lender_new(const struct libroc_lend_type *type, const struct libroc_node *node,
		      unsigned int limit, struct roc_lender **lender)
{
	struct roc_lender *l;
	uint32_t i;

	if (!limit || limit > ROC_LENDER_MAX)
		return roc_fail(EINVAL,
				"cannot make a lender of %u units: the limit must be from 1 to %d",
				limit, ROC_LENDER_MAX);
	l = calloc(1, sizeof(*l));
	if (l)
		l->slots = calloc(limit, sizeof(*l->slots));
	if (!l || !l->slots) {
		free(l);
		return roc_fail(ENOMEM, "cannot allocate the table of a lender of %u units", limit);
	}
	l->type = type;
	l->node = node;
	pthread_mutex_init(&l->lock, NULL);
	while (1u << l->shift < limit)
		l->shift++;
	for (i = 0; i < limit; i++)
		l->slots[i].newer = i + 1 < limit ? i + 1 : LIBROC_LEND_NONE;
	l->oldest = LIBROC_LEND_NONE;
	l->newest = LIBROC_LEND_NONE;
	l->lent.limit = limit;
	*lender = l;
	return 0;
}

int roc_lender_close(struct roc_lender *l)
{
	struct roc_lent lent;

	if (!l)
		return 0;
	/*
	 * In a child of the opener, the units belong to the parent, and a thread of the parent may
	 * have held the lock during fork().
	 */
	if (!libroc_is_opener(l->node))
		goto release;
	roc_lender_lent(l, &lent);
	if (lent.count)
		return roc_fail(
			EBUSY,
			"%u units are lent, the oldest (number %llu) for %llu ms: return them before the lender is closed",
			lent.count, (unsigned long long)lent.oldest,
			(unsigned long long)(lent.oldest_ns / 1000000));
	if (l->type->close)
		l->type->close(l);
	pthread_mutex_destroy(&l->lock);
release:
	free(l->buffers);
	free(l->slots);
	free(l);
	return 0;
}

/* Slot number of a handle, which may exceed the number of slots */
static uint32_t place(const struct roc_lender *l, uint64_t handle)
{
	return handle & ((1u << l->shift) - 1);
}

static bool is_out(const struct roc_lender *l, uint32_t index, uint64_t handle)
{
	return handle && index < l->lent.limit && l->slots[index].loan.unit.handle == handle &&
	       !l->slots[index].returned;
}

/* Turn a free slot into the newest lent one. */
static void lend(struct roc_lender *l, uint32_t index, const struct libroc_loan *loan)
{
	struct libroc_lend_slot *slot = &l->slots[index];

	l->free = slot->newer;
	slot->loan = *loan;
	slot->returned = false;
	slot->older = l->newest;
	slot->newer = LIBROC_LEND_NONE;
	if (l->newest == LIBROC_LEND_NONE)
		l->oldest = index;
	else
		l->slots[l->newest].newer = index;
	l->newest = index;
	l->lent.taken++;
	l->lent.count++;
	l->lent.bytes += loan->unit.length;
	l->lent.held += loan->held;
}

/* Free a lent slot. */
static void forget(struct roc_lender *l, uint32_t index)
{
	struct libroc_lend_slot *slot = &l->slots[index];

	if (slot->older == LIBROC_LEND_NONE)
		l->oldest = slot->newer;
	else
		l->slots[slot->older].newer = slot->newer;
	if (slot->newer == LIBROC_LEND_NONE)
		l->newest = slot->older;
	else
		l->slots[slot->newer].older = slot->older;
	l->lent.held -= slot->loan.held;
	slot->loan.unit.handle = 0;
	slot->newer = l->free;
	l->free = index;
}

int roc_lender_take(struct roc_lender *l, struct roc_unit *unit)
{
	struct libroc_loan loan;
	uint32_t index;
	int ret;

	ret = libroc_need_opener(l->node, lender_name);
	if (ret)
		return ret;
	ret = l->type->peek(l, &loan);
	if (ret <= 0)
		return ret;
	loan.unit.time = libroc_now();
	pthread_mutex_lock(&l->lock);
	index = l->free;
	if (index != LIBROC_LEND_NONE) {
		loan.unit.sequence = l->lent.taken;
		loan.unit.handle = libroc_handle(l->lent.taken, l->shift, index);
		lend(l, index, &loan);
	}
	pthread_mutex_unlock(&l->lock);
	if (index == LIBROC_LEND_NONE)
		return libroc_fail_text(
			EAGAIN,
			"the lender has reached its limit of lent units: return some, or make it with a higher limit (roc_lender_lent() reports the age of the oldest)");
	l->type->taken(l, &loan);
	*unit = loan.unit;
	return 1;
}

int roc_lender_wait(struct roc_lender *l, int timeout_ms)
{
	int ret = libroc_need_opener(l->node, lender_name);

	return ret ? ret : l->type->wait(l, timeout_ms);
}

/* Report a handle that is no longer lent, or never was. */
static int fail_handle(const struct roc_lender *l, uint64_t handle, uint64_t taken)
{
	uint64_t number = handle >> l->shift;

	if (number && (number <= taken || taken > UINT64_MAX >> l->shift) &&
	    place(l, handle) < l->lent.limit)
		return roc_fail(ENOENT, "unit %llu was already returned: return each unit once",
				(unsigned long long)libroc_handle_count(handle, l->shift, taken));
	return roc_fail(
		EINVAL,
		"there is no unit with handle 0x%llx: pass the handle from roc_lender_take() to the same lender",
		(unsigned long long)handle);
}

/*
 * Release the memory of a returned unit to the card, at once unless the type is in_order. In order,
 * release it only if no older unit is lent, together with the returned units behind it, by one call
 * of the type's release().
 */
static int release_unit(struct roc_lender *l, uint32_t index, bool *kick)
{
	struct libroc_lend_slot *slot = &l->slots[index];
	struct libroc_loan last;
	int ret;

	if (!l->type->in_order) {
		ret = l->type->release(l, &slot->loan, kick);
		if (ret)
			return ret;
		forget(l, index);
		return 0;
	}
	slot->returned = true;
	l->lent.waiting++;
	if (index != l->oldest)
		return 0;
	while (l->oldest != LIBROC_LEND_NONE && l->slots[l->oldest].returned) {
		last = l->slots[l->oldest].loan;
		forget(l, l->oldest);
		l->lent.waiting--;
	}
	return l->type->release(l, &last, kick);
}

int roc_lender_return(struct roc_lender *l, uint64_t handle)
{
	uint32_t index = place(l, handle);
	uint64_t length;
	bool kick = false;
	int ret;

	ret = libroc_need_opener(l->node, lender_name);
	if (ret)
		return ret;
	pthread_mutex_lock(&l->lock);
	if (is_out(l, index, handle)) {
		length = l->slots[index].loan.unit.length;
		ret = release_unit(l, index, &kick);
		if (!ret) {
			l->lent.count--;
			l->lent.returned++;
			l->lent.bytes -= length;
		}
	} else {
		ret = fail_handle(l, handle, l->lent.taken);
	}
	/*
	 * Kick under the lock: after the unlock, another thread may close the lender and its
	 * channel.
	 */
	if (kick)
		ret = l->type->kick(l);
	pthread_mutex_unlock(&l->lock);
	return ret;
}

void roc_lender_lent(struct roc_lender *l, struct roc_lent *lent)
{
	uint64_t now = libroc_now(), since = now;

	pthread_mutex_lock(&l->lock);
	*lent = l->lent;
	if (l->oldest != LIBROC_LEND_NONE) {
		lent->oldest = l->slots[l->oldest].loan.unit.sequence;
		since = l->slots[l->oldest].loan.unit.time;
	}
	pthread_mutex_unlock(&l->lock);
	/* The oldest unit may have been taken after the clock was read. */
	lent->oldest_ns = now > since ? now - since : 0;
}
