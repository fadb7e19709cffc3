// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sending to a slow client: pages that the kernel reads, replies copied aside, and the accounting
 * of both. The client is a TCP connection over the loopback that reads little, when the test says
 * so.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "unit.h"

#include "utils/ros/server.h"

#define BYTES (UINT32_C(1) << 22)
#define REPLIES 4

/* A sub-unit of 512 host pages whose content is not checked. */
static unsigned int returned;

static void fake_return_page(struct ros_source *s, uint64_t handle)
{
	returned++;
}

static const struct ros_source_ops ops = {.give_back = fake_return_page};
static struct ros_source source = {.ops = &ops, .links = 1, .pages = 512};
static struct ros_worker worker;
static struct ros_server server;
static uint8_t bytes[BYTES];

/* One client, with the memory of its replies. */
struct one {
	struct ros_client c;
	int peer;
	struct iovec iov[REPLIES];
	UNIT_WITH_BYTES(struct ros_slot, slot, sizeof(struct ros_part)) reply[REPLIES];
};

static void begin(uint64_t spill)
{
	returned = 0;
	worker = (struct ros_worker){.source = &source};
	server = (struct ros_server){
		.set = {.spill = spill, .zerocopy = 4096, .clients = 8},
		.workers = &worker,
		.units = 1,
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.now = 1,
	};
	TAILQ_INIT(&server.clients);
	TAILQ_INIT(&server.dirty);
	TAILQ_INIT(&server.retired);
	TAILQ_INIT(&server.partial);
}

static void connects(struct one *one)
{
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096, yes = 1;
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(a);

	*one = (struct one){.c = {.server = &server, .state = ROS_CLIENT_OPEN, .zerocopy = true}};
	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	UNIT_NEED(!bind(listener, (struct sockaddr *)&a, length) && !listen(listener, 1) &&
		  !getsockname(listener, (struct sockaddr *)&a, &length));
	one->c.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	setsockopt(one->c.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	connect(one->c.fd, (struct sockaddr *)&a, sizeof(a));
	one->peer = accept(listener, NULL, NULL);
	close(listener);
	UNIT_NEED(one->peer >= 0);
	UNIT_NEED(!setsockopt(one->c.fd, SOL_SOCKET, SO_ZEROCOPY, &yes, sizeof(yes)));
	TAILQ_INIT(&one->c.out);
	TAILQ_INIT(&one->c.sent);
	TAILQ_INSERT_TAIL(&server.clients, &one->c, all);
}

/* A reply of one fragment, in one host page. */
static struct ros_out *replies(struct one *one, unsigned int i, uint32_t size)
{
	struct ros_slot *slot = &one->reply[i].slot;

	slot->client = &one->c;
	slot->parts[0].links = 1;
	slot->parts[0].pieces[0] = (struct ros_piece){.data = bytes, .handle = i + 1, .size = size};
	one->iov[i] = (struct iovec){.iov_base = bytes, .iov_len = size};
	slot->out.type = ROS_OUT_REPLY;
	slot->out.iov = &one->iov[i];
	slot->out.iovs = 1;
	one->c.requests++;
	ros_send_queue(&one->c, &slot->out);
	return &slot->out;
}

static void leaves(struct one *one)
{
	ros_send_drop_all(&one->c);
	UNIT_EQ(one->c.spilled, 0);
	close(one->c.fd);
	close(one->peer);
}

static void end(void)
{
	UNIT_EQ(server.pinned[0], 0);
	UNIT_EQ(server.spilled, 0);
	close(server.epoll);
}

/* The kernel has completed its zero-copy sends. */
static bool completed(struct one *one, struct ros_out *out)
{
	ros_send_zerocopied(&one->c);
	return !out->zerocopies;
}

/* A part was sent without a copy, and then the rest is copied aside. */
static void pinned_and_spilled(void)
{
	static struct one one;
	struct ros_out *out;

	begin(BYTES);
	connects(&one);
	out = replies(&one, 0, BYTES);
	ros_send(&one.c);
	/* Pages that the kernel reads count as locked memory. */
	if (!server.counts.zerocopies && geteuid()) {
		unit_skip("the limit of locked memory is too low for zero-copy sends");
		leaves(&one);
		end();
		return;
	}
	CU_ASSERT_TRUE(out->left && out->left < BYTES);
	UNIT_EQ(server.counts.zerocopies, 1);
	UNIT_EQ(server.pinned[0], 1);
	UNIT_NEED(UNIT_WAIT(completed(&one, out), 5000));
	CU_ASSERT_PTR_NULL(ros_send_spill(&one.c));
	CU_ASSERT_PTR_NOT_NULL(out->spilled);
	UNIT_EQ(returned, 1);
	UNIT_EQ(server.pinned[0], 0);
	leaves(&one);
	end();
}

/* It has this much to read, and stopped reading. */
static void stalls(struct one *one, uint32_t size)
{
	connects(one);
	one->c.zerocopy = false;
	replies(one, 0, size);
	ros_send(&one->c);
	CU_ASSERT_TRUE(one->c.blocked);
	server.now++;
}

/*
 * The space for copies is full: of the clients with a large share, the slowest is dropped, and no
 * other.
 */
static void full_for_some(void)
{
	static struct one slow[3], small, fresh;
	unsigned int i;

	begin(4 * (uint64_t)BYTES);
	stalls(&small, BYTES / 8);
	CU_ASSERT_PTR_NULL(ros_send_spill(&small.c));
	for (i = 0; i < 3; i++) {
		stalls(&slow[i], BYTES);
		CU_ASSERT_PTR_NULL(ros_send_spill(&slow[i].c));
	}
	server.now++;
	slow[0].c.stalled = server.now; /* it read some */
	stalls(&fresh, BYTES);
	CU_ASSERT_PTR_EQUAL(ros_send_spill(&fresh.c), &slow[1].c);
	leaves(&slow[1]);
	slow[1].c.state = ROS_CLIENT_GONE;
	CU_ASSERT_PTR_NULL(ros_send_spill(&fresh.c));
	leaves(&fresh);
	leaves(&slow[2]);
	leaves(&slow[0]);
	leaves(&small);
	end();
}

UNIT_MAIN("sending to slow clients", {"pinned and spilled", pinned_and_spilled},
	  {"space for copies is full", full_for_some})
