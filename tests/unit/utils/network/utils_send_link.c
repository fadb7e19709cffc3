// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A connection of roc-send, with simulated libfabric and a process as the receiver. All writes of a
 * batch except the last have the flag "more", so that a provider can ring its doorbell once. No
 * name is resolved while data wait.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "utils/network/send_link.h"

#define WRITES 64
#define SLOTS 8

/* The writes so far, and how many more are accepted. */
static struct {
	bool more[WRITES];
	uint64_t number[WRITES], sequence[WRITES];
	unsigned int count, room;
} writes;

int fabric_open(struct fabric *f, const char *provider, const char *node,
		char reason[FABRIC_REASON])
{
	*f = (struct fabric){0};
	return 0;
}

int fabric_register(struct fabric *f, void *addr, size_t length, bool remote,
		    char reason[FABRIC_REASON])
{
	return 0;
}

int fabric_register_for(struct fabric *f, void *addr, size_t length, uint64_t access,
			char reason[FABRIC_REASON])
{
	return 0;
}

int fabric_end_receive(const struct fabric *f, struct fabric_end *e, void *into, size_t bytes,
		       void *context)
{
	return 0;
}

int fabric_close(struct fabric *f, char reason[FABRIC_REASON])
{
	return 0;
}

int fabric_end_open(struct fabric *f, struct fabric_end *e, char reason[FABRIC_REASON])
{
	*e = (struct fabric_end){.fd = -1, .name_bytes = 4};
	return 0;
}

int fabric_end_peer(struct fabric_end *e, const unsigned char *name, size_t bytes,
		    char reason[FABRIC_REASON])
{
	return 0;
}

int fabric_end_close(struct fabric_end *e, char reason[FABRIC_REASON])
{
	return 0;
}

int fabric_end_events(struct fabric_end *e, struct fabric_event *events, unsigned int room,
		      char reason[FABRIC_REASON])
{
	return 0;
}

void fabric_end_sleep(const struct fabric *f, struct fabric_end *e, struct roc_idle *idle)
{
}

int fabric_end_write(const struct fabric *f, struct fabric_end *e, const struct fabric_write *w)
{
	struct wire_head head;

	if (!writes.room)
		return -EAGAIN;
	UNIT_NEED(writes.count < WRITES);
	wire_get_head(w->head, &head);
	writes.sequence[writes.count] = head.sequence;
	writes.room--;
	writes.more[writes.count] = w->more;
	writes.number[writes.count++] = w->number;
	return 0;
}

static unsigned int resolved; /* calls of getaddrinfo() */
static bool two_addresses;    /* each name has two; nothing listens at the first */
static bool comes_up;	      /* first no address, then one without a listener */

/* Every name resolves to the loopback. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **list)
{
	static typeof(getaddrinfo) *real;
	int ret;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	if (!node || !node[strspn(node, "0123456789.")])
		return real(node, service, hints, list);
	resolved++;
	if (comes_up && resolved < 3)
		return resolved == 1 ? EAI_AGAIN : real("127.0.0.3", service, hints, list);
	if (!two_addresses)
		return real("127.0.0.1", service, hints, list);
	ret = real("127.0.0.2", service, hints, list);
	return ret ?: real("127.0.0.1", service, hints, &(*list)->ai_next);
}

static bool late; /* the sender polls only after the receiver has closed the connection */

int setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
	static typeof(setsockopt) *real;
	struct pollfd gone = {.fd = fd};

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "setsockopt");
	if (late && level == IPPROTO_TCP)
		CU_ASSERT_TRUE(UNIT_WAIT(poll(&gone, 1, 0) == 1, 10000));
	return real(fd, level, option, value, size);
}

static int held_open = -1; /* while it is open, the receiver does not close the connection */

static void let_go(void)
{
	if (held_open >= 0)
		close(held_open);
	held_open = -1;
}

/* Answer the next connection with this status. */
static int answer(int fd, uint32_t status)
{
	const struct wire_welcome w = {.version = WIRE_VERSION,
				       .status = status,
				       .slots = SLOTS,
				       .name_bytes = 4,
				       .stride = 8192,
				       .slot_bytes = 4096};
	unsigned char text[WIRE_WELCOME];
	int peer = accept(fd, NULL, NULL);

	wire_put_welcome(text, &w);
	if (send(peer, text, sizeof(text), MSG_NOSIGNAL) != sizeof(text))
		_exit(1);
	return peer;
}

static int welcome(int fd)
{
	return answer(fd, WIRE_OK);
}

static void stays(int fd, int release_fd)
{
	welcome(fd);
	pause();
}

/* Close the connection once, when @held is released. */
static void closes(int fd, int release_fd)
{
	int peer = welcome(fd);
	char text;

	if (read(release_fd, &text, 1))
		_exit(1);
	close(peer);
	stays(fd, release_fd);
}

/* The same; the next connection is refused once, because there is no endpoint for it. */
static void lacks_an_endpoint(int fd, int release_fd)
{
	int peer = welcome(fd);
	char text;

	if (read(release_fd, &text, 1))
		_exit(1);
	close(peer);
	close(answer(fd, WIRE_BROKEN));
	stays(fd, release_fd);
}

/* Close the connection before any data, with a reset. */
static void resets_at_once(int fd, int release_fd)
{
	const struct linger now = {.l_onoff = 1};
	int peer = answer(fd, WIRE_BUSY);

	setsockopt(peer, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(peer);
	pause();
}

/* Of two connections, the first is confirmed and closed, the second is not. */
static void confirms_one(int fd, int release_fd)
{
	static const struct wire_record totals = {.type = WIRE_TOTALS};
	unsigned char text[WIRE_HELLO + WIRE_RECORD];
	int peer = welcome(fd);

	welcome(fd);
	if (recv(peer, text, sizeof(text), MSG_WAITALL) != sizeof(text))
		_exit(1);
	wire_put_record(text, &totals);
	if (send(peer, text, WIRE_RECORD, MSG_NOSIGNAL) != WIRE_RECORD)
		_exit(1);
	shutdown(peer, SHUT_WR);
	pause();
}

static pid_t receiver(char port[16], void (*play)(int fd, int release_fd))
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(a);
	int ends[2];
	pid_t pid;

	UNIT_NEED(!pipe2(ends, O_CLOEXEC));
	UNIT_NEED(fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof(a)) && !listen(fd, 4));
	UNIT_EQ(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	snprintf(port, 16, "%u", ntohs(a.sin_port));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(120);
		close(ends[1]);
		play(fd, ends[0]);
		_exit(0);
	}
	UNIT_NEED(pid > 0);
	close(fd);
	close(ends[0]);
	held_open = ends[1];
	return pid;
}

static void put(struct sink *sink, unsigned int count)
{
	static char data[4096];
	const struct unit u = {.data = data, .bytes = sizeof(data)};

	while (count--)
		UNIT_EQ(sink->ops->put(sink, &u), 1);
}

/* All writes from @from on, except the last, have the flag "more". */
static void is_a_batch(unsigned int from, unsigned int count)
{
	unsigned int i;

	UNIT_EQ(writes.count, from + count);
	for (i = from; i < writes.count; i++)
		UNIT_EQ(writes.more[i], i + 1 < writes.count);
}

/* A sink with a connected receiver, and no writes yet. */
static struct sink *open_sink(pid_t *pid, void (*play)(int fd, int release_fd),
			      uint32_t connections)
{
	static const struct source source = {.format = {.unit_max = 4096, .from = "here"}};
	static char port[16];
	const struct send_options o = {.host = "localhost",
				       .port = port,
				       .provider = "none",
				       .connections = connections,
				       .patience = 30,
				       .silence = 20};
	char reason[UNITS_REASON] = "";
	struct sink *sink;

	*pid = receiver(port, play);
	sink = sink_send(&o, &source, reason);
	UNIT_STR(reason, "");
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

	sink = open_sink(&pid, stays, 1);
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

/* Writes that libfabric does not accept now are repeated in order. */
static void taken_later(void)
{
	struct sink *sink;
	unsigned int i;
	pid_t pid;

	sink = open_sink(&pid, stays, 1);
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

/* The receiver may listen at the second address of a name. */
static void second_address(void)
{
	struct sink *sink;
	pid_t pid;

	two_addresses = true;
	sink = open_sink(&pid, stays, 1);
	two_addresses = false;
	put(sink, 1);
	UNIT_EQ(sink->ops->flush(sink), 0);
	UNIT_EQ(writes.count, 1);
	close_sink(sink, pid);
}

/* A receiver that starts after the sender: the sender retries within --patience. */
static void receiver_comes_up(void)
{
	struct sink *sink;
	pid_t pid;

	resolved = 0;
	comes_up = true;
	sink = open_sink(&pid, stays, 1);
	comes_up = false;
	UNIT_EQ(resolved, 3);
	UNIT_STR(sink->reason, "");
	close_sink(sink, pid);
}

/* The reason is read even if the sender polls late. */
static void polls_late(void)
{
	static const struct source source = {.format = {.unit_max = 4096, .from = "here"}};
	char port[16], reason[UNITS_REASON] = "";
	const struct send_options o = {.host = "127.0.0.1",
				       .port = port,
				       .provider = "none",
				       .connections = 1,
				       .patience = 0,
				       .silence = 20};
	pid_t pid = receiver(port, resets_at_once);

	late = true;
	CU_ASSERT_PTR_NULL(sink_send(&o, &source, reason));
	late = false;
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "refused the connection: "));
	let_go();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Resolving a name may be slow and would block all connections. */
static void name_once(void)
{
	struct sink *sink;
	pid_t pid;

	resolved = 0;
	sink = open_sink(&pid, closes, 1);
	UNIT_EQ(resolved, 1);
	put(sink, 2);
	UNIT_EQ(sink->ops->flush(sink), 0);
	UNIT_EQ(writes.count, 2);
	let_go();
	/* The connection is lost with the first two, and reconnects without them. */
	CU_ASSERT_TRUE(UNIT_WAIT((sink->ops->flush(sink), writes.count == 4), 10000));
	UNIT_EQ(sink->n.again, 2);
	UNIT_EQ(resolved, 1);
	close_sink(sink, pid);
}

/* A confirmed connection does not wake the sink while it waits for another one. */
static void one_is_confirmed(void)
{
	struct units_sleep sleep = {.ns = UNITS_NS_PER_S};
	struct sink *sink;
	struct link *l;
	pid_t pid;

	sink = open_sink(&pid, confirms_one, 2);
	l = ((struct send *)sink)->links;
	CU_ASSERT_TRUE(UNIT_WAIT(sink_send_finish(sink) || l[0].confirmed, 10000));
	CU_ASSERT_TRUE(l[0].confirmed && !l[1].confirmed);
	CU_ASSERT_TRUE(UNIT_WAIT(
		poll(&(struct pollfd){.fd = l[0].control.fd, .events = POLLIN}, 1, 0), 5000));
	UNIT_EQ(sink_send_finish(sink), 0);
	sink->ops->sleep(sink, &sleep);
	CU_ASSERT_TRUE(sleep.ns > 0);
	UNIT_EQ(poll(sleep.fds, sleep.count, 0), 0);
	close_sink(sink, pid);
}

/* A receiver that still has the lost connection may have no memory for a new one. */
static void no_end_for_now(void)
{
	struct sink *sink;
	bool refused = false;
	pid_t pid;

	sink = open_sink(&pid, lacks_an_endpoint, 1);
	put(sink, 1);
	UNIT_EQ(sink->ops->flush(sink), 0);
	let_go();
	CU_ASSERT_TRUE(
		UNIT_WAIT((refused |= sink->ops->flush(sink) != 0, writes.count == 2), 10000));
	CU_ASSERT_FALSE(refused);
	close_sink(sink, pid);
}

/* Units of two runs, whose sequence numbers restart, keep the order of put(). */
static void again_in_order(void)
{
	static const uint64_t sequences[] = {5, 6, 0, 1, 6};
	static char data[64];
	struct unit u = {.data = data, .bytes = sizeof(data)};
	struct sink *sink;
	unsigned int i;
	pid_t pid;

	sink = open_sink(&pid, closes, 1);
	for (i = 0; i < 5; i++) {
		u.sequence = sequences[i];
		u.run = i / 2;
		UNIT_EQ(sink->ops->put(sink, &u), 1);
	}
	UNIT_EQ(sink->ops->flush(sink), 0);
	let_go();
	CU_ASSERT_TRUE(UNIT_WAIT((sink->ops->flush(sink), writes.count == 10), 10000));
	for (i = 0; i < 10; i++)
		UNIT_EQ(writes.sequence[i], sequences[i % 5]);
	close_sink(sink, pid);
}

UNIT_MAIN("a connection of roc-send",
	  {"all of a batch except the last have the flag more", batches},
	  {"refused writes are repeated", taken_later},
	  {"the second address of a name", second_address},
	  {"a receiver that starts later", receiver_comes_up},
	  {"the reason of a closed connection is read", polls_late},
	  {"a name is resolved once", name_once},
	  {"one of two connections is confirmed", one_is_confirmed},
	  {"a receiver without an endpoint for now", no_end_for_now},
	  {"units are sent again in order", again_in_order})
