// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A connection of roc-send, with libfabric played here and the receiver by a process: all of a
 * batch but the last write say that more follow, so that a provider can tell its card once; and
 * nobody is asked for a name while data wait.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "utils/network/network.h"
#include "utils/network/wire.h"

#define WRITES 64
#define SLOTS 8

/* The writes that were asked for, and how many more are taken. */
static struct {
	bool more[WRITES];
	uint64_t number[WRITES];
	unsigned int count, room;
} writes;

int fabric_open(struct fabric *f, const char *provider, const char *node, char why[FABRIC_WHY])
{
	*f = (struct fabric){0};
	return 0;
}

int fabric_register(struct fabric *f, void *addr, size_t length, bool remote, char why[FABRIC_WHY])
{
	return 0;
}

int fabric_register_for(struct fabric *f, void *addr, size_t length, uint64_t access,
			char why[FABRIC_WHY])
{
	return 0;
}

int fabric_end_receive(const struct fabric *f, struct fabric_end *e, void *into, size_t bytes,
		       void *context)
{
	return 0;
}

void fabric_close(struct fabric *f)
{
}

int fabric_end_open(struct fabric *f, struct fabric_end *e, char why[FABRIC_WHY])
{
	*e = (struct fabric_end){.fd = -1, .name_bytes = 4};
	return 0;
}

int fabric_end_peer(struct fabric_end *e, const unsigned char *name, size_t bytes,
		    char why[FABRIC_WHY])
{
	return 0;
}

void fabric_end_close(struct fabric_end *e)
{
}

int fabric_end_events(struct fabric_end *e, struct fabric_event *events, unsigned int room,
		      char why[FABRIC_WHY])
{
	return 0;
}

void fabric_end_sleep(const struct fabric *f, struct fabric_end *e, struct roc_idle *idle)
{
}

int fabric_end_write(const struct fabric *f, struct fabric_end *e, const struct fabric_write *w)
{
	if (!writes.room)
		return -EAGAIN;
	UNIT_NEED(writes.count < WRITES);
	writes.room--;
	writes.more[writes.count] = w->more;
	writes.number[writes.count++] = w->number;
	return 0;
}

static unsigned int asked; /* for addresses of names */

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **list)
{
	static typeof(getaddrinfo) *real;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	asked += node && node[strspn(node, "0123456789.")];
	return real(node, service, hints, list);
}

static int hold = -1; /* while it is open, who hangs up does not yet */

static void let_go(void)
{
	if (hold >= 0)
		close(hold);
	hold = -1;
}

/* Says welcome; @hangs_up: once, when it is let go, then not any more. */
static pid_t receiver(char port[16], bool hangs_up)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct wire_welcome w = {.version = WIRE_VERSION,
				       .slots = SLOTS,
				       .name_bytes = 4,
				       .stride = 8192,
				       .slot_bytes = 4096};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), peer;
	unsigned char text[WIRE_WELCOME];
	socklen_t size = sizeof(a);
	int ends[2];
	pid_t pid;

	UNIT_NEED(!pipe2(ends, O_CLOEXEC));
	UNIT_NEED(fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof(a)) && !listen(fd, 4));
	UNIT_EQ(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	snprintf(port, 16, "%u", ntohs(a.sin_port));
	wire_put_welcome(text, &w);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(120);
		close(ends[1]);
		for (;; hangs_up = false) {
			peer = accept(fd, NULL, NULL);
			if (send(peer, text, sizeof(text), MSG_NOSIGNAL) != sizeof(text))
				_exit(1);
			if (!hangs_up)
				pause();
			if (read(ends[0], text, 1))
				_exit(1);
			close(peer);
		}
	}
	UNIT_NEED(pid > 0);
	close(fd);
	close(ends[0]);
	hold = ends[1];
	return pid;
}

static void put(struct sink *sink, unsigned int count)
{
	static char data[4096];
	const struct unit u = {.data = data, .bytes = sizeof(data)};

	while (count--)
		UNIT_EQ(sink->ops->put(sink, &u), 1);
}

/* Of the writes from @from on all but the last say that more follow. */
static void is_a_batch(unsigned int from, unsigned int count)
{
	unsigned int i;

	UNIT_EQ(writes.count, from + count);
	for (i = from; i < writes.count; i++)
		UNIT_EQ(writes.more[i], i + 1 < writes.count);
}

/* A sink with a receiver behind it, and nothing written. */
static struct sink *open_sink(pid_t *pid, bool hangs_up)
{
	static const struct source source = {.format = {.unit_max = 4096, .from = "here"}};
	static char port[16];
	static const struct send_options o = {.host = "localhost",
					      .port = port,
					      .provider = "none",
					      .connections = 1,
					      .patience = 5,
					      .silence = 20};
	char why[UNITS_WHY] = "";
	struct sink *sink;

	*pid = receiver(port, hangs_up);
	sink = sink_send(&o, &source, why);
	UNIT_STR(why, "");
	UNIT_NEED(sink);
	writes.count = 0;
	writes.room = WRITES;
	return sink;
}

static void close_sink(struct sink *sink, pid_t pid)
{
	sink->ops->abandon(sink);
	sink_close(sink);
	let_go();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void batches(void)
{
	struct sink *sink;
	pid_t pid;

	sink = open_sink(&pid, false);
	put(sink, 3);
	UNIT_EQ(sink->ops->flush(sink), 0);
	is_a_batch(0, 3);
	put(sink, 1);
	UNIT_EQ(sink->ops->flush(sink), 0);
	is_a_batch(3, 1);
	/* As many as there are slots. */
	put(sink, 9);
	UNIT_EQ(sink->ops->flush(sink), 0);
	is_a_batch(4, SLOTS - 4);
	UNIT_EQ(sink->n.batches, 3);
	UNIT_EQ(sink->n.calls, SLOTS);
	close_sink(sink, pid);
}

/* What libfabric does not take now comes again, and in its order. */
static void taken_later(void)
{
	struct sink *sink;
	unsigned int i;
	pid_t pid;

	sink = open_sink(&pid, false);
	writes.room = 2;
	put(sink, 4);
	UNIT_EQ(sink->ops->flush(sink), 0);
	UNIT_EQ(writes.count, 2);
	writes.room = WRITES;
	UNIT_EQ(sink->ops->flush(sink), 0);
	is_a_batch(2, 2);
	for (i = 0; i < 4; i++)
		UNIT_EQ(writes.number[i], i);
	close_sink(sink, pid);
}

/* Whoever answers for names may be slow, and all connections would wait. */
static void name_once(void)
{
	struct sink *sink;
	pid_t pid;

	asked = 0;
	sink = open_sink(&pid, true);
	UNIT_EQ(asked, 1);
	put(sink, 2);
	UNIT_EQ(sink->ops->flush(sink), 0);
	UNIT_EQ(writes.count, 2);
	let_go();
	/* It is lost with the first two, and there again with none of them. */
	CU_ASSERT_TRUE(UNIT_WAIT((sink->ops->flush(sink), writes.count == 4), 10000));
	UNIT_EQ(sink->n.again, 2);
	UNIT_EQ(asked, 1);
	close_sink(sink, pid);
}

UNIT_MAIN("a connection of roc-send", {"all of a batch but the last say that more follow", batches},
	  {"what is not taken now comes later", taken_later},
	  {"a name is asked for once", name_once})
