// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the output of roc-fragment, and of roc-status for a RobinNP, byte for byte.
 */
#include "unit.h"

#include <math.h>

#include "tests/unit/utils/golden.h"
#include "utils/fragment/fragment.h"
#include "utils/status/status.h"

static const struct roc_card card = {
	.sequence = 3,
	.type = ROC_CARD_ROBINNP,
	.serial = 417,
	.endpoint = 0,
	.channels = 2,
	.pci_address = "0000:5e:00.0",
	.firmware = "c0ffee",
	.node = "/dev/roc3",
};

#define SUBS 2

/* A running sub-unit with a held link and a link with errors, and an unused one. */
static void subs(struct fragment_unit unit[SUBS])
{
	unsigned int i;

	memset(unit, 0, SUBS * sizeof(*unit));
	unit[0].info = (struct roc_fr_info){
		.sub = 0,
		.state = ROC_CH_RUNNING,
		.run = 2,
		.name = "sub0",
		.owner = 4711,
		.links = 6,
		.link_memory = 64 << 20,
		.page_size = 2048,
		.pages = 32768,
		.host_page_size = 2048,
		.host_pages = 4096,
		.mask = 0x3f,
		.interrupts = 30,
		.data_interrupts = 20,
		.done_interrupts = 9,
		.error_interrupts = 1,
		.missed_interrupts = 1,
		.spurious_interrupts = 2,
		.arms = 31,
		.wakes = 29,
		.mmio_writes = 31,
	};
	unit[1].info = (struct roc_fr_info){
		.sub = 1, .state = ROC_CH_FAILED, .name = "sub1", .links = 6, .bad_index = 4};
	unit[0].counters.sub = (struct roc_robinnp_sub){.commands = 310,
							.ok = 300,
							.bad_page = 1,
							.aborted = 2,
							.commands_discarded = 3,
							.commands_waiting = 4,
							.transfers = 300,
							.bytes = 480000,
							.frees = 2950,
							.freed = 2949,
							.bad_free = 1,
							.data_interrupts = 20,
							.done_interrupts = 10,
							.error_interrupts = 1};
	unit[0].counters.links = unit[1].counters.links = ROC_ROBINNP_LINKS;
	for (i = 0; i < ROC_ROBINNP_LINKS; i++) {
		unit[0].counters.link[i].number = i;
		unit[1].counters.link[i].number = ROC_ROBINNP_LINKS + i;
		unit[0].counters.link[i].counts = (struct roc_robinnp_link){.offered = 1003 + i,
									    .fragments = 1000 + i,
									    .discarded = 2,
									    .waiting = 1,
									    .bytes = 1600000,
									    .pages = 32768,
									    .pages_host = 100,
									    .pages_free = 32667,
									    .pages_filled = 1};
		unit[1].counters.link[i].counts = (struct roc_robinnp_link){.masked = true};
	}
	unit[0].counters.link[2].counts.held = true;
	unit[0].counters.link[2].counts.holds = 3;
	unit[0].counters.link[2].counts.hold_cycles = 250000;
	unit[0].counters.link[2].counts.hold_event = 4294967295;
	unit[0].counters.link[4].counts.truncated = 5;
	unit[0].counters.link[4].counts.cut = 600;
	unit[0].counters.link[4].counts.link_errors = 6;
	unit[0].counters.link[4].counts.format_errors = 7;
	unit[0].counters.link[4].counts.sequence_errors = 8;
}

static void stats(void)
{
	struct fragment_unit unit[SUBS];
	struct json j;
	FILE *out;

	subs(unit);
	out = golden_begin();
	channel_list_text(out, &fragment_channels, unit, SUBS, false, false);
	fputc('\n', out);
	channel_list_text(out, &fragment_channels, unit, SUBS, true, true);
	golden_end(out, "fragment-stats.txt");
	out = golden_begin();
	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &card);
	channel_list_json(&j, &fragment_channels, unit, SUBS);
	json_object_end(&j);
	golden_end(out, "fragment-stats.json");
}

static void settings(void)
{
	const struct roc_fr_settings s = {.links = 0x3f,
					  .data_count = 64,
					  .data_time = 2000000,
					  .done_count = 16,
					  .done_time = 100000};
	const struct roc_robinnp_generator g[] = {
		{.size_min = 1024, .size_max = 2048},
		{.first = 4294967290,
		 .limit = 1000,
		 .generated = 77,
		 .size_min = 400,
		 .size_max = 1600,
		 .rate = 50000,
		 .running = true,
		 .distributed = true},
	};
	struct json j;
	FILE *out;

	out = golden_begin();
	fragment_settings_text(out, "sub0", &s, 2, g);
	golden_end(out, "fragment-set.txt");
	out = golden_begin();
	json_start(&j, out);
	json_object(&j, NULL);
	fragment_settings_json(&j, &s, 2, g);
	json_object_end(&j);
	golden_end(out, "fragment-set.json");
}

static void a_run(void)
{
	static const struct fragment_options opt = {.channel.common.verbose = true, .percent = 10};
	struct fragment_unit unit[SUBS];
	struct fragment_run r = {
		.opt = &opt,
		.run = {.opt = &opt.channel,
			.card = card,
			.end = CHANNEL_END_TIME,
			.start = 1000000000,
			.finish = 3000000000,
			.waits = 500},
		.links = 0x3f,
		.events = 20000,
		.requested = 2000,
		.incomplete = 3,
		.bytes = 19200000,
		.full = 4,
		.kept_most = 777,
		.latency_ns = 1234567,
		.check = {.known = true, .bytes = 19200000},
		.counters_valid = true,
		.counts = {.taken = 120003,
			   .replaced = 1,
			   .requested = 12000,
			   .fetched = 11990,
			   .failed = 10,
			   .cleared = 120002,
			   .doorbells = 2500},
	};
	FILE *out;

	subs(unit);
	r.after = unit[0].counters;
	r.info = unit[0].info;
	out = golden_begin();
	channel_report_text(out, &fragment_report, &r.run);
	golden_end(out, "fragment-run.txt");
	out = golden_begin();
	channel_report_json(out, &fragment_report, &r.run);
	golden_end(out, "fragment-run.json");
	/* The card was removed, and its counters with it. */
	r.before = r.after;
	r.after = (struct fragment_counters){0};
	r.counters_valid = false;
	out = golden_begin();
	channel_report_text(out, &fragment_report, &r.run);
	golden_end(out, "fragment-run-gone.txt");
	out = golden_begin();
	channel_report_json(out, &fragment_report, &r.run);
	golden_end(out, "fragment-run-gone.json");
}

/* A run that did not start reached no limit. */
static void failed(void)
{
	static const struct fragment_options opt = {.percent = 10};
	struct fragment_run r = {
		.opt = &opt,
		.run = {.opt = &opt.channel, .card = card, .failure = "The card is gone."}};
	FILE *out = golden_begin();

	channel_report_json(out, &fragment_report, &r.run);
	fclose(out);
	CU_ASSERT_PTR_NOT_NULL(strstr(golden_text, "\"end\": \"failed\""));
	free(golden_text);
}

static void status(void)
{
	struct status_fragments r = {.card = card,
				     .status = {.chip_id = UINT64_C(0x123456789abcdef),
						.cycles = 250000000,
						.temperature = 41.5,
						.clock = 250000000,
						.features = 3,
						.subs = 2,
						.links = 6,
						.source = 0xa70,
						.serial = 417,
						.firmware = "1.2.3",
						.hash = "c0ffee",
						.date = "2026-01-02 03:04:05"},
				     .subs = SUBS,
				     .time = GOLDEN_TIME};
	FILE *out;

	subs(r.sub);
	out = golden_begin();
	status_fragments_forms.text(out, &r, false, false);
	r.status.temperature = NAN;
	status_fragments_forms.text(out, &r, true, true);
	golden_end(out, "robinnp-status.txt");
	r.status.temperature = 41.5;
	out = golden_begin();
	status_fragments_forms.json(out, &r);
	golden_end(out, "robinnp-status.json");
	out = golden_begin();
	status_fragments_forms.influx(out, &r);
	golden_end(out, "robinnp-status.influx");
	out = golden_begin();
	status_fragments_forms.prometheus(out, &r);
	golden_end(out, "robinnp-status.prom");
}

UNIT_MAIN("utils golden fragment", {"stats", stats}, {"settings", settings}, {"a run", a_run},
	  {"failed run", failed}, {"roc-status of a RobinNP", status})
