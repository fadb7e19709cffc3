// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What sources and sinks share.
 */
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
