// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers in network messages and files have the offsets that the pages define (transport.md,
 * recording.md, mep.md, event-building-protocol.md), and all other bytes are 0.
 */
#include "unit.h"

#include "libroc/core/bytes.h"
#include "libroc/evb/message.h"
#include "utils/network/wire.h"
#include "utils/record/recording.h"

#include <roc/mep.h>

/* Number k of a structure, of 4 and of 8 bytes: its first and last byte are k. */
#define HALF(k) ((uint32_t)(k) << 24 | (k))
#define WHOLE(k) ((uint64_t)(k) << 56 | (k))
#define END UINT32_MAX
#define AT(...) ((const unsigned int[]){__VA_ARGS__, END})

/*
 * From @first to @end, the bytes that AT() lists are numbers of 4 bytes, then of 8 bytes, counted
 * from 1; the rest is 0.
 */
static void numbers_at(const unsigned char *text, unsigned int first, unsigned int end,
		       const unsigned int *halves, const unsigned int *wholes)
{
	unsigned char expected[128] = {0};
	unsigned int i, k = 1;

	for (i = 0; halves[i] != END; i++, k++)
		put32(expected + halves[i], HALF(k));
	for (i = 0; wholes[i] != END; i++, k++)
		put64(expected + wholes[i], WHOLE(k));
	for (i = first; i < end; i++) {
		if (text[i] != expected[i]) {
			unit_note("byte %u is %u, not %u", i, text[i], expected[i]);
			CU_FAIL("a number is elsewhere");
			return;
		}
	}
}

static void network(void)
{
	static unsigned char text[WIRE_WELCOME];
	const struct wire_hello h = {.version = WIRE_VERSION,
				     .connection = HALF(1),
				     .connections = HALF(2),
				     .content = HALF(3),
				     .page_bytes = HALF(4),
				     .flags = HALF(5),
				     .name_bytes = HALF(6),
				     .run = WHOLE(7),
				     .unit_max = WHOLE(8)};
	const struct wire_welcome w = {.version = WIRE_VERSION,
				       .status = HALF(1),
				       .slots = HALF(2),
				       .name_bytes = HALF(3),
				       .base = WHOLE(4),
				       .key = WHOLE(5),
				       .stride = WHOLE(6),
				       .slot_bytes = WHOLE(7)};
	const struct wire_record r = {
		.type = HALF(1), .count = HALF(2), .a = WHOLE(3), .b = WHOLE(4)};
	const struct wire_head head = {.link = HALF(1),
				       .flags = HALF(2),
				       .bytes = WHOLE(3),
				       .sequence = WHOLE(4),
				       .first = WHOLE(5),
				       .time = WHOLE(6),
				       .run = WHOLE(7)};

	wire_put_hello(text, &h);
	numbers_at(text, 16, 64, AT(16, 20, 24, 28, 32, 36), AT(40, 48));
	wire_put_welcome(text, &w);
	numbers_at(text, 16, 64, AT(16, 20, 24), AT(32, 40, 48, 56));
	wire_put_record(text, &r);
	numbers_at(text, 0, WIRE_RECORD, AT(0, 4), AT(8, 16));
	wire_put_head(text, &head);
	numbers_at(text, 0, WIRE_HEAD, AT(32, 36), AT(0, 8, 16, 24, 40));
}

static void recording(void)
{
	static unsigned char text[RECORDING_HEADER];
	const struct recording_header h = {.flags = HALF(1),
					   .content = HALF(2),
					   .page_bytes = HALF(3),
					   .number = HALF(4),
					   .run = WHOLE(5),
					   .time = WHOLE(6),
					   .entries = WHOLE(7),
					   .bytes = WHOLE(8),
					   .unit_max = WHOLE(9)};
	const struct recording_entry e = {.link = HALF(1),
					  .flags = HALF(2),
					  .data_crc = HALF(3),
					  .offset = WHOLE(4),
					  .bytes = WHOLE(5),
					  .first = WHOLE(6),
					  .sequence = WHOLE(7),
					  .time = WHOLE(8),
					  .run = WHOLE(9)};

	recording_put_header(text, &h);
	numbers_at(text, 28, 96, AT(28, 32, 36, 40), AT(48, 56, 64, 72, 80));
	recording_put_entry(text, &e);
	numbers_at(text, 0, 60, AT(40, 44, 56), AT(0, 8, 16, 24, 32, 48));
}

static void event_building(void)
{
	static unsigned char text[EVB_GREETING];
	const struct roc_mfp mfp = {.events = HALF(1),
				    .count = HALF(2),
				    .source = HALF(3),
				    .epoch = HALF(4),
				    .flags = HALF(5),
				    .content = HALF(6),
				    .block = WHOLE(7),
				    .first_event = WHOLE(8),
				    .time = WHOLE(9),
				    .bytes = WHOLE(10)};
	const struct evb_greeting g = {.version = EVB_VERSION,
				       .status = HALF(1),
				       .layout = HALF(2),
				       .protocol = HALF(3),
				       .events = HALF(4),
				       .in_flight = HALF(5),
				       .pieces = HALF(6),
				       .name_bytes = HALF(7),
				       .region_count = HALF(8),
				       .segments = HALF(9),
				       .per_region = HALF(10),
				       .segment = WHOLE(11),
				       .mfp_max = WHOLE(12),
				       .incarnation = WHOLE(13),
				       .to_incarnation = WHOLE(14)};
	const struct evb_message m = {.type = EVB_BEAT,
				      .count = HALF(1),
				      .number = HALF(2),
				      .a = WHOLE(3),
				      .b = WHOLE(4),
				      .c = WHOLE(5),
				      .d = WHOLE(6)};
	const struct evb_segment s = {.part = HALF(1),
				      .parts = HALF(2),
				      .block = WHOLE(3),
				      .mfp_bytes = WHOLE(4),
				      .bytes = WHOLE(5),
				      .epoch = WHOLE(6)};

	roc_mfp_put(text, &mfp);
	numbers_at(text, 8, ROC_MFP_HEAD, AT(40, 44, 48, 52, 56, 60), AT(8, 16, 24, 32));
	evb_put_greeting(text, &g);
	numbers_at(text, 16, 128, AT(16, 20, 24, 28, 32, 36, 40, 44, 48, 52), AT(56, 64, 72, 80));
	evb_put_message(text, &m);
	UNIT_EQ(get32(text), EVB_BEAT);
	numbers_at(text, 8, EVB_HEAD, AT(8, 12), AT(16, 24, 32, 40));
	evb_put_segment(text, &s);
	numbers_at(text, 8, EVB_SEGMENT_HEAD, AT(40, 44), AT(8, 16, 24, 32));
}

UNIT_MAIN("utils_layouts", {"network", network}, {"recording", recording},
	  {"event building", event_building})
