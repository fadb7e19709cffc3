// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Peers that violate the protocol: a readout unit or a builder made of the library's parts sends
 * invalid data. The node under test excludes it with a message, and accesses no memory outside that
 * of the peer.
 */
#include <sys/socket.h>

#include "tests/unit/libroc/evb/evb_bad_peer.h"

#include "port.h"

static void write_invalid(unsigned int what)
{
	struct roc_mfp mfp = empty_mfp(what == 4 ? 6 : 5);
	struct evb_segment head = segment_head(5, ROC_MFP_HEAD);
	uint32_t segment = bad_peer.credits[0], notice = evb_notice(segment, 1);

	switch (what) {
	case 0: /* no such segment */
		notice = evb_notice(60000, 1);
		break;
	case 1: /* no writes */
		notice = evb_notice(segment, 0);
		break;
	case 2: /* invalid head of the segment */
		head.parts = 9;
		break;
	case 3:
		head.bytes = head.mfp_bytes = 5000;
		head.parts = 2;
		break;
	case 5:
		mfp.count = 2;
		break;
	case 6:
		mfp.bytes = ROC_MFP_HEAD + 8;
		break;
	case 7:
		head.mfp_bytes = 30000;
		head.bytes = bad_peer.pair.peer.segment - EVB_SEGMENT_HEAD;
		head.parts = (uint32_t)evb_parts(30000, head.bytes);
		break;
	case 8:
		head.block = mfp.block = UINT64_MAX / 2;
		mfp.first_event = mfp.block * 4;
		break;
	case 12: /* no such table: no block may be opened */
		head.epoch = 0;
		head.block = mfp.block = UINT64_C(1) << 40;
		mfp.first_event = mfp.block * 4;
		break;
	default:
		break;
	}
	write_segment(segment, notice, &head, &mfp);
	/* The same again, without a credit for the segment. */
	if (what == 9)
		write_segment(segment, evb_notice(segment, 1), &head, &mfp);
	/* The same block again in another segment. Block 6 is still incomplete then. */
	if (what == 10) {
		head.parts = 2;
		head.mfp_bytes = bad_peer.pair.peer.segment;
		head.bytes = bad_peer.pair.peer.segment - EVB_SEGMENT_HEAD;
		head.block = 6;
		write_segment(bad_peer.credits[1], evb_notice(bad_peer.credits[1], 1), &head, &mfp);
		write_segment(bad_peer.credits[2], evb_notice(bad_peer.credits[2], 1), &head, &mfp);
	}
	/* Another version of the layout. */
	if (what == 11) {
		head.block = 8;
		mfp = empty_mfp(8);
		evb_put_segment(bad_peer.memory, &head);
		roc_mfp_put(bad_peer.memory + EVB_SEGMENT_HEAD, &mfp);
		bad_peer.memory[EVB_SEGMENT_HEAD + 4] = 2;
		write_segment(bad_peer.credits[1], evb_notice(bad_peer.credits[1], 1), &head, NULL);
	}
}

static void segments(void)
{
	static const char *const expected[] = {
		"write to segment 60000 of",
		"write to segment",
		"malformed head of a segment",
		"malformed head of a segment",
		"is malformed",
		"is malformed",
		"is malformed",
		"more than the announced maximum of 20000",
		"is too large",
		"which it has no credit for",
		"block 6 was sent twice",
		"layout version 2, this node supports version 1",
		"which does not exist",
	};
	unsigned int i;

	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		start_builder(ROC_EVB_PUSH);
		greet();
		write_invalid(i);
		expect_violation(expected[i]);
	}
}

static void send_type(enum evb_type type, uint32_t count, uint32_t number, uint64_t a, uint64_t b,
		      uint64_t c)
{
	unsigned char *text = pair_message(&bad_peer.pair);
	struct evb_message m = {
		.type = type, .count = count, .number = number, .a = a, .b = b, .c = c, .d = 1};

	UNIT_NEED(text);
	memset(text + EVB_HEAD, 0, EVB_PAYLOAD);
	bad_peer_send(text, &m);
}

static void messages(void)
{
	static const struct {
		enum roc_evb_protocol protocol;
		enum evb_type type;
		uint32_t count, number;
		uint64_t a, b, c;
		const char *message;
	} invalid[] = {
		{ROC_EVB_PUSH, EVB_GOT, 1, 0, 0, 0, 0, "is not for builders"},
		{ROC_EVB_PUSH, EVB_TYPES, 0, 0, 0, 0, 0, "malformed message"},
		{ROC_EVB_PUSH, EVB_PIECE_OF, 8, 0, 0, 1, 0, "invalid piece for segment"},
		{ROC_EVB_COMMAND, EVB_PIECE_OF, 8, 0, 1 << 30, 1, 0, "invalid piece for segment"},
		{ROC_EVB_COMMAND, EVB_PIECE_OF, 8, 60000, 0, 1, 0, "invalid piece for segment"},
		{ROC_EVB_COMMAND, EVB_PIECE_OF, 8, 0, 0, 0, 0, "write to segment 0 of"},
		{ROC_EVB_PUSH, EVB_HAVE, 1, 0, 5, 64, 1, "invalid announcement of block 5"},
		{ROC_EVB_PULL, EVB_HAVE, 1, 0, 5, 64, 9, "invalid announcement of block 5"},
		{ROC_EVB_PULL, EVB_HAVE, 1, 0, 5, 64, 1, "outside its memory"},
		{ROC_EVB_PULL, EVB_HAVE, 1, 0, 5, 30000, 1, "more than the announced maximum"},
		{ROC_EVB_PULL, EVB_HAVE, 1, 0, 5, 64, (UINT64_C(1) << 32) + 2,
		 "pieces of an MFP that was not announced"},
	};
	size_t i;

	for (i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		start_builder(invalid[i].protocol);
		greet();
		send_type(invalid[i].type, invalid[i].count, invalid[i].number, invalid[i].a,
			  invalid[i].b, invalid[i].c);
		expect_violation(invalid[i].message);
	}
	start_builder(ROC_EVB_PUSH);
	greet();
	send_type(EVB_PASSED, 0, 0, 50, 0, 0);
	send_type(EVB_PASSED, 0, 0, 49, 0, 0);
	expect_violation("PASSED for a lower block than before");
	start_builder(ROC_EVB_PUSH);
	greet();
	send_type(EVB_END, 0, 0, 0, 0, 0);
	send_type(EVB_PASSED, 0, 0, 49, 0, 0);
	expect_violation("PASSED after END");
}

static void announce_piece(uint32_t ticket, uint64_t block, uint64_t bytes, uint64_t piece)
{
	announce(ticket, block, 1, bytes, (struct evb_piece){.bytes = piece});
}

static void announcements(void)
{
	unsigned int i;

	start_builder(ROC_EVB_PULL);
	greet();
	announce_piece(1, 5, 64, 65);
	expect_violation("pieces do not add up to the MFP");
	start_builder(ROC_EVB_PULL);
	greet();
	announce_piece(1, 5, 64, 2 << 20);
	expect_violation("outside its memory");
	/* The announced memory has no MFP. */
	start_builder(ROC_EVB_PULL);
	greet();
	announce_piece(1, 5, 64, 64);
	expect_violation("is malformed");
	start_builder(ROC_EVB_PULL);
	greet();
	tested->sink.stuck = true;
	for (i = 0; i < 5; i++) {
		struct roc_mfp mfp = empty_mfp(5 + i);

		roc_mfp_put(bad_peer.memory + 64 * i, &mfp);
	}
	for (i = 0; i < 5; i++) {
		unsigned char *text = pair_message(&bad_peer.pair);
		struct evb_message m = {.type = EVB_HAVE,
					.count = 1,
					.number = i,
					.a = 5 + i,
					.b = 64,
					.c = 1,
					.d = 1};

		UNIT_NEED(text);
		evb_put_piece(text, 0, &(struct evb_piece){.offset = 64 * i, .bytes = 64});
		bad_peer_send(text, &m);
	}
	expect_violation("more than 4 MFPs announced at once");
}

static void connect_again(uint64_t incarnation, enum evb_status status)
{
	struct pair another = {0};
	char port[8];

	UNIT_NEED(!pair_new(&another));
	pair_free(&bad_peer.pair);
	bad_peer.pair = another;
	bad_peer.greeting.incarnation = board.members[1].incarnation = incarnation;
	board.members_version++;
	snprintf(port, sizeof(port), "%u", roc_evb_port(tested->evb));
	UNIT_NEED(
		!control_connect(&bad_peer.pair.control, "127.0.0.1", port, bad_peer.pair.reason));
	UNIT_NEED(UNIT_WAIT(control_connected(&bad_peer.pair.control) > 0, 5000));
	UNIT_NEED(!pair_send_greeting(&bad_peer.pair, &bad_peer.greeting));
	CU_ASSERT_TRUE(run_until(has_greeting, 5000));
	UNIT_EQ(bad_peer.pair.peer.status, status);
}

/* A peer that was excluded for a violation is accepted again only as another process. */
static void not_trusted(void)
{
	start_builder(ROC_EVB_PUSH);
	greet();
	send_type(EVB_GOT, 1, 0, 0, 0, 0);
	CU_ASSERT_TRUE(run_until(has_violation, 5000));
	connect_again(7, EVB_NOT_TRUSTED);
	CU_ASSERT_TRUE(strstr(bad_peer.pair.peer.reason, ": restart the readout unit") != NULL);
	/* Each further attempt of the same process is refused, too. */
	connect_again(7, EVB_NOT_TRUSTED);
	connect_again(8, EVB_OK);
	/* The new process is not charged with the violation of the previous one. */
	UNIT_EQ(counts_of(tested).protocol_violations, 1);
	close_both();
}

/* Peers of another version, layout or program get a refusal that they can log. */
static void unknown_peers(void)
{
	start_builder(ROC_EVB_PUSH);
	bad_peer.greeting.version = 9;
	UNIT_NEED(!pair_send_greeting(&bad_peer.pair, &bad_peer.greeting));
	CU_ASSERT_TRUE(run_until(has_greeting, 5000));
	UNIT_EQ(bad_peer.pair.peer.status, EVB_NO_VERSION);
	CU_ASSERT_TRUE(strstr(bad_peer.pair.peer.reason, "version 9 of the protocol") != NULL);
	close_both();
	start_builder(ROC_EVB_PUSH);
	bad_peer.greeting.layout = 2;
	UNIT_NEED(!pair_send_greeting(&bad_peer.pair, &bad_peer.greeting));
	CU_ASSERT_TRUE(run_until(has_greeting, 5000));
	UNIT_EQ(bad_peer.pair.peer.status, EVB_NO_LAYOUT);
	close_both();
	/* A refusal has no valid sizes, so they are not used. */
	start_builder(ROC_EVB_PUSH);
	bad_peer.greeting.status = EVB_NO_ROOM;
	bad_peer.greeting.name_bytes = 1500;
	UNIT_NEED(!pair_send_greeting(&bad_peer.pair, &bad_peer.greeting));
	CU_ASSERT_TRUE(run_until(has_greeting, 5000));
	UNIT_EQ(bad_peer.pair.peer.status, EVB_BROKEN);
	CU_ASSERT_TRUE(strstr(bad_peer.pair.peer.reason, "its greeting is a refusal") != NULL);
	close_both();
	/* Control characters of a peer's strings are not logged. */
	start_builder(ROC_EVB_PUSH);
	snprintf(bad_peer.greeting.system, sizeof(bad_peer.greeting.system),
		 "\033]0;x\nall is well");
	UNIT_NEED(!pair_send_greeting(&bad_peer.pair, &bad_peer.greeting));
	CU_ASSERT_TRUE(run_until(has_greeting, 5000));
	UNIT_EQ(bad_peer.pair.peer.status, EVB_NO_SYSTEM);
	CU_ASSERT_TRUE(strstr(tested->log, "its system is ?]0;x?all is well") != NULL);
	close_both();
	start_builder(ROC_EVB_PUSH);
	control_queue(&bad_peer.pair.control, "GET / HTTP/1.1\r\n\r\n", 18);
	UNIT_EQ(control_flush(&bad_peer.pair.control), 0);
	CU_ASSERT_TRUE(run_until(has_greeting, 5000)); /* disconnected */
	UNIT_EQ(counts_of(tested).refused, 0);
	close_both();
}

static bool accepted(void)
{
	int fd;

	step_all();
	fd = accept4(bad_peer.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return false;
	control_accepted(&bad_peer.pair.control, fd);
	return true;
}

static bool connected(void)
{
	struct roc_evb_peer peer;

	bad_peer_step();
	return roc_evb_peers(tested->evb, &peer, 1) == 1 && peer.connected;
}

/* Start the readout unit under test; the bad peer is its builder node1. */
static void start_readout(enum roc_evb_protocol protocol, bool no_enodata)
{
	char port[8];
	char reason[FABRIC_REASON] = "";

	reset_system();
	memset(&bad_peer, 0, sizeof(bad_peer));
	UNIT_NEED(!pair_new(&bad_peer.pair));
	snprintf(port, sizeof(port), "%u", free_port());
	bad_peer.listener = control_listen("127.0.0.1", port, reason);
	UNIT_NEED(bad_peer.listener >= 0);
	tested = node_new(0, ROC_EVB_READOUT);
	tested->cfg.protocol = protocol;
	tested->source.no_enodata = no_enodata;
	tested->source.events = 1;
	tested->source.fixed = true;
	tested->cfg.copy_below = 1;
	node_open(tested);
	board.members[board.member_count] = (struct roc_evb_member){
		.name = "node1",
		.host = "127.0.0.1",
		.incarnation = 7,
		.roles = ROC_EVB_BUILDER,
	};
	strcpy(board.members[board.member_count++].port, port);
	node_new(1, ROC_EVB_BUILDER);
	publish(ROC_EVB_ROUND_ROBIN, 0);
	nodes[1].used = false;
}

static void answer_greeting(void)
{
	struct evb_greeting g;
	char reason[FABRIC_REASON] = "";

	CU_ASSERT_TRUE(run_until(accepted, 5000));
	UNIT_NEED(!pair_open_fabric(&bad_peer.pair, "tcp"));
	bad_peer.pair.state = PAIR_GREETING;
	CU_ASSERT_TRUE(run_until(has_greeting, 5000));
	g = bad_peer.pair.peer;
	bad_peer.memory = calloc(1, 1 << 20);
	UNIT_NEED(!fabric_register(&bad_peer.pair.fabric, bad_peer.memory, 1 << 20, true, reason));
	memcpy(g.name, "node1", 6);
	g.incarnation = 7;
	g.segments = g.per_region = 16;
	g.segment = 16384;
	g.region_count = 1;
	g.regions[0] = (struct evb_region){.base = fabric_base(&bad_peer.pair.fabric, 1),
					   .key = fabric_key(&bad_peer.pair.fabric, 1),
					   .bytes = 1 << 20};
	g.name_bytes = (uint32_t)bad_peer.pair.end.name_bytes;
	memcpy(g.end_name, bad_peer.pair.end.name, sizeof(g.end_name));
	UNIT_NEED(!pair_ready(&bad_peer.pair));
	UNIT_NEED(!pair_send_greeting(&bad_peer.pair, &g));
	CU_ASSERT_TRUE(run_until(connected, 5000));
}

static void builder_violates_protocol(void)
{
	static const struct {
		enum evb_type type;
		uint32_t count;
		unsigned int credit;
		const char *message;
	} invalid[] = {
		{EVB_CREDIT, 1, 99, "credit for segment 99"},
		{EVB_CREDIT, 2, 1, "credit for segment 1"},
		{EVB_GOT, 1, 3, "the builder returned MFP 3"},
		{EVB_BYE, 0, 0, "BYE before END"},
		{EVB_PASSED, 0, 0, "is not for readout units"},
	};
	size_t k;
	uint32_t i;

	for (k = 0; k < sizeof(invalid) / sizeof(invalid[0]); k++) {
		unsigned char *text;
		struct evb_message m = {.type = invalid[k].type, .count = invalid[k].count};

		start_readout(ROC_EVB_PUSH, true);
		answer_greeting();
		text = pair_message(&bad_peer.pair);
		for (i = 0; i < m.count; i++)
			evb_put_number(text, i, invalid[k].credit);
		bad_peer_send(text, &m);
		close(bad_peer.listener);
		expect_violation(invalid[k].message);
	}
}

/* The node does not connect to a builder with a violation again until the builder restarts. */
static void builder_restarts(void)
{
	start_readout(ROC_EVB_PUSH, true);
	answer_greeting();
	send_type(EVB_PASSED, 0, 0, 0, 0, 0);
	CU_ASSERT_TRUE(run_until(has_violation, 5000));
	pair_free(&bad_peer.pair);
	UNIT_NEED(!pair_new(&bad_peer.pair));
	CU_ASSERT_TRUE(UNIT_STAYS(!accepted(), 300));
	nodes[1].used = true;
	board.members[1].incarnation = 8;
	board.members_version++;
	publish(ROC_EVB_ROUND_ROBIN, 100);
	nodes[1].used = false;
	CU_ASSERT_TRUE(run_until(accepted, 5000));
	UNIT_EQ(counts_of(tested).protocol_violations, 1);
	close(bad_peer.listener);
	close_both();
}

static bool bad_peer_ended(void)
{
	bad_peer_step();
	return bad_peer.ended;
}

/*
 * A builder sends BYE without having read an announced MFP: the node frees it and counts it as
 * unsure.
 */
static void builder_leaves(void)
{
	start_readout(ROC_EVB_PULL, false);
	answer_greeting();
	CU_ASSERT_TRUE(run_until(bad_peer_ended, 5000));
	UNIT_EQ(bad_peer.announced, 1);
	UNIT_EQ(tested->source.lent_count, 1);
	send_type(EVB_BYE, 0, 0, 0, 0, 0);
	CU_ASSERT_TRUE(UNIT_STAYS(!bad_peer_step() && !tested->ended, 100));
	pair_close(&bad_peer.pair);
	close(bad_peer.listener);
	CU_ASSERT_TRUE(run_until(NULL, 2000));
	UNIT_EQ(tested->source.lent_count, 0);
	UNIT_EQ(counts_of(tested).unsure, 1);
	CU_ASSERT_PTR_NULL(strstr(tested->log, "is lost"));
	close_both();
}

UNIT_MAIN("event building, protocol violations", {"invalid segments", segments},
	  {"invalid messages", messages}, {"invalid announcements", announcements},
	  {"excluded until its restart", not_trusted}, {"incompatible greetings", unknown_peers},
	  {"violations of a builder", builder_violates_protocol},
	  {"builder restarts after a violation", builder_restarts},
	  {"builder leaves without its data", builder_leaves})
