// SPDX-License-Identifier: GPL-2.0-or-later
/* Helpers shared by sources and sinks: names of contents, pacing, units of a lender. */
#include "units.h"

#include <roc/packet.h>

#include "utils/check/rdh.h"

static const char *const contents[UNIT_CONTENTS] = {
	[UNIT_BYTES] = "bytes",		[UNIT_COUNTER] = "counter", [UNIT_DDG] = "ddg",
	[UNIT_RUNNING] = "running",	[UNIT_HEADERS] = "headers", [UNIT_PACKETS] = "packets",
	[UNIT_FRAGMENTS] = "fragments",
};

const char *units_content_name(enum unit_content content)
{
	return content < UNIT_CONTENTS ? contents[content] : contents[UNIT_BYTES];
}

uint64_t units_first(enum unit_content content, const void *data, uint64_t bytes)
{
	struct roc_packets walk;
	struct roc_packet packet;

	switch (content) {
	case UNIT_DDG:
	case UNIT_RUNNING:
	case UNIT_HEADERS:
		if (bytes >= RDH_SIZE && rdh_version(data) >= RDH_VERSION_MIN &&
		    rdh_version(data) <= RDH_VERSION_MAX)
			return rdh_orbit(data);
		return UNIT_FIRST_UNKNOWN;
	case UNIT_PACKETS:
		roc_packets_begin(&walk, data, bytes);
		return roc_packets_next(&walk, &packet) > 0 ? packet.first_event
							    : UNIT_FIRST_UNKNOWN;
	default:
		return UNIT_FIRST_UNKNOWN;
	}
}

/*
 * Pacing. Due times count from the start, so late units are caught up and the average rate is kept.
 */

#define BYTES_MAX 9e18 /* bytes; a larger value would not fit into uint64_t */

void pace_start(struct pace *p, uint64_t rate, uint64_t now)
{
	*p = (struct pace){.rate = rate, .start = now};
}

uint64_t pace_wait(const struct pace *p, uint64_t now)
{
	uint64_t due;

	if (!p->rate)
		return 0;
	due = p->start + (uint64_t)((double)p->bytes / (double)p->rate * 1e9);
	return due > now ? due - now : 0;
}

uint64_t pace_due(const struct pace *p, uint64_t bytes, uint64_t now)
{
	double late = (double)(now - p->start) / 1e9 * (double)p->rate - (double)p->bytes;

	if (late < 0)
		return 0;
	/* Only for a rate beyond that of any card. */
	if (late > BYTES_MAX)
		late = BYTES_MAX;
	return (uint64_t)late / bytes + 1;
}

void pace_pass(struct pace *p, uint64_t bytes)
{
	p->bytes += bytes;
}

int lent_fail(struct source *s, int err)
{
	return units_fail(s->reason, -err, "%s", roc_error());
}

void lent_unit(const struct roc_unit *from, struct unit *u)
{
	*u = (struct unit){
		.data = from->data,
		.bytes = from->length,
		.handle = from->handle,
		.sequence = from->sequence,
		.time = units_realtime(),
		.flags = from->flags & ROC_UNIT_DAMAGED ? UNIT_DAMAGED : 0,
	};
}

int lent_return(struct source *s, struct roc_lender *lender, uint64_t handle)
{
	int ret = roc_lender_return(lender, handle);

	return ret ? lent_fail(s, ret) : 0;
}
