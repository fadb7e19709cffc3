// SPDX-License-Identifier: LGPL-2.1-or-later
/* Wait for the descriptors and completions of a sub-unit. */
#include <errno.h>

#include "fragment.h"
#include "libroc.h"

/* Numbers of new entries that end a wait */
struct threshold {
	uint32_t data, done; /* 0: do not wait for these */
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * Return half of the pages that the card owns of the link with the fewest. A link without pages
 * stops, and may hold up the others, so a wait for more entries could last for ever. Links that
 * never had pages do not send. Return 1 if the card has no pages at all.
 */
static uint32_t few_pages(const struct roc_fragments *f)
{
	uint32_t pages = UINT32_MAX;
	unsigned int link;

	for (link = 0; link < f->links; link++)
		if (f->with_card[link])
			pages = least(pages, f->with_card[link]);
	return pages > 1 && pages < UINT32_MAX ? pages / 2 : 1;
}

/*
 * Check whether the last of @threshold entries of a ring is present, and so all before it. Return
 * 1, 0, or -EBADMSG if the card skipped the first one: then the reader can consume nothing.
 */
static int reached(struct roc_fragments *f, enum libroc_fragment_lane lane, uint32_t threshold)
{
	const void *ring = lane == LIBROC_LANE_DONE ? (const void *)f->completions
						    : (const void *)f->descriptors;
	uint32_t entries = lane == LIBROC_LANE_DONE ? f->command_entries : f->descriptor_entries;
	uint32_t next = lane == LIBROC_LANE_DONE ? f->done : f->taken, word;

	if (!threshold)
		return 0;
	if (!libroc_fragment_there(ring, entries, next + threshold - 1, f->start, &word))
		return libroc_fragment_check_skipped(f, lane);
	if (!libroc_fragment_there(ring, entries, next, f->start, &word))
		return libroc_fail_skipped(f, lane, next + threshold - 1);
	return 1;
}

/* Return which thresholds are reached, as bits of enum roc_fragments_there, or -EBADMSG. */
static int there(struct roc_fragments *f, struct threshold w)
{
	int data = reached(f, LIBROC_LANE_DATA, w.data), done;

	if (data < 0)
		return data;
	done = reached(f, LIBROC_LANE_DONE, w.done);
	if (done < 0)
		return done;
	return (data ? ROC_FRAGMENTS_DATA : 0) | (done ? ROC_FRAGMENTS_DONE : 0);
}

/* For a stopped sub-unit: return which rings have any entries left, even below the threshold. */
static int left(struct roc_fragments *f, struct threshold w)
{
	uint32_t flags = __atomic_load_n(&f->kernel->flags, __ATOMIC_ACQUIRE);
	int data = reached(f, LIBROC_LANE_DATA, !!w.data), bits = 0;

	if (data > 0)
		bits |= ROC_FRAGMENTS_DATA;
	/* roc_fragments_done() reports outstanding requests with an error. */
	if (w.done && f->outstanding)
		bits |= ROC_FRAGMENTS_DONE;
	if (bits || data < 0)
		return bits ? bits : data;
	return flags & ROC_FR_GONE ? libroc_fail_ioctl(ENODEV, f->c.name, "cannot wait") : 0;
}

static int fail_time(const struct roc_fragments *f, struct threshold w, int timeout_ms)
{
	return roc_fail(
		ETIME,
		"%s: timed out after %d ms waiting for %u fragments or %u of %u requests: check that its links send (roc-status), and that kept events are cleared",
		f->c.name, timeout_ms, w.data, w.done, f->outstanding);
}

int roc_fragments_wait(struct roc_fragments *f, unsigned int data, unsigned int done,
		       int timeout_ms)
{
	struct roc_fr_wait arg = {.size = sizeof(arg)};
	struct threshold w;
	int bits, ret = libroc_need_fragment_rings(f);

	if (ret)
		return ret;
	if (timeout_ms < -1)
		return roc_fail(EINVAL,
				"%s: invalid timeout %d ms: use -1 for no limit, or at least 0",
				f->c.name, timeout_ms);
	ret = roc_fragments_flush(f);
	if (ret)
		return ret;
	w.data = least(data, few_pages(f));
	w.done = least(done, least(f->outstanding, f->command_entries / 2));
	if (!w.data && !w.done)
		return 0;
	if (!roc_fragments_running(f))
		return left(f, w);
	bits = there(f, w);
	if (bits)
		return bits;
	arg.mask = (w.data ? ROC_FR_WAIT_DATA : 0) | (w.done ? ROC_FR_WAIT_DONE : 0);
	arg.descriptors = f->taken + w.data;
	arg.completions = f->done + w.done;
	arg.deadline = libroc_deadline(timeout_ms);
	ret = libroc_node_ioctl(&f->c.node, ROC_FR_WAIT, &arg);
	/* Entries may have arrived after the kernel's last check. */
	bits = there(f, w);
	if (bits)
		return bits;
	switch (-ret) {
	case 0:
		return left(f, w);
	case ETIME:
		return fail_time(f, w, timeout_ms);
	case EINTR:
		return libroc_fail_text(
			EINTR, "the wait was interrupted by a signal: call again to continue");
	default:
		return libroc_fail_ioctl(-ret, f->c.name, "cannot wait");
	}
}
