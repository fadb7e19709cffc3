// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lifetime of a client: accept, place among the clients, end. A client cannot use up resources of
 * other clients: all memory that it can use is allocated when it sends HELLO.
 */
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"
#include "utils/common/clock.h"

#define LINGER_NS NS_PER_S
#define USER_TIMEOUT_MIN_MS 60000

static void set_option(int fd, int level, int option, int value)
{
	/* Ignore errors: the connection works without the option, only worse. */
	(void)!setsockopt(fd, level, option, &value, sizeof(value));
}

/*
 * Send replies at once, and detect a lost peer within a minute. Keepalive probes are not sent while
 * data are unacknowledged, and the kernel would retransmit for a quarter of an hour, so
 * TCP_USER_TIMEOUT limits this.
 */
static void set_options(int fd, uint32_t patience)
{
	set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
	set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
	set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
	/* The kernel must not give up before --patience. */
	set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
		   (int)(patience > USER_TIMEOUT_MIN_MS ? patience : USER_TIMEOUT_MIN_MS));
}

void ros_client_new(struct ros_server *s, int fd, const struct in6_addr *from, bool refused)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct ros_client *c = calloc(1, sizeof(*c));
	unsigned int i;

	if (c)
		c->in = malloc(s->in_bytes);
	event.data.ptr = c;
	if (!c || !c->in || epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event)) {
		if (c)
			free(c->in);
		free(c);
		close(fd);
		return;
	}
	set_options(fd, s->set.limits.patience);
	c->server = s;
	c->fd = fd;
	c->interest = EPOLLIN;
	c->refused = refused;
	c->greeting = !refused;
	c->half = s->now;
	c->active = s->now;
	c->from = *from;
	TAILQ_INIT(&c->out);
	TAILQ_INIT(&c->sent);
	for (i = 0; i < ROS_NOTES; i++) {
		c->notes[i].next = c->free_notes;
		c->free_notes = &c->notes[i];
	}
	TAILQ_INSERT_TAIL(&s->clients, c, all);
	if (refused) {
		s->refused_count++;
		ros_client_refuse(c, ROS_E_TOO_MANY_CLIENTS, 0, s->set.clients, s->client_count);
		return;
	}
	s->greeting_count++;
	ros_count_add(&s->counts.connections, 1);
}

void ros_client_count(struct ros_client *c)
{
	struct ros_server *s = c->server;

	c->greeting = false;
	s->greeting_count--;
	s->client_count++;
	ros_count_set(&s->counts.clients, s->client_count);
}

/* Return whether a client has nothing outstanding and was idle for longer than --patience. */
static bool is_idle(const struct ros_client *c)
{
	const struct ros_server *s = c->server;
	int unread;

	if (c->state != ROS_CLIENT_OPEN || c->requests || c->clears || c->jobs || c->half ||
	    !TAILQ_EMPTY(&c->out) || !TAILQ_EMPTY(&c->sent))
		return false;
	if (s->now - c->active < s->set.limits.patience * NS_PER_MS)
		return false;
	/* A request may have just arrived. */
	return !ioctl(c->fd, FIONREAD, &unread) && !unread;
}

/* Disconnect a client, so that another one gets its place. */
static void displace(struct ros_client *c)
{
	struct ros_server *s = c->server;

	if (c->greeting)
		s->greeting_count--;
	else
		s->client_count--;
	c->greeting = false;
	c->refused = true;
	s->refused_count++;
	if (s->refused_count > ROS_REFUSED_MAX || c->state == ROS_CLIENT_LINGER)
		ros_client_drop(c);
	else
		ros_client_refuse(c, ROS_E_TOO_MANY_CLIENTS, 0, s->set.clients, s->set.clients);
}

static void extra_clears_free(struct ros_client *c)
{
	struct ros_clear_slot *slot;

	while ((slot = c->extra_clears)) {
		c->extra_clears = slot->next_extra;
		free(slot);
	}
}

void ros_client_free(struct ros_client *c)
{
	struct ros_server *s = c->server;
	struct ros_slot *slot, *next;

	TAILQ_REMOVE(&s->retired, c, all);
	for (slot = TAILQ_FIRST(&s->partial); slot; slot = next) {
		next = TAILQ_NEXT(slot, partial);
		if (slot->client != c)
			continue;
		TAILQ_REMOVE(&s->partial, slot, partial);
		ros_send_aside_free(slot);
	}
	if (c->dirty)
		TAILQ_REMOVE(&s->dirty, c, dirty_entry);
	if (c->fd >= 0)
		close(c->fd);
	if (c->refused)
		s->refused_count--;
	else if (c->greeting)
		s->greeting_count--;
	else
		s->client_count--;
	ros_count_set(&s->counts.clients, s->client_count);
	extra_clears_free(c);
	free(c->memory);
	free(c->in);
	free(c);
}

/*
 * Move a client without resources to the list that is freed at the end of the turn: epoll may have
 * returned it in the same batch of events.
 */
void ros_client_retire(struct ros_client *c)
{
	struct ros_server *s = c->server;

	if (c->state != ROS_CLIENT_GONE || c->jobs || c->zerocopy_open || c->is_retired)
		return;
	c->is_retired = true;
	TAILQ_REMOVE(&s->clients, c, all);
	TAILQ_INSERT_TAIL(&s->retired, c, all);
}

/*
 * While the kernel reads data of a zero-copy send, the socket stays open, because completions are
 * read from it. Disconnect it, so that the send ends.
 */
static void hang_up(struct ros_client *c)
{
	struct sockaddr unspecified = {.sa_family = AF_UNSPEC};
	struct linger now = {.l_onoff = 1};

	epoll_ctl(c->server->epoll, EPOLL_CTL_DEL, c->fd, NULL);
	if (c->zerocopy_open) {
		(void)!connect(c->fd, &unspecified, sizeof(unspecified));
		return;
	}
	if (!c->shut)
		(void)!setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(c->fd);
	c->fd = -1;
}

void ros_client_drop(struct ros_client *c)
{
	if (c->state == ROS_CLIENT_GONE)
		return;
	c->state = ROS_CLIENT_GONE;
	hang_up(c);
	ros_send_drop_all(c);
	ros_client_retire(c);
}

/*
 * When all is sent, shut down the sending side and wait for the end of the client. A close with
 * unread data would reset the connection, and the client would lose messages.
 */
static void finish_sent(struct ros_client *c)
{
	if (c->shut || !TAILQ_EMPTY(&c->out) || !TAILQ_EMPTY(&c->sent))
		return;
	c->shut = true;
	c->linger = c->server->now + LINGER_NS;
	if (shutdown(c->fd, SHUT_WR) || c->eof)
		ros_client_drop(c);
}

void ros_client_finish(struct ros_client *c)
{
	if (c->state == ROS_CLIENT_GONE)
		return;
	c->state = ROS_CLIENT_LINGER;
	c->half = 0;
	if (!c->jobs || c->error_sent)
		finish_sent(c);
}

struct ros_note *ros_client_note(struct ros_client *c)
{
	struct ros_note *note = c->free_notes;

	c->free_notes = note->next;
	note->out.type = ROS_OUT_NOTE;
	note->out.iov = &note->iov;
	note->out.iovs = 1;
	note->iov.iov_base = note->bytes;
	return note;
}

void ros_client_error(struct ros_client *c, const struct ros_refusal *reason)
{
	struct ros_note *note;

	ros_count_add(&c->server->counts.errors[reason->code], 1);
	if (c->free_notes) {
		note = ros_client_note(c);
		note->iov.iov_len = ros_encode_error(note->bytes, reason);
		ros_send_queue(c, &note->out);
	}
	if (ros_closes(reason->code)) {
		c->error_sent = true;
		ros_client_finish(c);
	}
}

void ros_client_refuse(struct ros_client *c, enum ros_code code, uint64_t id, uint32_t limit,
		       uint32_t value)
{
	struct ros_refusal reason = {.code = code, .id = id, .limit = limit, .value = value};

	ros_client_error(c, &reason);
}

/*
 * Find the connection that a new one from address @from replaces. Without HELLO: the oldest one;
 * with HELLO: the client that was idle for longest. If there are such connections from the same
 * address, it is one of these, so that a client that reconnects does not displace others.
 */
static struct ros_client *find_displaced(struct ros_server *s, const struct in6_addr *from,
					 bool greeting)
{
	struct ros_client *c, *longest = NULL;
	uint64_t since, first = 0;
	bool from_same = false, same;

	TAILQ_FOREACH(c, &s->clients, all)
	{
		same = !memcmp(&c->from, from, sizeof(*from));
		/* A connection whose timeout or refused HELLO is being reported has 0 here. */
		since = greeting ? c->half : c->active;
		if ((from_same && !same) || (longest && from_same == same && since >= first) ||
		    c->greeting != greeting || (!greeting && !is_idle(c)))
			continue;
		longest = c;
		first = since;
		from_same = same;
	}
	return longest;
}

bool ros_client_place(struct ros_server *s, const struct in6_addr *from)
{
	struct ros_client *idle;

	if (s->client_count < s->set.clients)
		return true;
	idle = find_displaced(s, from, false);
	if (idle)
		displace(idle);
	return idle;
}

bool ros_client_may_greet(struct ros_server *s, const struct in6_addr *from)
{
	struct ros_client *first;

	if (s->client_count >= s->set.clients && !find_displaced(s, from, false))
		return false;
	if (s->greeting_count < ROS_GREETING_MAX)
		return true;
	first = find_displaced(s, from, true);
	if (first)
		displace(first);
	return first;
}
