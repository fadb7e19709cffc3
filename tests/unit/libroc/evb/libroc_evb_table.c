// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Assignment tables: the builder of each block and the order in which a readout unit sends, for
 * each policy and many sizes; and the check of a table.
 */
#include "unit.h"

#include <roc/evb_manager.h>

#include <math.h>

static struct roc_evb_table t;

static void table(unsigned int policy, unsigned int readouts, unsigned int builders)
{
	unsigned int i;

	memset(&t, 0, sizeof(t));
	t.epoch = 1;
	t.policy = policy;
	t.seed = 42;
	t.ru_count = readouts;
	t.bu_count = builders;
	for (i = 0; i < readouts; i++)
		snprintf(t.rus[i].name, sizeof(t.rus[i].name), "ru%u", i);
	for (i = 0; i < builders; i++) {
		snprintf(t.bus[i].name, sizeof(t.bus[i].name), "bu%u", i);
		t.bus[i].weight = 100;
	}
}

static void one_builder(void)
{
	static const unsigned int sizes[] = {1, 2, 3, 7, 8, 64, 500, ROC_EVB_NODES_MAX};
	unsigned int policy, s, wrong = 0;
	uint64_t block;

	for (policy = 0; policy <= ROC_EVB_LEAST_LOADED; policy++) {
		for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			table(policy, 4, sizes[s]);
			for (block = 0; block < 2000; block++)
				wrong += roc_evb_builder(&t, block) >= sizes[s];
			for (block = UINT64_MAX - 2000; block < UINT64_MAX; block++)
				wrong += roc_evb_builder(&t, block) >= sizes[s];
		}
	}
	UNIT_EQ(wrong, 0);
	table(ROC_EVB_RANDOM, 4, 0);
	UNIT_EQ(roc_evb_builder(&t, 7), 0);
	UNIT_EQ(roc_evb_turn(&t, 0, 7), 7);
}

/* The assignment depends only on the table, so it is the same on every node. */
static void same_on_all_nodes(void)
{
	static struct roc_evb_table copy;
	unsigned int policy, differ = 0, other = 0;
	uint64_t block;

	for (policy = 0; policy <= ROC_EVB_LEAST_LOADED; policy++) {
		table(policy, 4, 5);
		copy = t;
		for (block = 0; block < 1000; block++)
			differ += roc_evb_builder(&t, block) != roc_evb_builder(&copy, block);
	}
	UNIT_EQ(differ, 0);
	/* Known values, because nodes of another byte order or compiler must get the same ones. */
	table(ROC_EVB_RANDOM, 4, 5);
	UNIT_EQ(roc_evb_builder(&t, 0), 1);
	UNIT_EQ(roc_evb_builder(&t, 1), 4);
	UNIT_EQ(roc_evb_builder(&t, UINT64_C(1) << 40), 3);
	copy = t;
	copy.seed++;
	for (block = 0; block < 1000; block++)
		other += roc_evb_builder(&t, block) != roc_evb_builder(&copy, block);
	CU_ASSERT_TRUE(other > 600); /* four of five are expected */
}

static void count(uint64_t *counts, uint64_t from, uint64_t blocks)
{
	uint64_t block;

	memset(counts, 0, ROC_EVB_NODES_MAX * sizeof(*counts));
	for (block = from; block < from + blocks; block++)
		counts[roc_evb_builder(&t, block)]++;
}

static void balance(void)
{
	static uint64_t counts[ROC_EVB_NODES_MAX];
	unsigned int n, i, wrong = 0;
	double chi;

	for (n = 1; n <= 16; n++) {
		table(ROC_EVB_ROUND_ROBIN, 4, n);
		count(counts, 12345, 1000 * n);
		for (i = 0; i < n; i++)
			wrong += counts[i] != 1000;
		table(ROC_EVB_BARREL_SHIFT, 4, n);
		count(counts, 12345, 1000 * n);
		for (i = 0; i < n; i++)
			wrong += counts[i] != 1000;
	}
	UNIT_EQ(wrong, 0);

	/* Random must be neither more nor less uneven than chance. */
	table(ROC_EVB_RANDOM, 4, 8);
	count(counts, 0, 80000);
	for (i = 0, chi = 0; i < 8; i++)
		chi += pow((double)counts[i] - 10000, 2) / 10000;
	unit_note("random: chi squared of 8 builders %.2f (7 expected)", chi);
	CU_ASSERT_TRUE(chi > 0.6 && chi < 24); /* 0.1 % on each side */
}

static void weights(void)
{
	static uint64_t counts[ROC_EVB_NODES_MAX];
	uint64_t from;
	unsigned int i;

	table(ROC_EVB_LEAST_LOADED, 4, 4);
	t.bus[0].weight = 1000;
	t.bus[1].weight = 500;
	t.bus[2].weight = 1;
	t.bus[3].weight = 250;
	/* In any range of blocks, not only on average. */
	for (from = 0; from < 5000; from += 37) {
		count(counts, from, 175);
		CU_ASSERT_TRUE(llabs((long long)counts[0] - 100) <= 4);
		CU_ASSERT_TRUE(llabs((long long)counts[1] - 50) <= 4);
		CU_ASSERT_TRUE(counts[2] <= 2);
		CU_ASSERT_TRUE(llabs((long long)counts[3] - 25) <= 4);
	}
	/* In a table that was not checked, all weights may be 0. */
	for (i = 0; i < 4; i++)
		t.bus[i].weight = 0;
	count(counts, 0, 400);
	for (i = 0; i < 4; i++)
		UNIT_EQ(counts[i], 100);
}

/* In a phase no two readout units send to the same builder, as long as there is one for each. */
static void barrel(void)
{
	static bool taken[ROC_EVB_NODES_MAX];
	unsigned int n, rus, ru, clashes = 0, wrong = 0;
	uint64_t step;

	for (n = 1; n <= 12; n++) {
		for (rus = 1; rus <= n; rus++) {
			table(ROC_EVB_BARREL_SHIFT, rus, n);
			t.from_block = 1000003 * n + rus;
			for (step = 0; step < 5 * n; step++) {
				memset(taken, 0, sizeof(taken));
				for (ru = 0; ru < rus; ru++) {
					unsigned int b = roc_evb_builder(
						&t, t.from_block + roc_evb_turn(&t, ru, step));

					clashes += taken[b];
					wrong += b != (ru + step / n + step) % n;
					taken[b] = true;
				}
			}
		}
	}
	UNIT_EQ(clashes, 0);
	UNIT_EQ(wrong, 0);
	/* With round robin all readout units send to the same builder. */
	table(ROC_EVB_ROUND_ROBIN, 4, 4);
	for (step = 0; step < 20; step++) {
		for (ru = 0; ru < 4; ru++)
			UNIT_EQ(roc_evb_turn(&t, ru, step), step);
	}
}

/* Each block is sent once, and within its cycle. */
static void each_block_once(void)
{
	static const uint64_t from[] = {0, 1, 17, UINT64_C(1) << 41};
	unsigned int f, n, ru, policy, wrong = 0;
	uint64_t cycle, k;

	for (policy = 0; policy <= ROC_EVB_LEAST_LOADED; policy++) {
		for (f = 0; f < 4; f++) {
			for (n = 1; n <= 9; n++) {
				table(policy, 9, n);
				t.from_block = from[f];
				for (ru = 0; ru < 9; ru++) {
					for (cycle = 0; cycle < 4; cycle++) {
						unsigned int seen = 0;

						for (k = 0; k < n; k++) {
							uint64_t at =
								roc_evb_turn(&t, ru, cycle * n + k);

							at -= cycle * n;
							wrong += at >= n;
							seen |= at < n ? 1u << at : 0;
						}
						wrong += seen != (1u << n) - 1;
					}
				}
			}
		}
	}
	UNIT_EQ(wrong, 0);
}

static void refused(const char *part)
{
	char reason[ROC_EVB_REASON] = "";

	UNIT_EQ(roc_evb_table_check(&t, reason), -EINVAL);
	if (!strstr(reason, part))
		unit_note("expected \"%s\", got \"%s\"", part, reason);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, part));
}

static void table_checks(void)
{
	char reason[ROC_EVB_REASON] = "";

	table(ROC_EVB_RANDOM, 3, 3);
	UNIT_EQ(roc_evb_table_check(&t, reason), 0);
	table(ROC_EVB_RANDOM, ROC_EVB_NODES_MAX, ROC_EVB_NODES_MAX);
	UNIT_EQ(roc_evb_table_check(&t, reason), 0);
	table(ROC_EVB_RANDOM, 0, 0);
	UNIT_EQ(roc_evb_table_check(&t, reason), 0);

	table(ROC_EVB_RANDOM, 3, 3);
	t.ru_count = ROC_EVB_NODES_MAX + 1;
	refused("at most 512");
	table(ROC_EVB_RANDOM, 3, 3);
	t.bu_count = UINT32_MAX;
	refused("at most 512");
	table(ROC_EVB_LEAST_LOADED + 1, 3, 3);
	refused("has policy 4, which");
	table(ROC_EVB_RANDOM, 3, 3);
	t.epoch = 0;
	refused("no epoch");
	table(ROC_EVB_RANDOM, 3, 3);
	strcpy(t.rus[2].name, t.rus[0].name);
	refused("readout unit ru0 twice");
	table(ROC_EVB_RANDOM, 3, 3);
	strcpy(t.bus[1].name, t.bus[2].name);
	refused("builder bu2 twice");
	table(ROC_EVB_RANDOM, 3, 3);
	memset(t.rus[1].name, 'x', sizeof(t.rus[1].name));
	refused("readout unit 1 has no name");
	table(ROC_EVB_RANDOM, 3, 3);
	t.bus[0].name[0] = '\0';
	refused("builder 0 has no name");
	table(ROC_EVB_LEAST_LOADED, 3, 3);
	t.bus[2].weight = 1001;
	refused("weight 1001");
	t.bus[2].weight = 0;
	refused("weight 0");
}

static void names(void)
{
	CU_ASSERT_TRUE(roc_evb_name_valid("ru-1.site_2"));
	CU_ASSERT_FALSE(roc_evb_name_valid(""));
	CU_ASSERT_FALSE(roc_evb_name_valid(".."));
	CU_ASSERT_FALSE(roc_evb_name_valid("a/b"));
	CU_ASSERT_FALSE(roc_evb_name_valid("a b"));
	CU_ASSERT_FALSE(roc_evb_name_valid("a\nb"));
	CU_ASSERT_TRUE(roc_evb_name_valid("0123456789012345678901234567890"));
	CU_ASSERT_FALSE(roc_evb_name_valid("01234567890123456789012345678901"));
}

UNIT_MAIN("event building: assignment tables", {"every block has one builder", one_builder},
	  {"same assignment on all nodes", same_on_all_nodes}, {"balance", balance},
	  {"least loaded follows the weights", weights},
	  {"barrel shift: one readout unit per builder", barrel},
	  {"each block is sent once", each_block_once}, {"check of a table", table_checks},
	  {"node names", names})
