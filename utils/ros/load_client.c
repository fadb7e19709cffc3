// SPDX-License-Identifier: GPL-2.0-or-later
/* One connection of the load generator to the daemon. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libroc/fabric/control.h"
#include "load.h"

#define OUT_BYTES 65536

bool load_fail(struct load *l, const char *fmt, ...)
{
	va_list ap;

	if (!l->failure[0]) {
		va_start(ap, fmt);
		vsnprintf(l->failure, sizeof(l->failure), fmt, ap);
		va_end(ap);
	}
	l->stopping = true;
	l->end = "failed";
	return false;
}

static int connect_to(struct load *l)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	const char *text = l->opt->connect, *colon = strrchr(text, ':');
	struct addrinfo *list, *a;
	size_t length = (size_t)(colon - text);
	char host[LOAD_HOST_MAX];
	int err, fd = -1;

	memcpy(host, text, length);
	host[length] = '\0';
	if (length > 1 && host[0] == '[' && host[length - 1] == ']') {
		memmove(host, host + 1, length);
		host[length - 2] = '\0';
	}
	err = getaddrinfo(host, colon + 1, &hints, &list);
	if (err) {
		load_fail(l, "--connect: %s: %s.", text, gai_strerror(err));
		return -1;
	}
	if (control_unscoped(list)) {
		load_fail(l, "--connect: %s " CONTROL_UNSCOPED, text, host);
		freeaddrinfo(list);
		return -1;
	}
	err = 0;
	for (a = list; a; a = a->ai_next) {
		fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 && !connect(fd, a->ai_addr, a->ai_addrlen))
			break;
		err = errno;
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	freeaddrinfo(list);
	if (fd < 0)
		load_fail(l, "Cannot connect to %s: %s. Check that roc-rosd runs there.", text,
			  strerror(err));
	return fd;
}

static bool update_events(struct load_client *c)
{
	struct epoll_event event = {
		.events = EPOLLIN | (c->writing ? EPOLLOUT : 0),
		.data.ptr = c,
	};

	return !epoll_ctl(c->load->epoll, EPOLL_CTL_MOD, c->fd, &event);
}

bool load_connect(struct load *l, struct load_client *c)
{
	struct ros_hello hello = {.lowest = ROS_VERSION_LOWEST, .highest = ROS_VERSION};
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
	int one = 1;

	c->fd = connect_to(l);
	if (c->fd < 0)
		return false;
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c->longest = 65536;
	c->in_size = c->longest;
	c->out_size = OUT_BYTES;
	c->in = malloc(c->in_size);
	c->out = malloc(c->out_size);
	if (!c->in || !c->out || epoll_ctl(l->epoll, EPOLL_CTL_ADD, c->fd, &event))
		return load_fail(l, "Cannot allocate the buffers of client %u.", c->number);
	c->queued = ros_encode_hello(c->out, 0, &hello);
	return load_client_flush(c);
}

void load_disconnect(struct load_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->in);
	free(c->out);
	free(c->requests);
	free(c->spare);
}

bool load_client_flush(struct load_client *c)
{
	ssize_t sent;

	while (c->queued) {
		sent = send(c->fd, c->out, c->queued, MSG_NOSIGNAL | MSG_DONTWAIT);
		c->load->counts.sends++;
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno != EAGAIN)
			return load_fail(c->load, "Client %u: %s.", c->number, strerror(errno));
		if (sent < 0) {
			if (!c->writing) {
				c->writing = true;
				update_events(c);
			}
			return true;
		}
		c->queued -= (size_t)sent;
		memmove(c->out, c->out + sent, c->queued);
	}
	if (c->writing) {
		c->writing = false;
		update_events(c);
	}
	return true;
}

bool load_client_ready(const struct load_client *c)
{
	return c->spares && c->queued + ROS_REQUEST_BYTES <= c->out_size;
}

void load_client_request(struct load_client *c, uint32_t event, uint64_t links, uint64_t since)
{
	struct ros_request request = {.event = event, .links = links};
	uint32_t entry = c->spare[--c->spares];
	struct load_request *r = &c->requests[entry];

	*r = (struct load_request){
		.event = event, .uses = r->uses + 1, .links = links, .since = since, .open = true};
	c->queued +=
		ros_encode_request(c->out + c->queued, (uint64_t)r->uses << 32 | entry, &request);
}

bool load_client_can_clear(const struct load_client *c)
{
	return c->clears < c->limits.clears &&
	       c->queued + ROS_CLEAR_BYTES + 4 * (size_t)c->load->opt->clear <= c->out_size;
}

void load_client_clear(struct load_client *c, const uint32_t *events, uint32_t count)
{
	c->clears++;
	c->queued += ros_encode_clear(c->out + c->queued, count, events, count);
}

static bool welcome(struct load_client *c, const struct ros_message *m)
{
	const struct ros_limits *limits = &m->welcome.limits;
	struct load *l = c->load;
	uint32_t most =
		l->opt->outstanding < limits->requests ? l->opt->outstanding : limits->requests;
	size_t longest = ROS_REPLY_HEAD_MAX +
			 (size_t)limits->fragment * (size_t)__builtin_popcountll(limits->links);
	uint8_t *in;

	if (c->welcome)
		return load_fail(l, "Client %u received a second WELCOME.", c->number);
	if (l->opt->clear > limits->events)
		return load_fail(l, "--clear: the daemon accepts at most %u events in a clear.",
				 limits->events);
	if (!limits->links)
		return load_fail(l, "The daemon serves no links.");
	c->limits = *limits;
	l->links = limits->links;
	if (longest < 65536)
		longest = 65536;
	in = realloc(c->in, 2 * longest);
	if (in) {
		c->in = in;
		c->in_size = 2 * longest;
	}
	c->requests = calloc(most, sizeof(*c->requests));
	c->spare = calloc(most, sizeof(*c->spare));
	if (!in || !c->requests || !c->spare)
		return load_fail(l, "Cannot allocate the requests of client %u.", c->number);
	c->granted = most;
	c->longest = (uint32_t)longest;
	for (c->spares = 0; c->spares < most; c->spares++)
		c->spare[c->spares] = c->spares;
	c->welcome = true;
	l->welcomes++;
	return true;
}

/* The list has space for a full clear and all outstanding requests. */
void load_decided(struct load *l, uint32_t event)
{
	if (!l->opt->clear)
		return;
	if (!l->decided.count)
		l->decided.since = l->now;
	l->decided.events[l->decided.count++] = event;
}

static bool reply(struct load_client *c, const struct ros_message *m)
{
	uint32_t entry = (uint32_t)m->id;
	struct load *l = c->load;
	struct load_request *r;

	if (entry >= c->granted || !c->requests[entry].open ||
	    c->requests[entry].uses != m->id >> 32)
		return load_fail(l, "Client %u received a reply without a request.", c->number);
	r = &c->requests[entry];
	r->open = false;
	c->spare[c->spares++] = entry;
	l->counts.replies++;
	histogram_add(&l->times, l->now > r->since ? l->now - r->since : 0);
	load_check(l, r, m);
	load_decided(l, r->event);
	return true;
}

static bool cleared(struct load_client *c, const struct ros_message *m)
{
	struct load *l = c->load;

	if (!c->clears)
		return load_fail(l, "Client %u received a CLEARED without a CLEAR.", c->number);
	c->clears--;
	l->counts.acknowledged++;
	l->counts.cleared_events += m->cleared.events;
	l->counts.unknown_events += m->cleared.unknown;
	l->counts.cleared_fragments += m->cleared.fragments;
	if (m->cleared.events + m->cleared.unknown != m->id)
		error_log_add(&l->errors,
			      "of %u events to clear, %u were cleared and %u were unknown",
			      (unsigned int)m->id, m->cleared.events, m->cleared.unknown);
	return true;
}

static bool refused(struct load_client *c, const struct ros_message *m)
{
	const struct ros_error *e = &m->error;
	struct load *l = c->load;

	l->counts.refused[e->code < ROS_CODES ? e->code : ROS_E_NONE]++;
	/* The requests are valid, so the daemon refuses them only when it ends. */
	return load_fail(l, "Client %u was refused: %.*s", c->number, (int)e->length, e->text);
}

static bool message(struct load_client *c, const struct ros_message *m)
{
	struct load *l = c->load;

	l->progress = l->now;
	switch (m->type) {
	case ROS_WELCOME:
		return welcome(c, m);
	case ROS_REPLY:
		return reply(c, m);
	case ROS_CLEARED:
		return cleared(c, m);
	default:
		return refused(c, m);
	}
}

static bool parse(struct load_client *c)
{
	struct ros_message m;
	struct ros_refusal reason;
	enum ros_decoded got;
	size_t at = 0;

	for (;;) {
		got = ros_decode_daemon(c->in + at, c->have - at, c->longest, &m, &reason);
		if (got == ROS_MORE)
			break;
		if (got == ROS_REFUSED)
			return load_fail(c->load, "Client %u received a malformed message: %s.",
					 c->number, ros_code_name(reason.code));
		at += m.length;
		if (m.type == ROS_WELCOME) {
			/* welcome() may move the buffer that @m points to. */
			struct ros_message copy = m;

			if (!message(c, &copy))
				return false;
			continue;
		}
		if (!message(c, &m))
			return false;
	}
	c->have -= at;
	if (at)
		memmove(c->in, c->in + at, c->have);
	return true;
}

bool load_client_event(struct load_client *c, uint32_t events)
{
	struct load *l = c->load;
	ssize_t got;

	if (events & EPOLLOUT && !load_client_flush(c))
		return false;
	if (!(events & (EPOLLIN | EPOLLERR | EPOLLHUP)))
		return true;
	got = recv(c->fd, c->in + c->have, c->in_size - c->have, MSG_DONTWAIT);
	l->counts.receives++;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (got < 0)
		return load_fail(l, "Client %u: %s.", c->number, strerror(errno));
	if (!got)
		return load_fail(l, "The daemon ended the connection of client %u.", c->number);
	c->have += (size_t)got;
	return parse(c);
}
