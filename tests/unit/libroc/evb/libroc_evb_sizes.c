// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Limits of nodes: memory in small regions, and configurations that are invalid or incompatible.
 */
#include "tests/unit/libroc/evb/evb_system.h"

static bool is_too_large(void)
{
	return strstr(nodes[0].log, "each must fit one segment");
}

/* Hardware with 8 regions of 2 MiB: a larger MFP is built in several segments. */
static void small_regions(void)
{
	char reason[ROC_EVB_REASON];
	unsigned int i, protocol;
	struct node *n;

	for (protocol = 0; protocol < 2; protocol++) {
		reset_system();
		for (i = 0; i < 2; i++) {
			n = node_both_roles(i, 4);
			n->cfg.protocol = protocol;
			n->cfg.peers = 2;
			n->cfg.memory = 64 << 20;
			n->cfg.segment = 256 << 10;
			n->cfg.max_region = 2 << 20;
			n->cfg.max_regions = 8;
			n->cfg.fragment_max = protocol ? 300 << 10 : 3 << 20;
			n->source.size = (uint32_t)n->cfg.fragment_max;
			n->source.fixed = true;
			n->sink.sources = 2;
			node_open(n);
		}
		publish(ROC_EVB_ROUND_ROBIN, 0);
		CU_ASSERT_TRUE(run_until(NULL, 20000));
		for (i = 0; i < 2; i++) {
			UNIT_EQ(counts_of(&nodes[i]).complete, 2);
			UNIT_EQ(nodes[i].sink.wrong, 0);
		}
		close_all();
	}
	/* A larger MFP does not fit one segment. */
	reset_system();
	for (i = 0; i < 2; i++) {
		n = node_both_roles(i, 12);
		n->cfg.single = true;
		n->cfg.stale_ns = 1000 * MS; /* limit of the wait for each other at the end */
		n->cfg.peers = 2;
		n->cfg.memory = 64 << 20;
		n->cfg.max_region = 2 << 20;
		n->cfg.max_regions = 8;
		n->cfg.fragment_max = 3 << 20;
		node_open(n);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(is_too_large, 5000));
	for (i = 0; i < 2; i++)
		roc_evb_stop(nodes[i].evb);
	run_until(NULL, 20000);
	close_all();
	reset_system();
	n = node_both_roles(0, 12);
	n->cfg.max_region = 2 << 20;
	n->cfg.max_regions = 3;
	UNIT_EQ(node_try(n, reason), -ENOSPC);
	CU_ASSERT_TRUE(strstr(reason, "may be registered") != NULL);
	node_forget(n);
	n->cfg.max_regions = 8;
	n->cfg.protocol = ROC_EVB_PULL;
	n->cfg.fragment_max = 3 << 20;
	UNIT_EQ(node_try(n, reason), -ENOSPC);
	CU_ASSERT_TRUE(strstr(reason, "larger regions") != NULL);
	node_forget(n);
}

/*
 * A readout unit announces its own memory and that of its source for reads: the number of regions
 * stays within the limit of a greeting.
 */
static void many_regions(void)
{
	unsigned int i;
	struct node *n;

	reset_system();
	for (i = 0; i < 2; i++) {
		n = node_both_roles(i, 40);
		n->cfg.protocol = ROC_EVB_PULL;
		n->cfg.max_region = 64 << 10;
		n->cfg.blocks = 1000;
		n->source.size = 900; /* all memory of the source fits one region */
		n->sink.sources = 2;
		node_open(n);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	if (!run_until(NULL, 20000)) {
		CU_FAIL("the system did not end");
		show_counts();
	}
	for (i = 0; i < 2; i++) {
		UNIT_EQ(counts_of(&nodes[i]).complete, 20);
		UNIT_EQ(nodes[i].sink.wrong, 0);
	}
	close_all();
}

/* A readout unit packs one block while another waits, so it has two, even if one is configured. */
static void few_blocks(void)
{
	struct roc_evb_counts c;
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].cfg.events = 4;
		nodes[i].cfg.blocks = 1;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	if (!run_until(NULL, 20000)) {
		CU_FAIL("the system did not end");
		show_counts();
	}
	c = counts_of(&nodes[0]);
	UNIT_EQ(c.complete, 50);
	UNIT_EQ(c.incomplete, 0);
	UNIT_EQ(nodes[0].sink.events, 200);
	UNIT_EQ(counts_of(&nodes[1]).disorder, 0);
	close_all();
}

static const char *expected_message;

static bool is_refused(void)
{
	return strstr(nodes[0].log, expected_message) && strstr(nodes[1].log, expected_message) &&
	       counts_of(&nodes[0]).refused;
}

/* Incompatible nodes log the reason. */
static void incompatible_nodes(void)
{
	static const char *const expected[] = {
		"its system is other",	       "its blocks have 2 events",
		"configure the same protocol", "its libfabric provider is tcp;ofi_rxm",
		"its MFPs have up to",
	};
	unsigned int i;
	size_t k;

	for (k = 0; k < sizeof(expected) / sizeof(expected[0]); k++) {
		reset_system();
		node_new(0, ROC_EVB_BUILDER);
		node_new(1, ROC_EVB_READOUT);
		nodes[1].cfg.system = k == 0 ? "other" : "test";
		nodes[1].cfg.events = k == 1 ? 2 : 1;
		nodes[1].cfg.protocol = k == 2 ? ROC_EVB_PULL : ROC_EVB_PUSH;
		nodes[1].cfg.provider = k == 3 ? "tcp;ofi_rxm" : "tcp";
		nodes[1].cfg.fragment_max = k == 4 ? 9 << 20 : 4096;
		for (i = 0; i < 2; i++) {
			nodes[i].cfg.stale_ns = 100 * MS;
			node_open(&nodes[i]);
		}
		publish(ROC_EVB_ROUND_ROBIN, 0);
		expected_message = expected[k];
		CU_ASSERT_TRUE(run_until(is_refused, 5000));
		close_all();
	}
}

/* Configurations that roc_evb_open() refuses. */
static void configurations(void)
{
	char reason[ROC_EVB_REASON];
	struct node *n;

	reset_system();
	n = node_both_roles(0, 1);
	n->cfg.provider = "no-such";
	UNIT_EQ(node_try(n, reason), -ENODEV);
	CU_ASSERT_TRUE(strstr(reason, "no-such") != NULL);
	node_forget(n);
	n = node_both_roles(0, 1);
	n->cfg.events = ROC_MFP_EVENTS_MAX + 1;
	UNIT_EQ(node_try(n, reason), -EINVAL);
	node_forget(n);
	n = node_both_roles(0, 1);
	n->cfg.name = "a-name-that-has-more-than-thirty-one-characters";
	UNIT_EQ(node_try(n, reason), -EINVAL);
	CU_ASSERT_TRUE(strstr(reason, "31 characters") != NULL);
	node_forget(n);
	n = node_both_roles(0, 1);
	n->cfg.host = "no.such.host.invalid.";
	UNIT_EQ(node_try(n, reason) < 0, true);
	CU_ASSERT_TRUE(reason[0] != '\0');
	node_forget(n);
}

UNIT_MAIN("event building, sizes and configurations", {"small regions", small_regions},
	  {"many regions", many_regions}, {"few blocks", few_blocks},
	  {"incompatible nodes", incompatible_nodes}, {"invalid configurations", configurations})
