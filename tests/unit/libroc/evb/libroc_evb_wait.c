// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Backpressure: sinks that accept nothing, builders without free memory, and the nodes that wait
 * for them.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "tests/unit/libroc/evb/evb_system.h"

static double until;

static bool time_is_over(void)
{
	return unit_seconds() > until;
}

/*
 * A sink that accepts nothing for long: the builder itself causes the delay, so no block is stale.
 */
static bool some_are_ready(void)
{
	return counts_of(&nodes[0]).ready_blocks > 10;
}

static enum roc_evb_protocol protocol;
static uint32_t per_block;
static uint64_t copy_below; /* 0: all fragments are copied */
static bool no_eagain;	    /* sources return 0 instead of -EAGAIN */

static void slow_sink_once(unsigned int stale_ms)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_both_roles(i, 2000);
		nodes[i].cfg.events = per_block;
		nodes[i].cfg.copy_below = copy_below;
		nodes[i].cfg.protocol = protocol;
		nodes[i].cfg.stale_ns = stale_ms * MS;
		nodes[i].cfg.patience_ns = 60000 * MS;
		nodes[i].source.no_eagain = no_eagain;
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	nodes[0].sink.stuck = true;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(some_are_ready, 10000));
	/* Incomplete blocks would be closed after four stale timeouts. */
	until = unit_seconds() + (per_block > 1 ? 8 : 4) * stale_ms / 1e3;
	CU_ASSERT_TRUE(run_until(time_is_over, 20000));
	/* Readout units have filled their memory, so the last block is not packed yet. */
	CU_ASSERT_TRUE(counts_of(&nodes[0]).in.count < 2000);
	nodes[0].sink.stuck = false;
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	for (i = 0; i < 2; i++) {
		struct roc_evb_counts c = counts_of(&nodes[i]);

		UNLESS_STALLED(c.complete == 1000 / per_block);
		UNLESS_STALLED(c.incomplete + c.stale + c.dropped == 0);
		UNLESS_STALLED(c.disorder == 0);
	}
	close_all();
}

static void slow_sink(void)
{
	protocol = ROC_EVB_PUSH;
	per_block = 1;
	with_growing_timeout(slow_sink_once, 150);
}

/* With pull, announced MFPs count as sent: they are not abandoned before they can be read. */
static void slow_sink_pulls(void)
{
	protocol = ROC_EVB_PULL;
	per_block = 1;
	with_growing_timeout(slow_sink_once, 150);
}

/* A source that is not polled for lack of memory is not late: its block stays open. */
static void slow_sink_blocks(void)
{
	protocol = ROC_EVB_PUSH;
	per_block = 4;
	with_growing_timeout(slow_sink_once, 150);
	/* The same for a source that has lent all its memory, partly to the open block. */
	CU_ASSERT_TRUE(SOURCE_SLOTS % 5 != 0);
	per_block = 5;
	copy_below = 1;
	with_growing_timeout(slow_sink_once, 150);
	/* A source like a card cannot detect that it lacks memory, so it returns 0. */
	no_eagain = true;
	with_growing_timeout(slow_sink_once, 150);
	no_eagain = false;
	copy_below = 0;
}

/*
 * A builder whose sink accepts nothing has open blocks for which the second readout unit has no
 * free memory: it needs four segments per block, the first readout unit one.
 */
static void fill_memory(uint64_t stale_ns)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 3; i++) {
		node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].cfg.stale_ns = stale_ns;
		nodes[i].cfg.patience_ns = 60000 * MS;
		nodes[i].cfg.memory = 1 << 20;
		nodes[i].cfg.peers = 2;
		nodes[i].cfg.fragment_max = 12000;
		nodes[i].source.events = 300;
		nodes[i].source.size = i == 2 ? 12000 : 100;
		nodes[i].source.fixed = true;
		nodes[i].sink.sources = 2;
		node_open(&nodes[i]);
	}
	nodes[0].sink.stuck = true;
	publish(ROC_EVB_ROUND_ROBIN, 0);
}

static bool some_waiting(void)
{
	struct roc_evb_counts c = counts_of(&nodes[0]);

	return c.ready_blocks > 10 && c.open_blocks > c.ready_blocks + 10;
}

/*
 * A sink accepts nothing for three stale timeouts. The builder itself causes the delay, so it does
 * not abandon blocks for their age.
 */
static void stalled_sink_once(unsigned int stale_ms)
{
	fill_memory(stale_ms * MS);
	CU_ASSERT_TRUE(run_until(some_waiting, 10000));
	until = unit_seconds() + 3 * stale_ms / 1e3;
	CU_ASSERT_TRUE(run_until(time_is_over, 20000));
	UNLESS_STALLED(counts_of(&nodes[0]).stale == 0);
	nodes[0].sink.stuck = false;
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	UNLESS_STALLED(counts_of(&nodes[0]).complete == 300);
	UNIT_EQ(nodes[0].sink.wrong, 0);
	close_all();
}

static void stalled_sink(void)
{
	with_growing_timeout(stalled_sink_once, 300);
}

static bool abandoned(void)
{
	return counts_of(&nodes[0]).stale > 10;
}

/* The exception is limited, because the open blocks also occupy memory with data of others. */
static void stalled_sink_abandons(void)
{
	fill_memory(20 * MS);
	CU_ASSERT_TRUE(run_until(some_waiting, 10000));
	CU_ASSERT_TRUE(run_until(abandoned, 20000));
	UNIT_EQ(nodes[0].sink.meps, 0);
	nodes[0].sink.stuck = false;
	stop_all();
}

static bool some_are_lost(void)
{
	return strstr(nodes[1].log, "Builder node0 did not accept ") != NULL;
}

/*
 * With the default patience, blocks that a builder does not accept are dropped and logged as a
 * range.
 */
static void no_patience_once(unsigned int stale_ms)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_both_roles(i, 1000);
		nodes[i].cfg.stale_ns = stale_ms * MS;
		node_open(&nodes[i]);
	}
	nodes[0].sink.stuck = true;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(some_are_lost, 20000));
	nodes[0].sink.stuck = false;
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	CU_ASSERT_TRUE(counts_of(&nodes[1]).dropped > 0);
	/* The other builder has lost nothing. */
	UNIT_EQ(nodes[1].sink.wrong + nodes[0].sink.wrong, 0);
	UNLESS_STALLED(!counts_of(&nodes[1]).missing);
	close_all();
}

static void no_patience(void)
{
	with_growing_timeout(no_patience_once, 200);
}

/* Barrel shift limits the queue for a builder to its window, random does not. */
static uint32_t longest_queue(enum roc_evb_policy policy)
{
	struct roc_evb_peer peers[2 * NODES];
	uint32_t most = 0;
	unsigned int i, k, n;

	reset_system();
	for (i = 0; i < 4; i++) {
		node_both_roles(i, 600);
		nodes[i].cfg.in_flight = 2;
		nodes[i].cfg.window = 3;
		node_open(&nodes[i]);
	}
	publish(policy, 0);
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	for (i = 0; i < 4; i++) {
		UNIT_EQ(nodes[i].sink.incomplete + nodes[i].sink.wrong, 0);
		n = roc_evb_peers(nodes[i].evb, peers, 2 * NODES);
		UNIT_EQ(n, 8);
		for (k = 0; k < n; k++) {
			if (peers[k].builder && peers[k].queue_max > most)
				most = peers[k].queue_max;
		}
	}
	close_all();
	return most;
}

static void windows(void)
{
	uint32_t barrel = longest_queue(ROC_EVB_BARREL_SHIFT),
		 random = longest_queue(ROC_EVB_RANDOM);

	unit_note("at most %u MFPs wait for a builder by barrel shift, %u at random", barrel,
		  random);
	CU_ASSERT_TRUE(barrel <= 3);
	CU_ASSERT_TRUE(random > 3);
}

/* A cycle of as many blocks as there are MFPs, or more, is sent in parts. */
static void cycle_of_four(uint32_t blocks, uint32_t events)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 5; i++) {
		node_new(i, i ? ROC_EVB_BUILDER : ROC_EVB_READOUT);
		nodes[i].cfg.blocks = blocks;
		/* A cycle would wait for a sixteenth of it. */
		nodes[i].cfg.stale_ns = 600000 * MS;
		nodes[i].cfg.lease_ns = 600000 * MS;
		nodes[i].cfg.events = events;
		nodes[i].source.events = UINT64_C(100) * events;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_BARREL_SHIFT, 0);
	if (!run_until(NULL, 20000)) {
		CU_FAIL("the system did not end");
		show_counts();
	}
	for (i = 1; i < 5; i++)
		UNIT_EQ(counts_of(&nodes[i]).complete, 25);
	close_all();
}

static void few_for_a_cycle(void)
{
	cycle_of_four(2, 1);
	/* One of four MFPs is being packed. */
	cycle_of_four(4, 3);
}

static bool is_connected(void)
{
	struct roc_evb_peer peer;

	return roc_evb_peers(nodes[0].evb, &peer, 1) == 1 && peer.connected;
}

static bool is_idle(void)
{
	struct roc_idle idle = {.ns = 100 * MS};

	roc_evb_idle(nodes[0].evb, &idle);
	return idle.ns >= MS;
}

/* A builder that pulls grants no credits, so an idle readout unit does not poll for them. */
static void idle_pull(void)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 2; i++) {
		node_new(i, i ? ROC_EVB_READOUT : ROC_EVB_BUILDER);
		nodes[i].cfg.protocol = ROC_EVB_PULL;
		nodes[i].source.events = 0;
		nodes[i].source.no_enodata = true;
		node_open(&nodes[i]);
	}
	publish(ROC_EVB_ROUND_ROBIN, 0);
	CU_ASSERT_TRUE(run_until(is_connected, 20000));
	CU_ASSERT_TRUE(run_until(is_idle, 5000));
	close_all();
}

static bool sleeps(void)
{
	struct roc_idle idle = {.ns = 100 * MS};

	roc_evb_idle(nodes[0].evb, &idle);
	return idle.ns && !poll(idle.fds, idle.count, 0);
}

/* Return the listening socket of the builder, found among the fds for poll(). */
static int listener(void)
{
	struct roc_idle idle = {.ns = 100 * MS};
	int yes, fd = -1;
	unsigned int i;

	roc_evb_idle(nodes[0].evb, &idle);
	for (i = 0; i < idle.count; i++) {
		socklen_t length = sizeof(yes);

		if (!getsockopt(idle.fds[i].fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &length) && yes)
			fd = idle.fds[i].fd;
	}
	return fd;
}

static void builder_alone(void)
{
	reset_system();
	node_new(0, ROC_EVB_BUILDER);
	nodes[0].cfg.silence_ns = 60000 * MS; /* timeout of a greeting */
	node_open(&nodes[0]);
	CU_ASSERT_TRUE(run_until(sleeps, 5000));
}

static int connect_to_builder(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons((uint16_t)roc_evb_port(nodes[0].evb)),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	UNIT_NEED(fd >= 0 && !connect(fd, (struct sockaddr *)&a, sizeof(a)));
	return fd;
}

static int unknown_peer;

static bool is_disconnected(void)
{
	char text[1024];
	ssize_t n = recv(unknown_peer, text, sizeof(text), MSG_DONTWAIT);

	return !n || (n < 0 && errno == ECONNRESET);
}

/* Send invalid data and expect that the builder disconnects. */
static void gets_refusal(int fd)
{
	char nonsense[4096];

	memset(nonsense, 'x', sizeof(nonsense));
	UNIT_EQ(send(fd, nonsense, sizeof(nonsense), MSG_NOSIGNAL), sizeof(nonsense));
	unknown_peer = fd;
	CU_ASSERT_TRUE(run_until(is_disconnected, 5000));
}

/* A connection that cannot be accepted for lack of a file must not cause a busy loop. */
static void no_files(void)
{
	struct rlimit limit, none;
	int fd, next;

	builder_alone();
	fd = connect_to_builder();
	CU_ASSERT_TRUE(UNIT_WAIT(!sleeps(), 5000));
	next = dup(fd);
	UNIT_NEED(next >= 0 && !close(next) && !getrlimit(RLIMIT_NOFILE, &limit));
	none = limit;
	none.rlim_cur = (rlim_t)next;
	UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &none));
	CU_ASSERT_TRUE(run_until(sleeps, 5000));
	UNIT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	gets_refusal(fd);
	close(fd);
	stop_all();
}

#define WAITING 8 /* maximum number of connections without a greeting */

/* The same for a connection beyond the maximum, until an earlier one has been closed. */
static void too_many_connections(void)
{
	struct pollfd at = {.events = POLLIN};
	int fds[WAITING + 1];
	unsigned int i;

	builder_alone();
	at.fd = listener();
	UNIT_NEED(at.fd >= 0);
	for (i = 0; i < WAITING; i++) {
		fds[i] = connect_to_builder();
		UNIT_EQ(send(fds[i], "x", 1, MSG_NOSIGNAL), 1);
		CU_ASSERT_TRUE(UNIT_WAIT(!sleeps(), 5000));
		CU_ASSERT_TRUE(run_until(sleeps, 5000));
	}
	fds[i] = connect_to_builder();
	CU_ASSERT_TRUE(UNIT_WAIT(poll(&at, 1, 0) == 1, 5000));
	CU_ASSERT_TRUE(run_until(sleeps, 5000));
	UNIT_EQ(poll(&at, 1, 0), 1);
	/* One of them disconnects. */
	close(fds[0]);
	gets_refusal(fds[WAITING]);
	for (i = 1; i <= WAITING; i++)
		close(fds[i]);
	stop_all();
}

static bool first_has_ended(void)
{
	return nodes[1].ended;
}

/* A builder that has received all data leaves while the readout unit waits for another's sink. */
static void one_builder_leaves(enum roc_evb_protocol way)
{
	unsigned int i;

	reset_system();
	for (i = 0; i < 3; i++) {
		node_new(i, i ? ROC_EVB_BUILDER : ROC_EVB_READOUT);
		nodes[i].cfg.protocol = way;
		nodes[i].source.events = 20;
		node_open(&nodes[i]);
	}
	nodes[2].sink.stuck = true;
	publish(ROC_EVB_ROUND_ROBIN, 0);
	UNIT_NEED(run_until(first_has_ended, 20000));
	CU_ASSERT_TRUE(run_until(sleeps, 5000));
	UNIT_EQ(nodes[1].sink.events, 10);
	node_close(&nodes[1]);
	CU_ASSERT_TRUE(UNIT_WAIT(!sleeps(), 5000));
	CU_ASSERT_TRUE(run_until(sleeps, 5000));
	CU_ASSERT_FALSE(nodes[0].ended);
	nodes[2].sink.stuck = false;
	CU_ASSERT_TRUE(run_until(NULL, 20000));
	UNIT_EQ(nodes[2].sink.events, 10);
	/* The end of the first builder is not logged. */
	UNIT_EQ(counts_of(&nodes[0]).unsure, 0);
	CU_ASSERT_PTR_NULL(strstr(nodes[0].log, "node1"));
	close_all();
}

static void builder_leaves_early(void)
{
	one_builder_leaves(ROC_EVB_PUSH);
	one_builder_leaves(ROC_EVB_PULL);
}

UNIT_MAIN("event building, backpressure", {"slow sink, push", slow_sink},
	  {"slow sink, pull", slow_sink_pulls}, {"slow sink, partial blocks", slow_sink_blocks},
	  {"stalled sink does not abandon blocks", stalled_sink},
	  {"stalled sink abandons blocks in the end", stalled_sink_abandons},
	  {"builder does not accept blocks", no_patience}, {"windows", windows},
	  {"fewer MFPs than blocks of a cycle", few_for_a_cycle}, {"idle pull", idle_pull},
	  {"no file for a connection", no_files}, {"too many connections", too_many_connections},
	  {"builder leaves early", builder_leaves_early})
