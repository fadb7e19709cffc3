// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Split units into pieces by event.
 */
#include "assemble.h"

#include <errno.h>

#include "utils/check/rdh.h"

static bool has_headers(enum unit_content content)
{
	return content == UNIT_DDG || content == UNIT_RUNNING || content == UNIT_HEADERS;
}

bool cut_wraps(enum unit_content content)
{
	return has_headers(content) || content == UNIT_FRAGMENTS;
}

void cut_begin(struct cut *c, enum unit_content content, const struct unit *u)
{
	*c = (struct cut){.content = content, .unit = *u};
	if (content == UNIT_PACKETS)
		roc_packets_begin(&c->packets, u->data, u->bytes);
}

/* A piece reaches from one header to the next, so the packets of an orbit are contiguous. */
static int next_orbit(struct cut *c, struct cut_piece *p)
{
	const char *rdh = (const char *)c->unit.data + c->at;
	uint64_t left = c->unit.bytes - c->at, next;

	if (!left)
		return 0;
	if (left < RDH_SIZE || rdh_version(rdh) < RDH_VERSION_MIN ||
	    rdh_version(rdh) > RDH_VERSION_MAX || rdh_header_size(rdh) != RDH_SIZE)
		return -EBADMSG;
	next = rdh_offset_next(rdh);
	if (rdh_memory_size(rdh) < RDH_SIZE || rdh_memory_size(rdh) > (next < left ? next : left))
		return -EBADMSG;
	/* The last packet may end before the offset of its next header. */
	next = next < left ? next : left;
	p->event = rdh_orbit(rdh);
	p->data = rdh;
	p->bytes = next;
	c->at += next;
	return 1;
}

static int next_fragment(struct cut *c, struct cut_piece *p)
{
	struct roc_fragment fragment;
	int ret;

	for (;;) {
		if (c->in_packet) {
			ret = roc_packet_fragment(&c->packet, &fragment);
			if (ret < 0)
				return ret;
			if (ret)
				break;
			c->in_packet = false;
		}
		ret = roc_packets_next(&c->packets, &c->packet);
		if (ret <= 0)
			return ret;
		c->in_packet = c->packet.kind == ROC_PACKET_EVENTS;
	}
	p->event = fragment.event;
	p->data = fragment.data;
	p->bytes = fragment.size;
	/* UNIT_DAMAGED may be for another fragment of the unit: only this one's flag counts. */
	p->damaged = fragment.truncated;
	return 1;
}

int cut_next(struct cut *c, struct cut_piece *p)
{
	*p = (struct cut_piece){.damaged = c->unit.flags & UNIT_DAMAGED};
	if (has_headers(c->content))
		return next_orbit(c, p);
	if (c->content == UNIT_PACKETS)
		return next_fragment(c, p);
	if (c->at)
		return 0;
	c->at = 1;
	p->event = c->content == UNIT_FRAGMENTS ? c->unit.first : c->unit.sequence;
	p->data = c->unit.data;
	p->bytes = c->unit.bytes;
	return 1;
}
