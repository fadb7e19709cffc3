/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A peer made of the library's parts that sends whatever a test requests, and the node under test.
 */
#ifndef ROC_TEST_EVB_BAD_PEER_H
#define ROC_TEST_EVB_BAD_PEER_H

#include "libroc/evb/pair.h"
#include "tests/unit/libroc/evb/evb_system.h"

/* The bad peer, and what it received. */
static struct bad_peer {
	struct pair pair;
	struct evb_greeting greeting;
	uint32_t credits[4096], credit_count, announced;
	bool ended;	       /* END was received */
	unsigned char *memory; /* registered: source of writes, or read by the builder */
	size_t length;
	int listener;
} bad_peer;

static int bad_peer_receives(void *self, struct pair *p, const struct evb_message *m)
{
	uint32_t i;

	for (i = 0; m->type == EVB_CREDIT && i < m->count && bad_peer.credit_count < 4096; i++)
		bad_peer.credits[bad_peer.credit_count++] = evb_get_number(m, i);
	bad_peer.announced += m->type == EVB_HAVE;
	bad_peer.ended |= m->type == EVB_END;
	return 0;
}

static int bad_peer_written(void *self, struct pair *p, uint32_t number)
{
	return 0;
}

static int bad_peer_done(void *self, struct pair *p, struct pair_op *op)
{
	pair_op_free(p, op);
	return 0;
}

static const struct pair_use bad_peer_use = {bad_peer_receives, bad_peer_written, bad_peer_done};

static struct node *tested;
static uint64_t stale_ns = UINT64_C(5000000000), silence_ns;

static bool bad_peer_step(void)
{
	step_all();
	if (bad_peer.pair.state == PAIR_READY)
		return pair_progress(&bad_peer.pair, &bad_peer_use, NULL) < 0;
	return false;
}

static bool has_greeting(void)
{
	bad_peer_step();
	return pair_receive_greeting(&bad_peer.pair, "it") != 0;
}

__attribute__((unused)) static bool has_credits(void)
{
	bad_peer_step();
	return bad_peer.credit_count >= 8;
}

__attribute__((unused)) static bool has_violation(void)
{
	bad_peer_step();
	return counts_of(tested).protocol_violations > 0;
}

/* Connect to the builder and fill in the greeting, which is not sent yet. */
__attribute__((unused)) static void bad_peer_connects(enum roc_evb_protocol protocol)
{
	struct evb_greeting *g = &bad_peer.greeting;
	char port[8];

	memset(&bad_peer, 0, sizeof(bad_peer));
	bad_peer.length = 1 << 20;
	bad_peer.memory = calloc(1, bad_peer.length);
	UNIT_NEED(!pair_new(&bad_peer.pair) && bad_peer.memory);
	snprintf(port, sizeof(port), "%u", roc_evb_port(tested->evb));
	UNIT_NEED(
		!control_connect(&bad_peer.pair.control, "127.0.0.1", port, bad_peer.pair.reason));
	UNIT_NEED(UNIT_WAIT(control_connected(&bad_peer.pair.control) > 0, 5000));
	UNIT_NEED(!pair_open_fabric(&bad_peer.pair, "tcp"));
	UNIT_NEED(!fabric_register_for(&bad_peer.pair.fabric, bad_peer.memory, bad_peer.length,
				       FI_WRITE | FI_REMOTE_READ, bad_peer.pair.reason));
	*g = (struct evb_greeting){
		.version = EVB_VERSION,
		.layout = ROC_MEP_VERSION,
		.protocol = protocol,
		.events = 4,
		.pieces = protocol == ROC_EVB_PULL ? 8 : 0,
		.in_flight = 4,
		.mfp_max = 20000,
		.incarnation = 7,
		.to_incarnation = roc_evb_incarnation(tested->evb),
		.system = "test",
		.name = "node1",
		.to = "node0",
		.provider = "tcp",
		.name_bytes = (uint32_t)bad_peer.pair.end.name_bytes,
		.region_count = 1,
	};
	g->regions[0] = (struct evb_region){.base = fabric_base(&bad_peer.pair.fabric, 1),
					    .key = fabric_key(&bad_peer.pair.fabric, 1),
					    .bytes = bad_peer.length};
	memcpy(g->end_name, bad_peer.pair.end.name, sizeof(g->end_name));
}

/* Start the builder under test; the bad peer is its readout unit node1. */
__attribute__((unused)) static void start_builder(enum roc_evb_protocol protocol)
{
	reset_system();
	tested = node_new(0, ROC_EVB_BUILDER);
	tested->cfg.protocol = protocol;
	tested->cfg.events = 4;
	tested->cfg.memory = 1 << 20;
	tested->cfg.peers = 2;
	tested->cfg.in_flight = 4;
	tested->cfg.stale_ns = stale_ns;
	tested->cfg.silence_ns = silence_ns;
	node_open(tested);
	board.members[board.member_count++] = (struct roc_evb_member){
		.name = "node1", .incarnation = 7, .roles = ROC_EVB_READOUT};
	node_new(1, ROC_EVB_READOUT);
	publish(ROC_EVB_ROUND_ROBIN, 0);
	nodes[1].used = false;
	step_all();
	bad_peer_connects(protocol);
}

__attribute__((unused)) static void greet(void)
{
	UNIT_NEED(!pair_send_greeting(&bad_peer.pair, &bad_peer.greeting));
	bad_peer.pair.state = PAIR_GREETING;
	CU_ASSERT_TRUE(run_until(has_greeting, 5000));
	UNIT_EQ(bad_peer.pair.peer.status, 0);
	UNIT_NEED(!pair_ready(&bad_peer.pair));
	if (bad_peer.greeting.protocol != ROC_EVB_PULL)
		UNIT_NEED(run_until(has_credits, 5000));
}

__attribute__((unused)) static void bad_peer_free(void)
{
	pair_free(&bad_peer.pair);
	free(bad_peer.memory);
}

__attribute__((unused)) static void close_both(void)
{
	bad_peer_free();
	node_close(tested);
}

__attribute__((unused)) static void expect_violation(const char *message)
{
	CU_ASSERT_TRUE(run_until(has_violation, 5000));
	if (!strstr(tested->log, message)) {
		unit_note("expected \"%s\", logged \"%s\"", message, tested->log);
		CU_FAIL("unexpected message");
	}
	UNIT_EQ(counts_of(tested).protocol_violations, 1);
	UNIT_EQ(tested->sink.wrong, 0);
	close_both();
}

/* Write a segment: its head and, unless NULL, an MFP. */
__attribute__((unused)) static void write_segment(uint32_t number, uint32_t notice,
						  const struct evb_segment *head,
						  const struct roc_mfp *mfp)
{
	const struct evb_greeting *g = &bad_peer.pair.peer;
	struct iovec v = {.iov_base = bad_peer.memory, .iov_len = 1024};
	struct fabric_write w = {
		.to = g->regions[0].base + number % g->per_region * g->segment,
		.key = g->regions[0].key,
		.number = notice,
		.context = pair_op(&bad_peer.pair),
	};
	double end = unit_seconds() + 5 * UNIT_PATIENCE;
	int ret;

	evb_put_segment(bad_peer.memory, head);
	if (mfp)
		roc_mfp_put(bad_peer.memory + EVB_SEGMENT_HEAD, mfp);
	while ((ret = fabric_end_gather(&bad_peer.pair.fabric, &bad_peer.pair.end, &v, 1, &w)) ==
		       -EAGAIN &&
	       unit_seconds() < end)
		bad_peer_step();
	UNIT_NEED(!ret);
}

/* Return an empty MFP of a block. */
__attribute__((unused)) static struct roc_mfp empty_mfp(uint64_t block)
{
	return (struct roc_mfp){.block = block,
				.first_event = block * 4,
				.bytes = ROC_MFP_HEAD,
				.events = 4,
				.epoch = 1};
}

__attribute__((unused)) static struct evb_segment segment_head(uint64_t block, uint64_t bytes)
{
	return (struct evb_segment){
		.block = block, .mfp_bytes = bytes, .bytes = bytes, .epoch = 1, .parts = 1};
}

__attribute__((unused)) static void bad_peer_send(unsigned char *text, const struct evb_message *m)
{
	double end = unit_seconds() + 5 * UNIT_PATIENCE;
	int ret;

	while ((ret = pair_send(&bad_peer.pair, text, m)) == -EAGAIN && unit_seconds() < end)
		bad_peer_step();
	UNIT_NEED(!ret);
}

/* Announce @bytes of a block in one piece. */
__attribute__((unused)) static void announce(uint32_t ticket, uint64_t block, uint64_t epoch,
					     uint64_t bytes, struct evb_piece piece)
{
	unsigned char *text = pair_message(&bad_peer.pair);
	const struct evb_message m = {.type = EVB_HAVE,
				      .count = 1,
				      .number = ticket,
				      .a = block,
				      .b = bytes,
				      .c = 1,
				      .d = epoch};

	UNIT_NEED(text);
	evb_put_piece(text, 0, &piece);
	bad_peer_send(text, &m);
}

#endif
