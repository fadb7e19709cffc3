// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every event is delivered complete, once, and with correct content: by push, pull and commands, in
 * one segment and in several, with every assignment policy, with 1 to 8 nodes.
 */
#include "tests/unit/libroc/evb/evb_system.h"

static const char *const protocols[] = {"push", "pull", "command"};

struct shape {
	unsigned int rus, bus; /* nodes with the role; the first ones have both */
	enum roc_evb_protocol protocol;
	enum roc_evb_policy policy;
	bool single;
	uint32_t events; /* of a block */
	uint32_t size;
	uint64_t total;
	const char *provider;
};

static void make_system(const struct shape *s)
{
	unsigned int i, all = s->rus > s->bus ? s->rus : s->bus;

	reset_system();
	for (i = 0; i < all; i++) {
		struct node *n = node_new(i, (i < s->rus ? ROC_EVB_READOUT : 0) |
						     (i < s->bus ? ROC_EVB_BUILDER : 0));

		n->cfg.protocol = s->protocol;
		n->cfg.single = s->single;
		n->cfg.events = s->events;
		n->cfg.fragment_max = s->size;
		n->cfg.provider = s->provider;
		n->cfg.memory = 16 << 20;
		n->cfg.peers = all;
		/* No block may be late, even on a slow machine. */
		n->cfg.stale_ns = UINT64_C(60000000000);
		n->cfg.lease_ns = UINT64_C(120000000000);
		n->source.size = s->size;
		n->source.events = s->total;
		n->sink.sources = s->rus;
		node_open(n);
	}
	publish(s->policy, 0);
}

/* Check that each event was delivered once, complete, by any builder. */
static void check_all_events(const struct shape *s)
{
	uint64_t event, meps = 0, events = 0;
	unsigned int i, wrong = 0;

	for (event = 0; event < s->total; event++) {
		unsigned int seen = 0, whole = 0;

		for (i = 0; i < s->bus; i++) {
			seen += nodes[i].sink.seen[event];
			whole += nodes[i].sink.whole[event];
		}
		wrong += seen != 1 || whole != 1;
	}
	UNIT_EQ(wrong, 0);
	for (i = 0; i < s->bus; i++) {
		struct roc_evb_counts c = counts_of(&nodes[i]);

		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNIT_EQ(nodes[i].sink.incomplete, 0);
		CU_ASSERT_TRUE(nodes[i].sink.finished);
		UNIT_EQ(c.complete, nodes[i].sink.meps);
		UNIT_EQ(c.stale + c.late + c.missing + c.gone + c.protocol_violations + c.refused,
			0);
		UNIT_EQ(c.open_blocks, 0);
		meps += c.complete;
		events += nodes[i].sink.events;
	}
	UNIT_EQ(meps, (s->total + s->events - 1) / s->events);
	UNIT_EQ(events, s->total);
	for (i = 0; i < s->rus; i++) {
		struct roc_evb_counts c = counts_of(&nodes[i]);

		UNIT_EQ(c.in.count, s->total);
		UNIT_EQ(c.dropped + c.disorder + c.unassigned + c.too_large, 0);
	}
}

/* One thread per node, as a real system has one process per node. */
static void *node_runs(void *node)
{
	struct node *n = node;
	double end = unit_seconds() + 30 * slowness() * UNIT_PATIENCE;

	while (!(n->result = roc_evb_step(n->evb, 20)) && unit_seconds() < end)
		;
	return NULL;
}

static void in_threads(const struct shape *s)
{
	unsigned int i;

	make_system(s);
	for (i = 0; i < NODES; i++) {
		if (nodes[i].used)
			UNIT_NEED(!pthread_create(&nodes[i].thread, NULL, node_runs, &nodes[i]));
	}
	for (i = 0; i < NODES; i++) {
		if (!nodes[i].used)
			continue;
		pthread_join(nodes[i].thread, NULL);
		UNIT_EQ(nodes[i].result, 1);
	}
	check_all_events(s);
	for (i = 0; i < NODES; i++) {
		if (nodes[i].used)
			node_close(&nodes[i]);
	}
}

static void threads(void)
{
	unsigned int protocol;

	for (protocol = 0; protocol < 3; protocol++)
		in_threads(&(struct shape){.rus = 3,
					   .bus = 3,
					   .protocol = protocol,
					   .policy = ROC_EVB_BARREL_SHIFT,
					   .events = 2,
					   .size = 9000,
					   .total = 300});
}

static void build_all(const struct shape *s)
{
	unsigned int i;
	double start;

	make_system(s);
	start = unit_seconds();
	if (!run_until(NULL, 20000)) {
		CU_FAIL("the system did not end");
		show_counts();
	}
	if (getenv("EVB_TIMES"))
		unit_note("%u to %u, %s, policy %u, %s, %u events of %u bytes: %.3f s", s->rus,
			  s->bus, protocols[s->protocol], s->policy, s->single ? "single" : "multi",
			  s->events, s->size, unit_seconds() - start);
	check_all_events(s);
	for (i = 0; i < NODES; i++) {
		if (nodes[i].used)
			node_close(&nodes[i]);
	}
}

static void one_pair(void)
{
	build_all(&(struct shape){
		.rus = 1, .bus = 1, .single = true, .events = 1, .size = 1000, .total = 500});
}

static void protocols_and_segments(void)
{
	unsigned int protocol, single, events;

	for (protocol = 0; protocol < 3; protocol++) {
		for (single = 0; single < 2; single++) {
			for (events = 1; events < 8; events += 6)
				build_all(&(struct shape){.rus = 2,
							  .bus = 2,
							  .protocol = protocol,
							  .single = single,
							  .events = events,
							  .size = 20000,
							  .total = 150});
		}
	}
}

static void assignments(void)
{
	unsigned int policy;

	for (policy = 0; policy < ROC_EVB_POLICIES; policy++)
		build_all(&(struct shape){.rus = 3,
					  .bus = 3,
					  .policy = policy,
					  .events = 2,
					  .size = 3000,
					  .total = 201});
}

/* Different numbers of readout units and builders, empty fragments, and eight nodes. */
static void many_nodes(void)
{
	build_all(&(struct shape){.rus = 5, .bus = 2, .events = 3, .size = 500, .total = 300});
	build_all(&(struct shape){.rus = 1, .bus = 4, .events = 1, .size = 0, .total = 300});
	build_all(&(struct shape){.rus = 8,
				  .bus = 8,
				  .policy = ROC_EVB_BARREL_SHIFT,
				  .events = 4,
				  .size = 2000,
				  .total = 200});
}

static void large_fragments(void)
{
	unsigned int protocol;

	for (protocol = 0; protocol < 3; protocol++)
		build_all(&(struct shape){.rus = 2,
					  .bus = 2,
					  .protocol = protocol,
					  .events = 1,
					  .size = 400000,
					  .total = 40});
}

/* Pull: one read transfers the head of an MFP and a fragment of two parts that is not copied. */
static void one_read(void)
{
	const uint64_t total = 60;
	struct roc_evb_counts c;
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].cfg.protocol = ROC_EVB_PULL;
		nodes[i].cfg.single = true;
		nodes[i].cfg.in_flight = 4;
		nodes[i].cfg.fragment_max = 30000;
		nodes[i].source.size = 30000;
		nodes[i].source.fixed = true;
		nodes[i].source.events = total;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	c = counts_of(&nodes[0]);
	UNIT_EQ(c.complete, total);
	UNIT_EQ(nodes[0].sink.wrong, 0);
	/* Some reads are retried. */
	CU_ASSERT_TRUE(c.calls >= total && c.calls < 2 * total);
	close_all();
}

static void by_shared_memory(void)
{
	unsigned int protocol;

	for (protocol = 0; protocol < 3; protocol++)
		build_all(&(struct shape){.rus = 2,
					  .bus = 2,
					  .protocol = protocol,
					  .events = 2,
					  .size = 30000,
					  .total = 100,
					  .provider = "shm"});
}

UNIT_MAIN("event building", {"one readout unit and one builder", one_pair},
	  {"protocols and segments", protocols_and_segments}, {"assignment policies", assignments},
	  {"many nodes", many_nodes}, {"one thread per node", threads},
	  {"large fragments", large_fragments}, {"one read per MFP", one_read},
	  {"shared memory", by_shared_memory})
