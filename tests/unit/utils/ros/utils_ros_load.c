// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-ros-load with a daemon that violates the protocol: unexpected messages end the run with a
 * message, and no value is used as an index before it is validated.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

#include "utils/ros/load.h"

#define GRANTED 2
#define FAR 40000000 /* an entry beyond the memory */

static struct load_options options = {.outstanding = UINT32_MAX, .clear = 1, .no_errorcheck = true};
static struct load_client client;
static struct load load;
static int daemon_fd;

static bool receives(const void *bytes, size_t length)
{
	struct pollfd fd = {.fd = client.fd, .events = POLLIN};

	return send(daemon_fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length &&
	       poll(&fd, 1, 5000) == 1 && load_client_event(&client, EPOLLIN);
}

static bool welcomed(uint32_t requests)
{
	struct ros_limits limits = {
		.links = 1, .requests = requests, .clears = 1, .events = 8, .fragment = 65536};
	uint8_t out[ROS_WELCOME_BYTES];

	return receives(out, ros_encode_welcome(out, 0, ROS_VERSION, &limits));
}

static void connects(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(a);
	static char name[32];
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	UNIT_NEED(!bind(listener, (struct sockaddr *)&a, length) && !listen(listener, 1) &&
		  !getsockname(listener, (struct sockaddr *)&a, &length));
	snprintf(name, sizeof(name), "127.0.0.1:%u", ntohs(a.sin_port));
	options.connect = name;
	load = (struct load){.opt = &options, .epoll = epoll_create1(EPOLL_CLOEXEC)};
	client = (struct load_client){.load = &load};
	UNIT_NEED(load_connect(&load, &client));
	daemon_fd = accept(listener, NULL, NULL);
	close(listener);
	UNIT_NEED(daemon_fd >= 0);
}

/* Connected, with fewer requests granted than the client wants. */
static void begin(void)
{
	connects();
	UNIT_NEED(welcomed(GRANTED));
	UNIT_EQ(client.spares, GRANTED);
}

static void end(const char *expected)
{
	CU_ASSERT_PTR_NOT_NULL(strstr(load.failure, expected));
	load_disconnect(&client);
	close(daemon_fd);
	close(load.epoll);
}

static void reply_of_no_request(void)
{
	struct ros_entry entry = {.link = 0, .status = ROS_NOT_THERE};
	uint8_t out[ROS_REPLY_HEAD_MAX];

	begin();
	CU_ASSERT_FALSE(receives(out, ros_encode_reply(out, FAR, 1, ROS_INCOMPLETE, &entry, 1, 0)));
	end("a reply without a request");
}

static void cleared_of_no_clear(void)
{
	struct ros_cleared cleared = {.events = 1};
	uint8_t out[ROS_CLEARED_BYTES];
	uint32_t event = 1;

	begin();
	load_client_clear(&client, &event, 1);
	CU_ASSERT_TRUE(receives(out, ros_encode_cleared(out, 1, &cleared)));
	CU_ASSERT_FALSE(receives(out, ros_encode_cleared(out, 1, &cleared)));
	UNIT_EQ(client.clears, 0);
	UNIT_EQ(load.counts.acknowledged, 1);
	end("a CLEARED without a CLEAR");
}

/*
 * More requests than there is memory for: buffers that were allocated before are not freed twice.
 */
static void no_memory(void)
{
	struct rlimit before, little;

	connects();
	UNIT_NEED(!getrlimit(RLIMIT_AS, &before));
	little = before;
	little.rlim_cur = (rlim_t)1 << 30;
	UNIT_NEED(!setrlimit(RLIMIT_AS, &little));
	CU_ASSERT_FALSE(welcomed(UINT32_MAX));
	setrlimit(RLIMIT_AS, &before);
	end("Cannot allocate the requests of client 0.");
}

UNIT_MAIN("roc-ros-load and a daemon that violates the protocol",
	  {"a reply without a request", reply_of_no_request},
	  {"a CLEARED without a CLEAR", cleared_of_no_clear}, {"no memory", no_memory})
