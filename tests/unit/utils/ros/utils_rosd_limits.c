// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-rosd with clients that violate the protocol: each is refused with the limit that it exceeded,
 * and another client is served at the same time.
 */
#include "unit.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "tests/unit/utils/ros/ros_daemon.h"
#include "libroc/core/bytes.h"
#include "utils/ros/server.h"

#define ALL UINT64_C(0xffffff)
#define CROWD (ROS_GREETING_MAX + 80) /* even: the last one has sent half */

static struct daemon d;
static struct client good, bad;
static uint8_t out[1 << 16];

static void start(const char *options)
{
	UNIT_NEED(daemon_start(&d, options));
	UNIT_NEED(client_open(&good, &d, 0));
}

static void finish(void)
{
	CU_ASSERT_TRUE(client_requests(&good, 3, ALL));
	client_close(&good);
	client_close(&bad);
	daemon_ends_well(&d);
}

static void header(uint32_t length, uint16_t type)
{
	memset(out, 0, sizeof(out));
	put32(out, length);
	put16(out + 4, type);
	put64(out + 8, 99);
}

/* The bytes in out[] end the connection. */
static void breaks(bool hello, size_t length, enum ros_code code, uint32_t limit)
{
	CU_ASSERT_TRUE(hello ? client_open(&bad, &d, 0) : client_connect(&bad, &d, 0));
	CU_ASSERT_TRUE(client_send(&bad, out, length));
	client_refused(&bad, code, limit);
	client_close(&bad);
	CU_ASSERT_TRUE(client_requests(&good, 1, ALL));
}

static void malformed(void)
{
	start("--rate=0 --max-events=100");
	header(40, ROS_REQUEST);
	put64(out + 24, 1);
	breaks(true, 40, ROS_E_MALFORMED, 0);
	header(32, ROS_REQUEST);
	put64(out + 24, 1);
	put16(out + 6, 1);
	breaks(true, 32, ROS_E_MALFORMED, 0);
	header(28, ROS_CLEAR);
	put32(out + 16, 2);
	breaks(true, 28, ROS_E_MALFORMED, 0);
	header(16, 0x55);
	breaks(true, 16, ROS_E_UNKNOWN_TYPE, ROS_CLEAR);
	header(24, ROS_HELLO);
	put32(out + 16, ROS_MAGIC);
	put32(out + 20, 0x10001);
	breaks(true, 24, ROS_E_MALFORMED, 0); /* a second HELLO */
	/* A message that is too long is refused without the rest. */
	header(24 + 8 * 100 + 1, ROS_CLEAR);
	breaks(true, 16, ROS_E_TOO_LONG, 24 + 8 * 100);
	header(UINT32_MAX, ROS_REQUEST);
	breaks(true, sizeof(out), ROS_E_TOO_LONG, 24 + 8 * 100);
	finish();
	UNIT_EQ(daemon_error(&d, ROS_E_MALFORMED), 4);
	UNIT_EQ(daemon_error(&d, ROS_E_TOO_LONG), 2);
	daemon_forget(&d);
}

static void no_hello(void)
{
	start("--rate=0");
	header(32, ROS_REQUEST);
	put64(out + 24, 1);
	breaks(false, 32, ROS_E_NO_HELLO, 0);
	header(24, ROS_HELLO);
	breaks(false, 24, ROS_E_BAD_MAGIC, 0);
	/* Another version. */
	put32(out + 16, ROS_MAGIC);
	put16(out + 20, ROS_VERSION + 1);
	put16(out + 22, ROS_VERSION + 3);
	breaks(false, 24, ROS_E_VERSION, ROS_VERSION);
	/* Another protocol: "GET " is a long message of an unknown type. */
	strcpy((char *)out, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	breaks(false, strlen((char *)out), ROS_E_TOO_LONG, 24 + 8 * 1024);
	finish();
	UNIT_EQ(daemon_error(&d, ROS_E_TIMEOUT), 0);
	daemon_forget(&d);
}

/* Nothing at all, and half a message. */
static void stops_sending(void)
{
	start("--rate=0 --patience=4000");
	breaks(false, 0, ROS_E_TIMEOUT, 4000);
	header(32, ROS_REQUEST);
	breaks(true, 31, ROS_E_TIMEOUT, 4000);
	finish();
	UNIT_EQ(daemon_error(&d, ROS_E_TIMEOUT), 2);
	daemon_forget(&d);
}

/* Half a message, byte by byte. */
static void dripping(void)
{
	bool taken = true;
	unsigned int i;

	start("--rate=0 --patience=2000");
	CU_ASSERT_TRUE(client_open(&bad, &d, 0));
	header(32, ROS_REQUEST);
	put64(out + 24, 1);
	for (i = 0; i < 31 && taken; i++) {
		taken = client_send(&bad, out + i, 1);
		if (client_hear(&bad, 200) != HEARD_NOTHING)
			break;
	}
	CU_ASSERT_TRUE(i < 31);
	UNIT_EQ(bad.m.type, ROS_ERROR);
	UNIT_EQ(bad.m.error.code, ROS_E_TIMEOUT);
	finish();
	daemon_forget(&d);
}

/* Append to out[], so that all is sent at once; return the length. */
static size_t add_request(size_t at, uint64_t id, uint32_t event, uint64_t links)
{
	struct ros_request request = {.event = event, .links = links};

	return at + ros_encode_request(out + at, id, &request);
}

/* Refusals that do not close the connection: messages before and after them are answered. */
static void too_many_requests(void)
{
	unsigned int i, replies = 0, errors = 0;
	size_t length = 0;

	start("--rate=0 --pages=64 --max-requests=5 --wait=400");
	CU_ASSERT_TRUE(client_open(&bad, &d, 0));
	for (i = 0; i < 8; i++)
		length = add_request(length, i, 1000000 + i, ALL);
	length = add_request(length, 8, 0, 0); /* no links */
	CU_ASSERT_TRUE(client_send(&bad, out, length));
	for (i = 0; i < 9; i++) {
		UNIT_NEED(client_hear(&bad, LIMIT_MS) == HEARD_MESSAGE);
		replies += bad.m.type == ROS_REPLY && bad.m.id < 5;
		errors += bad.m.type == ROS_ERROR && bad.m.id >= 5;
		if (bad.m.type == ROS_ERROR && bad.m.id < 8) {
			UNIT_EQ(bad.m.error.code, ROS_E_TOO_MANY_REQUESTS);
			UNIT_EQ(bad.m.error.limit, 5);
		}
	}
	UNIT_EQ(replies, 5);
	UNIT_EQ(errors, 4);
	CU_ASSERT_TRUE(client_requests(&bad, 1, ALL));
	finish();
	UNIT_EQ(daemon_error(&d, ROS_E_NO_LINKS), 1);
	daemon_forget(&d);
}

static void too_many_clears(void)
{
	uint32_t events[20] = {5000000};
	size_t length = 0;
	unsigned int i;

	start("--rate=0 --pages=64 --max-clears=2 --max-events=10 --wait=400");
	CU_ASSERT_TRUE(client_open(&bad, &d, 0));
	CU_ASSERT_TRUE(client_clear(&bad, 1, events, 11));
	client_refused(&bad, ROS_E_TOO_MANY_EVENTS, 10);
	UNIT_EQ(bad.m.id, 1);
	for (i = 2; i < 5; i++)
		length += ros_encode_clear(out + length, i, events, 1);
	CU_ASSERT_TRUE(client_send(&bad, out, length));
	client_refused(&bad, ROS_E_TOO_MANY_CLEARS, 2);
	UNIT_EQ(bad.m.id, 4);
	for (i = 2; i < 4; i++) {
		UNIT_NEED(client_hears(&bad, ROS_CLEARED));
		UNIT_EQ(bad.m.id, i);
		UNIT_EQ(bad.m.cleared.unknown, 1);
	}
	CU_ASSERT_TRUE(client_requests(&bad, 1, ALL));
	finish();
	daemon_forget(&d);
}

/*
 * One client has its maximum of waiting events; the clear of another client waits, too, and takes
 * what arrives.
 */
static void clears_of_all(void)
{
	static uint32_t far[1024];
	uint32_t next = 64, first = 0;
	unsigned int i, k;

	start("--rate=0 --pages=64 --max-clears=65 --wait=30000");
	CU_ASSERT_TRUE(client_open(&bad, &d, 0));
	for (i = 0; i < 65; i++) {
		for (k = 0; k < 1024; k++)
			far[k] = 1000000 + 1024 * i + k;
		CU_ASSERT_TRUE(client_clear(&bad, i, far, 1024));
	}
	CU_ASSERT_TRUE(client_requests(&bad, 1, ALL)); /* the workers have them */
	CU_ASSERT_TRUE(client_clear(&good, 1, &next, 1));
	CU_ASSERT_TRUE(client_clear(&good, 2, &first, 1));
	for (i = 0; i < 2; i++) {
		UNIT_NEED(client_hears(&good, ROS_CLEARED));
		UNIT_EQ(good.m.cleared.fragments, 24);
		UNIT_EQ(good.m.cleared.unknown, 0);
	}
	finish();
	daemon_forget(&d);
}

static void too_many_clients(void)
{
	static struct client more[40];
	unsigned int i;

	start("--rate=0 --max-clients=2");
	CU_ASSERT_TRUE(client_open(&bad, &d, 0));
	for (i = 0; i < 3; i++) {
		CU_ASSERT_TRUE(client_connect(&more[0], &d, 0));
		client_refused(&more[0], ROS_E_TOO_MANY_CLIENTS, 2);
		client_close(&more[0]);
	}
	/* Many of them do not affect connected clients. */
	for (i = 0; i < 40; i++)
		CU_ASSERT_TRUE(client_connect(&more[i], &d, 0));
	CU_ASSERT_TRUE(client_requests(&good, 2, ALL));
	for (i = 0; i < 40; i++)
		client_close(&more[i]);
	client_close(&bad);
	CU_ASSERT_TRUE(UNIT_WAIT(
		client_connect(&bad, &d, 0) && client_hear(&bad, 100) == HEARD_NOTHING, 5000));
	finish();
	CU_ASSERT_TRUE(daemon_figure(&d, "refused") >= 43);
	daemon_forget(&d);
}

/* Connect from a separate loopback address, without a message. */
static bool connects(struct client *c, const char *from)
{
	struct sockaddr_in a = {.sin_family = AF_INET};

	c->have = c->used = 0;
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET, from, &a.sin_addr);
	if (bind(c->fd, (struct sockaddr *)&a, sizeof(a)))
		return false;
	a.sin_port = htons(d.port);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return !connect(c->fd, (struct sockaddr *)&a, sizeof(a));
}

/* Connect and receive the WELCOME; false: refused. */
static bool is_welcome(struct client *c, const char *from)
{
	struct ros_hello hello = {.lowest = 1, .highest = ROS_VERSION};

	if (connects(c, from) && client_send(c, out, ros_encode_hello(out, 1, &hello)) &&
	    client_hear(c, LIMIT_MS) == HEARD_MESSAGE && c->m.type == ROS_WELCOME)
		return true;
	client_close(c);
	return false;
}

/* A client with requests keeps its place. An idle one keeps it until another client needs it. */
static void idle_clients(void)
{
	static struct client other, third, early;
	unsigned int i;

	/* HELLO arrives within this time, also on a busy machine. */
	start("--rate=0 --pages=64 --max-clients=3 --patience=4000 --wait=60000");
	CU_ASSERT_TRUE(is_welcome(&other, "127.0.0.2"));
	CU_ASSERT_TRUE(client_requests(&good, 1, ALL));
	CU_ASSERT_TRUE(is_welcome(&bad, "127.0.0.3"));
	usleep(4100000); /* all three have been idle for long enough */
	CU_ASSERT_TRUE(connects(&early, "127.0.0.2"));
	/* It displaces its own client first, although another one has been idle for longer. */
	CU_ASSERT_TRUE(is_welcome(&third, "127.0.0.3"));
	client_refused(&bad, ROS_E_TOO_MANY_CLIENTS, 3);
	client_close(&bad);
	/* A connection without HELLO displaced no client. */
	UNIT_EQ(client_hear(&other, 300), HEARD_NOTHING);
	client_close(&early);
	CU_ASSERT_TRUE(client_request(&third, 77, 1000000, ALL));
	CU_ASSERT_TRUE(client_requests(&third, 1, ALL));
	/* Without an idle client of its own, it displaces the one that was idle for longest. */
	CU_ASSERT_TRUE(is_welcome(&bad, "127.0.0.3"));
	client_refused(&other, ROS_E_TOO_MANY_CLIENTS, 3);
	client_close(&other);
	CU_ASSERT_TRUE(client_request(&good, 77, 1000000, ALL));
	CU_ASSERT_TRUE(client_requests(&good, 1, ALL));
	CU_ASSERT_TRUE(client_request(&bad, 77, 1000000, ALL));
	CU_ASSERT_TRUE(client_requests(&bad, 1, ALL));
	/* A client with an outstanding request is never displaced. */
	for (i = 0; i < 6; i++) {
		usleep(800000);
		CU_ASSERT_FALSE(is_welcome(&other, "127.0.0.2"));
	}
	CU_ASSERT_TRUE(client_requests(&third, 2, ALL));
	client_close(&third);
	finish();
	daemon_forget(&d);
}

/*
 * A connection without HELLO, or with half of it, has no client's place and displaces no client. If
 * there are too many of these, the oldest go.
 */
static void without_hello(void)
{
	struct ros_hello hello = {.lowest = 1, .highest = ROS_VERSION};
	size_t length = ros_encode_hello(out, 1, &hello);
	static struct client newcomer;
	int crowd[CROWD];
	unsigned int i;

	start("--rate=0 --max-clients=2 --patience=600000");
	for (i = 0; i < CROWD; i++) {
		CU_ASSERT_TRUE(client_connect(&bad, &d, 0));
		crowd[i] = bad.fd;
		if (i % 2)
			CU_ASSERT_TRUE(client_send(&bad, out, length / 2));
	}
	CU_ASSERT_TRUE(is_welcome(&newcomer, "127.0.0.1"));
	CU_ASSERT_TRUE(client_requests(&good, 1, ALL));
	CU_ASSERT_TRUE(client_requests(&newcomer, 1, ALL));
	/* A connection that waited meanwhile may send HELLO, and is one too many now. */
	CU_ASSERT_TRUE(client_send(&bad, out + length / 2, length - length / 2));
	client_refused(&bad, ROS_E_TOO_MANY_CLIENTS, 2);
	for (i = 0; i < CROWD; i++)
		close(crowd[i]);
	bad.fd = -1;
	client_close(&newcomer);
	finish();
	daemon_forget(&d);
}

/* Request all available fragments, and read nothing. */
static unsigned int greedy(struct client *c, unsigned int most)
{
	unsigned int i;

	for (i = 0; i < most; i++) {
		if (!client_request(c, i, i % 60, ALL))
			break;
	}
	return i;
}

static void does_not_read(void)
{
	double begin;

	start("--rate=0 --patience=2000 --max-requests=2000 --size=2048 --host-pages=4096");
	CU_ASSERT_TRUE(client_open(&bad, &d, 4096));
	begin = daemon_ms();
	greedy(&bad, 500);
	/* The connection is reset, and not too early. */
	while (daemon_ms() - begin < LIMIT_MS * slowness() && client_request(&bad, 1, 1, 1))
		CU_ASSERT_TRUE(client_requests(&good, 1, ALL));
	CU_ASSERT_TRUE(daemon_ms() - begin >= 1900);
	CU_ASSERT_TRUE(daemon_ms() - begin < LIMIT_MS * slowness());
	finish();
	UNIT_EQ(daemon_figure(&d, "slow"), 1);
	daemon_forget(&d);
}

/* A sample of the metrics in a file; -1: none. */
static int64_t gauge(const char *path, const char *begins)
{
	static char text[1 << 16];
	FILE *f = fopen(path, "r");
	const char *at;

	if (!f)
		return -1;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	at = strstr(text, begins);
	at = at ? strchr(at, ' ') : NULL;
	return at ? strtoll(at, NULL, 10) : -1;
}

/* With a full backlog the client is not read from, which is no error. */
static void backlog(void)
{
	unsigned int i, replies = 0;
	char path[64], options[192];

	snprintf(path, sizeof(path), "/tmp/roc-rosd-limits-%d.prom", (int)getpid());
	snprintf(
		options, sizeof(options),
		"--rate=0 --max-requests=4000 --size=2048 --max-backlog=64Ki --patience=60000 --interval=1s --metrics=%s",
		path);
	start(options);
	CU_ASSERT_TRUE(client_open(&bad, &d, 32768));
	UNIT_EQ(greedy(&bad, 1000), 1000);
	/* The backlog is counted meanwhile, and is 0 at the end. */
	CU_ASSERT_TRUE(UNIT_WAIT(gauge(path, "\nroc_rosd_backlog_bytes{") > 65536, LIMIT_MS));
	CU_ASSERT_TRUE(client_requests(&good, 1, ALL));
	for (i = 0; i < 1000 && client_hear(&bad, LIMIT_MS) == HEARD_MESSAGE; i++)
		replies += bad.m.type == ROS_REPLY &&
			   client_reply_good(&bad, (uint32_t)bad.m.id % 60, ALL);
	UNIT_EQ(replies, 1000);
	finish();
	UNIT_EQ(daemon_figure(&d, "backlogBytes"), 0);
	UNIT_EQ(daemon_figure(&d, "asideBytes"), 0);
	unlink(path);
	UNIT_EQ(daemon_figure(&d, "slow"), 0);
	daemon_forget(&d);
}

/* So its requests stay in the socket, and the daemon has not taken them. */
static void backlog_is_small(void)
{
	unsigned int i;

	start("--rate=0 --max-requests=4000 --size=2048 --max-backlog=64Ki --patience=60000");
	CU_ASSERT_TRUE(client_open(&bad, &d, 32768));
	for (i = 0; i < 20; i++) {
		UNIT_EQ(greedy(&bad, 100), 100);
		CU_ASSERT_TRUE(client_requests(&good, 1, ALL));
		usleep(20000);
	}
	finish();
	unit_note("%lld of 2000 requests were taken", (long long)daemon_figure(&d, "requests"));
	CU_ASSERT_TRUE(daemon_figure(&d, "requests") < 1500);
	daemon_forget(&d);
}

/*
 * A client that reads slowly would have all host pages in its replies: the others are not delayed.
 */
static void slow_among_fast(void)
{
	double begin, longest = 0, took;
	unsigned int i, waits = 0, slow = 0;

	start("--rate=0 --max-requests=2000 --size=2048 --host-pages=64 --patience=5000");
	CU_ASSERT_TRUE(client_open(&bad, &d, 32768));
	greedy(&bad, 200);
	for (i = 0; i < 400; i++) {
		begin = daemon_ms();
		CU_ASSERT_TRUE(client_requests(&good, i % 60, ALL));
		took = daemon_ms() - begin;
		longest = took > longest ? took : longest;
		waits += took >= 3000 * slowness();
		if (i % 4 == 0)
			slow += client_hear(&bad, 0) == HEARD_MESSAGE;
	}
	unit_note("longest wait beside a slow client: %.1f ms; it took %u replies", longest, slow);
	/* A wait for the slow client takes 5 s, and may repeat if the machine was stopped. */
	CU_ASSERT_TRUE(waits <= 1);
	for (; slow < 200 && client_hear(&bad, LIMIT_MS) == HEARD_MESSAGE; slow++)
		CU_ASSERT_TRUE(client_reply_good(&bad, (uint32_t)bad.m.id % 60, ALL));
	UNIT_EQ(slow, 200);
	finish();
	CU_ASSERT_TRUE(daemon_figure(&d, "spills") > 0);
	UNIT_EQ(daemon_figure(&d, "asideBytes"), 0);
	UNIT_EQ(daemon_figure(&d, "slow"), 0);
	daemon_forget(&d);
}

/* Killed with requests in every state: waiting, fetched, partly sent. */
static void killed(const char *options)
{
	struct linger now = {.l_onoff = 1};
	unsigned int i, k;

	start(options);
	for (i = 0; i < 40; i++) {
		CU_ASSERT_TRUE(client_open(&bad, &d, i % 2 ? 4096 : 0));
		for (k = 0; k < 60; k++)
			client_request(&bad, k, k % 3 ? k : 1000000 + k, ALL);
		if (i % 4 == 0)
			client_hear(&bad, 5);
		if (i % 3)
			setsockopt(bad.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		client_close(&bad);
	}
	finish();
}

/* Return whether the event has a fragment. A cleared event does not come back. */
static bool still_there(uint32_t event)
{
	struct ros_entry e;

	UNIT_NEED(client_request(&good, event, event, 1) && client_hears(&good, ROS_REPLY));
	ros_reply_entry(&good.m.reply, 0, &e);
	return e.status == ROS_OK;
}

/* All links have a fragment, so that requests from now on do not wait in vain. */
static bool there_by_now(uint32_t event)
{
	UNIT_NEED(client_request(&good, event, event, ALL) && client_hears(&good, ROS_REPLY));
	return !(good.m.flags & ROS_INCOMPLETE);
}

/* All bytes that the client sent have arrived at the daemon's machine. */
static bool all_arrived(struct client *c)
{
	int unsent;

	return !ioctl(c->fd, SIOCOUTQ, &unsent) && !unsent;
}

/*
 * Send clears until the daemon does not read them any more: a clear is not executed, although the
 * daemon replies to another client. Return how many clears were sent.
 */
static unsigned int until_unread(uint32_t event)
{
	unsigned int clears, i;
	bool there = false;

	for (clears = 0; !there && clears < 40; clears++, event++) {
		if (!client_clear(&bad, event, &event, 1))
			break;
		there = true;
		for (i = 0; i < 20 && there; i++)
			there = still_there(event);
	}
	CU_ASSERT_TRUE(there);
	return clears;
}

/*
 * Clears that a client sent before it was killed are executed, even if the daemon had not read
 * them.
 */
static void final_clears(const char *options)
{
	static const uint32_t events[] = {5, 6, 7}, more[] = {8};
	struct linger now = {.l_onoff = 1};
	unsigned int clears, i;

	start(options);
	CU_ASSERT_TRUE(UNIT_WAIT(there_by_now(59), 20000));
	CU_ASSERT_TRUE(client_open(&bad, &d, 4096));
	/*
	 * The client does not read. When its backlog is full, the daemon does not read from it,
	 * either.
	 */
	UNIT_EQ(greedy(&bad, 100), 100);
	clears = until_unread(10);
	CU_ASSERT_TRUE(client_clear(&bad, 1, events, 3));
	UNIT_EQ(greedy(&bad, 100), 100);
	CU_ASSERT_TRUE(client_clear(&bad, 2, more, 1));
	CU_ASSERT_TRUE(UNIT_WAIT(all_arrived(&bad), 20000));
	for (i = 5; i < 9; i++)
		CU_ASSERT_TRUE(still_there(i));
	setsockopt(bad.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	client_close(&bad);
	for (i = 5; i < 9; i++)
		CU_ASSERT_TRUE(UNIT_WAIT(!still_there(i), 3000));
	finish();
	UNIT_EQ(daemon_figure(&d, "clears"), clears + 2);
	UNIT_EQ(daemon_figure(&d, "slow"), 0);
	daemon_forget(&d);
}

#define SMALL_BACKLOG                                                                              \
	"--rate=0 --pages=64 --size=2048 --max-requests=4000 --max-backlog=64Ki --patience=60000 " \
	"--wait=100 "

static void final_clears_plain(void)
{
	final_clears(SMALL_BACKLOG "--zerocopy=0");
}

static void final_clears_zerocopy(void)
{
	final_clears(SMALL_BACKLOG "--zerocopy=4096");
}

static void killed_plain(void)
{
	killed("--rate=0 --wait=100 --host-pages=512 --zerocopy=0");
	UNIT_EQ(daemon_figure(&d, "zerocopies"), 0);
	daemon_forget(&d);
}

/* Pages that the kernel reads count as locked memory; with a low limit all data are copied. */
static bool may_lock_nothing(void)
{
	struct rlimit may;

	if (daemon_figure(&d, "zerocopies") || !geteuid() || getrlimit(RLIMIT_MEMLOCK, &may) ||
	    may.rlim_cur == RLIM_INFINITY)
		return false;
	unit_skip("the kernel copies all data with a limit of %llu bytes of locked memory",
		  (unsigned long long)may.rlim_cur);
	return true;
}

/* Replies are sent without a copy until the kernel reports that it made one. */
static void killed_zerocopy(void)
{
	killed("--rate=0 --wait=100 --host-pages=512 --zerocopy=4096");
	CU_ASSERT_TRUE(may_lock_nothing() || daemon_figure(&d, "zerocopies") > 0);
	unit_note("%lld calls without a copy", (long long)daemon_figure(&d, "zerocopies"));
	daemon_forget(&d);
}

/* The client shuts down its sending side: it gets all replies, then the end. */
static void half_closed(void)
{
	unsigned int i, replies = 0;

	start("--rate=0 --pages=64 --wait=200");
	CU_ASSERT_TRUE(client_open(&bad, &d, 0));
	for (i = 0; i < 20; i++)
		CU_ASSERT_TRUE(client_request(&bad, i, i % 2 ? i : 1000000 + i, ALL));
	shutdown(bad.fd, SHUT_WR);
	while (client_hear(&bad, LIMIT_MS) == HEARD_MESSAGE)
		replies += bad.m.type == ROS_REPLY;
	UNIT_EQ(replies, 20);
	finish();
	daemon_forget(&d);
}

/* Over the loopback the kernel copies zero-copy sends: they are tried until it reports that. */
static void copied_anyway(void)
{
	unsigned int i;

	UNIT_NEED(daemon_start(&d, "--rate=0 --zerocopy=4096"));
	UNIT_NEED(client_open(&good, &d, 0));
	for (i = 0; i < 100; i++)
		UNIT_NEED(client_requests(&good, i, ALL));
	client_close(&good);
	daemon_ends_well(&d);
	CU_ASSERT_TRUE(daemon_figure(&d, "sends") > 100);
	if (!may_lock_nothing()) {
		CU_ASSERT_TRUE(daemon_figure(&d, "zerocopiesCopied") >= 1);
		CU_ASSERT_TRUE(daemon_figure(&d, "zerocopies") >= 1);
		CU_ASSERT_TRUE(daemon_figure(&d, "zerocopies") <= 10);
	}
	daemon_forget(&d);
}

/* A socket option of the daemon's end; -1: it cannot be read, see errno. */
static int its_option(struct client *c, int option)
{
	struct sockaddr_in ours, theirs;
	socklen_t size = sizeof(ours);
	int process = (int)syscall(SYS_pidfd_open, d.pid, 0), fd, i, value = -1, reason = ENOENT;

	UNIT_NEED(!getsockname(c->fd, (struct sockaddr *)&ours, &size));
	if (process < 0)
		return -1;
	for (i = 0; i < 64 && value < 0; i++) {
		fd = (int)syscall(SYS_pidfd_getfd, process, i, 0);
		if (fd < 0 && errno != EBADF)
			reason = errno;
		size = sizeof(theirs);
		if (fd >= 0 && !getpeername(fd, (struct sockaddr *)&theirs, &size) &&
		    size == sizeof(theirs) && theirs.sin_port == ours.sin_port) {
			size = sizeof(value);
			getsockopt(fd, IPPROTO_TCP, option, &value, &size);
		}
		if (fd >= 0)
			close(fd);
	}
	close(process);
	errno = reason;
	return value;
}

/* Data that a lost machine does not acknowledge end its connection after at least a minute. */
static void machine_lost(void)
{
	static const struct {
		const char *options;
		int limit;
	} cases[] = {{"--rate=0", 60000}, {"--rate=0 --patience=90000", 90000}};
	unsigned int i;
	int limit;

	for (i = 0; i < 2; i++) {
		start(cases[i].options);
		CU_ASSERT_TRUE(client_requests(&good, 1, ALL));
		limit = its_option(&good, TCP_USER_TIMEOUT);
		/* Kernels before 5.6, and those that isolate processes. */
		if (limit < 0 && (errno == EPERM || errno == ENOSYS))
			unit_skip("another process cannot be inspected: %s", strerror(errno));
		else
			UNIT_EQ(limit, cases[i].limit);
		finish();
		daemon_forget(&d);
	}
}

UNIT_MAIN("roc-rosd and clients that violate the protocol", {"malformed", malformed},
	  {"no HELLO", no_hello}, {"a client that stops sending", stops_sending},
	  {"byte by byte", dripping}, {"too many requests", too_many_requests},
	  {"too many clears and events", too_many_clears},
	  {"waiting clears of two clients", clears_of_all}, {"too many clients", too_many_clients},
	  {"idle clients", idle_clients}, {"connections without HELLO", without_hello},
	  {"a client that does not read", does_not_read}, {"backlog", backlog},
	  {"a small backlog", backlog_is_small},
	  {"a slow client beside fast ones", slow_among_fast}, {"final clears", final_clears_plain},
	  {"final clears while the kernel reads pages", final_clears_zerocopy},
	  {"killed", killed_plain}, {"killed while the kernel reads pages", killed_zerocopy},
	  {"zero-copy sends that are copied", copied_anyway}, {"half closed", half_closed},
	  {"a lost machine", machine_lost})
