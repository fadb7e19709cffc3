// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * MFP and MEP as bytes: heads, index, table of sources; Documentation/mep.md. All little endian.
 * Nothing of what is read is believed before it was looked at.
 */
#include <errno.h>
#include <string.h>

#include <roc/mep.h>

#include "bytes.h"
#include "mep.h"

#define MFP(offset, member) BYTES_FIELD(offset, struct roc_mfp, member)
static const struct bytes_field mfp_numbers[] = {
	MFP(8, block),	MFP(16, first_event), MFP(24, time),  MFP(32, bytes), MFP(40, events),
	MFP(44, count), MFP(48, source),      MFP(52, epoch), MFP(56, flags), MFP(60, content)};

void roc_mfp_put(void *to, const struct roc_mfp *head)
{
	unsigned char *at = to;

	memcpy(at, LIBROC_MFP_MAGIC, 4);
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

void libroc_mfp_get_entry(const void *from, struct roc_mfp_entry *entry)
{
	const unsigned char *at = from;

	entry->offset = get32(at);
	entry->flags = get32(at + 4);
	entry->bytes = get64(at + 8);
}

int libroc_mfp_get(const void *from, struct roc_mfp *head)
{
	const unsigned char *at = from;

	if (memcmp(at, LIBROC_MFP_MAGIC, 4))
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

	memcpy(at, LIBROC_MEP_MAGIC, 4);
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

/* Of a head that is there; 0 or -errno as roc_mep_open() has it. */
static int get_mep(struct roc_mep *mep, const unsigned char *at, uint64_t bytes, uint64_t *length)
{
	uint64_t table;

	if (memcmp(at, LIBROC_MEP_MAGIC, 4))
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

/* Of one source: its entry in the table, and its MFP. */
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
		 struct roc_mep_source *sources, struct iovec *segments, unsigned int room)
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
	if (mep->count > room)
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
