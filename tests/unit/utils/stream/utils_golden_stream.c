// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the output of roc-stream, byte for byte.
 */
#include "unit.h"

#include <endian.h>

#include "kmod/stream/stream_packet.h"
#include "tests/unit/utils/golden.h"
#include "utils/stream/stream.h"

static const struct roc_card card = {
	.sequence = 3,
	.type = ROC_CARD_P40,
	.serial = 401,
	.endpoint = 0,
	.channels = 7,
	.pci_address = "0000:5e:00.0",
	.node = "/dev/roc3",
};

#define STREAMS 3

/* A running stream with losses, a failed one and an unused one. */
static void streams(struct roc_st_info info[STREAMS])
{
	info[0] = (struct roc_st_info){
		.stream = 0,
		.state = ROC_CH_RUNNING,
		.run = 2,
		.name = "main",
		.owner = 4711,
		.segments = 16,
		.ring = 64 << 20,
		.written = 5,
		.read = UINT32_MAX - 262138,
		.level = 4096,
		.card = {.units = 1000,
			 .bytes = 65536000,
			 .offered = 260005,
			 .events = 256000,
			 .discarded = 1000,
			 .waiting = 5,
			 .throttles = 2,
			 .throttled = 3000,
			 .throttle_time = 1500000000,
			 .throttle_first = 1,
			 .throttle_from = 100,
			 .throttle_to = 1099,
			 .truncations = 1,
			 .truncated = 7,
			 .truncated_bytes = 7000,
			 .truncate_time = 250,
			 .truncate_first = 40,
			 .truncate_from = 50,
			 .truncate_to = 56},
		.bytes = 65536000,
		.interrupts = 8,
		.missed_interrupts = 1,
		.spurious_interrupts = 2,
		.arms = 9,
		.doorbells = 3,
		.wakes = 7,
		.mmio_reads = 11,
		.mmio_writes = 12,
	};
	info[1] = (struct roc_st_info){.stream = 1,
				       .state = ROC_CH_FAILED,
				       .name = "meta",
				       .ring = 64 << 10,
				       .segments = 1,
				       .bad_index = 4};
	info[2] = (struct roc_st_info){.stream = 2, .name = "odin0"};
}

static void stats(void)
{
	struct roc_st_info info[STREAMS];
	struct json j;
	FILE *out;

	streams(info);
	out = golden_begin();
	channel_list_text(out, &stream_channels, info, STREAMS, false, false);
	fputc('\n', out);
	channel_list_text(out, &stream_channels, info, STREAMS, true, true);
	golden_end(out, "stream-stats.txt");
	out = golden_begin();
	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &card);
	channel_list_json(&j, &stream_channels, info, STREAMS);
	json_object_end(&j);
	golden_end(out, "stream-stats.json");
}

static void settings(void)
{
	const struct roc_st_settings s = {.policy = ROC_ST_TRUNCATE | ROC_ST_THROTTLE,
					  .pack_events = 256,
					  .pack_bytes = 65536,
					  .pack_time = 1000000,
					  .throttle_on = 1572864,
					  .throttle_off = 524288,
					  .truncate_on = 1048576,
					  .spill = 2097152,
					  .interrupt_bytes = 8388608,
					  .interrupt_time = 8000000,
					  .low_water = 4096};
	const struct roc_p40_generator off = {.size_min = 64, .size_max = 128, .align = 4};
	const struct roc_p40_generator g = {.first = UINT64_C(1) << 40,
					    .limit = 1000000,
					    .generated = 12345,
					    .size_min = 100,
					    .size_max = 4000,
					    .rate = 50000,
					    .align = 8,
					    .running = true,
					    .distributed = true,
					    .clocked = true};
	struct json j;
	FILE *out;

	out = golden_begin();
	stream_settings_text(out, "main", &s, &g);
	stream_settings_text(out, "meta", &s, NULL);
	stream_settings_text(out, "odin0", &s, &off);
	golden_end(out, "stream-set.txt");
	out = golden_begin();
	json_start(&j, out);
	json_object(&j, NULL);
	stream_settings_json(&j, &s, &g);
	json_object_end(&j);
	golden_end(out, "stream-set.json");
}

static void follow(void)
{
	static const struct stream_options opt = {
		.channel = {.action = STREAM_FOLLOW, .common.verbose = true}};
	struct roc_st_info info[STREAMS];
	struct stream_run r = {
		.opt = &opt,
		.run = {.opt = &opt.channel,
			.card = card,
			.errors = {.count = 6},
			.end = CHANNEL_END_BYTES,
			.start = 1000000000,
			.finish = 3000000000,
			.waits = 38},
		.bytes = 65536000,
		.batches = 40,
		.lost = 3,
		.check = {.packets = 1000,
			  .events = 256000,
			  .truncated = 7,
			  .payload = 60000000,
			  .gaps = 2,
			  .missing = 3000,
			  .expect = {.known = true}},
	};
	FILE *out;

	streams(info);
	r.info = info[0];
	out = golden_begin();
	channel_report_text(out, &stream_report, &r.run);
	golden_end(out, "stream-follow.txt");
	out = golden_begin();
	channel_report_json(out, &stream_report, &r.run);
	golden_end(out, "stream-follow.json");
}

/* A run that did not start reached no limit. */
static void failed(void)
{
	static const struct stream_options opt = {.channel.action = STREAM_FOLLOW};
	struct stream_run r = {
		.opt = &opt,
		.run = {.opt = &opt.channel, .card = card, .failure = "The card is gone."}};
	FILE *out = golden_begin();

	channel_report_json(out, &stream_report, &r.run);
	fclose(out);
	CU_ASSERT_PTR_NOT_NULL(strstr(golden_text, "\"end\": \"failed\""));
	free(golden_text);
}

static void dump(void)
{
	static union {
		struct stream_packet packet;
		struct stream_meta meta;
		struct stream_odin odin;
		unsigned char bytes[128];
	} u[3];
	struct roc_packets walk;
	struct roc_packet p;
	unsigned int i;
	FILE *out;

	memset(u, 0, sizeof(u));
	for (i = 0; i < 128; i++)
		u[0].bytes[i] = (unsigned char)i;
	u[0].packet = (struct stream_packet){
		.magic = htole16(STREAM_MAGIC_PACKET),
		.version = 1,
		.align = 3,
		.size = htole32(128),
		.first_event = htole64(1000),
		.number = htole32(7),
		.data = htole32(48),
		.fragments = htole32(2),
		.source = htole16(0x400),
		.flags = htole16(STREAM_PACKET_TRUNCATED | STREAM_PACKET_GAP)};
	u[0].bytes[32] = 1;
	u[0].bytes[33] = 0x81;
	memset(u[0].bytes + 36, 0, 8);
	u[0].bytes[36] = 70;
	u[1].meta = (struct stream_meta){.magic = htole16(STREAM_MAGIC_META),
					 .version = 1,
					 .size = htole32(64),
					 .first_event = htole64(1000),
					 .number = htole32(7),
					 .position = htole32(12),
					 .bytes = htole32(128),
					 .fragments = htole32(2),
					 .truncated = htole32(1),
					 .source = htole16(0x400),
					 .cycles = htole64(99)};
	u[2].odin = (struct stream_odin){.magic = htole16(STREAM_MAGIC_ODIN),
					 .version = 1,
					 .size = htole32(64),
					 .event = htole64(4000),
					 .stream = htole16(4),
					 .orbit = htole32(1),
					 .bunch = htole16(436),
					 .trigger = htole16(1),
					 .cycles = htole64(100)};
	out = golden_begin();
	for (i = 0; i < 3; i++) {
		roc_packets_begin(&walk, &u[i], i ? 64 : 128);
		UNIT_EQ(roc_packets_next(&walk, &p), 1);
		stream_packet_text(out, &p, true);
	}
	golden_end(out, "stream-dump.txt");
}

UNIT_MAIN("utils golden stream", {"stats", stats}, {"settings", settings}, {"follow", follow},
	  {"failed run", failed}, {"dump", dump})
