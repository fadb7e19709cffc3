// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check the content and the consistency of blocks.
 */
#include "sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "source.h"
#include "utils/check/rdh.h"
#include "utils/units/content.h"

#define PARTS 256 /* limit of parts of a fragment; more need unrealistically small segments */

static void wrong(struct inspect *in, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void wrong(struct inspect *in, const char *fmt, ...)
{
	va_list ap;

	if (!in->n.errors++) {
		va_start(ap, fmt);
		vsnprintf(in->n.wrong, sizeof(in->n.wrong), fmt, ap);
		va_end(ap);
	}
}

static void inspect_synthetic(struct inspect *in, const struct roc_mep_source *s,
			      const struct roc_mfp_fragment *f, const struct iovec *parts,
			      unsigned int count)
{
	struct content c = content_of(content_source(s->name), f->event, f->bytes);
	uint64_t at = 0;
	unsigned int i;
	int64_t bad;

	for (i = 0; i < count; i++) {
		bad = content_check(&c, at, parts[i].iov_base, parts[i].iov_len);
		if (bad >= 0) {
			wrong(in,
			      "Event %" PRIu64 " of %s: byte %" PRId64 " of %" PRIu64
			      " differs from the synthetic content.",
			      f->event, s->name, bad, f->bytes);
			return;
		}
		at += parts[i].iov_len;
	}
}

/* Copy @bytes from offset @from, across parts. False: the parts have fewer bytes. */
static bool gather(const struct iovec *parts, unsigned int count, uint64_t from, void *to,
		   size_t bytes)
{
	char *at = to;
	unsigned int i;

	for (i = 0; i < count && bytes; i++) {
		size_t n;

		if (from >= parts[i].iov_len) {
			from -= parts[i].iov_len;
			continue;
		}
		n = parts[i].iov_len - from < bytes ? parts[i].iov_len - from : bytes;
		memcpy(at, (const char *)parts[i].iov_base + from, n);
		at += n;
		bytes -= n;
		from = 0;
	}
	return !bytes;
}

/* The fragment must be complete packets of one orbit, one after the other. */
static void inspect_packets(struct inspect *in, const struct roc_mep_source *s,
			    const struct roc_mfp_fragment *f, const struct iovec *parts,
			    unsigned int count)
{
	unsigned char rdh[RDH_SIZE];
	uint32_t orbit = 0, next;
	uint64_t at;

	for (at = 0; at < f->bytes; at += next) {
		if (!gather(parts, count, at, rdh, sizeof(rdh)) ||
		    rdh_version(rdh) < RDH_VERSION_MIN || rdh_version(rdh) > RDH_VERSION_MAX ||
		    rdh_memory_size(rdh) < RDH_SIZE ||
		    rdh_memory_size(rdh) > rdh_offset_next(rdh) ||
		    rdh_memory_size(rdh) > f->bytes - at) {
			wrong(in, "Event %" PRIu64 " of %s: no valid packet at byte %" PRIu64 ".",
			      f->event, s->name, at);
			return;
		}
		next = rdh_offset_next(rdh);
		if (at && rdh_orbit(rdh) != orbit) {
			wrong(in,
			      "Event %" PRIu64 " of %s: the packet at byte %" PRIu64
			      " has another orbit.",
			      f->event, s->name, at);
			return;
		}
		orbit = rdh_orbit(rdh);
	}
}

static void inspect_fragment(struct inspect *in, const struct roc_mep_source *s,
			     const struct roc_mfp_fragment *f)
{
	struct iovec parts[PARTS];
	unsigned int count = roc_mfp_parts(f, parts, PARTS);

	in->n.fragments++;
	in->n.bytes += f->bytes;
	if (in->only_count || f->flags & ROC_MFP_DAMAGED)
		return;
	if (count > PARTS) {
		in->n.unknown++;
		return;
	}
	switch (s->view.head.content) {
	case EVB_CONTENT_SYNTHETIC:
		inspect_synthetic(in, s, f, parts, count);
		break;
	case EVB_CONTENT_RDH:
		inspect_packets(in, s, f, parts, count);
		break;
	default:
		in->n.unknown++;
	}
}

static bool seen(struct inspect *in, uint64_t block)
{
	uint64_t *word = &in->seen[block / 64 % (INSPECT_WINDOW / 64)];
	uint64_t bit = UINT64_C(1) << block % 64, at;

	if (!in->any || (int64_t)(block - in->newest) > 0) {
		/* Clear the bits of the blocks that enter the window. */
		at = in->any ? in->newest + 1 : block;
		if (block - at >= INSPECT_WINDOW)
			at = block - INSPECT_WINDOW + 1;
		for (; at != block + 1; at++)
			in->seen[at / 64 % (INSPECT_WINDOW / 64)] &= ~(UINT64_C(1) << at % 64);
		in->newest = block;
		in->any = true;
	} else if (in->newest - block >= INSPECT_WINDOW) {
		return false;
	}
	if (*word & bit)
		return true;
	*word |= bit;
	return false;
}

static void inspect_head(struct inspect *in, const struct roc_mep *mep)
{
	unsigned int missing = 0, absent = 0, i;
	bool damaged = false;

	if (seen(in, mep->block))
		wrong(in, "Block %" PRIu64 " was delivered twice.", mep->block);
	if (mep->first_event != mep->block * mep->events)
		wrong(in, "Block %" PRIu64 " begins with event %" PRIu64 " instead of %" PRIu64 ".",
		      mep->block, mep->first_event, mep->block * mep->events);
	for (i = 0; i < mep->count; i++) {
		const struct roc_mep_source *s = &mep->sources[i];

		missing += s->state == ROC_MEP_MISSING;
		absent += s->state != ROC_MEP_HERE;
		if (s->state != ROC_MEP_HERE)
			continue;
		damaged |= s->view.head.flags & ROC_MFP_DAMAGED;
		if (s->view.head.block != mep->block || s->view.head.events != mep->events ||
		    s->view.head.first_event != mep->first_event)
			wrong(in, "Block %" PRIu64 ": the part of %s is of block %" PRIu64 ".",
			      mep->block, s->name, s->view.head.block);
	}
	/*
	 * A block with all sources may be marked: it may lack a source of a table that its builder
	 * did not have.
	 */
	if (absent && !(mep->flags & ROC_MEP_INCOMPLETE))
		wrong(in, "Block %" PRIu64 " lacks %u sources, but is not marked as incomplete.",
		      mep->block, absent);
	if (damaged && !(mep->flags & ROC_MEP_DAMAGED))
		wrong(in, "Block %" PRIu64 " has damaged data, but is not marked as damaged.",
		      mep->block);
	in->n.missing += missing;
}

int inspect_block(struct inspect *in, const struct roc_mep *mep)
{
	struct roc_mep_event event;
	unsigned int i;
	int ret;

	if (mep->count > in->sources) {
		roc_mep_events_free(in->events);
		in->events = NULL;
		in->sources = 0;
		ret = roc_mep_events_new(mep->count, &in->events);
		if (ret)
			return units_fail(in->reason, -ret,
					  "Cannot allocate the event iterator of %u sources.",
					  mep->count);
		in->sources = mep->count;
	}
	in->n.blocks++;
	in->n.incomplete += !!(mep->flags & ROC_MEP_INCOMPLETE);
	in->n.damaged += !!(mep->flags & ROC_MEP_DAMAGED);
	inspect_head(in, mep);
	if (!mep->count)
		return 0;
	ret = roc_mep_events_begin(in->events, mep);
	while (!ret && (ret = roc_mep_events_next(in->events, &event)) > 0) {
		in->n.events++;
		for (i = 0; i < event.count; i++) {
			if (event.fragments[i].view)
				inspect_fragment(in, &mep->sources[i], &event.fragments[i]);
		}
		ret = 0;
	}
	if (ret < 0)
		wrong(in, "Block %" PRIu64 " was modified during the check.", mep->block);
	return 0;
}

void inspect_end(struct inspect *in)
{
	roc_mep_events_free(in->events);
	in->events = NULL;
	in->sources = 0;
}
