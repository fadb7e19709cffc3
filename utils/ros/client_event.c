// SPDX-License-Identifier: GPL-2.0-or-later
/* Handle events of a client's socket, and timeouts. */
#include <errno.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "server.h"
#include "utils/common/clock.h"

/*
 * Execute the clears that a client sent before its connection was lost, and that were not read
 * because reading was paused: no other client would clear these events. Read only what has arrived
 * by now, because a client whose receiving side alone is broken could send more.
 */
static void parse_final_clears(struct ros_client *c)
{
	int unread;
	ssize_t got;

	/* The kernel has completed sends whose data the peer will not read. */
	if (c->zerocopy_open)
		ros_send_zerocopied(c);
	if (ioctl(c->fd, FIONREAD, &unread))
		unread = 0;
	while (ros_client_parse_clears(c) && unread > 0) {
		size_t space = c->server->in_bytes - c->have;

		got = recv(c->fd, c->in + c->have, (size_t)unread < space ? (size_t)unread : space,
			   MSG_DONTWAIT);
		if (got <= 0)
			break;
		c->have += (size_t)got;
		unread -= (int)got;
	}
}

/* The connection has ended: execute the clears that the client sent before. */
static void connection_lost(struct ros_client *c)
{
	if (c->state == ROS_CLIENT_OPEN)
		parse_final_clears(c);
	ros_client_drop(c);
}

static void set_interest(struct ros_client *c)
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

/* Continue to read, if reading was paused because replies were not taken. */
static void resume(struct ros_client *c)
{
	if (c->state == ROS_CLIENT_GONE)
		return;
	if (c->state == ROS_CLIENT_LINGER)
		ros_client_finish(c);
	if (c->paused && c->state == ROS_CLIENT_OPEN &&
	    c->backlog <= c->server->set.limits.backlog / 2 && c->free_notes &&
	    c->free_notes->next) {
		c->paused = false;
		ros_client_parse(c);
	}
	set_interest(c);
}

void ros_client_send(struct ros_client *c)
{
	switch (ros_send(c)) {
	case ROS_SEND_BROKEN:
		connection_lost(c);
		break;
	case ROS_SEND_SOME:
		resume(c);
		break;
	case ROS_SEND_NONE:
		set_interest(c);
		break;
	}
}

static void read_some(struct ros_client *c)
{
	struct ros_server *s = c->server;
	ssize_t got = recv(c->fd, c->in + c->have, s->in_bytes - c->have, MSG_DONTWAIT);

	ros_count_add(&s->counts.receives, 1);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got < 0) {
		connection_lost(c);
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
		return; /* discarded */
	c->have += (size_t)got;
	ros_client_parse(c);
}

void ros_client_event(struct ros_client *c, uint32_t events)
{
	if (c->state == ROS_CLIENT_GONE)
		return;
	if (events & EPOLLERR && c->zerocopy_open) {
		ros_send_zerocopied(c);
		resume(c);
		events &= ~(uint32_t)EPOLLERR;
	}
	if (c->state == ROS_CLIENT_GONE)
		return;
	/*
	 * recv() returns the error of a broken connection, so call it even if EPOLLIN is not
	 * reported.
	 */
	if (events & EPOLLIN || (events & (EPOLLERR | EPOLLHUP) && !c->paused && !c->eof))
		read_some(c);
	else if (events & (EPOLLERR | EPOLLHUP))
		connection_lost(c);
	if (c->state != ROS_CLIENT_GONE && events & EPOLLOUT)
		ros_client_send(c);
	if (c->state != ROS_CLIENT_GONE)
		set_interest(c);
}

/*
 * The socket becomes writable only when much of its buffer is free. A client that reads slowly
 * makes progress if the amount of unsent data decreases.
 */
static void check_progress(struct ros_client *c)
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
		ros_client_retire(c);
		return;
	}
	check_progress(c);
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
