/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Start a roc-rosd with synthetic fragments, and clients that violate the protocol. Included after
 * unit.h. The daemon listens on a loopback port that the kernel selects, and is ended by its
 * process id.
 */
#ifndef ROC_UNIT_ROS_DAEMON_H
#define ROC_UNIT_ROS_DAEMON_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <json-c/json.h>

#include "utils/ros/fragment_check.h"
#include "utils/ros/protocol.h"

#define LIMIT_MS 30000 /* for anything that must arrive */
#define ARGUMENTS_MAX 40

struct daemon {
	pid_t pid;
	int out; /* its standard output: only the report of --json */
	int err; /* its standard error, with the line that it is ready */
	uint16_t port;
	int status;	  /* valid after its end */
	char text[65536]; /* its complete output */
	size_t length;
	json_object *report; /* of --json */
};

/* Milliseconds of CLOCK_MONOTONIC. */
static inline double daemon_ms(void)
{
	return unit_seconds() * 1000;
}

/* Read the next output from @from; false: closed, or nothing within the limit. */
static inline bool daemon_hear(struct daemon *d, int from, int ms)
{
	struct pollfd fd = {.fd = from, .events = POLLIN};
	ssize_t got;

	if (poll(&fd, 1, (int)(ms * slowness())) <= 0)
		return false;
	got = read(from, d->text + d->length, sizeof(d->text) - 1 - d->length);
	if (got <= 0)
		return false;
	d->length += (size_t)got;
	d->text[d->length] = '\0';
	return true;
}

/* @options: words separated by one blank. */
static inline bool daemon_start(struct daemon *d, const char *options)
{
	static const char *const fixed[] = {"rosd", "--source=synthetic", "--json"};
	char words[1024], *rest = words, *word;
	const char *argv[ARGUMENTS_MAX + 1];
	int ends[2], err[2], n = 0;
	const char *port;
	size_t i;

	*d = (struct daemon){.pid = -1, .out = -1, .err = -1};
	argv[n++] = getenv("ROC_TOOL");
	if (!argv[0] || pipe2(ends, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		return false;
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		argv[n++] = fixed[i];
	if (!strstr(options, "--listen="))
		argv[n++] = "--listen=127.0.0.1:0";
	snprintf(words, sizeof(words), "%s", options);
	while ((word = strsep(&rest, " ")) && n < ARGUMENTS_MAX)
		if (*word)
			argv[n++] = word;
	argv[n] = NULL;
	d->pid = fork();
	if (!d->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		execv(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(ends[1]);
	close(err[1]);
	d->out = ends[0];
	d->err = err[0];
	while (!(port = strstr(d->text, ", port ")) || !strchr(port, '\n')) {
		if (!daemon_hear(d, d->err, LIMIT_MS))
			return false;
	}
	d->port = (uint16_t)atoi(port + strlen(", port "));
	d->length = 0;
	d->text[0] = '\0';
	return true;
}

/* Wait until it has ended; exit status, or -1 if it was killed. */
static inline int daemon_wait(struct daemon *d)
{
	double end = daemon_ms() + LIMIT_MS * slowness();
	struct timespec pause = {.tv_nsec = 1000000};
	pid_t got;

	if (d->pid <= 0)
		return -1;
	while (daemon_hear(d, d->out, LIMIT_MS))
		;
	while (!(got = waitpid(d->pid, &d->status, WNOHANG)) && daemon_ms() < end)
		nanosleep(&pause, NULL);
	if (!got) {
		kill(d->pid, SIGKILL);
		waitpid(d->pid, &d->status, 0);
	}
	d->pid = -1;
	close(d->out);
	close(d->err);
	if (d->text[0] == '{')
		d->report = json_tokener_parse(d->text);
	return got && WIFEXITED(d->status) ? WEXITSTATUS(d->status) : -1;
}

/* Send SIGTERM and wait for the end. */
static inline int daemon_stop(struct daemon *d)
{
	if (d->pid > 0)
		kill(d->pid, SIGTERM);
	return daemon_wait(d);
}

static inline void daemon_forget(struct daemon *d)
{
	json_object_put(d->report);
	d->report = NULL;
}

/* A number of the report; -1: none. */
static inline int64_t daemon_figure(struct daemon *d, const char *key)
{
	json_object *value;

	if (!d->report || !json_object_object_get_ex(d->report, key, &value))
		return -1;
	return json_object_get_int64(value);
}

static inline int64_t daemon_error(struct daemon *d, enum ros_code code)
{
	json_object *errors, *value;
	char key[ROS_CODE_KEY_MAX];

	if (!d->report || !json_object_object_get_ex(d->report, "errors", &errors) ||
	    !json_object_object_get_ex(errors, ros_code_key(code, key), &value))
		return -1;
	return json_object_get_int64(value);
}

/* Sum over all sub-units. */
static inline int64_t daemon_units(struct daemon *d, const char *key)
{
	json_object *units, *value;
	int64_t sum = 0;
	size_t i;

	if (!d->report || !json_object_object_get_ex(d->report, "units", &units))
		return -1;
	for (i = 0; i < json_object_array_length(units); i++) {
		if (!json_object_object_get_ex(json_object_array_get_idx(units, i), key, &value))
			return -1;
		sum += json_object_get_int64(value);
	}
	return sum;
}

/* It ended in order, and all host pages were returned. */
static inline void daemon_ends_well(struct daemon *d)
{
	UNIT_EQ(daemon_stop(d), 0);
	CU_ASSERT_PTR_NOT_NULL(d->report);
	UNIT_EQ(daemon_units(d, "hostPagesFree"), daemon_units(d, "hostPages"));
	UNIT_EQ(daemon_units(d, "outstanding"), 0);
	UNIT_EQ(daemon_figure(d, "clients"), 0);
}

struct client {
	int fd;
	struct ros_limits limits;
	struct ros_message m; /* the last message received; it points into in[] */
	size_t have;	      /* bytes in in[] */
	size_t used;	      /* bytes of the last message */
	uint8_t in[1 << 18];
};

/* @receive: size of the receive buffer, 0: default of the system. */
static inline bool client_connect(struct client *c, const struct daemon *d, int receive)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_port = htons(d->port),
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = 1;

	c->have = c->used = 0;
	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (receive)
		setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &receive, sizeof(receive));
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return !connect(c->fd, (struct sockaddr *)&a, sizeof(a));
}

static inline void client_close(struct client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* Send all bytes, or return false. */
static inline bool client_send(struct client *c, const void *bytes, size_t length)
{
	const char *at = bytes;
	ssize_t sent;

	while (length) {
		sent = send(c->fd, at, length, MSG_NOSIGNAL);
		if (sent < 0)
			return false;
		at += sent;
		length -= (size_t)sent;
	}
	return true;
}

enum heard {
	HEARD_MESSAGE,
	HEARD_END,     /* the daemon closed the connection */
	HEARD_RESET,   /* the daemon reset the connection */
	HEARD_NOTHING, /* within the limit */
	HEARD_NONSENSE,
};

/* Receive the next message within @ms. */
static inline enum heard client_hear(struct client *c, int ms)
{
	double end = daemon_ms() + ms * slowness();
	struct pollfd fd = {.fd = c->fd, .events = POLLIN};
	struct ros_refusal reason;
	double left;
	ssize_t got;

	memmove(c->in, c->in + c->used, c->have - c->used);
	c->have -= c->used;
	c->used = 0;
	for (;;) {
		switch (ros_decode_daemon(c->in, c->have, sizeof(c->in), &c->m, &reason)) {
		case ROS_MESSAGE:
			c->used = c->m.length;
			return HEARD_MESSAGE;
		case ROS_REFUSED:
			return HEARD_NONSENSE;
		case ROS_MORE:
			break;
		}
		left = end - daemon_ms();
		if (poll(&fd, 1, left > 0 ? (int)left + 1 : 0) <= 0)
			return HEARD_NOTHING;
		got = recv(c->fd, c->in + c->have, sizeof(c->in) - c->have, 0);
		if (!got)
			return HEARD_END;
		if (got < 0)
			return HEARD_RESET;
		c->have += (size_t)got;
	}
}

static inline bool client_hears(struct client *c, enum ros_type type)
{
	enum heard heard = client_hear(c, LIMIT_MS);

	UNIT_EQ(heard, HEARD_MESSAGE);
	if (heard != HEARD_MESSAGE)
		return false;
	if (c->m.type != type && c->m.type == ROS_ERROR)
		unit_note("error: %.*s", (int)c->m.error.length, c->m.error.text);
	UNIT_EQ(c->m.type, type);
	return c->m.type == type;
}

/* Connect and receive the WELCOME. */
static inline bool client_open(struct client *c, const struct daemon *d, int receive)
{
	struct ros_hello hello = {.lowest = 1, .highest = ROS_VERSION};
	uint8_t out[ROS_HELLO_BYTES];

	if (!client_connect(c, d, receive) ||
	    !client_send(c, out, ros_encode_hello(out, 1, &hello)) || !client_hears(c, ROS_WELCOME))
		return false;
	c->limits = c->m.welcome.limits;
	return true;
}

static inline bool client_request(struct client *c, uint64_t id, uint32_t event, uint64_t links)
{
	struct ros_request request = {.event = event, .links = links};
	uint8_t out[ROS_REQUEST_BYTES];

	return client_send(c, out, ros_encode_request(out, id, &request));
}

static inline bool client_clear(struct client *c, uint64_t id, const uint32_t *events,
				uint32_t count)
{
	static uint8_t out[1 << 16];

	return client_send(c, out, ros_encode_clear(out, id, events, count));
}

/* Check that the reply is complete, and every byte of it. */
static inline bool client_reply_good(struct client *c, uint32_t event, uint64_t links)
{
	const uint8_t *data = c->m.reply.data;
	uint32_t card, i;
	struct ros_entry e;
	uint64_t got = 0;

	for (i = 0; i < c->m.reply.count; i++, data += e.size) {
		const char *wrong;

		ros_reply_entry(&c->m.reply, i, &e);
		got |= UINT64_C(1) << e.link;
		if (e.status != ROS_OK) {
			unit_note("event %u link %u: %s", event, e.link, ros_status_name(e.status));
			return false;
		}
		wrong = ros_fragment_check(data, e.size, event, e.link % 12, &card);
		if (wrong) {
			unit_note("event %u link %u: %s", event, e.link, wrong);
			return false;
		}
	}
	return c->m.reply.event == event && got == links;
}

static inline bool client_requests(struct client *c, uint32_t event, uint64_t links)
{
	return client_request(c, event, event, links) && client_hears(c, ROS_REPLY) &&
	       client_reply_good(c, event, links);
}

/* The client is refused with that limit. */
static inline void client_refused(struct client *c, enum ros_code code, uint32_t limit)
{
	if (!client_hears(c, ROS_ERROR))
		return;
	UNIT_EQ(c->m.error.code, code);
	UNIT_EQ(c->m.error.limit, limit);
	UNIT_EQ(!!(c->m.flags & ROS_CLOSES), ros_closes(code));
	if (ros_closes(code))
		UNIT_EQ(client_hear(c, LIMIT_MS), HEARD_END);
}

#endif
