// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event building when something goes wrong: nodes that die, stand still, are missing, have nothing,
 * or do not fit together. What is lost is said, marked and counted; the others go on.
 */
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libroc/fabric/control.h"
#include "tests/unit/libroc/evb/evb_system.h"

#define KILLED 6000  /* events */
#define IN_FLIGHT 64 /* as it is if nothing is said */
#define STALE_LATE (60000 * MS)

/* Blocks of one event: the highest that anybody has begun. Reports come too seldom here. */
static uint64_t newest(void)
{
	uint64_t most = 0;
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		if (nodes[i].used && nodes[i].evb && counts_of(&nodes[i]).in.count > most)
			most = counts_of(&nodes[i]).in.count;
	}
	return most;
}

static uint64_t out_of(unsigned int i)
{
	return counts_of(&nodes[i]).out.count;
}

static bool some_are_out(void)
{
	return out_of(0) > 100;
}

static bool some_blocks(void)
{
	return out_of(1) + out_of(2) > 100;
}

static uint64_t wanted;

static bool more_are_out(void)
{
	return out_of(0) > wanted && out_of(1) > wanted;
}

static bool all_connected(void)
{
	struct roc_evb_peer peers[2 * NODES];
	unsigned int i, k, n, used = 0;

	for (i = 0; i < NODES; i++)
		used += nodes[i].used;
	for (i = 0; i < used; i++) {
		n = roc_evb_peers(nodes[i].evb, peers, 2 * NODES);
		for (k = 0; k < n; k++) {
			if (!peers[k].connected)
				return false;
		}
		if (n < 2 * used)
			return false;
	}
	return true;
}

/* A node is killed: only what was in it, or on its way to it, is lost; the rest goes on. */
static void killed_once(unsigned int stale_ms)
{
	uint64_t event, dropped = 0, incomplete = 0, lost = 0, nowhere = 0;
	unsigned int i;

	begin();
	for (i = 0; i < 3; i++) {
		both(i, 0);
		nodes[i].source.cold = true;
		nodes[i].cfg.stale_ns = stale_ms * MS;
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	/* What is lost is not so for having been sent before there was anybody. */
	CU_ASSERT_TRUE(run_until(all_connected, 20000));
	for (i = 0; i < 3; i++) {
		nodes[i].source.events = KILLED;
		nodes[i].source.cold = false;
	}
	CU_ASSERT_TRUE(run_until(some_are_out, 10000));
	node_close(&nodes[2]);
	/* Nobody but its peers knows yet; they go on without being told. */
	wanted = out_of(0) > out_of(1) ? out_of(0) + 50 : out_of(1) + 50;
	CU_ASSERT_TRUE(run_until(more_are_out, 20000));
	publish(ROC_EVB_ROUND_ROBIN, newest() + 100);
	if (!run_until(NULL, 30000)) {
		CU_FAIL("it did not come to its end");
		show();
	}
	for (event = 0; event < KILLED; event++) {
		unsigned int seen = nodes[0].sink.seen[event] + nodes[1].sink.seen[event];

		CU_ASSERT_TRUE(seen <= 1);
		/* The killed one's builder had it. */
		if (!seen)
			UNLESS_STILL(event % 3 == 2);
		lost += !seen;
		nowhere += !seen && !nodes[2].sink.seen[event];
	}
	for (i = 0; i < 2; i++) {
		struct roc_evb_counts c = counts_of(&nodes[i]);

		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNLESS_STILL(!nodes[i].sink.missing[1 - i]);
		/* Each that is nowhere was dropped, or the killed one had it. */
		UNLESS_STILL(c.dropped_events <= lost);
		CU_ASSERT_TRUE(c.dropped_events + c.unsure_events >= nowhere);
		CU_ASSERT_TRUE(c.unsure <= IN_FLIGHT);
		dropped += c.dropped;
		incomplete += c.incomplete;
		CU_ASSERT_TRUE(strstr(nodes[i].said, "Builder node2 is lost") != NULL);
		CU_ASSERT_TRUE(strstr(nodes[i].said, "Lost for builder node2") != NULL);
		CU_ASSERT_TRUE(strstr(nodes[i].said, "Readout unit node2 is lost") != NULL);
	}
	/* All of it is marked and counted. */
	UNIT_EQ(incomplete, nodes[0].sink.incomplete + nodes[1].sink.incomplete);
	CU_ASSERT_TRUE(dropped > 0);
	UNLESS_STILL(dropped <= 2 * lost);
	unit_note("%llu events lost with their builder, %llu incomplete of %u",
		  (unsigned long long)lost, (unsigned long long)incomplete, KILLED);
	close_all();
}

static void killed(void)
{
	unhurried(killed_once, 400);
}

static uint64_t rejoins;

static bool rejoined(void)
{
	return counts_of(&nodes[2]).rejoined > rejoins;
}

/* In a table anew after each time that it was out. */
static bool second_builds(void)
{
	if (rejoined()) {
		rejoins = counts_of(&nodes[2]).rejoined;
		publish(ROC_EVB_ROUND_ROBIN, newest() + 100);
	}
	return counts_of(&nodes[2]).complete > wanted;
}

/* A node stands still for longer than its lease: it drops what it had, and is taken back. */
static void stood_still(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 3; i++) {
		/* As many as there is time for. */
		both(i, UINT32_MAX);
		nodes[i].cfg.stale_ns = 300 * MS;
		if (i == 2)
			nodes[i].cfg.lease_ns = 1000 * MS;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(some_are_out, 10000));
	nodes[2].paused = true;
	nodes[2].used = false;
	publish(ROC_EVB_ROUND_ROBIN, newest() + 50);
	nodes[2].used = true;
	wanted = out_of(0) > out_of(1) ? out_of(0) + 50 : out_of(1) + 50;
	CU_ASSERT_TRUE(run_until(more_are_out, 10000));
	usleep(550000);
	nodes[0].used = nodes[1].used = true;
	nodes[2].paused = false;
	rejoins = counts_of(&nodes[2]).rejoined;
	CU_ASSERT_TRUE(run_until(rejoined, 5000));
	CU_ASSERT_TRUE(strstr(nodes[2].said, "made no turn for") != NULL);
	wanted = counts_of(&nodes[2]).complete + 20;
	CU_ASSERT_TRUE(run_until(second_builds, 10000));
	for (i = 0; i < 3; i++) {
		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNIT_EQ(counts_of(&nodes[i]).liars, 0);
		roc_evb_stop(nodes[i].evb);
	}
	if (!run_until(NULL, 10000)) {
		CU_FAIL("it did not come to its end");
		show();
	}
	for (i = 0; i < 3; i++)
		CU_ASSERT_TRUE(nodes[i].sink.finished);
	close_all();
}

static bool both_are_lost(void)
{
	return strstr(nodes[0].said, "Builder node1 is lost: it says nothing any more") &&
	       strstr(nodes[0].said, "Readout unit node1 is lost: it says nothing any more");
}

/* A peer that stands still is gone after its silence, though its kernel takes what is sent to it.
 */
static void mute_once(unsigned int silence_ms)
{
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		both(i, 100000);
		nodes[i].cfg.silence_ns = silence_ms * MS;
		nodes[i].source.cold = true;
		nodes[i].source.events = 0;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(all_connected, 5000));
	nodes[1].paused = true;
	CU_ASSERT_TRUE(run_until(both_are_lost, 20000));
	UNLESS_STILL(strstr(nodes[0].said, "node0 is lost") == NULL);
	close_all();
}

static void mute(void)
{
	unhurried(mute_once, 400);
}

/* A readout unit that the table has, and that never came. */
static void never_came_once(unsigned int stale_ms)
{
	const struct roc_evb_suspect *last;
	uint64_t total = 60;
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		both(i, total);
		nodes[i].cfg.stale_ns = stale_ms * MS;
		nodes[i].cfg.patience_ns = STALE_LATE;
		node_open(&nodes[i]);
	}
	node_new(2, ROC_EVB_READOUT);
	board.members[board.member_count++] = (struct roc_evb_member){
		.name = "node2", .incarnation = 7, .roles = ROC_EVB_READOUT};
	publish(ROC_EVB_ROUND_ROBIN, 0);
	nodes[2].used = false;
	for (i = 0; i < 2; i++)
		nodes[i].sink.sources = 2;
	wanted = 29;
	CU_ASSERT_TRUE(run_until(more_are_out, 20000));
	for (i = 0; i < 2; i++) {
		struct roc_evb_counts c = counts_of(&nodes[i]);

		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNIT_EQ(c.incomplete, 30);
		UNIT_EQ(c.stale, 30);
		UNIT_EQ(nodes[i].sink.missing[2], 30);
		UNLESS_STILL(!nodes[i].sink.missing[0] && !nodes[i].sink.missing[1]);
		/* The manager hears of it. */
		CU_ASSERT_TRUE(board.reports[i].suspect_count > 0);
		last = &board.reports[i].suspects[board.reports[i].suspect_count - 1];
		UNLESS_STILL(!strcmp(last->name, "node2") && last->gone);
	}
	/* Then it is out of the table, and the others come to their end. */
	publish(ROC_EVB_ROUND_ROBIN, 1000);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	close_all();
}

static void never_came(void)
{
	unhurried(never_came_once, 200);
}

/* A source without some events: nobody waits for them. Builders are told how far it is. */
static void has_nothing(void)
{
	double before;
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		both(i, 300);
		nodes[i].cfg.events = 3;
		nodes[i].cfg.stale_ns = STALE_LATE;
		node_open(&nodes[i]);
	}
	nodes[1].source.skip_from = 50;
	nodes[1].source.skip_to = 200;
	publish(ROC_EVB_BARREL_SHIFT, 0);
	before = unit_seconds();
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	CU_ASSERT_TRUE(unit_seconds() - before < STALE_LATE / 1e9 / 2);
	for (i = 0; i < 2; i++) {
		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNIT_EQ(counts_of(&nodes[i]).stale, 0);
	}
	/* Blocks 17 to 65 are not there, 16 and 66 are in part. */
	UNIT_EQ(nodes[0].sink.gone[1] + nodes[1].sink.gone[1], 49);
	UNIT_EQ(nodes[0].sink.missing[1] + nodes[1].sink.missing[1], 0);
	UNIT_EQ(nodes[0].sink.events + nodes[1].sink.events, 300);
	close_all();
}

static bool is_too_large(void)
{
	return strstr(nodes[0].said, "each must fit one segment");
}

/* The seed's hardware: 8 regions of 2 MiB. A MFP of more than one is built in several segments. */
static void small_regions(void)
{
	char why[ROC_EVB_WHY];
	unsigned int i, protocol;
	struct node *n;

	for (protocol = 0; protocol < 2; protocol++) {
		begin();
		for (i = 0; i < 2; i++) {
			n = both(i, 4);
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
	/* In one segment it does not fit. */
	begin();
	for (i = 0; i < 2; i++) {
		n = both(i, 12);
		n->cfg.single = true;
		n->cfg.stale_ns = 1000 * MS; /* that they wait for each other at the end */
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
	begin();
	n = both(0, 12);
	n->cfg.max_region = 2 << 20;
	n->cfg.max_regions = 3;
	UNIT_EQ(node_try(n, why), -ENOSPC);
	CU_ASSERT_TRUE(strstr(why, "may be registered") != NULL);
	node_forget(n);
	n->cfg.max_regions = 8;
	n->cfg.protocol = ROC_EVB_PULL;
	n->cfg.fragment_max = 3 << 20;
	UNIT_EQ(node_try(n, why), -ENOSPC);
	CU_ASSERT_TRUE(strstr(why, "larger regions") != NULL);
	node_forget(n);
}

/* Event ids that begin late, and one source that begins later than the other. */
static void late_ids(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		both(i, 300);
		nodes[i].source.first = (UINT64_C(1) << 50) + 20 * i;
		nodes[i].source.events = 300 - 20 * i;
		nodes[i].sink.first = UINT64_C(1) << 50;
		nodes[i].cfg.events = 10;
		nodes[i].cfg.stale_ns = STALE_LATE;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	for (i = 0; i < 2; i++)
		UNIT_EQ(nodes[i].sink.wrong, 0);
	UNIT_EQ(nodes[0].sink.events + nodes[1].sink.events, 300);
	UNIT_EQ(counts_of(&nodes[0]).incomplete + counts_of(&nodes[1]).incomplete, 2);
	close_all();
}

static const char *both_say;

static bool is_refused(void)
{
	return strstr(nodes[0].said, both_say) && strstr(nodes[1].said, both_say) &&
	       counts_of(&nodes[0]).refused;
}

/* Nodes that do not fit together say why. */
static void does_not_fit(void)
{
	static const char *const sentences[] = {
		"it is of system other",	"its blocks have 2 events",
		"give node0 the same protocol", "it has provider tcp;ofi_rxm of libfabric",
		"its MFPs have up to",
	};
	unsigned int i;
	size_t k;

	for (k = 0; k < sizeof(sentences) / sizeof(sentences[0]); k++) {
		begin();
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
		both_say = sentences[k];
		CU_ASSERT_TRUE(run_until(is_refused, 5000));
		close_all();
	}
}

/* What roc_evb_open() says of a configuration. */
static void configurations(void)
{
	char why[ROC_EVB_WHY];
	struct node *n;

	begin();
	n = both(0, 1);
	n->cfg.provider = "no-such";
	UNIT_EQ(node_try(n, why), -ENODEV);
	CU_ASSERT_TRUE(strstr(why, "no-such") != NULL);
	node_forget(n);
	n = both(0, 1);
	n->cfg.events = ROC_MFP_EVENTS_MAX + 1;
	UNIT_EQ(node_try(n, why), -EINVAL);
	node_forget(n);
	n = both(0, 1);
	n->cfg.name = "a-name-that-has-more-than-thirty-one-characters";
	UNIT_EQ(node_try(n, why), -EINVAL);
	CU_ASSERT_TRUE(strstr(why, "31 characters") != NULL);
	node_forget(n);
	n = both(0, 1);
	n->cfg.host = "no.such.host.invalid";
	UNIT_EQ(node_try(n, why) < 0, true);
	CU_ASSERT_TRUE(why[0] != '\0');
	node_forget(n);
}

/* A table of an older manager is not believed, one that cannot be is refused; nodes that hear of no
 * coordinator go on. */
static void tables(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		both(i, 3000);
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(some_are_out, 10000));
	publish(ROC_EVB_ROUND_ROBIN, 5000);
	board.table.term = 0;
	turn_all();
	CU_ASSERT_TRUE(strstr(nodes[0].said, "there is a newer manager") != NULL);
	UNIT_EQ(counts_of(&nodes[0]).epoch, 1);
	board.table.term = 2;
	board.table.policy = 99;
	board.table_version++;
	turn_all();
	CU_ASSERT_TRUE(strstr(nodes[0].said, "is refused") != NULL);
	nodes[0].cut_off = nodes[1].cut_off = true;
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	UNIT_EQ(counts_of(&nodes[0]).complete + counts_of(&nodes[1]).complete, 3000);
	close_all();
}

/* One broken event id costs one fragment, and not all that come after it. */
static void broken_id(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		both(i, 200);
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	nodes[1].source.wrong_at = 77;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	UNIT_EQ(counts_of(&nodes[1]).disorder, 1);
	UNIT_EQ(counts_of(&nodes[0]).complete + counts_of(&nodes[1]).complete, 199);
	UNIT_EQ(nodes[0].sink.gone[1] + nodes[1].sink.gone[1], 1);
	CU_ASSERT_TRUE(board.reports[1].newest_block < 200);
	close_all();
}

/* A block that takes the source longer than the stale timeout is whole all the same. */
static void slow_source_once(unsigned int stale_ms)
{
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		both(i, 20);
		nodes[i].cfg.events = 10;
		nodes[i].cfg.stale_ns = stale_ms * MS;
		nodes[i].source.pause = 0.15 * stale_ms / 1e3;
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	for (i = 0; i < 2; i++) {
		UNLESS_STILL(counts_of(&nodes[i]).disorder == 0);
		UNLESS_STILL(counts_of(&nodes[i]).complete == 1);
	}
	UNLESS_STILL(nodes[0].sink.events + nodes[1].sink.events == 20);
	close_all();
}

static void slow_source(void)
{
	unhurried(slow_source_once, 200);
}

static bool all_packed(void)
{
	return counts_of(&nodes[0]).received.count >= 400;
}

/* A builder that hears of a table late does not take for complete what it says is not. */
static void late_table(void)
{
	unsigned int i, protocol;

	for (protocol = 0; protocol < 2; protocol++) {
		begin();
		for (i = 0; i < 3; i++) {
			node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
			nodes[i].cfg.protocol = protocol;
			nodes[i].cfg.in_flight = 400;
			nodes[i].cfg.blocks = 400;
			nodes[i].source.events = 300;
			nodes[i].source.size = 100;
			nodes[i].sink.sources = 2;
			if (i < 2)
				node_open(&nodes[i]);
		}
		nodes[2].used = false;
		publish(ROC_EVB_ROUND_ROBIN, 0);
		turn_all();
		nodes[0].cut_off = true;
		nodes[2].used = true;
		node_open(&nodes[2]);
		publish(ROC_EVB_ROUND_ROBIN, 200);
		CU_ASSERT_TRUE(run_until(all_packed, 10000));
		UNIT_EQ(counts_of(&nodes[0]).complete, 200);
		nodes[0].cut_off = false;
		CU_ASSERT_TRUE(run_until(NULL, 10000));
		UNIT_EQ(counts_of(&nodes[0]).complete, 300);
		UNIT_EQ(counts_of(&nodes[0]).late, 0);
		for (i = 200; i < 300; i++)
			UNIT_EQ(nodes[0].sink.whole[i], 1);
		close_all();
	}
}

static bool readouts_have_heard(void)
{
	return counts_of(&nodes[1]).epoch == 2 && counts_of(&nodes[2]).epoch == 2 && all_packed();
}

/* A builder that was told of the newest table only takes nobody for a liar who had the others. */
static void missed_table(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 3; i++) {
		node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].cfg.in_flight = 400;
		nodes[i].cfg.blocks = 400;
		nodes[i].source.events = 300;
		nodes[i].source.size = 100;
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	turn_all();
	nodes[0].cut_off = true;
	publish(ROC_EVB_ROUND_ROBIN, 200);
	CU_ASSERT_TRUE(run_until(readouts_have_heard, 10000));
	publish(ROC_EVB_ROUND_ROBIN, 250);
	nodes[0].cut_off = false;
	CU_ASSERT_TRUE(run_until(NULL, 10000));
	UNIT_EQ(counts_of(&nodes[0]).liars, 0);
	/* Who else should have sent the others nobody knows. */
	UNIT_EQ(counts_of(&nodes[0]).complete, 250);
	UNIT_EQ(counts_of(&nodes[0]).incomplete, 50);
	close_all();
}

static unsigned int seen_in_all(void)
{
	unsigned int i, event, count = 0;

	for (event = 0; event < EVENTS_MOST; event++) {
		for (i = 0; i < NODES; i++)
			count += nodes[i].sink.seen[event];
	}
	return count;
}

static bool all_seen(void)
{
	return seen_in_all() == wanted;
}

/* All builders are replaced by as many of other names: nothing is lost, though a readout unit is
 * made for no more than there are at once. */
static void replaced(void)
{
	unsigned int i;

	begin();
	wanted = 8000;
	for (i = 0; i < 5; i++) {
		node_new(i, i ? ROC_EVB_BUILDER : ROC_EVB_READOUT);
		nodes[i].cfg.peers = 2;
		nodes[i].source.events = wanted;
		nodes[i].source.size = 100;
		if (i < 3)
			node_open(&nodes[i]);
	}
	nodes[3].used = nodes[4].used = false;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(some_blocks, 10000));
	for (i = 1; i < 5; i++)
		nodes[i].used = i > 2;
	node_open(&nodes[3]);
	node_open(&nodes[4]);
	publish(ROC_EVB_ROUND_ROBIN, newest() + 500);
	nodes[1].used = nodes[2].used = true;
	if (!run_until(all_seen, 20000)) {
		unit_note("%u of %llu", seen_in_all(), (unsigned long long)wanted);
		CU_FAIL("not all were built");
		show();
	}
	UNIT_EQ(counts_of(&nodes[0]).dropped, 0);
	CU_ASSERT_TRUE(counts_of(&nodes[3]).complete > 0 && counts_of(&nodes[4]).complete > 0);
	close_all();
}

#define BUILDERS 6

/* Builders of which nobody answers: who has connected, and who has said something. */
static struct {
	int listeners[BUILDERS], fds[BUILDERS];
	unsigned int connected, heard, mute_most;
} doors;

static bool all_greeted(void)
{
	unsigned int i;
	char byte;

	turn_all();
	doors.connected = doors.heard = 0;
	for (i = 0; i < BUILDERS; i++) {
		if (doors.fds[i] < 0)
			doors.fds[i] = accept4(doors.listeners[i], NULL, NULL,
					       SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (doors.fds[i] < 0)
			continue;
		doors.connected++;
		doors.heard += recv(doors.fds[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
	}
	if (doors.connected - doors.heard > doors.mute_most)
		doors.mute_most = doors.connected - doors.heard;
	return doors.heard == BUILDERS;
}

/* A builder hangs up on who connects and is mute: none is connected with before it is greeted. */
static void one_by_one(void)
{
	struct sockaddr_in at;
	socklen_t length = sizeof(at);
	struct roc_evb_member *m;
	char why[ROC_EVB_WHY];
	unsigned int i;

	begin();
	memset(&doors, 0, sizeof(doors));
	node_new(0, ROC_EVB_READOUT);
	nodes[0].source.cold = true;
	node_open(&nodes[0]);
	for (i = 0; i < BUILDERS; i++) {
		doors.fds[i] = -1;
		doors.listeners[i] = control_listen("127.0.0.1", "0", why);
		UNIT_NEED(doors.listeners[i] >= 0);
		UNIT_NEED(!getsockname(doors.listeners[i], (struct sockaddr *)&at, &length));
		m = &board.members[board.member_count++];
		*m = (struct roc_evb_member){
			.host = "127.0.0.1", .incarnation = 7, .roles = ROC_EVB_BUILDER};
		strcpy(m->name, node_new(i + 1, ROC_EVB_BUILDER)->name);
		snprintf(m->port, sizeof(m->port), "%u", ntohs(at.sin_port));
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	for (i = 0; i < BUILDERS; i++)
		nodes[i + 1].used = false;
	CU_ASSERT_TRUE(run_until(all_greeted, 20000));
	unit_note("at most %u had connected and said nothing", doors.mute_most);
	CU_ASSERT_TRUE(doors.mute_most <= 1);
	node_close(&nodes[0]);
	for (i = 0; i < BUILDERS; i++) {
		close(doors.listeners[i]);
		close(doors.fds[i]);
	}
}

/* Two readout units of which one is killed, and started anew as it was at first. */
static void restart_one(bool counts, uint64_t ahead)
{
	unsigned int i;

	begin();
	for (i = 0; i < 3; i++) {
		node_new(i, i < 2 ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].cfg.stale_ns = (counts ? (uint64_t)(800 * slowness()) : 200) * MS;
		nodes[i].source.events = EVENTS_MOST - 1;
		nodes[i].source.pause = 0.002;
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(some_blocks, 20000));
	node_close(&nodes[0]);
	publish(ROC_EVB_ROUND_ROBIN, newest() + 20);
	node_new(0, ROC_EVB_READOUT);
	nodes[0].cfg.stale_ns = nodes[1].cfg.stale_ns;
	nodes[0].source.events = EVENTS_MOST - 1;
	nodes[0].source.pause = 0.002;
	nodes[0].source.counts = counts;
	node_open(&nodes[0]);
	wanted = newest() + ahead;
	publish(ROC_EVB_ROUND_ROBIN, wanted);
}

static bool both_there(void)
{
	unsigned int event, count = 0;

	for (event = (unsigned int)wanted; event < EVENTS_MOST; event++)
		count += nodes[2].sink.whole[event];
	return count >= 20;
}

/* A source that counts by itself goes on where the system is. */
static void comes_back(void)
{
	restart_one(true, 40);
	CU_ASSERT_TRUE(run_until(both_there, 20000));
	UNIT_EQ(counts_of(&nodes[0]).unassigned, 0);
	UNIT_EQ(nodes[2].sink.wrong, 0);
	stop_all();
}

static bool behind_said(void)
{
	return strstr(nodes[0].said, "A source that counts from zero cannot come back");
}

/* And one that cannot is told so. */
static void counts_from_zero(void)
{
	restart_one(false, 15000);
	if (!run_until(behind_said, 20000)) {
		CU_FAIL("nothing is said");
		show();
	}
	CU_ASSERT_TRUE(counts_of(&nodes[0]).unassigned > 0);
	stop_all();
}

UNIT_MAIN("event building, when something goes wrong", {"killed", killed},
	  {"stood_still", stood_still}, {"mute", mute}, {"never_came", never_came},
	  {"has_nothing", has_nothing}, {"small_regions", small_regions}, {"late_ids", late_ids},
	  {"does_not_fit", does_not_fit}, {"configurations", configurations}, {"tables", tables},
	  {"broken_id", broken_id}, {"slow_source", slow_source}, {"late_table", late_table},
	  {"replaced", replaced}, {"one_by_one", one_by_one}, {"comes_back", comes_back},
	  {"counts_from_zero", counts_from_zero}, {"missed_table", missed_table})
