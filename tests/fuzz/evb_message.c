// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz the data that nodes of event building read from each other. The first byte selects the rest:
 * a greeting (0), the header of a segment (1), or a message. No input may cause a read outside of
 * it; accepted input is within its limits and encodes to the same bytes again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libroc/evb/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
	if (!condition)
		abort();
}

static void greeting(const uint8_t *data)
{
	static unsigned char again[EVB_GREETING];
	struct evb_greeting g, h;
	uint32_t i;

	if (evb_get_greeting(data, &g))
		return;
	must(!g.system[ROC_EVB_NAME - 1] && !g.name[ROC_EVB_NAME - 1] && !g.reason[255]);
	must(g.name_bytes <= FABRIC_NAME && g.region_count <= EVB_REGIONS);
	must(g.segments <= EVB_SEGMENTS && g.pieces <= EVB_PIECES_MAX);
	must(!g.status != !g.name_bytes);
	/* Every segment is inside of its region. */
	for (i = 0; i < g.segments; i++) {
		must(i / g.per_region < g.region_count);
		must((i % g.per_region + 1) * g.segment <= g.regions[i / g.per_region].bytes);
	}
	evb_put_greeting(again, &g);
	must(!evb_get_greeting(again, &h) && h.segment == g.segment && h.segments == g.segments);
}

static void segment(const uint8_t *data)
{
	unsigned char again[EVB_SEGMENT_HEAD];
	struct evb_segment s, t;

	if (!evb_get_segment(data, EVB_SEGMENT_MIN - EVB_SEGMENT_HEAD, &s))
		return;
	must(s.part < s.parts && s.bytes && s.bytes <= EVB_SEGMENT_MIN - EVB_SEGMENT_HEAD);
	evb_put_segment(again, &s);
	must(evb_get_segment(again, EVB_SEGMENT_MIN - EVB_SEGMENT_HEAD, &t) && t.block == s.block &&
	     t.epoch == s.epoch);
}

/* Keeps the compiler from removing the reads. */
static volatile uint32_t seen;

static void message(const uint8_t *data, size_t size)
{
	static unsigned char again[EVB_COMMAND];
	struct evb_message m, n;
	struct evb_piece p;
	uint32_t i, sum = 0;

	if (!evb_get_message(data, size, &m))
		return;
	for (i = 0; i < m.count && (m.type == EVB_CREDIT || m.type == EVB_GOT); i++)
		sum += evb_get_number(&m, i);
	for (i = 0; i < m.count && m.type == EVB_HAVE; i++) {
		evb_get_piece(&m, i, &p);
		sum += p.region;
	}
	for (i = 0; i < m.count && m.type == EVB_PIECE_OF; i++)
		sum += m.payload[i];
	n = m;
	seen = sum;
	must(evb_put_message(again, &n) == size);
	memcpy(again + EVB_HEAD, m.payload, size - EVB_HEAD);
	must(evb_get_message(again, size, &n) && n.a == m.a && n.d == m.d && n.number == m.number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *exact;

	if (!size--)
		return 0;
	/* Of exactly its size: a sanitizer detects a read beyond it. */
	exact = malloc(size ? size : 1);
	must(!!exact);
	memcpy(exact, data + 1, size);
	if (data[0] == 0 && size >= EVB_GREETING)
		greeting(exact);
	else if (data[0] == 1 && size >= EVB_SEGMENT_HEAD)
		segment(exact);
	else if (data[0] > 1)
		message(exact, size);
	free(exact);
	return 0;
}
