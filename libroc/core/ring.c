// SPDX-License-Identifier: LGPL-2.1-or-later
/* Make and map the rings of a channel. The fast path is inline in roc/rings.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libroc.h"

int libroc_need_rings(const struct roc_channel *ch)
{
	int ret = libroc_need_opener(&ch->node, ch->name);

	if (ret || ch->have_rings)
		return ret;
	return roc_fail(
		EPIPE,
		"%s: the rings do not exist yet: call roc_channel_rings() or roc_channel_start() first",
		ch->name);
}

static int map_rings(struct roc_channel *ch)
{
	const struct roc_ch_rings *made = &ch->made;
	struct roc_rings *r = &ch->rings;
	const void *kernel = NULL;
	void *user;
	int err = 0;

	user = libroc_node_map(&ch->node, made->user_length, made->user_offset,
			       PROT_READ | PROT_WRITE, &err);
	if (user)
		kernel = libroc_node_map(&ch->node, made->kernel_length, made->kernel_offset,
					 PROT_READ, &err);
	if (!kernel) {
		libroc_node_unmap(&ch->node, user, made->user_length);
		return libroc_fail_map(err, ch->name, "cannot map the rings");
	}
	r->user = user;
	r->kernel = kernel;
	r->fill = (struct roc_fill *)((char *)user + made->fill_entries_offset);
	r->ready = (const struct roc_ready *)((char *)kernel + made->ready_entries_offset);
	r->fill_mask = made->fill_entries - 1;
	r->ready_mask = made->ready_entries - 1;
	/* The kernel chooses the initial value of its counters. */
	r->fill_cons = __atomic_load_n(&r->kernel->fill_cons, __ATOMIC_ACQUIRE);
	r->ready_prod = __atomic_load_n(&r->kernel->ready_prod, __ATOMIC_ACQUIRE);
	r->fill_prod = r->user->fill_prod;
	r->ready_cons = r->user->ready_cons;
	ch->have_rings = true;
	return 0;
}

static int make_rings(struct roc_channel *ch, unsigned int fill, unsigned int ready)
{
	struct roc_ch_rings arg = {
		.size = sizeof(arg), .fill_entries = fill, .ready_entries = ready};
	int ret = libroc_node_ioctl(&ch->node, ROC_CH_RINGS, &arg);

	switch (-ret) {
	case 0:
		ch->made = arg;
		return 0;
	case EBUSY:
		return roc_fail(
			EBUSY,
			"%s: the rings exist already: they are made once per open; close the channel to change their size",
			ch->name);
	case EINVAL:
		return roc_fail(
			EINVAL,
			"%s: rings of %u and %u entries: each must be a power of two from %d to %d, or 0 for %d",
			ch->name, fill, ready, ROC_RING_MIN, ROC_RING_MAX, ROC_RING_DEFAULT);
	default:
		return libroc_fail_ioctl(-ret, ch->name, "cannot make the rings");
	}
}

int roc_channel_rings(struct roc_channel *ch, unsigned int fill, unsigned int ready)
{
	int ret;

	ret = libroc_need_opener(&ch->node, ch->name);
	if (ret)
		return ret;
	if (!ch->made.size || ch->have_rings) {
		ret = make_rings(ch, fill, ready);
		if (ret)
			return ret;
	}
	return map_rings(ch);
}

struct roc_rings *roc_channel_ring(struct roc_channel *ch)
{
	return ch->have_rings && libroc_is_opener(&ch->node) ? &ch->rings : NULL;
}
