// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the output of roc-config, roc-loopback, roc-pat-player, roc-fw-check and roc-bar-stress,
 * byte for byte.
 */
#include "unit.h"

#include "golden.h"

#include "utils/config/config.h"
#include "utils/node/node.h"
#include "utils/players/players.h"
#include "utils/registers/registers.h"

static struct config_outcome outcomes[4];

static void make_outcomes(void)
{
	struct roc_config_result *r = &outcomes[0].result;

	memset(outcomes, 0, sizeof(outcomes));
	outcomes[0].card = golden_cards[0];
	*r = (struct roc_config_result){
		.reconfigured = true, .clock_programmed = true, .reads = 120, .writes = 34};
	r->count = 2;
	strcpy(r->diffs[0].name, "cru.clock");
	strcpy(r->diffs[0].wanted, "TTC");
	strcpy(r->diffs[0].have, "LOCAL");
	strcpy(r->diffs[1].name, "link3.feeId");
	strcpy(r->diffs[1].wanted, "0x12");
	strcpy(r->diffs[1].have, "0x0");
	outcomes[1].card = golden_cards[1];
	outcomes[1].result.reads = 120;
	outcomes[2].card = golden_cards[2];
	outcomes[2].failed = true;
	strcpy(outcomes[2].reason, "register 0x600034 reads 0x0, not 0x3e8");
	r = &outcomes[2].result;
	*r = (struct roc_config_result){.reads = 121,
					.writes = 5,
					.restored = true,
					.bar = 2,
					.offset = 0x600034,
					.wanted = 1000};
	strcpy(r->register_name, "trigger window");
	outcomes[3] = outcomes[0];
	outcomes[3].compare = true;
	outcomes[3].result.reconfigured = outcomes[3].result.clock_programmed = false;
	outcomes[3].result.writes = 0;
}

static void config_forms(void)
{
	unsigned int i;
	FILE *out;

	make_outcomes();
	out = golden_begin();
	for (i = 0; i < 4; i++)
		config_text(out, &outcomes[i], i == 0);
	golden_end(out, "config.txt");
	out = golden_begin();
	config_summary(out, outcomes, 3, false);
	golden_end(out, "config-summary.txt");
	out = golden_begin();
	config_json(out, outcomes, 4);
	golden_end(out, "config.json");
}

static void report_names(void)
{
	char name[64];

	setenv("TZ", "UTC", 1);
	CU_ASSERT_TRUE(config_report_name("+/tmp/%i_%t_%T%%", &golden_cards[0], 1700000000, name,
					  sizeof(name)));
	UNIT_STR(name, "+/tmp/0000:3b:00.0_1700000000_2023-11-14_22-13-20%");
	CU_ASSERT_FALSE(config_report_name("/tmp/%x", &golden_cards[0], 0, name, sizeof(name)));
	CU_ASSERT_FALSE(config_report_name("/tmp/%", &golden_cards[0], 0, name, sizeof(name)));
	CU_ASSERT_FALSE(config_report_name("/tmp/%i", &golden_cards[0], 0, name, 17));
	CU_ASSERT_TRUE(config_report_name("/tmp/%i", &golden_cards[0], 0, name, 19));
	UNIT_STR(name, "/tmp/0000:3b:00.0");
}

static void loopback_forms(void)
{
	struct loopback_round r = {.number = 7, .links = 0x803};
	struct json j;
	FILE *out;

	r.results[0] = (struct roc_cru_loopback_link){true, true, true, true, 0, 0};
	r.results[1] = (struct roc_cru_loopback_link){true, false, true, false, 4294967295u, 12};
	r.results[11] = (struct roc_cru_loopback_link){true, true, true, true, 0, 1};
	CU_ASSERT_TRUE(loopback_good(&r.results[0]));
	CU_ASSERT_FALSE(loopback_good(&r.results[1]));
	CU_ASSERT_FALSE(loopback_good(&r.results[11]));
	out = golden_begin();
	loopback_text(out, &r, false, false);
	loopback_text(out, &r, true, false);
	golden_end(out, "loopback.txt");
	out = golden_begin();
	json_start(&j, out);
	loopback_json(&j, &r);
	golden_end(out, "loopback.json");
}

static void pattern_forms(void)
{
	struct roc_cru_patterns p;
	FILE *out;

	roc_cru_patterns_default(&p);
	p.pat[1] = (struct roc_cru_pattern){{0x89abcdef, 0x1234567, 0xfeed}};
	p.pat2_trigger_tf = 0xfff;
	p.pat2_trigger_orbit = 0x12;
	p.pat2_trigger_bc = 0x345;
	p.pat1_at_start = true;
	out = golden_begin();
	patterns_text(out, &p);
	golden_end(out, "pat-player.txt");
	out = golden_begin();
	patterns_json(out, &p);
	golden_end(out, "pat-player.json");
}

static void firmware_forms(void)
{
	struct roc_firmware_list *list = golden_firmware();
	struct roc_card cards[4];
	FILE *out;

	memcpy(cards, golden_cards, sizeof(golden_cards));
	strcpy(cards[1].firmware, "bad00bad");
	cards[3] = cards[0];
	cards[3].sequence = 3;
	strcpy(cards[3].firmware, "01d01d01");
	out = golden_begin();
	fw_check_text(out, list, cards, 4, false);
	golden_end(out, "fw-check.txt");
	out = golden_begin();
	fw_check_json(out, list, cards, 4);
	golden_end(out, "fw-check.json");
	roc_firmware_close(list);
}

static void stress_forms(void)
{
	struct bar_stress_worker w[3] = {
		{.reads = {100, 100000, 5000},
		 .writes = {100, 20000, 900},
		 .at_first = 200,
		 .duration_ns = 120000},
		{.reads = {100, 200000, 7000},
		 .writes = {100, 40000, 800},
		 .at_first = 100,
		 .duration_ns = 240000,
		 .wrong = 1},
		{.at_first = 0},
	};
	struct bar_stress_report r = {
		.pci_address = "0000:3b:00.0",
		.bar = 2,
		.address = 0x600034,
		.write = true,
		.processes = 3,
		.workers = w,
	};
	FILE *out;

	out = golden_begin();
	bar_stress_text(out, &r);
	golden_end(out, "bar-stress.txt");
	out = golden_begin();
	bar_stress_json(out, &r);
	golden_end(out, "bar-stress.json");
	r.processes = 1;
	w[0].writes = (struct bar_stress_ops){.count = 0};
	out = golden_begin();
	bar_stress_text(out, &r);
	golden_end(out, "bar-stress-one.txt");
}

static void fairness(void)
{
	struct bar_stress_worker w[4] = {{.at_first = 5}, {.at_first = 5}};

	CU_ASSERT_DOUBLE_EQUAL(bar_stress_jain(w, 1), 1.0, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(bar_stress_jain(w, 2), 1.0, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(bar_stress_jain(w, 4), 0.5, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(bar_stress_jain(w + 2, 2), 0.0, 1e-12);
}

UNIT_MAIN("tools, byte for byte", {"roc-config", config_forms},
	  {"names of status reports", report_names}, {"roc-loopback", loopback_forms},
	  {"roc-pat-player", pattern_forms}, {"roc-fw-check", firmware_forms},
	  {"roc-bar-stress", stress_forms}, {"Jain index", fairness})
