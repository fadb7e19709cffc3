// SPDX-License-Identifier: GPL-2.0-or-later
/* Check that a reply matches its request, and every byte of its fragments. */
#include <inttypes.h>

#include <roc/uapi.h>

#include "fragment_check.h"
#include "libroc/core/bytes.h"
#include "load.h"

static void check_size(struct load *l, uint32_t event, const struct ros_entry *e, uint32_t source)
{
	uint32_t min = (uint32_t)l->opt->size;
	uint32_t max = (uint32_t)(l->opt->size_max ? l->opt->size_max : l->opt->size);
	uint32_t expected;

	if (!min)
		return;
	expected = ros_fragment_size(source, event, min, max);
	if (e->size != expected)
		error_log_add(&l->errors,
			      "event %" PRIu32 " link %u has %" PRIu32 " bytes, not %" PRIu32,
			      event, e->link, e->size, expected);
}

static void check_fragment(struct load *l, uint32_t event, const struct ros_entry *e,
			   const uint8_t *data)
{
	unsigned int card = e->link / LOAD_CARD_LINKS, link = e->link % LOAD_CARD_LINKS;
	uint32_t source = 0;
	const char *wrong = ros_fragment_check(data, e->size, event, link, &source);

	if (wrong) {
		error_log_add(&l->errors, "event %" PRIu32 " link %u: %s", event, e->link, wrong);
		return;
	}
	if (l->sources[card] < 0)
		l->sources[card] = source;
	if (l->sources[card] != source)
		error_log_add(&l->errors,
			      "event %" PRIu32 " link %u comes from card 0x%" PRIx32
			      ", those before from 0x%" PRIx64,
			      event, e->link, source, (uint64_t)l->sources[card]);
	if (get32(data + 12) > e->size && !(e->marks & ROC_FR_TRUNCATED))
		error_log_add(&l->errors,
			      "event %" PRIu32 " link %u has %" PRIu32 " bytes, but %" PRIu32
			      " in its header",
			      event, e->link, e->size, get32(data + 12));
	check_size(l, event, e, ros_source_id(source, link));
}

void load_check(struct load *l, const struct load_request *r, const struct ros_message *m)
{
	const uint8_t *data = m->reply.data;
	bool incomplete = false;
	struct ros_entry e;
	uint64_t links = 0;
	unsigned int i;

	if (m->reply.event != r->event)
		error_log_add(&l->errors, "event %" PRIu32 " was requested, %" PRIu32 " arrived",
			      r->event, m->reply.event);
	for (i = 0; i < m->reply.count; i++, data += e.size) {
		ros_reply_entry(&m->reply, i, &e);
		links |= UINT64_C(1) << e.link;
		l->counts.status[e.status < ROS_STATUSES ? e.status : ROS_FAILED]++;
		if (e.status != ROS_OK) {
			incomplete = true;
			continue;
		}
		l->counts.fragments++;
		l->counts.bytes += e.size;
		l->counts.marked += e.marks != 0;
		if (!l->opt->no_errorcheck)
			check_fragment(l, m->reply.event, &e, data);
	}
	if (links != r->links)
		error_log_add(&l->errors,
			      "event %" PRIu32 ": links 0x%" PRIx64 " were requested, 0x%" PRIx64
			      " arrived",
			      r->event, r->links, links);
	if (incomplete != (m->flags & ROS_INCOMPLETE))
		error_log_add(&l->errors, "event %" PRIu32 ": its flag INCOMPLETE is wrong",
			      r->event);
	l->counts.incomplete += incomplete;
	l->counts.unknown += !!(m->flags & ROS_UNKNOWN);
}
