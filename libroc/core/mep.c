// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Encode and decode MFPs and MEPs: headers, index and table of sources; see Documentation/mep.md.
 * All numbers are little-endian. Everything that is read is checked before use.
 *
 * MFPs and MEPs are walked in place. A position is a segment and an offset in it. Every step checks
 * the remaining bytes. If a writer changes an MFP during the walk, the walk may end early, but it
 * never leaves the segments.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <roc/mep.h>

#include "bytes.h"
#include "libroc.h"

#define MFP_MAGIC "RMFP"
#define MEP_MAGIC "RMEP"

#define MFP(offset, member) BYTES_FIELD(offset, struct roc_mfp, member)
static const struct bytes_field mfp_numbers[] = {
	MFP(8, block),	MFP(16, first_event), MFP(24, time),  MFP(32, bytes), MFP(40, events),
	MFP(44, count), MFP(48, source),      MFP(52, epoch), MFP(56, flags), MFP(60, content)};

void roc_mfp_put(void *to, const struct roc_mfp *head)
{
	unsigned char *at = to;

	memcpy(at, MFP_MAGIC, 4);
	put32(at + 4, ROC_MEP_VERSION);
	put_fields(at, head, BYTES_FIELDS(mfp_numbers));
}

void roc_mfp_put_entry(void *mfp, uint32_t i, const struct roc_mfp_entry *entry)
{
	unsigned char *at = (unsigned char *)mfp + roc_mfp_data(i);

	put32(at, entry->offset);
	put32(at + 4, entry->flags);
	put64(at + 8, entry->bytes);
}

static void get_mfp_entry(const void *from, struct roc_mfp_entry *entry)
{
	const unsigned char *at = from;

	entry->offset = get32(at);
	entry->flags = get32(at + 4);
	entry->bytes = get64(at + 8);
}

/*
 * Decode the ROC_MFP_HEAD bytes at @from. Return 0 or -EPROTO, -EPROTONOSUPPORT, -EBADMSG as
 * roc_mfp_open().
 */
static int get_mfp(const void *from, struct roc_mfp *head)
{
	const unsigned char *at = from;

	if (memcmp(at, MFP_MAGIC, 4))
		return -EPROTO;
	head->count = get32(at + 4);
	if (head->count != ROC_MEP_VERSION)
		return -EPROTONOSUPPORT;
	get_fields(head, at, BYTES_FIELDS(mfp_numbers));
	if (!head->events || head->events > ROC_MFP_EVENTS_MAX || head->count > head->events ||
	    head->bytes < roc_mfp_data(head->count) || head->bytes > ROC_MFP_BYTES_MAX)
		return -EBADMSG;
	return 0;
}

uint64_t roc_mep_bytes(const struct roc_mep *mep)
{
	uint64_t bytes = ROC_MEP_HEAD + (uint64_t)mep->count * ROC_MEP_ENTRY;
	unsigned int i;

	for (i = 0; i < mep->count; i++) {
		if (mep->sources[i].state == ROC_MEP_HERE)
			bytes += roc_mep_padded(mep->sources[i].view.head.bytes);
	}
	return bytes;
}

size_t roc_mep_put(void *to, const struct roc_mep *mep)
{
	unsigned char *at = to;
	unsigned int i;

	memcpy(at, MEP_MAGIC, 4);
	put32(at + 4, ROC_MEP_VERSION);
	put64(at + 8, mep->block);
	put64(at + 16, mep->first_event);
	put64(at + 24, mep->time);
	put64(at + 32, roc_mep_bytes(mep));
	put32(at + 40, mep->events);
	put32(at + 44, mep->count);
	put32(at + 48, mep->epoch);
	put32(at + 52, mep->flags);
	put64(at + 56, 0);
	at += ROC_MEP_HEAD;
	for (i = 0; i < mep->count; i++, at += ROC_MEP_ENTRY) {
		const struct roc_mep_source *s = &mep->sources[i];

		memset(at, 0, ROC_MEP_ENTRY);
		memcpy(at, s->name, strnlen(s->name, ROC_MEP_NAME - 1));
		put32(at + ROC_MEP_NAME, s->state);
		if (s->state == ROC_MEP_HERE)
			put64(at + ROC_MEP_NAME + 8, s->view.head.bytes);
	}
	return (size_t)(at - (unsigned char *)to);
}

/* Decode a complete header at @at. Return 0 or -errno as roc_mep_open(). */
static int get_mep(struct roc_mep *mep, const unsigned char *at, uint64_t bytes, uint64_t *length)
{
	uint64_t table;

	if (memcmp(at, MEP_MAGIC, 4))
		return -EPROTO;
	mep->count = get32(at + 4);
	if (mep->count != ROC_MEP_VERSION)
		return -EPROTONOSUPPORT;
	mep->block = get64(at + 8);
	mep->first_event = get64(at + 16);
	mep->time = get64(at + 24);
	*length = get64(at + 32);
	mep->events = get32(at + 40);
	mep->count = get32(at + 44);
	mep->epoch = get32(at + 48);
	mep->flags = get32(at + 52);
	table = ROC_MEP_HEAD + (uint64_t)mep->count * ROC_MEP_ENTRY;
	if (!mep->events || mep->events > ROC_MFP_EVENTS_MAX || mep->count > ROC_MEP_SOURCES_MAX ||
	    *length < table)
		return -EBADMSG;
	if (*length > bytes) {
		mep->handle = *length;
		return -EMSGSIZE;
	}
	return 0;
}

bool libroc_mfp_of_block(const struct roc_mfp *head, const struct roc_mep *mep)
{
	return head->block == mep->block && head->first_event == mep->first_event &&
	       head->events == mep->events;
}

/* Decode the table entry and the MFP of one source. */
static int get_source(const struct roc_mep *mep, struct roc_mep_source *s, struct iovec *segment,
		      const unsigned char *entry, const unsigned char **at, uint64_t *left)
{
	uint64_t bytes = get64(entry + ROC_MEP_NAME + 8);
	int ret;

	memcpy(s->name, entry, ROC_MEP_NAME);
	s->state = get32(entry + ROC_MEP_NAME);
	if (s->name[ROC_MEP_NAME - 1] || s->state > ROC_MEP_MISSING)
		return -EBADMSG;
	if (s->state != ROC_MEP_HERE)
		return bytes ? -EBADMSG : 0;
	if (bytes > *left || roc_mep_padded(bytes) > *left)
		return -EBADMSG;
	*segment = (struct iovec){.iov_base = (void *)(uintptr_t)*at, .iov_len = bytes};
	ret = roc_mfp_open(&s->view, segment, 1);
	if (ret)
		return ret == -EPROTONOSUPPORT ? ret : -EBADMSG;
	if (s->view.head.bytes != bytes || !libroc_mfp_of_block(&s->view.head, mep))
		return -EBADMSG;
	*at += roc_mep_padded(bytes);
	*left -= roc_mep_padded(bytes);
	return 0;
}

int roc_mep_open(struct roc_mep *mep, const void *data, uint64_t bytes,
		 struct roc_mep_source *sources, struct iovec *segments, unsigned int capacity)
{
	const unsigned char *entry = (const unsigned char *)data + ROC_MEP_HEAD, *at;
	uint64_t length, left;
	unsigned int i;
	int ret;

	*mep = (struct roc_mep){0};
	if (bytes < ROC_MEP_HEAD)
		return -EMSGSIZE;
	ret = get_mep(mep, data, bytes, &length);
	if (ret)
		return ret;
	if (mep->count > capacity)
		return -ENOSPC;
	mep->sources = sources;
	at = entry + (size_t)mep->count * ROC_MEP_ENTRY;
	left = length - ROC_MEP_HEAD - (uint64_t)mep->count * ROC_MEP_ENTRY;
	for (i = 0; i < mep->count; i++, entry += ROC_MEP_ENTRY) {
		sources[i] = (struct roc_mep_source){0};
		ret = get_source(mep, &sources[i], &segments[i], entry, &at, &left);
		if (ret)
			return ret;
	}
	return left ? -EBADMSG : 0;
}

/* A position in a list of segments */
struct place {
	unsigned int segment;
	size_t offset;
};

/* Advance by @bytes. Return false if fewer are left. */
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

/* Copy @bytes and advance past them. Return false if fewer are left. */
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
	ret = get_mfp(head, &view->head);
	if (ret)
		return ret;
	for (i = 0; i < count; i++)
		have += segments[i].iov_len;
	if (view->head.bytes > have)
		return -EMSGSIZE;
	roc_mfp_begin(&walk, view);
	while ((ret = roc_mfp_next(&walk, &fragment)) > 0)
		;
	/* The fragments must cover all data. */
	return ret ? ret : walk.left ? -EBADMSG : 0;
}

void roc_mfp_begin(struct roc_mfp_walk *walk, const struct roc_mfp_view *view)
{
	struct place entry = {0}, data = {0};

	*walk = (struct roc_mfp_walk){.view = view};
	/* roc_mfp_open() has checked the length. */
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
	get_mfp_entry(raw, &entry);
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
	/* The last fragment may lack its padding. */
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
			   unsigned int capacity)
{
	const struct roc_mfp_view *v = fragment->view;
	unsigned int segment = fragment->segment, n = 0;
	size_t offset = fragment->offset;
	uint64_t left = fragment->bytes;

	while (v && left && segment < v->count) {
		size_t here = v->segments[segment].iov_len - offset;

		if (here > left)
			here = left;
		if (here && n < capacity)
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

size_t roc_mfp_copy(const struct roc_mfp_fragment *fragment, void *to, size_t capacity)
{
	const struct roc_mfp_view *v = fragment->view;
	struct place p = {fragment->segment, fragment->offset};
	size_t bytes = fragment->bytes < capacity ? fragment->bytes : capacity;

	if (v && bytes)
		gather(v->segments, v->count, &p, to, bytes);
	return v ? bytes : 0;
}

/* A walk over all sources in parallel. The next event is the lowest that any source is at. */
struct roc_mep_events {
	const struct roc_mep *mep;
	unsigned int capacity;
	struct roc_mfp_walk *walks;
	struct roc_mfp_fragment *next;	/* of each source; view is NULL at its end */
	struct roc_mfp_fragment *shown; /* of the event returned last */
};

int roc_mep_events_new(unsigned int sources, struct roc_mep_events **events)
{
	struct roc_mep_events *e;

	if (!sources || sources > ROC_MEP_SOURCES_MAX)
		return -EINVAL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->capacity = sources;
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

	if (mep->count > events->capacity)
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

	/* Event ids may wrap around: compare their distances from the first. */
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
