// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client's life: how it comes, what its socket says, its end. Whatever it does costs nobody else
 * anything: all it can use was counted out to it when it came.
 */
#include <errno.h>
#include <linux/sockios.h>
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
#define GONE_MS 60000

static void set_option(int fd, int level, int option, int value)
{
	/* Without it the connection is worse, but it is one. */
	(void)!setsockopt(fd, level, option, &value, sizeof(value));
}

/*
 * Answers leave at once; a machine that is gone is found within a minute. As long as something is
 * on its way to it there are no probes, and the kernel would try again for a quarter of an hour.
 */
static void set_options(int fd, uint32_t patience)
{
	set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
	set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
	set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
	/* Nor does the kernel lose patience before we do. */
	set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
		   (int)(patience > GONE_MS ? patience : GONE_MS));
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

bool ros_client_silent(const struct ros_client *c)
{
	const struct ros_server *s = c->server;
	int unread;

	if (c->state != ROS_CLIENT_OPEN || c->requests || c->clears || c->jobs || c->half ||
	    !TAILQ_EMPTY(&c->out) || !TAILQ_EMPTY(&c->sent))
		return false;
	if (s->now - c->active < s->set.limits.patience * NS_PER_MS)
		return false;
	/* What it asks for may have come this moment. */
	return !ioctl(c->fd, FIONREAD, &unread) && !unread;
}

void ros_client_displace(struct ros_client *c)
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

void ros_client_free(struct ros_client *c)
{
	struct ros_server *s = c->server;
	struct ros_slot *slot, *next;

	TAILQ_REMOVE(&s->graves, c, all);
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
	ros_client_beside_free(c);
	free(c->memory);
	free(c->in);
	free(c);
}

/* Not at once: epoll may have told of it in the same breath. */
void ros_client_bury(struct ros_client *c)
{
	struct ros_server *s = c->server;

	if (c->state != ROS_CLIENT_GONE || c->jobs || c->zerocopy_open || c->buried)
		return;
	c->buried = true;
	TAILQ_REMOVE(&s->clients, c, all);
	TAILQ_INSERT_TAIL(&s->graves, c, all);
}

/*
 * A socket whose data the kernel still reads stays open, because it tells of that by the socket.
 * The connection is broken off, so that it comes to an end.
 */
static void hang_up(struct ros_client *c)
{
	struct sockaddr nobody = {.sa_family = AF_UNSPEC};
	struct linger now = {.l_onoff = 1};

	epoll_ctl(c->server->epoll, EPOLL_CTL_DEL, c->fd, NULL);
	if (c->zerocopy_open) {
		(void)!connect(c->fd, &nobody, sizeof(nobody));
		return;
	}
	if (!c->shut)
		(void)!setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(c->fd);
	c->fd = -1;
}

/*
 * What it had said before it went, and we had not read because it took no answers: nobody else
 * would clear that. Not more than has come by now: who only cannot be sent to may go on.
 */
static void last_words(struct ros_client *c)
{
	int unread;
	ssize_t got;

	/* With what is not read any more the kernel is done. */
	if (c->zerocopy_open)
		ros_send_zerocopied(c);
	if (ioctl(c->fd, FIONREAD, &unread))
		unread = 0;
	while (ros_client_parse_clears(c) && unread > 0) {
		size_t room = c->server->in_bytes - c->have;

		got = recv(c->fd, c->in + c->have, (size_t)unread < room ? (size_t)unread : room,
			   MSG_DONTWAIT);
		if (got <= 0)
			break;
		c->have += (size_t)got;
		unread -= (int)got;
	}
}

void ros_client_gone(struct ros_client *c)
{
	if (c->state == ROS_CLIENT_OPEN)
		last_words(c);
	ros_client_drop(c);
}

void ros_client_drop(struct ros_client *c)
{
	if (c->state == ROS_CLIENT_GONE)
		return;
	c->state = ROS_CLIENT_GONE;
	hang_up(c);
	ros_send_forget(c);
	ros_client_bury(c);
}

/* All is sent: the client is told, and its own end is waited for, or what it sent would break it.
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
	if (!c->jobs || c->mute)
		finish_sent(c);
}

void ros_client_interest(struct ros_client *c)
{
	struct epoll_event event = {.data.ptr = c};

	if (c->state == ROS_CLIENT_GONE)
		return;
	if (!c->eof && !c->paused)
		event.events |= EPOLLIN;
	if (c->blocked)
		event.events |= EPOLLOUT;
	if (event.events == c->interest)
		return;
	c->interest = event.events;
	ros_count_add(&c->server->counts.polls, 1);
	epoll_ctl(c->server->epoll, EPOLL_CTL_MOD, c->fd, &event);
}

static void read_some(struct ros_client *c)
{
	struct ros_server *s = c->server;
	ssize_t got = recv(c->fd, c->in + c->have, s->in_bytes - c->have, MSG_DONTWAIT);

	ros_count_add(&s->counts.receives, 1);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got < 0) {
		ros_client_gone(c);
		return;
	}
	c->active = s->now;
	if (!got) {
		c->eof = true;
		if (c->shut)
			ros_client_drop(c);
		else
			ros_client_finish(c);
		return;
	}
	if (c->state == ROS_CLIENT_LINGER)
		return; /* thrown away */
	c->have += (size_t)got;
	ros_client_parse(c);
}

void ros_client_event(struct ros_client *c, uint32_t events)
{
	if (c->state == ROS_CLIENT_GONE)
		return;
	if (events & EPOLLERR && c->zerocopy_open) {
		ros_send_zerocopied(c);
		ros_client_resume(c);
		events &= ~(uint32_t)EPOLLERR;
	}
	if (c->state == ROS_CLIENT_GONE)
		return;
	/* Of a broken connection recv() has the reason, also while it is not to be read from. */
	if (events & EPOLLIN || (events & (EPOLLERR | EPOLLHUP) && !c->paused && !c->eof))
		read_some(c);
	else if (events & (EPOLLERR | EPOLLHUP))
		ros_client_gone(c);
	if (c->state != ROS_CLIENT_GONE && events & EPOLLOUT)
		ros_send(c);
	if (c->state != ROS_CLIENT_GONE)
		ros_client_interest(c);
}

void ros_client_resume(struct ros_client *c)
{
	if (c->state == ROS_CLIENT_GONE)
		return;
	if (c->state == ROS_CLIENT_LINGER && (!c->jobs || c->mute))
		finish_sent(c);
	if (c->paused && c->state == ROS_CLIENT_OPEN &&
	    c->backlog <= c->server->set.limits.backlog / 2 && c->free_notes &&
	    c->free_notes->next) {
		c->paused = false;
		ros_client_parse(c);
	}
	ros_client_interest(c);
}

/*
 * The socket says that it takes more only when it is a good deal emptier: a client that reads
 * slowly is known by what it has taken from the kernel meanwhile.
 */
static void look_for_progress(struct ros_client *c)
{
	int unread;

	if (!c->stalled || ioctl(c->fd, SIOCOUTQ, &unread))
		return;
	if (unread < c->unread)
		c->stalled = c->server->now;
	c->unread = unread;
}

void ros_client_tick(struct ros_client *c)
{
	struct ros_server *s = c->server;
	uint64_t patience = s->set.limits.patience * NS_PER_MS;

	if (c->state == ROS_CLIENT_GONE) {
		if (c->zerocopy_open)
			ros_send_zerocopied(c);
		ros_client_bury(c);
		return;
	}
	look_for_progress(c);
	if (c->stalled && s->now - c->stalled >= patience) {
		ros_count_add(&s->counts.slow, 1);
		ros_client_drop(c);
	} else if (c->shut && s->now >= c->linger) {
		ros_client_drop(c);
	} else if (c->half && s->now - c->half >= patience) {
		ros_client_refuse(c, ROS_E_TIMEOUT, 0, s->set.limits.patience,
				  s->set.limits.patience);
	}
}
