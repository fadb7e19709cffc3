// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Senders and receivers that violate the protocol, over real connections. They affect no other
 * connection, and no memory except their own slots is written.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "tests/unit/utils/network/network_run.h"
#include "utils/network/recv_connection.h"

#define MEMORY 8192

/* A sender of this test, which sends any values. */
struct bad_peer {
	struct control control;
	struct fabric fabric;
	struct fabric_end end;
	struct wire_welcome welcome;
	unsigned char *memory;
	unsigned int in_flight;
};

static char reason[UNITS_REASON];

static const struct wire_hello usual = {.version = WIRE_VERSION,
					.connections = 1,
					.content = UNIT_BYTES,
					.run = 1,
					.unit_max = 4096,
					.from = "a bad peer",
					.provider = "tcp"};

/* A welcome with valid slots and an endpoint name that does not exist. */
static struct wire_welcome good_welcome(void)
{
	struct sockaddr_in unused = {.sin_family = AF_INET,
				     .sin_port = htons(9),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct wire_welcome w = {.version = WIRE_VERSION,
				 .slots = 2,
				 .name_bytes = sizeof(unused),
				 .stride = 1 << 20,
				 .slot_bytes = 1 << 19,
				 .provider = "tcp"};

	memcpy(w.name, &unused, sizeof(unused));
	return w;
}

static bool connects(struct bad_peer *l)
{
	char to[16];

	memset(l, 0, sizeof(*l));
	reason[0] = '\0';
	l->control.fd = l->end.fd = -1;
	snprintf(to, sizeof(to), "%u", port);
	return !control_connect(&l->control, "127.0.0.1", to, reason) &&
	       UNIT_WAIT(control_connected(&l->control), 10000);
}

static void opens_fabric(struct bad_peer *l)
{
	l->memory = aligned_alloc(4096, MEMORY);
	UNIT_NEED(l->memory);
	memset(l->memory, 0, MEMORY);
	UNIT_EQ(fabric_open(&l->fabric, "tcp", "127.0.0.1", reason), 0);
	UNIT_EQ(fabric_register(&l->fabric, l->memory, MEMORY, false, reason), 0);
	UNIT_EQ(fabric_end_open(&l->fabric, &l->end, reason), 0);
}

/* Open libfabric and fill in the hello. */
static void greets(struct bad_peer *l, const struct wire_hello *hello)
{
	unsigned char text[WIRE_HELLO];
	struct wire_hello h = *hello;

	UNIT_NEED(connects(l));
	opens_fabric(l);
	h.name_bytes = (uint32_t)l->end.name_bytes;
	memcpy(h.name, l->end.name, sizeof(h.name));
	wire_put_hello(text, &h);
	UNIT_NEED(control_queue(&l->control, text, sizeof(text)));
	UNIT_EQ(control_flush(&l->control), 0);
}

/*
 * Send a hello and return the status of the answer, -1: none. @turn: receiver in this process that
 * must run.
 */
static int sends_hello(struct bad_peer *l, const struct wire_hello *hello, struct source *turn)
{
	int gone = 0;

	greets(l, hello);
	CU_ASSERT_TRUE(
		UNIT_WAIT((gone = control_receive(&l->control), turn ? turn->ops->flush(turn) : 0,
			   gone || l->control.in_bytes >= WIRE_WELCOME),
			  10000));
	if (l->control.in_bytes < WIRE_WELCOME)
		return -1;
	UNIT_EQ(wire_get_welcome(l->control.in, &l->welcome), WIRE_GOOD);
	control_drop(&l->control, WIRE_WELCOME);
	if (!l->welcome.status)
		UNIT_EQ(fabric_end_peer(&l->end, l->welcome.name, l->welcome.name_bytes, reason),
			0);
	return (int)l->welcome.status;
}

static void sends_end(struct bad_peer *l, uint64_t units, uint64_t bytes)
{
	const struct wire_record r = {.type = WIRE_END, .a = units, .b = bytes};
	unsigned char text[WIRE_RECORD];

	wire_put_record(text, &r);
	CU_ASSERT_TRUE(control_queue(&l->control, text, sizeof(text)));
	control_flush(&l->control);
}

static void hangs_up(struct bad_peer *l)
{
	UNIT_EQ(fabric_end_close(&l->end, reason), 0);
	UNIT_EQ(fabric_close(&l->fabric, reason), 0);
	control_close(&l->control);
	free(l->memory);
	l->memory = NULL;
}

/* All writes have completed. */
static bool arrived(struct bad_peer *l)
{
	struct fabric_event events[8];
	int n = fabric_end_events(&l->end, events, 8, reason);

	l->in_flight -= n > 0 ? (unsigned int)n : 0;
	return !l->in_flight;
}

/* Write to @slot, if libfabric accepts it now. */
static bool writes(struct bad_peer *l, uint32_t slot, uint64_t bytes)
{
	/* sequence number; a unit with a known number would be a duplicate */
	static uint64_t sequence;
	const struct wire_head head = {
		.bytes = bytes, .first = UNIT_FIRST_UNKNOWN, .sequence = sequence};
	struct fabric_write w = {
		.head = l->memory,
		.data = l->memory + 4096,
		.head_bytes = WIRE_HEAD,
		.data_bytes = bytes ? 8 : 0,
		.to = l->welcome.base + slot * l->welcome.stride,
		.key = l->welcome.key,
		.number = slot,
		.context = l,
	};
	int ret;

	if (!arrived(l))
		return false;
	wire_put_head(l->memory, &head);
	ret = fabric_end_write(&l->fabric, &l->end, &w);
	l->in_flight += !ret;
	sequence += !ret;
	return !ret;
}

/* Pass one unit through the receiver in this process, if there is one. */
static void pass(struct source *s)
{
	struct unit u;

	UNIT_EQ(s->ops->flush(s), 0);
	if (s->ops->take(s, &u) == 1)
		UNIT_EQ(s->ops->give_back(s, u.handle), 0);
}

/*
 * The peer does not read its credits and continues to write, until the receiver closes the
 * connection.
 */
static void reads_no_credits(void)
{
	const struct recv_options o = {.host = "127.0.0.1",
				       .port = "0",
				       .provider = "tcp",
				       .buffer = 2 * 8192,
				       .connections = 1,
				       .silence = 10};
	double end = unit_seconds() + 20 * slowness() * UNIT_PATIENCE;
	bool bounded = true;
	struct source *s;
	struct recv_connection *g;
	struct bad_peer l;
	int small = 2048;

	reason[0] = '\0';
	s = source_recv(&o, reason);
	UNIT_STR(reason, "");
	UNIT_NEED(s);
	g = &((struct recv *)s)->connections[0];
	port = source_recv_port(s);
	UNIT_EQ(sends_hello(&l, &usual, s), WIRE_OK);
	/* Small socket buffers, so that they are full soon. */
	setsockopt(l.control.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	setsockopt(g->control.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	UNIT_EQ(g->slots, 2);
	while (bounded && g->state == SENDING && unit_seconds() < end) {
		writes(&l, 0, 8);
		control_beat(&l.control, units_now(), 100);
		control_flush(&l.control);
		pass(s);
		/* The memory behind it belongs to something else. */
		bounded = g->credit_count <= g->slots;
	}
	CU_ASSERT_TRUE(bounded);
	CU_ASSERT_TRUE(g->state != SENDING);
	CU_ASSERT_PTR_NOT_NULL(strstr(s->note, "a slot without a credit for it"));
	unit_note("closed after %d units", (int)((struct recv *)s)->units);
	hangs_up(&l);
	/* The next sender is served. */
	if (bounded) {
		UNIT_EQ(sends_hello(&l, &usual, s), WIRE_OK);
		hangs_up(&l);
	}
	source_close(s);
}

/* Send @count units of @bytes, from @slot on, and receive their credits. */
static void sends_of(struct bad_peer *l, uint32_t slot, unsigned int count, uint64_t bytes)
{
	struct wire_record r;
	unsigned int i, credits = 0;

	for (i = 0; i < count; i++) {
		CU_ASSERT_TRUE(UNIT_WAIT(writes(l, slot + i, bytes), 10000));
		CU_ASSERT_TRUE(UNIT_WAIT(arrived(l), 10000));
	}
	CU_ASSERT_TRUE(UNIT_WAIT((arrived(l), control_receive(&l->control),
				  control_record(&l->control, &r) > 0
					  ? (credits += r.type == WIRE_CREDIT ? r.count : 0,
					     control_drop_record(&l->control, &r))
					  : (void)0,
				  credits == count),
				 10000));
}

static void sends(struct bad_peer *l, unsigned int count)
{
	sends_of(l, 0, count, 8);
}

/* Receive the next record that is not a keep-alive. */
static bool receives(struct bad_peer *l, struct wire_record *r)
{
	control_receive(&l->control);
	while (control_record(&l->control, r) > 0) {
		control_drop_record(&l->control, r);
		if (r->type != WIRE_BEAT)
			return true;
	}
	return false;
}

static bool receiver_prints(const char *text)
{
	tool_read(file("recv"));
	return strstr(tool_output, text);
}

/* The connection is closed, and its entry is free. */
static bool is_closed(struct bad_peer *l)
{
	return UNIT_WAIT(control_receive(&l->control) < 0, 5000);
}

/*
 * The entry is free again, although the peer sent fewer units than it reports, with the connection
 * closed or open.
 */
static void ends_too_early(void)
{
	struct wire_record r;
	struct bad_peer l;
	pid_t pid;

	fresh();
	pid = receiver("recv", 0, "--connections=1 --no-errorcheck --buffer-size=1Mi");
	UNIT_EQ(sends_hello(&l, &usual, NULL), WIRE_OK);
	sends(&l, 2);
	sends_end(&l, UINT64_MAX, 16);
	CU_ASSERT_TRUE(is_closed(&l));
	hangs_up(&l);
	UNIT_NEED(sends_hello(&l, &usual, NULL) == WIRE_OK);
	sends_end(&l, 1, 8);
	hangs_up(&l);
	CU_ASSERT_TRUE(
		UNIT_WAIT(receiver_prints("reports 1 completed units, but 0 arrived and 0"), 5000));
	/* A sender that ends in order gets the totals. */
	UNIT_NEED(sends_hello(&l, &usual, NULL) == WIRE_OK);
	sends(&l, 2);
	sends_end(&l, 2, 16);
	CU_ASSERT_TRUE(UNIT_WAIT(receives(&l, &r), 5000));
	UNIT_EQ(r.type, WIRE_TOTALS);
	hangs_up(&l);
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	UNIT_EQ(tool_number("units"), 4);
}

/* The receiver ends while half of a unit has arrived, and the rest never does. */
static void half_a_unit(void)
{
	const size_t bytes = 32 << 20;
	struct wire_hello h = usual;
	struct fabric_write w;
	struct bad_peer l;
	pid_t pid;
	void *data;

	fresh();
	pid = receiver("recv", 0, "--connections=1 --no-errorcheck --buffer-size=64Mi");
	h.unit_max = bytes;
	UNIT_NEED(sends_hello(&l, &h, NULL) == WIRE_OK);
	sends(&l, 1);
	data = aligned_alloc(4096, bytes);
	UNIT_NEED(data);
	UNIT_EQ(fabric_register(&l.fabric, data, bytes, false, reason), 0);
	w = (struct fabric_write){.head = l.memory,
				  .data = data,
				  .head_bytes = WIRE_HEAD,
				  .data_bytes = bytes,
				  .to = l.welcome.base,
				  .key = l.welcome.key,
				  .context = &l};
	/* As much as the socket accepts: a peer that polls no events sends no more. */
	UNIT_EQ(fabric_end_write(&l.fabric, &l.end, &w), 0);
	usleep(100000);
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	hangs_up(&l);
	free(data);
	tool_read(file("recv"));
	UNIT_EQ(tool_number("units"), 1);
}

/* libfabric would buffer unexpected messages without a limit. */
static void sends_messages(void)
{
	struct bad_peer l;
	pid_t pid;

	fresh();
	pid = receiver("recv", 0, "--connections=1 --no-errorcheck --buffer-size=1Mi");
	UNIT_EQ(sends_hello(&l, &usual, NULL), WIRE_OK);
	sends(&l, 1);
	UNIT_EQ(fabric_end_send(&l.fabric, &l.end, l.memory, 32, &l), 0);
	l.in_flight++;
	CU_ASSERT_TRUE(UNIT_WAIT((arrived(&l), control_receive(&l.control) < 0), 5000));
	hangs_up(&l);
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
}

/* The same with a receiver that sends messages: its libfabric endpoint is real. */
static void answers_with_messages(void)
{
	struct sockaddr_in a;
	socklen_t size = sizeof(a);
	struct wire_welcome w = good_welcome();
	unsigned char text[WIRE_WELCOME];
	struct wire_hello h;
	struct bad_peer l = {.end.fd = -1};
	pid_t pid;
	int fd, peer = -1;

	fresh();
	reason[0] = '\0';
	fd = control_listen("127.0.0.1", "0", reason);
	UNIT_NEED(fd >= 0 && !getsockname(fd, (struct sockaddr *)&a, &size));
	pid = tool_start(file("send"), "send 127.0.0.1 --port=%u --patience=1 " SMALL " --json",
			 ntohs(a.sin_port));
	UNIT_NEED(UNIT_WAIT((peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK)) >= 0, 20000));
	close(fd);
	control_accepted(&l.control, peer);
	UNIT_NEED(UNIT_WAIT((control_receive(&l.control), l.control.in_bytes >= WIRE_HELLO), 5000));
	UNIT_EQ(wire_get_hello(l.control.in, &h), WIRE_GOOD);
	control_drop(&l.control, WIRE_HELLO);
	opens_fabric(&l);
	w.name_bytes = (uint32_t)l.end.name_bytes;
	memcpy(w.name, l.end.name, sizeof(w.name));
	UNIT_EQ(fabric_end_peer(&l.end, h.name, h.name_bytes, reason), 0);
	wire_put_welcome(text, &w);
	UNIT_NEED(control_queue(&l.control, text, sizeof(text)));
	UNIT_EQ(control_flush(&l.control), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(!fabric_end_send(&l.fabric, &l.end, l.memory, 32, &l), 5000));
	l.in_flight++;
	CU_ASSERT_TRUE(UNIT_WAIT((arrived(&l), control_receive(&l.control) < 0), 5000));
	hangs_up(&l);
	UNIT_EQ(tool_wait(pid, 20000), 1);
}

/* The peer ends without a unit and gets the totals. */
static void ends_empty(struct bad_peer *l, const struct wire_hello *h)
{
	struct wire_record r;

	UNIT_NEED(sends_hello(l, h, NULL) == WIRE_OK);
	sends_end(l, 0, 0);
	CU_ASSERT_TRUE(UNIT_WAIT(receives(l, &r), 5000));
	hangs_up(l);
}

/* A run with --once does not end when another sender ends. */
static void other_sender_ends(void)
{
	struct wire_hello h = usual, other_hello = usual;
	struct bad_peer one, other;
	pid_t pid;

	fresh();
	/* The first sender is silent while the others connect. */
	pid = receiver("recv", 0,
		       "--once --connections=4 --no-errorcheck --buffer-size=1Mi --silence=200");
	/*
	 * Nor does it end with a sender that had no unit, or sent no hello; these leave no state.
	 */
	other_hello.run = 2;
	other_hello.content = UNIT_COUNTER;
	other_hello.page_bytes = 8192;
	ends_empty(&other, &other_hello);
	UNIT_NEED(connects(&other));
	control_close(&other.control);
	other_hello = usual;
	h.connections = 2;
	UNIT_NEED(sends_hello(&one, &h, NULL) == WIRE_OK);
	sends(&one, 3);
	other_hello.run = 2;
	UNIT_EQ(sends_hello(&other, &other_hello, NULL), WIRE_BUSY);
	CU_ASSERT_PTR_NOT_NULL(strstr(other.welcome.reason, "the receiver serves another sender"));
	if (!other.welcome.status)
		sends_end(&other, 0, 0);
	hangs_up(&other);
	/* Nor with a sender that reports fewer connections. */
	other_hello = h;
	other_hello.connections = 1;
	UNIT_EQ(sends_hello(&other, &other_hello, NULL), -1);
	hangs_up(&other);
	/* A connection that ends twice counts once. */
	h.connection = 1;
	ends_empty(&other, &h);
	ends_empty(&other, &h);
	sends(&one, 2);
	sends_end(&one, 5, 40);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	hangs_up(&one);
	tool_read(file("recv"));
	UNIT_EQ(tool_number("units"), 5);
}

/* The peer connects; if it is refused with a reason, it retries. */
static bool connects_in_turn(struct bad_peer *l, struct source *s)
{
	if (sends_hello(l, &usual, s) == WIRE_OK)
		return true;
	hangs_up(l);
	return false;
}

/* Connections without a hello delay a sender by at most a second. */
static void without_hello(void)
{
	const struct recv_options o = {.host = "127.0.0.1",
				       .port = "0",
				       .provider = "tcp",
				       .buffer = 2 << 20,
				       .connections = 2,
				       .silence = 10};
	struct bad_peer without[2], sender;
	struct source *s;
	double begin;

	reason[0] = '\0';
	s = source_recv(&o, reason);
	UNIT_NEED(s);
	port = source_recv_port(s);
	UNIT_NEED(connects(&without[0]) && connects(&without[1]));
	begin = unit_seconds();
	CU_ASSERT_TRUE(UNIT_WAIT(connects_in_turn(&sender, s), 2000));
	unit_note("accepted after %.1f s", unit_seconds() - begin);
	/* The oldest of these connections was closed; the other one may wait for 15 s. */
	CU_ASSERT_TRUE(UNIT_WAIT(control_receive(&without[0].control) < 0, 5000));
	CU_ASSERT_TRUE(!control_receive(&without[1].control) || unit_seconds() - begin > 10);
	hangs_up(&sender);
	control_close(&without[0].control);
	control_close(&without[1].control);
	source_close(s);
}

/* Nothing would wake a sleeping receiver. */
static bool would_sleep(struct source *s)
{
	struct units_sleep sleep = {.ns = UNITS_NS_PER_S};

	UNIT_EQ(s->ops->flush(s), 0);
	s->ops->sleep(s, &sleep);
	return sleep.ns && !poll(sleep.fds, sleep.count, 0);
}

/*
 * All file descriptors are in use: a waiting connection does not keep the receiver awake, and is
 * accepted later.
 */
static void no_files(void)
{
	const struct recv_options o = {.host = "127.0.0.1",
				       .port = "0",
				       .provider = "tcp",
				       .buffer = 1 << 20,
				       .connections = 1,
				       .silence = 10};
	struct rlimit limit, none;
	struct source *s;
	struct bad_peer l;
	int next;

	reason[0] = '\0';
	s = source_recv(&o, reason);
	UNIT_NEED(s);
	port = source_recv_port(s);
	CU_ASSERT_TRUE(would_sleep(s));
	UNIT_NEED(connects(&l));
	next = dup(l.control.fd);
	UNIT_NEED(next >= 0 && !close(next) && !getrlimit(RLIMIT_NOFILE, &limit));
	none = limit;
	none.rlim_cur = (rlim_t)next;
	UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &none));
	CU_ASSERT_TRUE(would_sleep(s));
	UNIT_EQ(((struct recv *)s)->connections[0].state, UNUSED);
	UNIT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	UNIT_EQ(s->ops->flush(s), 0);
	UNIT_EQ(((struct recv *)s)->connections[0].state, GREETING);
	control_close(&l.control);
	source_close(s);
}

static bool wakes(struct recv_connection *g)
{
	struct units_sleep sleep = {.ns = UNITS_NS_PER_S};

	fabric_end_sleep(&g->fabric, &g->end, &sleep);
	return !sleep.ns || poll(sleep.fds, sleep.count, 0) > 0;
}

/* Writes after the stop are not collected, and do not keep the receiver awake. */
static void after_the_stop(void)
{
	const struct recv_options o = {.host = "127.0.0.1",
				       .port = "0",
				       .provider = "tcp",
				       .buffer = 1 << 20,
				       .connections = 1,
				       .silence = 100};
	struct source *s;
	struct recv_connection *g;
	struct bad_peer l;

	reason[0] = '\0';
	s = source_recv(&o, reason);
	UNIT_NEED(s);
	g = &((struct recv *)s)->connections[0];
	port = source_recv_port(s);
	UNIT_EQ(sends_hello(&l, &usual, s), WIRE_OK);
	CU_ASSERT_TRUE(UNIT_WAIT((pass(s), writes(&l, 0, 8)), 10000));
	CU_ASSERT_TRUE(UNIT_WAIT((arrived(&l), pass(s), g->units == 1), 10000));
	CU_ASSERT_TRUE(UNIT_WAIT(arrived(&l), 10000));
	UNIT_EQ(s->ops->stop(s), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(writes(&l, 1, 8), 10000));
	CU_ASSERT_TRUE(UNIT_WAIT((arrived(&l), wakes(g)), 10000));
	CU_ASSERT_TRUE(would_sleep(s));
	UNIT_EQ(g->state, SENDING);
	hangs_up(&l);
	source_close(s);
}

/* Units of 0 bytes: there is nothing to write, and the disk does not count as full. */
static void empty_units(void)
{
	struct recording recording;
	char options[256];
	struct bad_peer l;
	pid_t pid;

	fresh();
	snprintf(options, sizeof(options), "--connections=1 --buffer-size=1Mi --record=%s",
		 file("out"));
	pid = receiver("recv", 0, options);
	UNIT_NEED(sends_hello(&l, &usual, NULL) == WIRE_OK);
	sends_of(&l, 0, 2, 0);
	sends_of(&l, 2, 1, 8);
	sends_of(&l, 3, 1, 0);
	hangs_up(&l);
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	UNIT_EQ(tool_number("units"), 4);
	UNIT_EQ(tool_number("lost"), 0);
	UNIT_NEED(!recording_open(file("out"), &recording, reason));
	UNIT_EQ(recording.count, 1);
	UNIT_EQ(recording.parts[0].count, 4);
	UNIT_EQ(recording.parts[0].entries[0].bytes, 0);
	UNIT_EQ(recording.parts[0].entries[2].bytes, 8);
	recording_close(&recording);
	UNIT_EQ(tool_run("replay %s --no-errorcheck --json", file("out")), 0);
	UNIT_EQ(tool_number("units"), 4);
	UNIT_EQ(tool_number("bytes"), 8);
}

/* Page sizes that are not whole words, and text with control characters. */
static void sizes_and_text(void)
{
	struct wire_hello h = usual;
	struct bad_peer l;
	pid_t pid;

	fresh();
	pid = receiver("recv", 0, "--connections=1 --buffer-size=1Mi");
	h.content = UNIT_COUNTER;
	h.page_bytes = 1;
	UNIT_EQ(sends_hello(&l, &h, NULL), -1);
	hangs_up(&l);
	h = usual;
	strcpy(h.provider, "\033]0;x\n.<3>kernel: y");
	UNIT_EQ(sends_hello(&l, &h, NULL), WIRE_NO_PROVIDER);
	hangs_up(&l);
	CU_ASSERT_TRUE(UNIT_WAIT(receiver_prints("--provider=?]0;x?.<3>kernel: y"), 5000));
	CU_ASSERT_PTR_NULL(strchr(tool_output, '\033'));
	h = usual;
	strcpy(h.from, "\033[2J");
	UNIT_EQ(sends_hello(&l, &h, NULL), WIRE_OK);
	hangs_up(&l);
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	CU_ASSERT_TRUE(tool_printed("\"from\": \"?[2J\""));
}

/* A receiver that sends these answers one after the other, each a moment after the hello. */
#define ANSWERS 2

struct answer {
	struct wire_welcome welcome;
	struct wire_record record; /* sent after it, if it has a type */
};

static void answer(int peer, const struct answer *a)
{
	unsigned char text[WIRE_WELCOME + WIRE_RECORD], hello[WIRE_HELLO];
	size_t bytes = WIRE_WELCOME + (a->record.type ? WIRE_RECORD : 0);

	if (recv(peer, hello, sizeof(hello), MSG_WAITALL) != sizeof(hello))
		return;
	wire_put_welcome(text, &a->welcome);
	wire_put_record(text + WIRE_WELCOME, &a->record);
	if (send(peer, text, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
		return;
	usleep(300000);
}

static pid_t bad_receiver(const struct answer *answers)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), peer;
	socklen_t size = sizeof(a);
	unsigned int i;
	pid_t pid;

	UNIT_NEED(fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof(a)) && !listen(fd, 4));
	UNIT_EQ(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	port = ntohs(a.sin_port);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(120);
		for (i = 0;; i++) {
			peer = accept(fd, NULL, NULL);
			answer(peer, &answers[i < ANSWERS ? i : ANSWERS - 1]);
			close(peer);
		}
	}
	UNIT_NEED(pid > 0);
	close(fd);
	return pid;
}

/* @patience: half a second has passed when the second connection is tried. */
static void sent_to(const struct answer *answers, unsigned int patience, const char *sentence)
{
	pid_t pid = bad_receiver(answers);

	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u --patience=%u " SMALL " --rate=40Mi --json",
			 port, patience),
		1);
	CU_ASSERT_TRUE(tool_printed(sentence));
	CU_ASSERT_PTR_NULL(strchr(tool_output, '\033'));
	CU_ASSERT_TRUE(tool_number("lost") > 0);
	UNIT_EQ(tool_number("taken"), tool_number("units") + tool_number("lost"));
	UNIT_EQ(tool_number("returned"), tool_number("taken"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The slots of the second connection differ from those of the first. */
static void other_slots(void)
{
	struct answer answers[ANSWERS] = {{.welcome = good_welcome()}, {.welcome = good_welcome()}};

	answers[1].welcome.slots = WIRE_SLOTS_MAX;
	answers[1].welcome.slot_bytes = 0;
	sent_to(answers, 60, "is malformed");
	answers[1].welcome = (struct wire_welcome){.version = WIRE_VERSION,
						   .status = WIRE_BUSY,
						   .slots = UINT32_MAX,
						   .reason = "\033]0;full\a"};
	sent_to(answers, 1, "did not reconnect within 1 s");
}

/* Totals before the end of the data. */
static void confirms_too_early(void)
{
	struct answer answers[ANSWERS] = {
		{.welcome = good_welcome(), .record = {.type = WIRE_TOTALS}}};

	answers[1] = answers[0];
	sent_to(answers, 1, "did not reconnect within 1 s");
}

static size_t name_length;

/* Read a name like a provider whose names are strings. */
static int reads_text(struct fid_av *av, const void *address, size_t count, fi_addr_t *peer,
		      uint64_t flags, void *context)
{
	name_length = strnlen(address, FABRIC_NAME + 64);
	return 1;
}

/*
 * The receiver does not serve connections while its files are ended: credits are sent before that.
 */
static void credit_before_the_end(void)
{
	const struct recv_options o = {.host = "127.0.0.1",
				       .port = "0",
				       .provider = "tcp",
				       .buffer = 32 * 8192,
				       .connections = 1,
				       .silence = 10};
	struct wire_record r;
	struct source *s;
	struct bad_peer l;
	struct unit u;

	reason[0] = '\0';
	s = source_recv(&o, reason);
	UNIT_NEED(s);
	port = source_recv_port(s);
	UNIT_EQ(sends_hello(&l, &usual, s), WIRE_OK);
	CU_ASSERT_TRUE(UNIT_WAIT((s->ops->flush(s), writes(&l, 0, 8)), 5000));
	CU_ASSERT_TRUE(UNIT_WAIT((arrived(&l), s->ops->flush(s), s->ops->take(s, &u) == 1), 5000));
	UNIT_EQ(s->ops->stop(s), 0);
	UNIT_EQ(s->ops->give_back(s, u.handle), 0);
	UNIT_EQ(s->ops->flush(s), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(receives(&l, &r), 2000));
	UNIT_EQ(r.type, WIRE_CREDIT);
	UNIT_EQ(r.count, 1);
	hangs_up(&l);
	source_close(s);
}

/* A name of the maximum length without a terminating 0. */
static void unterminated_name(void)
{
	struct fi_ops_av names = {.size = sizeof(names), .insert = reads_text};
	struct fid_av av = {.ops = &names};
	struct fabric_end end = {.av = &av};
	unsigned char name[FABRIC_NAME];

	memset(name, 'a', sizeof(name));
	UNIT_EQ(fabric_end_peer(&end, name, sizeof(name), reason), 0);
	UNIT_EQ(name_length, FABRIC_NAME);
	CU_ASSERT_TRUE(fabric_end_peer(&end, name, sizeof(name) + 1, reason) < 0);
}

UNIT_MAIN("peers that violate the protocol",
	  {"a sender that does not read its credits", reads_no_credits},
	  {"a sender that ends too early", ends_too_early},
	  {"a sender that stops within a unit", half_a_unit},
	  {"a sender that sends messages", sends_messages},
	  {"a receiver that sends messages", answers_with_messages},
	  {"another sender does not end --once", other_sender_ends},
	  {"connections without a hello", without_hello}, {"no file descriptor is left", no_files},
	  {"a sender that writes after the stop", after_the_stop},
	  {"units of 0 bytes", empty_units}, {"page sizes and text of a sender", sizes_and_text},
	  {"a receiver with other slots after a reconnect", other_slots},
	  {"a receiver that sends totals too early", confirms_too_early},
	  {"credits are sent before the end", credit_before_the_end},
	  {"an endpoint name without a terminator", unterminated_name})
