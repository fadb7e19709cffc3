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
		CU_ASSERT_TRUE(strstr(nodes[i].said, "Builder node2 did not accept ") != NULL);
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
	CU_ASSERT_TRUE(strstr(nodes[2].said, "did not run for") != NULL);
	wanted = counts_of(&nodes[2]).complete + 20;
	CU_ASSERT_TRUE(run_until(second_builds, 10000));
	for (i = 0; i < 3; i++) {
		UNIT_EQ(nodes[i].sink.wrong, 0);
		UNIT_EQ(counts_of(&nodes[i]).protocol_violations, 0);
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
	return strstr(nodes[0].said, "Builder node1 is lost: timed out: no message for") &&
	       strstr(nodes[0].said, "Readout unit node1 is lost: timed out: no message for");
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
	char reason[ROC_EVB_REASON];
	unsigned int i;

	begin();
	memset(&doors, 0, sizeof(doors));
	node_new(0, ROC_EVB_READOUT);
	nodes[0].source.cold = true;
	node_open(&nodes[0]);
	for (i = 0; i < BUILDERS; i++) {
		doors.fds[i] = -1;
		doors.listeners[i] = control_listen("127.0.0.1", "0", reason);
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

static bool behind_logged(void)
{
	return strstr(nodes[0].said, "a source that restarts at event zero cannot rejoin");
}

/* And one that cannot is told so. */
static void counts_from_zero(void)
{
	restart_one(false, 15000);
	if (!run_until(behind_logged, 20000)) {
		CU_FAIL("nothing is said");
		show();
	}
	CU_ASSERT_TRUE(counts_of(&nodes[0]).unassigned > 0);
	stop_all();
}

/* Its sink cannot: that is said before it is a member, and nobody counts on it. */
static void sink_cannot(void)
{
	char reason[ROC_EVB_REASON];

	begin();
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
	begin();
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
	const char *sentence;
	unsigned int i;

	begin();
	for (i = 0; i < 2; i++) {
		node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].source.events = 20;
		node_open(&nodes[i]);
	}
	nodes[0].chatter = chatter;
	nodes[0].sink.full = 3;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	c = counts_of(&nodes[0]);
	UNIT_EQ(c.out.count, 3);
	UNIT_EQ(c.unsaved, 17);
	sentence = strstr(nodes[0].said, "The sink: no reason");
	UNIT_NEED(sentence);
	CU_ASSERT_PTR_NULL(strstr(sentence + 1, "The sink: no reason"));
	close_all();
}

static void sink_full(void)
{
	sink_full_beside(false);
	sink_full_beside(true);
}

static bool third_builds(void)
{
	return out_of(2) > 30;
}

static bool fourth_builds(void)
{
	return out_of(3) > wanted;
}

static bool third_is_over(void)
{
	return nodes[2].over;
}

/* A builder that is to end is done, though those who send to it go on and its sink is busy. */
static void others_go_on(void)
{
	struct roc_evb_counts c;
	unsigned int i;

	begin();
	for (i = 0; i < 4; i++) {
		node_new(i, i < 2 ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].cfg.stale_ns = (uint64_t)(200 * slowness()) * MS;
		nodes[i].source.events = UINT32_MAX;
		nodes[i].source.pause = 0.002;
		nodes[i].sink.sources = 2;
		nodes[i].sink.keep = 0.3;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(third_builds, 20000));
	roc_evb_stop(nodes[2].evb);
	if (!run_until(third_is_over, 10000)) {
		CU_FAIL("it did not come to its end");
		show();
	}
	CU_ASSERT_TRUE(nodes[2].sink.finished);
	c = counts_of(&nodes[2]);
	UNIT_EQ(c.open_blocks, 0);
	UNIT_EQ(c.out.count, nodes[2].sink.meps);
	UNIT_EQ(c.complete + c.incomplete, nodes[2].sink.meps);
	UNIT_EQ(nodes[2].sink.wrong, 0);
	node_close(&nodes[2]);
	/* The other one goes on. */
	publish(ROC_EVB_ROUND_ROBIN, newest() + 20);
	wanted = out_of(3) + 40;
	CU_ASSERT_TRUE(run_until(fourth_builds, 20000));
	stop_all();
}

UNIT_MAIN("event building, when nodes fail", {"killed", killed}, {"stood_still", stood_still},
	  {"mute", mute}, {"never_came", never_came}, {"one_by_one", one_by_one},
	  {"no_file", no_file}, {"comes_back", comes_back}, {"counts_from_zero", counts_from_zero},
	  {"sink_cannot", sink_cannot}, {"sink_fails", sink_fails}, {"sink_full", sink_full},
	  {"others_go_on", others_go_on})
