// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runs of --find-latency. Each run opens the channel again, so that no superpages of the run
 * before are in the card.
 */
#include "latency.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "utils/common/card.h"
#include "utils/common/clock.h"
#include "utils/common/numbers.h"
#include "utils/common/tool.h"

#define WAIT_MS 100
#define REFRESH_SECONDS 0.3    /* longer than the driver keeps its copy of the counters */
#define START_SECONDS_MAX 10.0 /* until the first superpages arrive */

/* A run, with an open channel and its memory. */
struct run {
	struct roc_channel *ch;
	uint32_t buffer, superpage;
	uint64_t bytes, count; /* of received superpages */
};

static double now(void)
{
	return (double)now_ns() / NS_PER_S;
}

/* Return finished superpages to the card at once. 0, or -errno with the message in roc_error(). */
static int return_finished(struct run *r)
{
	struct roc_ready ready;
	int err;

	while ((err = roc_pop(r->ch, &ready)) == 1) {
		if (!(ready.flags & ROC_READY_FILLED))
			return roc_fail(EIO, "The channel stopped in the middle of the run.");
		if (ready.flags & (ROC_READY_DAMAGED | ROC_READY_SHORT))
			return roc_fail(
				EIO,
				"The card flagged a superpage as damaged, or filled it only partly without a reason: see the counters of the channel in roc-status.");
		r->bytes += ready.received;
		r->count++;
		err = roc_push(r->ch, r->buffer, ready.offset, r->superpage, 0);
		if (err)
			return err;
	}
	return err;
}

/* Take data for @seconds, or until @count superpages were received. */
static int flow(struct run *r, double seconds, uint64_t count)
{
	double end = now() + seconds;
	int err = 0;

	while (!err && now() < end && r->count < count && !stop_requested()) {
		err = roc_channel_wait(r->ch, 1, WAIT_MS);
		if (err == -ETIME || err == -EINTR)
			err = 0;
		if (err >= 0)
			err = return_finished(r);
	}
	return err;
}

/* End the run at the first dropped packet: the depth is not sufficient. */
static int flow_until_dropped(struct run *r, double seconds, uint64_t dropped)
{
	double end = now() + seconds, left;
	struct roc_ch_info info = {0};
	int err = 0;

	while (!err && (left = end - now()) > 0 && !stop_requested()) {
		err = flow(r, left < REFRESH_SECONDS ? left : REFRESH_SECONDS, UINT64_MAX);
		if (!err)
			err = roc_channel_info(r->ch, &info);
		if (!err && info.dropped != dropped)
			break;
	}
	return err;
}

static unsigned int ring_entries(unsigned int superpages)
{
	unsigned int entries = ROC_RING_MIN;

	while (entries < superpages)
		entries *= 2;
	return entries;
}

static int fill(struct run *r, unsigned int superpages)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < superpages && !err; i++)
		err = roc_push(r->ch, r->buffer, (uint64_t)i * r->superpage, r->superpage, 0);
	return err;
}

static int measure(struct run *r, const struct latency_options *o, struct latency_step *step,
		   unsigned int superpages)
{
	struct roc_ch_info before = {0}, after = {0};
	double begin;
	unsigned int i;
	int err;

	err = roc_channel_rings(r->ch, ring_entries(superpages), ring_entries(superpages));
	if (!err)
		err = fill(r, superpages);
	if (!err)
		err = roc_channel_start(r->ch);
	if (err)
		return err;
	/*
	 * The card starts before it can use its first superpages, and drops the data until then.
	 * The driver's copy of the counters may be a tenth of a second old.
	 */
	err = flow(r, START_SECONDS_MAX, superpages);
	if (!err)
		err = flow(r, REFRESH_SECONDS, UINT64_MAX);
	if (!err)
		err = roc_channel_info(r->ch, &before);
	begin = now();
	r->bytes = 0;
	if (!err)
		err = flow_until_dropped(r, (double)o->seconds, before.dropped);
	step->seconds = now() - begin;
	step->bytes = r->bytes;
	if (!err)
		err = flow(r, REFRESH_SECONDS, UINT64_MAX);
	if (!err)
		err = roc_channel_info(r->ch, &after);
	/* After an error the channel is stopped already, and roc_error() has the reason. */
	if (!err)
		err = roc_channel_stop(r->ch, NULL);
	step->dropped = counter32_since(before.dropped, after.dropped);
	step->empty = counter32_since(before.fifo_empty, after.fifo_empty);
	for (i = 0; i < ROC_GAPS; i++)
		step->gaps[i] = after.gaps[i] - before.gaps[i];
	return err;
}

static int run_depth(const struct roc_card *card, const struct latency_options *o,
		     const struct roc_memory *memory, const struct latency *l,
		     struct latency_step *step)
{
	const struct roc_channel_config config = {.source = (enum roc_source)o->source,
						  .mode = (enum roc_mode)o->mode};
	struct run r = {.superpage = l->superpage};
	int err;

	err = roc_channel_open_card(card, o->id, o->channel, &r.ch);
	if (err)
		return err;
	err = roc_channel_configure(r.ch, &config);
	if (!err)
		err = roc_buffer_register(r.ch, memory->addr, memory->length, l->superpage,
					  &r.buffer);
	if (!err)
		err = measure(&r, o, step, step->depth * l->links);
	roc_channel_close(r.ch);
	return err;
}

/* Check the card and get its properties: exit code, with the message printed. */
static int check_card(const struct roc_card *card, const struct latency_options *o,
		      struct latency *l, unsigned int *flags)
{
	struct roc_ch_info channel = {0};
	const struct card_type *kind;
	struct roc_ep_info info = {0};
	struct roc_endpoint *ep;
	struct roc_channel *ch;
	int err;

	if (roc_open_card(card, o->id, &ep))
		return tool_fail("%s", roc_error());
	err = roc_info(ep, &info);
	roc_close(ep);
	if (err)
		return tool_fail("%s", roc_error());
	kind = card_type_find((enum roc_card_type)info.card_type);
	if (!kind || !kind->drops)
		return tool_fail(
			"--find-latency is for a CRU: %s stops its links while it has no superpage, and drops nothing.",
			card_name((enum roc_card_type)info.card_type));
	if (o->superpage % info.superpage_align || o->superpage > info.superpage_max)
		return tool_fail("--superpage-size must be a multiple of %u, and at most %u.",
				 info.superpage_align, info.superpage_max);
	if (roc_channel_open_card(card, o->id, o->channel, &ch))
		return tool_fail("%s", roc_error());
	err = roc_channel_info(ch, &channel);
	roc_channel_close(ch);
	if (err)
		return tool_fail("%s", roc_error());
	l->links = (unsigned int)__builtin_popcount(channel.links);
	if (!l->links)
		return tool_fail("%s has no link enabled: see roc-config --links.",
				 card_called(card, o->id));
	l->fifo = info.fifo_depth;
	l->superpage = (uint32_t)o->superpage;
	strcpy(l->address, card->pci_address);
	*flags = info.caps & ROC_CAP_IOMMU ? ROC_MEMORY_PLAIN_OK : 0;
	return TOOL_OK;
}

static int run_all(const struct roc_card *card, const struct latency_options *o, struct latency *l,
		   unsigned int flags)
{
	struct roc_memory memory;
	struct latency_step *step;
	unsigned int depth;
	int err = 0;

	while ((depth = latency_next(l)) && !stop_requested()) {
		step = &l->step[l->steps];
		*step = (struct latency_step){.depth = depth};
		err = roc_memory_alloc((size_t)depth * l->links * l->superpage, card->numa_node,
				       flags, &memory);
		if (err)
			break;
		err = run_depth(card, o, &memory, l, step);
		roc_memory_free(&memory);
		if (err)
			break;
		if (stop_requested())
			break;
		l->steps++;
		if (!step->bytes && !step->dropped)
			return tool_fail(
				"The card sent no data: check --data-source, and whether the links are up.");
	}
	if (err)
		return tool_fail("%s", roc_error());
	return stop_requested() ? tool_fail("Interrupted by a signal.") : TOOL_OK;
}

int latency_run(const struct latency_options *o, bool json)
{
	struct latency l = {.steps = 0};
	struct latency_result result;
	struct roc_card card;
	unsigned int flags = 0;
	int code, err;

	err = roc_find(o->id, &card);
	if (err)
		return tool_fail_card(err);
	code = check_card(&card, o, &l, &flags);
	if (code)
		return code;
	stop_on_signals();
	code = run_all(&card, o, &l, flags);
	if (code)
		return code;
	if (json)
		latency_json(stdout, &l);
	else
		latency_text(stdout, &l);
	latency_judge(&l, &result);
	if (result.verdict == VERDICT_FAIL)
		return tool_fail("FAIL: the card's FIFO is not deep enough for this node.");
	return TOOL_OK;
}
