// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nodes that die, stand still, never come, or are started anew. What is lost is said, marked and
 * counted; the others go on.
 */
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libroc/fabric/control.h"
#include "tests/unit/libroc/evb/evb_progress.h"

#define KILLED 6000  /* events */
#define IN_FLIGHT 64 /* as it is if nothing is said */
#define STALE_LATE (60000 * MS)

/* A node is killed: only what was in it, or on its way to it, is lost; the rest goes on. */
static void killed_once(unsigned int stale_ms)
{
	uint64_t event, dropped = 0, incomplete = 0, lost = 0, nowhere = 0;
	unsigned int i;

	reset_system();
	for (i = 0; i < 3; i++) {
		node_both_roles(i, 0);
		nodes[i].source.no_enodata = true;
		nodes[i].cfg.stale_ns = stale_ms * MS;
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	/* What is lost is not so for having been sent before there was anybody. */
	CU_ASSERT_TRUE(run_until(all_connected, 20000));
	for (i = 0; i < 3; i++) {
		nodes[i].source.events = KILLED;
		nodes[i].source.no_enodata = false;
	}
	CU_ASSERT_TRUE(run_until(some_delivered, 10000));
	node_close(&nodes[2]);
	/* Nobody but its peers knows yet; they go on without being told. */
	wanted_count =
		delivered_by(0) > delivered_by(1) ? delivered_by(0) + 50 : delivered_by(1) + 50;
	CU_ASSERT_TRUE(run_until(more_delivered, 20000));
	publish(ROC_EVB_ROUND_ROBIN, newest_block() + 100);
	if (!run_until(NULL, 30000)) {
		CU_FAIL("it did not come to its end");
		show_counts();
	}
	for (event = 0; event < KILLED; event++) {
		unsigned int seen = nodes[0].sink.seen[event] + nodes[1].sink.seen[event];

		CU_ASSERT_TRUE(seen <= 1);
		/* The killed one's builder had it. */
		if (!seen)
			UNLESS_STALLED(event % 3 == 2);
		lost += !seen;
		nowhere += !seen && !nodes[2].sink.seen[event];
	}
	for (i = 0; i < 2; i++) {
		struct roc_evb_counts c = counts_of(&nodes[i]);

		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNLESS_STALLED(!nodes[i].sink.missing[1 - i]);
		/* Each that is nowhere was dropped, or the killed one had it. */
		UNLESS_STALLED(c.dropped_events <= lost);
		CU_ASSERT_TRUE(c.dropped_events + c.unsure_events >= nowhere);
		CU_ASSERT_TRUE(c.unsure <= IN_FLIGHT);
		dropped += c.dropped;
		incomplete += c.incomplete;
		CU_ASSERT_TRUE(strstr(nodes[i].log, "Builder node2 is lost") != NULL);
		CU_ASSERT_TRUE(strstr(nodes[i].log, "Builder node2 did not accept ") != NULL);
		CU_ASSERT_TRUE(strstr(nodes[i].log, "Readout unit node2 is lost") != NULL);
	}
	/* All of it is marked and counted. */
	UNIT_EQ(incomplete, nodes[0].sink.incomplete + nodes[1].sink.incomplete);
	CU_ASSERT_TRUE(dropped > 0);
	UNLESS_STALLED(dropped <= 2 * lost);
	unit_note("%llu events lost with their builder, %llu incomplete of %u",
		  (unsigned long long)lost, (unsigned long long)incomplete, KILLED);
	close_all();
}

static void killed(void)
{
	with_growing_timeout(killed_once, 400);
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
		publish(ROC_EVB_ROUND_ROBIN, newest_block() + 100);
	}
	return counts_of(&nodes[2]).complete > wanted_count;
}

/* A node stands still for longer than its lease: it drops what it had, and is taken back. */
static void paused_too_long(void)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 3; i++) {
		/* As many as there is time for. */
		node_both_roles(i, UINT32_MAX);
		nodes[i].cfg.stale_ns = 300 * MS;
		if (i == 2)
			nodes[i].cfg.lease_ns = 1000 * MS;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(some_delivered, 10000));
	nodes[2].paused = true;
	nodes[2].used = false;
	publish(ROC_EVB_ROUND_ROBIN, newest_block() + 50);
	nodes[2].used = true;
	wanted_count =
		delivered_by(0) > delivered_by(1) ? delivered_by(0) + 50 : delivered_by(1) + 50;
	CU_ASSERT_TRUE(run_until(more_delivered, 10000));
	usleep(550000);
	nodes[0].used = nodes[1].used = true;
	nodes[2].paused = false;
	rejoins = counts_of(&nodes[2]).rejoined;
	CU_ASSERT_TRUE(run_until(rejoined, 5000));
	CU_ASSERT_TRUE(strstr(nodes[2].log, "did not run for") != NULL);
	wanted_count = counts_of(&nodes[2]).complete + 20;
	CU_ASSERT_TRUE(run_until(second_builds, 10000));
	for (i = 0; i < 3; i++) {
		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNIT_EQ(counts_of(&nodes[i]).protocol_violations, 0);
		roc_evb_stop(nodes[i].evb);
	}
	if (!run_until(NULL, 10000)) {
		CU_FAIL("it did not come to its end");
		show_counts();
	}
	for (i = 0; i < 3; i++)
		CU_ASSERT_TRUE(nodes[i].sink.finished);
	close_all();
}

static bool both_are_lost(void)
{
	return strstr(nodes[0].log, "Builder node1 is lost: timed out: no message for") &&
	       strstr(nodes[0].log, "Readout unit node1 is lost: timed out: no message for");
}

/* A peer that stands still is gone after its silence, though its kernel takes what is sent to it.
 */
static void silent_once(unsigned int silence_ms)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_both_roles(i, 100000);
		nodes[i].cfg.silence_ns = silence_ms * MS;
		nodes[i].source.no_enodata = true;
		nodes[i].source.events = 0;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(all_connected, 5000));
	nodes[1].paused = true;
	CU_ASSERT_TRUE(run_until(both_are_lost, 20000));
	UNLESS_STALLED(strstr(nodes[0].log, "node0 is lost") == NULL);
	close_all();
}

static void silent(void)
{
	with_growing_timeout(silent_once, 400);
}

/* A readout unit that the table has, and that never came. */
static void never_joined_once(unsigned int stale_ms)
{
	const struct roc_evb_suspect *last;
	uint64_t total = 60;
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_both_roles(i, total);
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
	wanted_count = 29;
	CU_ASSERT_TRUE(run_until(more_delivered, 20000));
	for (i = 0; i < 2; i++) {
		struct roc_evb_counts c = counts_of(&nodes[i]);

		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNIT_EQ(c.incomplete, 30);
		UNIT_EQ(c.stale, 30);
		UNIT_EQ(nodes[i].sink.missing[2], 30);
		UNLESS_STALLED(!nodes[i].sink.missing[0] && !nodes[i].sink.missing[1]);
		/* The manager hears of it. */
		CU_ASSERT_TRUE(board.reports[i].suspect_count > 0);
		last = &board.reports[i].suspects[board.reports[i].suspect_count - 1];
		UNLESS_STALLED(!strcmp(last->name, "node2") && last->gone);
	}
	/* Then it is out of the table, and the others come to their end. */
	publish(ROC_EVB_ROUND_ROBIN, 1000);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	close_all();
}

static void never_joined(void)
{
	with_growing_timeout(never_joined_once, 200);
}

#define BUILDERS 6

/* Builders of which nobody answers: who has connected, and who has said something. */
static struct {
	int listeners[BUILDERS], fds[BUILDERS];
	unsigned int connected, greeted_count, silent_max;
} mute_builders;

static bool all_greeted(void)
{
	unsigned int i;
	char byte;

	step_all();
	mute_builders.connected = mute_builders.greeted_count = 0;
	for (i = 0; i < BUILDERS; i++) {
		if (mute_builders.fds[i] < 0)
			mute_builders.fds[i] = accept4(mute_builders.listeners[i], NULL, NULL,
						       SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (mute_builders.fds[i] < 0)
			continue;
		mute_builders.connected++;
		mute_builders.greeted_count +=
			recv(mute_builders.fds[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
	}
	if (mute_builders.connected - mute_builders.greeted_count > mute_builders.silent_max)
		mute_builders.silent_max = mute_builders.connected - mute_builders.greeted_count;
	return mute_builders.greeted_count == BUILDERS;
}

/* A builder hangs up on who connects and is mute: none is connected with before it is greeted. */
static void connects_one_by_one(void)
{
	struct sockaddr_in at;
	socklen_t length = sizeof(at);
	struct roc_evb_member *m;
	char reason[ROC_EVB_REASON];
	unsigned int i;

	reset_system();
	memset(&mute_builders, 0, sizeof(mute_builders));
	node_new(0, ROC_EVB_READOUT);
	nodes[0].source.no_enodata = true;
	node_open(&nodes[0]);
	for (i = 0; i < BUILDERS; i++) {
		mute_builders.fds[i] = -1;
		mute_builders.listeners[i] = control_listen("127.0.0.1", "0", reason);
		UNIT_NEED(mute_builders.listeners[i] >= 0);
		UNIT_NEED(
			!getsockname(mute_builders.listeners[i], (struct sockaddr *)&at, &length));
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
	unit_note("at most %u had connected and said nothing", mute_builders.silent_max);
	CU_ASSERT_TRUE(mute_builders.silent_max <= 1);
	node_close(&nodes[0]);
	for (i = 0; i < BUILDERS; i++) {
		close(mute_builders.listeners[i]);
		close(mute_builders.fds[i]);
	}
}

/* There is no file for a connection: it has not begun, and that is said. */
static void no_file(void)
{
	struct control c = {.fd = -1};
	struct rlimit limit, none;
	char reason[FABRIC_REASON] = "";
	int next = dup(0), ret;

	UNIT_NEED(next >= 0 && !close(next) && !getrlimit(RLIMIT_NOFILE, &limit));
	none = limit;
	none.rlim_cur = (rlim_t)next;
	UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &none));
	ret = control_connect(&c, "127.0.0.1", "9", reason);
	UNIT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	UNIT_EQ(ret, -EMFILE);
	UNIT_EQ(c.fd, -1);
	CU_ASSERT_STRING_EQUAL(reason, "Cannot connect to 127.0.0.1 port 9: Too many open files.");
}

/* Two readout units of which one is killed, and started anew as it was at first. */
static void restart_one(bool counts, uint64_t ahead)
{
	unsigned int i;

	reset_system();
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
	publish(ROC_EVB_ROUND_ROBIN, newest_block() + 20);
	node_new(0, ROC_EVB_READOUT);
	nodes[0].cfg.stale_ns = nodes[1].cfg.stale_ns;
	nodes[0].source.events = EVENTS_MOST - 1;
	nodes[0].source.pause = 0.002;
	nodes[0].source.counts = counts;
	node_open(&nodes[0]);
	wanted_count = newest_block() + ahead;
	publish(ROC_EVB_ROUND_ROBIN, wanted_count);
}

static bool both_present(void)
{
	unsigned int event, count = 0;

	for (event = (unsigned int)wanted_count; event < EVENTS_MOST; event++)
		count += nodes[2].sink.whole[event];
	return count >= 20;
}

/* A source that counts by itself goes on where the system is. */
static void comes_back(void)
{
	restart_one(true, 40);
	CU_ASSERT_TRUE(run_until(both_present, 20000));
	UNIT_EQ(counts_of(&nodes[0]).unassigned, 0);
	UNIT_EQ(nodes[2].sink.wrong, 0);
	stop_all();
}

static bool behind_logged(void)
{
	return strstr(nodes[0].log, "a source that restarts at event zero cannot rejoin");
}

/* And one that cannot is told so. */
static void source_restarts_at_zero(void)
{
	restart_one(false, 15000);
	if (!run_until(behind_logged, 20000)) {
		CU_FAIL("nothing is said");
		show_counts();
	}
	CU_ASSERT_TRUE(counts_of(&nodes[0]).unassigned > 0);
	stop_all();
}

/* Its sink cannot: that is said before it is a member, and nobody counts on it. */
static void sink_cannot(void)
{
	char reason[ROC_EVB_REASON];

	reset_system();
	node_new(0, ROC_EVB_BUILDER);
	nodes[0].sink.no_memory = true;
	UNIT_EQ(node_try(&nodes[0], reason), -EHOSTUNREACH);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "The sink: no reason"));
	UNIT_EQ(board.member_count, 0);
	node_forget(&nodes[0]);
}

/* It cannot any more: the node ends, and says why. */
static void sink_fails(void)
{
	reset_system();
	node_open(node_new(0, ROC_EVB_BUILDER));
	UNIT_EQ(roc_evb_step(nodes[0].evb, 0), 0);
	nodes[0].sink.no_flush = true;
	UNIT_EQ(roc_evb_step(nodes[0].evb, 0), -EHOSTUNREACH);
	CU_ASSERT_STRING_EQUAL(roc_evb_reason(nodes[0].evb), "The sink: no reason");
	node_close(&nodes[0]);
}

/*
 * Its disk is full: it goes on, counts what is lost, and says once why that is, whatever else there
 * is to say.
 */
static void sink_full_beside(bool chatter)
{
	struct roc_evb_counts c;
	const char *message;
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].source.events = 20;
		node_open(&nodes[i]);
	}
	nodes[0].chatter = chatter;
	nodes[0].sink.max_meps = 3;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	c = counts_of(&nodes[0]);
	UNIT_EQ(c.out.count, 3);
	UNIT_EQ(c.unsaved, 17);
	message = strstr(nodes[0].log, "The sink: no reason");
	UNIT_NEED(message);
	CU_ASSERT_PTR_NULL(strstr(message + 1, "The sink: no reason"));
	close_all();
}

static void sink_full(void)
{
	sink_full_beside(false);
	sink_full_beside(true);
}

static bool third_builds(void)
{
	return delivered_by(2) > 30;
}

static bool fourth_builds(void)
{
	return delivered_by(3) > wanted_count;
}

static bool third_has_ended(void)
{
	return nodes[2].ended;
}

/* A builder that is to end is done, though those who send to it go on and its sink is busy. */
static void others_continue(void)
{
	struct roc_evb_counts c;
	unsigned int i;

	reset_system();
	for (i = 0; i < 4; i++) {
		node_new(i, i < 2 ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].cfg.stale_ns = (uint64_t)(200 * slowness()) * MS;
		nodes[i].source.events = UINT32_MAX;
		nodes[i].source.pause = 0.002;
		nodes[i].sink.sources = 2;
		nodes[i].sink.keep_s = 0.3;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(third_builds, 20000));
	roc_evb_stop(nodes[2].evb);
	if (!run_until(third_has_ended, 10000)) {
		CU_FAIL("it did not come to its end");
		show_counts();
	}
	CU_ASSERT_TRUE(nodes[2].sink.finished);
	c = counts_of(&nodes[2]);
	UNIT_EQ(c.open_blocks, 0);
	UNIT_EQ(c.out.count, nodes[2].sink.meps);
	UNIT_EQ(c.complete + c.incomplete, nodes[2].sink.meps);
	UNIT_EQ(nodes[2].sink.wrong, 0);
	node_close(&nodes[2]);
	/* The other one goes on. */
	publish(ROC_EVB_ROUND_ROBIN, newest_block() + 20);
	wanted_count = delivered_by(3) + 40;
	CU_ASSERT_TRUE(run_until(fourth_builds, 20000));
	stop_all();
}

UNIT_MAIN("event building, when nodes fail", {"killed", killed}, {"stood_still", paused_too_long},
	  {"mute", silent}, {"never_came", never_joined}, {"one_by_one", connects_one_by_one},
	  {"no_file", no_file}, {"comes_back", comes_back},
	  {"counts_from_zero", source_restarts_at_zero}, {"sink_cannot", sink_cannot},
	  {"sink_fails", sink_fails}, {"sink_full", sink_full}, {"others_go_on", others_continue})
