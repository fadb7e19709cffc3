// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The protocol of roc-send and roc-recv: encoding of messages, and the messages to peers that use
 * another protocol or version, or request too much.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/unit/utils/network/network_run.h"
#include "utils/network/network.h"
#include "utils/network/wire.h"
#include "utils/units/units.h"

static void layouts(void)
{
	struct wire_hello h = {.version = WIRE_VERSION,
			       .connection = 1,
			       .connections = 2,
			       .content = UNIT_DDG,
			       .run = 0x1122334455667788,
			       .unit_max = 1 << 20,
			       .provider = "tcp",
			       .name_bytes = 16},
			  g;
	struct wire_welcome w = {.version = WIRE_VERSION,
				 .slots = 9,
				 .name_bytes = 16,
				 .stride = 8192,
				 .slot_bytes = 4096,
				 .reason = "no"},
			    v;
	struct wire_record r = {.type = WIRE_CREDIT, .count = 3}, q;
	struct wire_head head = {.bytes = 5, .link = -1, .sequence = 7}, back;
	unsigned char text[WIRE_WELCOME];

	wire_put_hello(text, &h);
	UNIT_EQ(memcmp(text, "ROC-UNIT\1\0\0\0\0\2\0\0\1\0\0\0\2", 21), 0);
	UNIT_EQ(text[40], 0x88);
	UNIT_EQ(wire_get_hello(text, &g), WIRE_GOOD);
	UNIT_EQ(memcmp(&g, &h, sizeof(g)), 0);
	/*
	 * Text of another machine has no control characters here, and a page size is a multiple of
	 * a word.
	 */
	strcpy(h.from, "\033]0;x\a\177 \n~");
	wire_put_hello(text, &h);
	UNIT_EQ(wire_get_hello(text, &g), WIRE_GOOD);
	UNIT_STR(g.from, "?]0;x?? ?~");
	h.page_bytes = 16;
	wire_put_hello(text, &h);
	UNIT_EQ(wire_get_hello(text, &g), WIRE_MALFORMED);
	wire_put_welcome(text, &w);
	UNIT_EQ(wire_get_welcome(text, &v), WIRE_GOOD);
	UNIT_EQ(memcmp(&v, &w, sizeof(v)), 0);
	wire_put_record(text, &r);
	CU_ASSERT_TRUE(wire_get_record(text, &q));
	UNIT_EQ(q.count, 3);
	wire_put_head(text, &head);
	wire_get_head(text, &back);
	UNIT_EQ(memcmp(&head, &back, sizeof(head)), 0);
}

/* Whatever the input is, accepted values are within their limits. */
static void wild_bytes(void)
{
	unsigned char text[WIRE_WELCOME];
	struct wire_welcome w;
	struct wire_record r;
	struct wire_hello h;
	unsigned int i, n, good = 0;

	srandom(1);
	for (n = 0; n < 20000; n++) {
		struct wire_hello base = {
			.version = WIRE_VERSION, .connections = 1, .unit_max = 1, .name_bytes = 1};
		struct wire_welcome well = {.version = WIRE_VERSION,
					    .slots = 1,
					    .name_bytes = 1,
					    .stride = 128,
					    .slot_bytes = 64};

		wire_put_hello(text, &base);
		for (i = 0; i < 4; i++)
			text[8 + (unsigned int)random() % 60] = (unsigned char)random();
		if (wire_get_hello(text, &h) == WIRE_GOOD) {
			good++;
			CU_ASSERT_TRUE(
				h.name_bytes <= FABRIC_NAME && h.connection < h.connections &&
				h.connections <= NETWORK_CONNECTIONS && h.content < UNIT_CONTENTS &&
				h.unit_max && outside_page(h.content, h.page_bytes));
		}
		wire_put_welcome(text, &well);
		for (i = 0; i < 4; i++)
			text[8 + (unsigned int)random() % 60] = (unsigned char)random();
		if (wire_get_welcome(text, &w) == WIRE_GOOD && !w.status) {
			good++;
			CU_ASSERT_TRUE(w.slots && w.slots <= WIRE_SLOTS_MAX &&
				       w.slot_bytes + WIRE_HEAD <= w.stride);
		}
		for (i = 0; i < 8; i++)
			text[i] = (unsigned char)random();
		text[1] = text[2] = text[3] = 0;
		if (wire_get_record(text, &r))
			CU_ASSERT_TRUE(r.count <= WIRE_CREDITS);
	}
	CU_ASSERT_TRUE(good > 10);
}

/* A server that sends @answer once. It closes the connection at once without reading, or waits. */
static pid_t impostor(const void *answer, size_t bytes, bool goes)
{
	const struct linger at_once = {.l_onoff = 1};
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), peer;
	char text[1024];
	pid_t pid;

	UNIT_NEED(fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof(a)) && !listen(fd, 4));
	UNIT_EQ(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	port = ntohs(a.sin_port);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(120);
		peer = accept(fd, NULL, NULL);
		if (goes) {
			/* While the peer opens libfabric. */
			usleep(30000);
			setsockopt(peer, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
			_exit(write(peer, answer, bytes) != (ssize_t)bytes);
		}
		if (write(peer, answer, bytes) == (ssize_t)bytes)
			while (read(peer, text, sizeof(text)) > 0)
				;
		_exit(0);
	}
	close(fd);
	return pid;
}

static void refused_by(pid_t pid, const char *sentence)
{

	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u --patience=0 " SMALL " --units=3", port), 1);
	CU_ASSERT_TRUE(tool_printed(sentence));
	UNIT_EQ(tool_wait(pid, 20000), 0);
}

static void refused(const void *answer, size_t bytes, const char *sentence)
{
	refused_by(impostor(answer, bytes, false), sentence);
}

static void wrong_peers(void)
{
	struct wire_welcome w = {.version = 9};
	unsigned char text[WIRE_WELCOME];

	fresh();
	UNIT_EQ(tool_run("send 127.0.0.1 --port=1 --patience=0 " SMALL " --units=3"), 1);
	CU_ASSERT_TRUE(tool_printed("Cannot connect to 127.0.0.1 port 1: Connection refused"));
	UNIT_EQ(tool_run("send no.such.host.invalid. --patience=0 " SMALL " --units=3"), 1);
	CU_ASSERT_TRUE(tool_printed("Cannot resolve host"));
	refused("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", 32, "is not a roc-recv");
	wire_put_welcome(text, &w);
	refused(text, sizeof(text), "uses version 9 of the protocol, this roc-send version 1");
	/* A shorter answer, too. */
	refused(text, 32, "uses version 9");
	w.version = WIRE_VERSION;
	w.status = WIRE_BUSY;
	strcpy(w.reason, "come later.");
	wire_put_welcome(text, &w);
	refused_by(impostor(text, sizeof(text), true), "refused the connection: come later.");
	w.status = WIRE_OK;
	w.slots = 1;
	wire_put_welcome(text, &w);
	refused(text, sizeof(text), "is malformed");
	UNIT_EQ(tool_run("send 127.0.0.1 --provider=frob --port=1 --patience=0 " SMALL), 1);
	UNIT_EQ(tool_run("recv --provider=frob"), 1);
	CU_ASSERT_TRUE(tool_printed("no provider \"frob\""));
	UNIT_EQ(setenv("FI_PROVIDER", "udp", 1), 0);
	UNIT_EQ(tool_run("recv --provider=tcp"), 1);
	UNIT_EQ(unsetenv("FI_PROVIDER"), 0);
	CU_ASSERT_TRUE(tool_printed("FI_PROVIDER=udp limits the choice: unset it"));
	/* Rejected before anything is opened or connected. */
	UNIT_EQ(tool_run("recv --provider=cxi"), 2);
	CU_ASSERT_TRUE(tool_printed("Provider cxi is not supported"));
	UNIT_EQ(tool_run("send 127.0.0.1 --provider=cxi --port=1 --patience=0 " SMALL), 2);
	CU_ASSERT_TRUE(tool_printed("Provider cxi is not supported"));
	UNIT_EQ(tool_run("recv --port=0 --time=1s"), 0);
	CU_ASSERT_TRUE(tool_printed("Listening on 127.0.0.1:"));
	CU_ASSERT_TRUE(tool_printed("set --bind to accept other machines."));
	UNIT_EQ(tool_run("recv --port=0 --time=1s --bind=::"), 0);
	CU_ASSERT_TRUE(tool_printed("Listening on [::]:"));
	CU_ASSERT_FALSE(strstr(tool_output, "--bind") != NULL);
	UNIT_EQ(tool_run("send fe80::1 --patience=0 " SMALL " --units=3"), 1);
	CU_ASSERT_TRUE(tool_printed("link-local"));
	CU_ASSERT_TRUE(tool_printed("fe80::1%INTERFACE"));
	UNIT_EQ(tool_run("recv --bind=fe80::1"), 1);
	CU_ASSERT_TRUE(tool_printed("fe80::1%INTERFACE"));
	UNIT_EQ(tool_run("recv --bind=192.0.2.77"), 1);
	CU_ASSERT_TRUE(tool_printed("Cannot listen at"));
}

/* Return the answer of roc-recv to a client that is not a matching roc-send. */
static size_t answer_to(const void *text, size_t bytes, unsigned char *answer, size_t room)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				.sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct timeval limit = {.tv_sec = 60};
	size_t got = 0;
	ssize_t n;

	UNIT_NEED(!connect(fd, (struct sockaddr *)&a, sizeof(a)));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	UNIT_EQ(write(fd, text, bytes), (ssize_t)bytes);
	while (got < room && (n = read(fd, answer + got, room - got)) > 0)
		got += (size_t)n;
	close(fd);
	return got;
}

static void wrong_senders(void)
{
	struct wire_hello h = {.version = 9,
			       .connections = 1,
			       .unit_max = 4096,
			       .name_bytes = 16,
			       .provider = "tcp"};
	unsigned char text[WIRE_HELLO], answer[WIRE_WELCOME];
	struct wire_welcome w;
	pid_t pid;

	fresh();
	pid = receiver("recv", 0, "--once --connections=1 --buffer-size=1Mi");
	UNIT_EQ(answer_to("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27, answer, sizeof(answer)), 0);
	wire_put_hello(text, &h);
	UNIT_EQ(answer_to(text, 20, answer, sizeof(answer)), sizeof(answer));
	UNIT_EQ(wire_get_welcome(answer, &w), WIRE_GOOD);
	UNIT_EQ(w.status, WIRE_NO_VERSION);
	CU_ASSERT_PTR_NOT_NULL(strstr(w.reason, "version 9"));
	h.version = WIRE_VERSION;
	h.name_bytes = 1000;
	wire_put_hello(text, &h);
	UNIT_EQ(answer_to(text, sizeof(text), answer, sizeof(answer)), 0);
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u --provider=shm " SMALL, port), 1);
	CU_ASSERT_TRUE(tool_printed("refused the connection: the receiver has --provider=tcp"));
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u --connections=2 " SMALL, port), 1);
	CU_ASSERT_TRUE(tool_printed("its maximum number of connections"));
	/* Until the receiver has detected the end of the first connection, it has no free entry. */
	CU_ASSERT_TRUE(UNIT_WAIT(
		tool_run(
			"send 127.0.0.1 --port=%u --synthetic --buffer-size=8Mi --superpage-size=2Mi --units=3",
			port) == 1 &&
			!strstr(tool_output, "its maximum number of connections"),
		10000));
	CU_ASSERT_TRUE(tool_printed("start roc-recv with a larger --buffer-size"));
	/* The receiver still works. */
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u " SMALL " --units=30", port), 0);
	UNIT_EQ(tool_wait(pid, 20000), 0);
}

UNIT_MAIN("peers of roc-send and roc-recv", {"messages match the page", layouts},
	  {"random bytes", wild_bytes}, {"servers that are not roc-recv", wrong_peers},
	  {"clients that are not roc-send", wrong_senders})
