// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Input of a client that was not read when its connection ended: if the client is lost, its clears
 * are executed; if it was reset, they are not. The loop of the server does not run: the test calls
 * its steps.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "unit.h"

#include "utils/common/clock.h"
#include "utils/ros/server.h"

#define CLEARS 2

/* A sub-unit whose jobs no thread executes. */
static struct ros_source source = {.links = 1, .pages = 16};
static struct ros_worker worker;
static struct ros_server server;
static struct ros_client *client;
static int peer;
static uint8_t out[4096];

/* @backlog: limit of unsent replies in bytes. */
static void begin(uint32_t backlog)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct in6_addr from = {0};
	int fd;

	worker = (struct ros_worker){.source = &source};
	UNIT_NEED(ros_queue_init(&worker.orders, 16) && ros_bell_init(&worker.bell));
	server = (struct ros_server){
		.set = {.limits = {.message = 1024,
				   .requests = 4,
				   .clears = CLEARS,
				   .events = 16,
				   .patience = 1000,
				   .backlog = backlog},
			.zerocopy = 4096,
			.clients = 8,
			.listen = "127.0.0.1:0"},
		.workers = &worker,
		.units = 1,
	};
	UNIT_NEED(!ros_server_init(&server));
	a.sin_port = htons(server.port);
	peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	UNIT_NEED(!connect(peer, (struct sockaddr *)&a, sizeof(a)));
	UNIT_NEED(UNIT_WAIT(
		(fd = accept4(server.listeners[0], NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0,
		5000));
	ros_client_new(&server, fd, &from, false);
	client = TAILQ_FIRST(&server.clients);
	UNIT_NEED(client);
}

/* This many bytes have arrived and are readable. */
static bool came(size_t bytes)
{
	int unread;

	return !ioctl(client->fd, FIONREAD, &unread) && (size_t)unread == bytes;
}

static void expected(size_t bytes)
{
	UNIT_EQ(send(peer, out, bytes, MSG_NOSIGNAL), bytes);
	UNIT_NEED(UNIT_WAIT(came(bytes), 5000));
}

static void sends_hello(void)
{
	struct ros_hello hello = {.lowest = 1, .highest = ROS_VERSION};

	expected(ros_encode_hello(out, 1, &hello));
	ros_client_event(client, EPOLLIN);
	UNIT_EQ(client->state, ROS_CLIENT_OPEN);
}

static void sends_clears(unsigned int count)
{
	static const uint32_t event = 7;
	size_t length = 0;

	while (count--)
		length += ros_encode_clear(out + length, count, &event, 1);
	expected(length);
}

/* The client is killed, and its end has arrived. */
static void is_killed(void)
{
	struct linger now = {.l_onoff = 1};
	struct pollfd broken = {.fd = client->fd};

	setsockopt(peer, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(peer);
	peer = -1;
	UNIT_NEED(UNIT_WAIT(poll(&broken, 1, 0) == 1, 5000));
	ros_client_event(client, (uint32_t)broken.revents);
	UNIT_EQ(client->state, ROS_CLIENT_GONE);
}

/* Return how many clears the worker was given, and finish them. */
static unsigned int executed(void)
{
	struct ros_job *job;
	unsigned int n = 0;

	while ((job = ros_queue_pop(&worker.orders))) {
		UNIT_EQ(job->type, ROS_JOB_CLEAR);
		ros_client_job_done(&server, job);
		n++;
	}
	return n;
}

static void end(void)
{
	UNIT_EQ(client->jobs, 0);
	UNIT_EQ(client->zerocopy_open, 0);
	if (peer >= 0)
		close(peer);
	ros_server_free(&server);
	ros_bell_free(&worker.bell);
	ros_queue_free(&worker.orders);
}

/* One clear is in the buffer, and one is in the socket: the client does not read its WELCOME. */
static void takes_nothing(void)
{
	begin(0);
	sends_hello();
	sends_clears(1);
	ros_client_event(client, EPOLLIN);
	CU_ASSERT_TRUE(client->paused);
	sends_clears(1);
	UNIT_EQ(executed(), 0);
}

static void gone(void)
{
	takes_nothing();
	is_killed();
	UNIT_EQ(executed(), 2);
	end();
}

/* It may reconnect and repeat its clears. */
static void slow(void)
{
	takes_nothing();
	client->stalled = server.now;
	server.now += 1000 * NS_PER_MS;
	ros_client_tick(client);
	UNIT_EQ(client->state, ROS_CLIENT_GONE);
	UNIT_EQ(ros_count_get(&server.counts.slow), 1);
	UNIT_EQ(executed(), 0);
	end();
}

/* As in send.c for zero-copy sends that the kernel has not completed. */
static void kernel_keeps(void)
{
	struct ros_out *o;

	UNIT_EQ(executed(), CLEARS);
	while ((o = TAILQ_FIRST(&client->out))) {
		TAILQ_REMOVE(&client->out, o, entry);
		client->clears -= o->type == ROS_OUT_CLEARED;
		client->backlog -= o->left;
		o->left = 0;
		o->zerocopies = 1;
		TAILQ_INSERT_TAIL(&client->sent, o, entry);
	}
	client->zerocopy_open = 1;
}

/*
 * The kernel still reads replies that the client has received, so their slots are in use. Its
 * clears are executed all the same, but not more than may be outstanding.
 */
static void answers_kept(void)
{
	begin(1 << 20);
	sends_hello();
	sends_clears(CLEARS);
	ros_client_event(client, EPOLLIN);
	kernel_keeps();
	UNIT_EQ(client->clears, 0);
	sends_clears(CLEARS + 1);
	ros_client_event(client, EPOLLIN);
	CU_ASSERT_TRUE(client->paused);
	UNIT_EQ(executed(), 0);
	is_killed();
	UNIT_EQ(executed(), CLEARS);
	/* Now the kernel has completed them. */
	client->zerocopy_open = 0;
	ros_client_tick(client);
	CU_ASSERT_PTR_EQUAL(TAILQ_FIRST(&server.retired), client);
	end();
}

UNIT_MAIN("final clears of clients", {"a lost client", gone}, {"a slow client", slow},
	  {"a client whose replies the kernel reads", answers_kept})
