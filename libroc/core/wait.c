// SPDX-License-Identifier: LGPL-2.1-or-later
/* Push, pop and wait for single superpages, and wake the driver. */
#include <errno.h>
#include <time.h>

#include "libroc.h"

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

uint64_t libroc_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

uint64_t libroc_deadline(int timeout_ms)
{
	return timeout_ms < 0 ? INT64_MAX : libroc_now() + timeout_ms * NSEC_PER_MSEC;
}

int roc_channel_wait(struct roc_channel *ch, unsigned int min_ready, int timeout_ms)
{
	struct roc_rings *r = &ch->rings;
	struct roc_ch_wait arg = {.size = sizeof(arg), .min_ready = min_ready};
	uint32_t count;
	int ret;

	ret = libroc_need_rings(ch);
	if (ret)
		return ret;
	if (min_ready > r->ready_mask + 1)
		return roc_fail(EINVAL,
				"%s: cannot wait for %u superpages: the ready ring holds %u",
				ch->name, min_ready, r->ready_mask + 1);
	if (timeout_ms < -1)
		return roc_fail(EINVAL,
				"%s: invalid timeout %d ms: use -1 for no limit, or at least 0",
				ch->name, timeout_ms);
	count = roc_ready_count(r);
	if (count >= min_ready)
		return count;
	arg.deadline = libroc_deadline(timeout_ms);
	ret = libroc_node_ioctl(&ch->node, ROC_CH_WAIT, &arg);
	count = roc_ready_count(r);
	switch (-ret) {
	case 0:
		return count;
	case ETIME:
		/* Superpages may have become ready after the kernel's last check. */
		if (count >= min_ready)
			return count;
		if (ch->mode == ROC_MODE_BUSY)
			return roc_fail(
				ETIME,
				"%s: timed out with %u of %u superpages after %d ms: in busy mode only roc_channel_poll() polls the card: call it, or choose another mode with roc_channel_mode()",
				ch->name, count, min_ready, timeout_ms);
		return roc_fail(
			ETIME,
			"%s: timed out with %u of %u superpages after %d ms: check that there are free superpages in the fill ring and that the source sends data",
			ch->name, count, min_ready, timeout_ms);
	case ENODEV:
		/* Superpages that were filled before the card went away can still be read. */
		if (count)
			return count;
		return libroc_fail_ioctl(ENODEV, ch->name, "cannot wait");
	case EINTR:
		return libroc_fail_text(
			EINTR, "the wait was interrupted by a signal: call again to continue");
	default:
		return libroc_fail_ioctl(-ret, ch->name, "cannot wait");
	}
}

static int kick(struct roc_channel *ch, uint32_t flags)
{
	struct roc_ch_control arg = {.size = sizeof(arg), .flags = flags};
	int ret;

	ret = libroc_need_rings(ch);
	if (ret)
		return ret;
	ret = libroc_node_ioctl(&ch->node, ROC_CH_KICK, &arg);
	if (ret == -EALREADY)
		return libroc_channel_idle(ch, "start it first");
	if (ret < 0)
		return libroc_fail_ioctl(-ret, ch->name, "cannot kick");
	return arg.count;
}

int roc_channel_poll(struct roc_channel *ch)
{
	return kick(ch, ROC_KICK_POLL);
}

int roc_channel_look(struct roc_channel *ch)
{
	return roc_channel_poll(ch);
}

int roc_channel_kick(struct roc_channel *ch)
{
	return kick(ch, 0);
}

int roc_channel_eventfd(struct roc_channel *ch, int eventfd)
{
	return libroc_eventfd(&ch->node, ch->name, eventfd);
}

int roc_push(struct roc_channel *ch, uint32_t handle, uint64_t offset, uint32_t length,
	     uint64_t cookie)
{
	struct roc_rings *r = &ch->rings;
	struct roc_fill *entry;
	int ret;

	ret = libroc_need_rings(ch);
	if (ret)
		return ret;
	if (__atomic_load_n(&r->kernel->flags, __ATOMIC_RELAXED) & ROC_RING_GONE)
		return libroc_fail_ioctl(ENODEV, ch->name, "cannot push a superpage");
	entry = roc_fill_next(r);
	if (!entry)
		return libroc_fail_text(
			EAGAIN,
			"the fill ring is full: wait until superpages become ready, or make a larger one with roc_channel_rings()");
	*entry = (struct roc_fill){
		.buffer = handle,
		.length = length,
		.offset = offset,
		.cookie = cookie,
	};
	return roc_fill_publish(r) ? roc_channel_kick(ch) : 0;
}

int roc_pop(struct roc_channel *ch, struct roc_ready *ready)
{
	const struct roc_ready *entry;
	int ret;

	ret = libroc_need_rings(ch);
	if (ret)
		return ret;
	entry = roc_ready_peek(&ch->rings);
	if (!entry)
		return 0;
	*ready = *entry;
	roc_ready_release(&ch->rings, 1);
	return 1;
}
