// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nodes that are killed, pause, never join, or restart. Losses are logged, marked and counted, and
 * the other nodes continue.
 */
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libroc/fabric/control.h"
#include "tests/unit/libroc/evb/evb_progress.h"

#define KILLED 6000  /* events */
#define IN_FLIGHT 64 /* default of in_flight */
#define STALE_LATE (60000 * MS)

/* A node is killed: only its data and the data in flight to it are lost; the others continue. */
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
	/* Start the sources after all nodes are connected, so that only the kill causes losses. */
	CU_ASSERT_TRUE(run_until(all_connected, 20000));
	for (i = 0; i < 3; i++) {
		nodes[i].source.events = KILLED;
		nodes[i].source.no_enodata = false;
	}
	CU_ASSERT_TRUE(run_until(some_delivered, 10000));
	node_close(&nodes[2]);
	/* The peers detect the failure themselves and continue without a new table. */
	wanted_count =
		delivered_by(0) > delivered_by(1) ? delivered_by(0) + 50 : delivered_by(1) + 50;
	CU_ASSERT_TRUE(run_until(more_delivered, 20000));
	publish(ROC_EVB_ROUND_ROBIN, newest_block() + 100);
	if (!run_until(NULL, 30000)) {
		CU_FAIL("the system did not end");
		show_counts();
	}
	for (event = 0; event < KILLED; event++) {
		unsigned int seen = nodes[0].sink.seen[event] + nodes[1].sink.seen[event];

		CU_ASSERT_TRUE(seen <= 1);
		/* A missing event was assigned to the killed builder. */
		if (!seen)
			UNLESS_STALLED(event % 3 == 2);
		lost += !seen;
		nowhere += !seen && !nodes[2].sink.seen[event];
	}
	for (i = 0; i < 2; i++) {
		struct roc_evb_counts c = counts_of(&nodes[i]);

		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNLESS_STALLED(!nodes[i].sink.missing[1 - i]);
		/* Each missing event was dropped, or the killed builder may have had it. */
		UNLESS_STALLED(c.dropped_events <= lost);
		CU_ASSERT_TRUE(c.dropped_events + c.unsure_events >= nowhere);
		CU_ASSERT_TRUE(c.unsure <= IN_FLIGHT);
		dropped += c.dropped;
		incomplete += c.incomplete;
		CU_ASSERT_TRUE(strstr(nodes[i].log, "Builder node2 is lost") != NULL);
		CU_ASSERT_TRUE(strstr(nodes[i].log, "Builder node2 did not accept ") != NULL);
		CU_ASSERT_TRUE(strstr(nodes[i].log, "Readout unit node2 is lost") != NULL);
	}
	/* All losses are marked and counted. */
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

/* Publish a new table after each time that the node joins again. */
static bool rejoined_node_delivers(void)
{
	if (rejoined()) {
		rejoins = counts_of(&nodes[2]).rejoined;
		publish(ROC_EVB_ROUND_ROBIN, newest_block() + 100);
	}
	return counts_of(&nodes[2]).complete > wanted_count;
}

/* A node pauses for longer than its lease: it drops its data and joins again. */
static void paused_too_long(void)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 3; i++) {
		/* Until the test stops the node. */
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
	CU_ASSERT_TRUE(run_until(rejoined_node_delivers, 10000));
	for (i = 0; i < 3; i++) {
		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNIT_EQ(counts_of(&nodes[i]).protocol_violations, 0);
		roc_evb_stop(nodes[i].evb);
	}
	if (!run_until(NULL, 10000)) {
		CU_FAIL("the system did not end");
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

/* A paused peer is lost after the silence timeout, although its kernel still accepts data. */
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

/* The table has a readout unit that never connects. */
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
		/* The report to the manager names it. */
		CU_ASSERT_TRUE(board.reports[i].suspect_count > 0);
		last = &board.reports[i].suspects[board.reports[i].suspect_count - 1];
		UNLESS_STALLED(!strcmp(last->name, "node2") && last->gone);
	}
	/* A table without it lets the others end. */
	publish(ROC_EVB_ROUND_ROBIN, 1000);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	close_all();
}

static void never_joined(void)
{
	with_growing_timeout(never_joined_once, 200);
}

#define BUILDERS 6

/* Builders that never answer; counts of connections and of received greetings. */
static struct {
	int listeners[BUILDERS], fds[BUILDERS];
	unsigned int connected, greeted_count, silent_max;
} silent_builders;

static bool all_greeted(void)
{
	unsigned int i;
	char byte;

	step_all();
	silent_builders.connected = silent_builders.greeted_count = 0;
	for (i = 0; i < BUILDERS; i++) {
		if (silent_builders.fds[i] < 0)
			silent_builders.fds[i] = accept4(silent_builders.listeners[i], NULL, NULL,
							 SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (silent_builders.fds[i] < 0)
			continue;
		silent_builders.connected++;
		silent_builders.greeted_count +=
			recv(silent_builders.fds[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
	}
	if (silent_builders.connected - silent_builders.greeted_count > silent_builders.silent_max)
		silent_builders.silent_max =
			silent_builders.connected - silent_builders.greeted_count;
	return silent_builders.greeted_count == BUILDERS;
}

/*
 * A builder disconnects silent peers, so a node greets each builder before it connects to the next.
 */
static void connects_one_by_one(void)
{
	struct sockaddr_in at;
	socklen_t length = sizeof(at);
	struct roc_evb_member *m;
	char reason[ROC_EVB_REASON];
	unsigned int i;

	reset_system();
	memset(&silent_builders, 0, sizeof(silent_builders));
	node_new(0, ROC_EVB_READOUT);
	nodes[0].source.no_enodata = true;
	node_open(&nodes[0]);
	for (i = 0; i < BUILDERS; i++) {
		silent_builders.fds[i] = -1;
		silent_builders.listeners[i] = control_listen("127.0.0.1", "0", reason);
		UNIT_NEED(silent_builders.listeners[i] >= 0);
		UNIT_NEED(!getsockname(silent_builders.listeners[i], (struct sockaddr *)&at,
				       &length));
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
	unit_note("at most %u connections without a greeting", silent_builders.silent_max);
	CU_ASSERT_TRUE(silent_builders.silent_max <= 1);
	node_close(&nodes[0]);
	for (i = 0; i < BUILDERS; i++) {
		close(silent_builders.listeners[i]);
		close(silent_builders.fds[i]);
	}
}

/* Without a free file descriptor the connection fails with a reason. */
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

/* Kill one of two readout units, and start it again with the same configuration. */
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
	nodes[0].source.supports_go_on = counts;
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

/* A source that supports go_on() continues at the position of the system. */
static void restarted_source_continues(void)
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

/* For a source that does not support go_on() the node logs the reason. */
static void source_restarts_at_zero(void)
{
	restart_one(false, 15000);
	if (!run_until(behind_logged, 20000)) {
		CU_FAIL("the node does not log the reason");
		show_counts();
	}
	CU_ASSERT_TRUE(counts_of(&nodes[0]).unassigned > 0);
	stop_all();
}

/* If the sink cannot use the memory, the node fails before it becomes a member. */
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

/* If the sink fails later, the node ends with the reason. */
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
 * The disk of the sink is full: the node continues, counts the losses and logs the reason once,
 * even among many other messages.
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

static bool third_has_delivered(void)
{
	return delivered_by(2) > 30;
}

static bool fourth_has_delivered(void)
{
	return delivered_by(3) > wanted_count;
}

static bool third_has_ended(void)
{
	return nodes[2].ended;
}

/* A stopped builder ends although its readout units continue to send and its sink is busy. */
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
	CU_ASSERT_TRUE(run_until(third_has_delivered, 20000));
	roc_evb_stop(nodes[2].evb);
	if (!run_until(third_has_ended, 10000)) {
		CU_FAIL("the system did not end");
		show_counts();
	}
	CU_ASSERT_TRUE(nodes[2].sink.finished);
	c = counts_of(&nodes[2]);
	UNIT_EQ(c.open_blocks, 0);
	UNIT_EQ(c.out.count, nodes[2].sink.meps);
	UNIT_EQ(c.complete + c.incomplete, nodes[2].sink.meps);
	UNIT_EQ(nodes[2].sink.wrong, 0);
	node_close(&nodes[2]);
	/* The other builder continues. */
	publish(ROC_EVB_ROUND_ROBIN, newest_block() + 20);
	wanted_count = delivered_by(3) + 40;
	CU_ASSERT_TRUE(run_until(fourth_has_delivered, 20000));
	stop_all();
}

UNIT_MAIN("event building, when nodes fail", {"killed node", killed},
	  {"pause longer than the lease", paused_too_long}, {"paused peer is lost", silent},
	  {"readout unit that never joins", never_joined},
	  {"greeting before the next connection", connects_one_by_one},
	  {"no file for a connection", no_file},
	  {"restarted source continues", restarted_source_continues},
	  {"restarted source counts from zero", source_restarts_at_zero},
	  {"sink without memory", sink_cannot}, {"sink that fails", sink_fails},
	  {"sink with a full disk", sink_full}, {"builder ends, others continue", others_continue})
