// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Walking MFPs and MEPs where they lie. A place is a segment and an offset in it; every step looks
 * how much there is in front of it, so that what somebody writes to a MFP while it is read can make
 * the walk end, but not leave the segments.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mep.h"

/* A place in a list of segments. */
struct place {
	unsigned int segment;
	size_t offset;
};

/* Forward by @bytes; false: there are not so many. */
static bool skip(const struct iovec *segments, unsigned int count, struct place *p, uint64_t bytes)
{
	while (p->segment < count) {
		size_t here = segments[p->segment].iov_len - p->offset;

		if (bytes < here) {
			p->offset += bytes;
			return true;
		}
		bytes -= here;
		p->segment++;
		p->offset = 0;
	}
	return !bytes;
}

/* Copy @bytes and go behind them; false: there are not so many. */
static bool gather(const struct iovec *segments, unsigned int count, struct place *p, void *to,
		   size_t bytes)
{
	unsigned char *at = to;

	while (bytes) {
		size_t here;

		if (p->segment == count)
			return false;
		here = segments[p->segment].iov_len - p->offset;
		if (here > bytes)
			here = bytes;
		memcpy(at, (const char *)segments[p->segment].iov_base + p->offset, here);
		at += here;
		bytes -= here;
		if (!skip(segments, count, p, here))
			return false;
	}
	return true;
}

int roc_mfp_open(struct roc_mfp_view *view, const struct iovec *segments, unsigned int count)
{
	unsigned char head[ROC_MFP_HEAD];
	struct place p = {0};
	struct roc_mfp_walk walk;
	struct roc_mfp_fragment fragment;
	uint64_t have = 0;
	unsigned int i;
	int ret;

	*view = (struct roc_mfp_view){.segments = segments, .count = count};
	if (!gather(segments, count, &p, head, sizeof(head)))
		return -EMSGSIZE;
	ret = libroc_mfp_get(head, &view->head);
	if (ret)
		return ret;
	for (i = 0; i < count; i++)
		have += segments[i].iov_len;
	if (view->head.bytes > have)
		return -EMSGSIZE;
	roc_mfp_begin(&walk, view);
	while ((ret = roc_mfp_next(&walk, &fragment)) > 0)
		;
	/* All of it is accounted for. */
	return ret ? ret : walk.left ? -EBADMSG : 0;
}

void roc_mfp_begin(struct roc_mfp_walk *walk, const struct roc_mfp_view *view)
{
	struct place entry = {0}, data = {0};

	*walk = (struct roc_mfp_walk){.view = view};
	/* There is as much: roc_mfp_open() looked. */
	skip(view->segments, view->count, &entry, ROC_MFP_HEAD);
	skip(view->segments, view->count, &data, roc_mfp_data(view->head.count));
	walk->entry_segment = entry.segment;
	walk->entry_offset = entry.offset;
	walk->data_segment = data.segment;
	walk->data_offset = data.offset;
	walk->left = view->head.bytes - roc_mfp_data(view->head.count);
}

int roc_mfp_next(struct roc_mfp_walk *walk, struct roc_mfp_fragment *fragment)
{
	const struct roc_mfp_view *v = walk->view;
	struct place entry_at = {walk->entry_segment, walk->entry_offset};
	struct place data_at = {walk->data_segment, walk->data_offset};
	unsigned char raw[ROC_MFP_ENTRY];
	struct roc_mfp_entry entry;
	uint64_t step;

	if (walk->next == v->head.count)
		return 0;
	if (!gather(v->segments, v->count, &entry_at, raw, sizeof(raw)))
		return -EBADMSG;
	libroc_mfp_get_entry(raw, &entry);
	if (entry.offset >= v->head.events || entry.offset < walk->least ||
	    entry.bytes > walk->left)
		return -EBADMSG;
	*fragment = (struct roc_mfp_fragment){
		.event = v->head.first_event + entry.offset,
		.bytes = entry.bytes,
		.flags = entry.flags,
		.view = v,
		.segment = data_at.segment,
		.offset = data_at.offset,
	};
	if (!entry.bytes)
		fragment->data = "";
	else if (entry.bytes <= v->segments[data_at.segment].iov_len - data_at.offset)
		fragment->data =
			(const char *)v->segments[data_at.segment].iov_base + data_at.offset;
	/* The last one may be without what pads it. */
	step = roc_mep_padded(entry.bytes);
	if (step > walk->left)
		step = walk->left;
	if (!skip(v->segments, v->count, &data_at, step))
		return -EBADMSG;
	walk->left -= step;
	walk->next++;
	walk->least = entry.offset + 1;
	walk->entry_segment = entry_at.segment;
	walk->entry_offset = entry_at.offset;
	walk->data_segment = data_at.segment;
	walk->data_offset = data_at.offset;
	return 1;
}

unsigned int roc_mfp_parts(const struct roc_mfp_fragment *fragment, struct iovec *parts,
			   unsigned int room)
{
	const struct roc_mfp_view *v = fragment->view;
	unsigned int segment = fragment->segment, n = 0;
	size_t offset = fragment->offset;
	uint64_t left = fragment->bytes;

	while (v && left && segment < v->count) {
		size_t here = v->segments[segment].iov_len - offset;

		if (here > left)
			here = left;
		if (here && n < room)
			parts[n] = (struct iovec){
				.iov_base = (char *)v->segments[segment].iov_base + offset,
				.iov_len = here,
			};
		n += here > 0;
		left -= here;
		segment++;
		offset = 0;
	}
	return n;
}

size_t roc_mfp_copy(const struct roc_mfp_fragment *fragment, void *to, size_t room)
{
	const struct roc_mfp_view *v = fragment->view;
	struct place p = {fragment->segment, fragment->offset};
	size_t bytes = fragment->bytes < room ? fragment->bytes : room;

	if (v && bytes)
		gather(v->segments, v->count, &p, to, bytes);
	return v ? bytes : 0;
}

/* Walk of all sources at once: the lowest event that any of them stands at is the next. */
struct roc_mep_events {
	const struct roc_mep *mep;
	unsigned int room;
	struct roc_mfp_walk *walks;
	struct roc_mfp_fragment *next;	/* of each source; no view: it has no more */
	struct roc_mfp_fragment *shown; /* of the event that the caller has */
};

int roc_mep_events_new(unsigned int sources, struct roc_mep_events **events)
{
	struct roc_mep_events *e;

	if (!sources || sources > ROC_MEP_SOURCES_MAX)
		return -EINVAL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->room = sources;
	e->walks = calloc(sources, sizeof(*e->walks));
	e->next = calloc(sources, sizeof(*e->next));
	e->shown = calloc(sources, sizeof(*e->shown));
	if (!e->walks || !e->next || !e->shown) {
		roc_mep_events_free(e);
		return -ENOMEM;
	}
	*events = e;
	return 0;
}

void roc_mep_events_free(struct roc_mep_events *events)
{
	if (!events)
		return;
	free(events->walks);
	free(events->next);
	free(events->shown);
	free(events);
}

static int advance(struct roc_mep_events *e, unsigned int i)
{
	int ret = roc_mfp_next(&e->walks[i], &e->next[i]);

	if (ret < 0)
		return ret;
	if (!ret)
		e->next[i].view = NULL;
	e->next[i].source = i;
	return 0;
}

int roc_mep_events_begin(struct roc_mep_events *events, const struct roc_mep *mep)
{
	unsigned int i;

	if (mep->count > events->room)
		return -ENOSPC;
	events->mep = mep;
	for (i = 0; i < mep->count; i++) {
		events->next[i] = (struct roc_mfp_fragment){.source = i};
		if (mep->sources[i].state != ROC_MEP_HERE)
			continue;
		roc_mfp_begin(&events->walks[i], &mep->sources[i].view);
		if (advance(events, i))
			return -EBADMSG;
	}
	return 0;
}

int roc_mep_events_next(struct roc_mep_events *events, struct roc_mep_event *event)
{
	const struct roc_mep *m = events->mep;
	uint64_t lowest = 0;
	unsigned int i;
	bool any = false;

	/* Ids may go past the last number: what counts is how far they are from the first. */
	for (i = 0; i < m->count; i++) {
		uint64_t offset = events->next[i].event - m->first_event;

		if (events->next[i].view && (!any || offset < lowest)) {
			lowest = offset;
			any = true;
		}
	}
	if (!any)
		return 0;
	*event = (struct roc_mep_event){
		.event = m->first_event + lowest, .count = m->count, .fragments = events->shown};
	for (i = 0; i < m->count; i++) {
		bool here = events->next[i].view && events->next[i].event == event->event;

		events->shown[i] =
			here ? events->next[i]
			     : (struct roc_mfp_fragment){.event = event->event, .source = i};
		event->here += here;
		if (here && advance(events, i))
			return -EBADMSG;
	}
	return 1;
}
