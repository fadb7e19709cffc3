// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden test of the output of tools for a card: list of cards, report of the bench, registers,
 * trigger emulator and user logic.
 */
#include "unit.h"

#include <math.h>

#include "tests/unit/utils/golden.h"

#include "utils/dma/bench.h"
#include "utils/node/node.h"
#include "utils/players/players.h"
#include "utils/registers/registers.h"

static void list_forms(void)
{
	struct roc_firmware_list *list = golden_firmware();
	struct roc_card cards[GOLDEN_CARDS];
	FILE *out;

	memcpy(cards, golden_cards, sizeof(cards));
	strcpy(cards[1].user_logic, "1234abcd");
	cards[2].endpoint = -1;
	cards[2].numa_node = -1;
	out = golden_begin();
	list_cards_text(out, list, cards, NULL, GOLDEN_CARDS, false);
	list_cards_text(out, list, cards, NULL, GOLDEN_CARDS, true);
	list_cards_text(out, list, cards, NULL, 0, false);
	golden_end(out, "list-cards.txt");
	out = golden_begin();
	list_cards_json(out, list, cards, NULL, GOLDEN_CARDS);
	golden_end(out, "list-cards.json");
	roc_firmware_close(list);
}

/* A card with streams, and one without. */
static void list_streams(void)
{
	static const struct list_streams streams[] = {
		{.count = 0}, {.count = 2, .name = {"main", "meta"}}, {.count = 0}};
	struct roc_firmware_list *list = golden_firmware();
	struct roc_card cards[3];
	FILE *out;

	memcpy(cards, golden_cards, sizeof(cards));
	cards[1].type = ROC_CARD_P40;
	cards[1].serial = 401;
	cards[1].endpoint = 0;
	cards[1].channels = 2;
	/* The longest name and number: the columns must not shift. */
	cards[2].type = ROC_CARD_ROBINNP;
	cards[2].serial = 1234567890;
	out = golden_begin();
	list_cards_text(out, list, cards, streams, 3, false);
	list_cards_text(out, list, cards, streams, 3, true);
	golden_end(out, "list-cards-streams.txt");
	out = golden_begin();
	list_cards_json(out, list, cards, streams, 3);
	golden_end(out, "list-cards-streams.json");
	roc_firmware_close(list);
}

static struct bench_options options = {
	.dma_channel = 0,
	.source = ROC_SOURCE_DDG,
	.mode = ROC_MODE_TIMER,
};

static void fill(struct bench *b)
{
	*b = (struct bench){
		.opt = &options,
		.card = {.sequence = 1},
		.info = {.card_type = ROC_CARD_CRU,
			 .serial = 245,
			 .endpoint = 1,
			 .numa_node = 0,
			 .pci_address = "0000:3c:00.0",
			 .firmware = "e1a0a6d5"},
		.checker = {.config = {.data = CHECK_DDG, .enabled = true}},
		.memory_page = 2097152,
		.superpage = 1048576,
		.count = 256,
		.temperature = 44.9609375,
		.end = BENCH_END_BYTES,
		.counts = {.start = 1000000000,
			   .end = 3500000000,
			   .superpages = 4096,
			   .bytes = 4294967296,
			   .pages = 524288,
			   .reclaimed = 252,
			   .waits = 1000,
			   .kicks = 17,
			   .gaps = {0, 10, 80, 10},
			   .links = {[0] = {2048, 2147483648, 262144},
				     [11] = {2048, 2147483648, 262144}}},
	};
}

static void bench_forms(void)
{
	struct bench b;
	FILE *out;

	fill(&b);
	out = golden_begin();
	bench_report_text(out, &b);
	golden_end(out, "bench-dma.txt");
	out = golden_begin();
	bench_report_json(out, &b);
	golden_end(out, "bench-dma.json");

	/* A run that ended at once, on a card without a sensor, with all options. */
	options.common.verbose = true;
	options.bar_hammer = true;
	options.buffer_full_check = true;
	options.no_errorcheck = true;
	b.checker.config.enabled = false;
	b.counts = (struct bench_counts){.start = 5, .end = 5, .dropped = 3, .retries = 2};
	b.hammer.reads = 12000;
	b.hammer.seconds = 0.5;
	b.temperature = NAN;
	b.info.serial = -1;
	b.info.numa_node = -1;
	b.end = BENCH_END_FAILED;
	strcpy(b.failure, "The card says \"no\".");
	out = golden_begin();
	bench_report_text(out, &b);
	golden_end(out, "bench-dma-empty.txt");
	out = golden_begin();
	bench_report_json(out, &b);
	golden_end(out, "bench-dma-empty.json");
	memset(&options.common, 0, sizeof(options.common));
	options.bar_hammer = options.buffer_full_check = options.no_errorcheck = false;

	/* A complete report with errors. */
	fill(&b);
	options.common.verbose = true;
	b.errors.count = 7;
	out = golden_begin();
	bench_report_text(out, &b);
	golden_end(out, "bench-dma-verbose.txt");
	options.common.verbose = false;
}

static void register_forms(void)
{
	struct json j;
	FILE *out;

	out = golden_begin();
	reg_text(out, "", 0x200, 0x2, false);
	reg_text(out, "", 0x200, 0xdeadbeef, true);
	reg_text(out, "Before modification:", 0xfffffc, 0, true);
	golden_end(out, "reg.txt");
	out = golden_begin();
	json_start(&j, out);
	json_object(&j, NULL);
	reg_json(&j, "before", 0x600034, 0);
	reg_json(&j, "after", 0x600034, 0xffffffff);
	json_object_end(&j);
	golden_end(out, "reg.json");
}

static void trigger_forms(void)
{
	struct ctp_report r = {.action = "status"};
	struct roc_cru_ctp ctp;
	FILE *out;

	roc_cru_ctp_default(&ctp);
	ctp.mode = ROC_CRU_CTP_FIXED;
	ctp.init_orbit = 0xfffffff0;
	ctp.fixed_bc[0] = 1;
	ctp.fixed_bc[1] = 3563;
	out = golden_begin();
	ctp_text(out, &r);
	r.running = true;
	ctp_text(out, &r);
	golden_end(out, "ctp-emulator.txt");
	out = golden_begin();
	ctp_json(out, &r);
	golden_end(out, "ctp-emulator.json");
	r = (struct ctp_report){"start", true, &ctp};
	out = golden_begin();
	ctp_json(out, &r);
	golden_end(out, "ctp-emulator-start.json");
}

static void user_logic_forms(void)
{
	struct roc_cru_ul ul = {.event_size = 200, .system_id = 0x12, .link_id = 0xf};
	FILE *out;

	out = golden_begin();
	ul_text(out, &ul);
	ul.random_size = true;
	ul_text(out, &ul);
	golden_end(out, "ul.txt");
	out = golden_begin();
	ul_json(out, &ul);
	golden_end(out, "ul.json");
}

UNIT_MAIN("output of tools for a card", {"roc-list-cards", list_forms},
	  {"roc-list-cards with streams", list_streams}, {"roc-bench-dma", bench_forms},
	  {"registers", register_forms}, {"roc-ctp-emulator", trigger_forms},
	  {"roc-ul", user_logic_forms})
