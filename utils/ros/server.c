// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Main loop of the network thread: results of workers, messages of clients, new connections,
 * timeouts.
 */
#include "server.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libroc/fabric/base.h"
#include "libroc/fabric/control.h"
#include "utils/common/clock.h"
#include "utils/common/files.h"
#include "utils/common/tool.h"

#define EVENTS 128
#define RESULTS 1024		 /* of a worker in one turn */
#define TICK_NS (50 * NS_PER_MS) /* resolution of --patience */
#define SPILL_NS (5 * NS_PER_MS) /* between two checks for slow clients */
#define ACCEPTS 64		 /* in one turn */
#define PORT_TRIES 16		 /* to find a port that is free for both IPv4 and IPv6 */
#define FILES_EXTRA 128		 /* open besides the clients */

/* Accepted forms: "HOST:PORT", "[ADDRESS]:PORT", ":PORT". */
static int resolve(const char *text, struct addrinfo **list)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	const char *colon = strrchr(text, ':');
	char host[256];
	size_t length;
	int err;

	length = colon ? (size_t)(colon - text) : 0;
	if (!colon || length >= sizeof(host))
		return tool_usage("--listen: \"%s\" is not HOST:PORT.", text);
	memcpy(host, text, length);
	host[length] = '\0';
	if (length > 1 && host[0] == '[' && host[length - 1] == ']') {
		memmove(host, host + 1, length);
		host[length - 2] = '\0';
	}
	err = getaddrinfo(*host ? host : NULL, colon + 1, &hints, list);
	if (err)
		return tool_fail("--listen: %s: %s.", text, gai_strerror(err));
	if (control_unscoped(*list)) {
		freeaddrinfo(*list);
		return tool_usage("--listen: %s " CONTROL_UNSCOPED, text, host);
	}
	return TOOL_OK;
}

static int listen_on(const struct addrinfo *a)
{
	int one = 1, err, fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, 1024))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_storage a = {0};
	socklen_t length = sizeof(a);

	if (getsockname(fd, (struct sockaddr *)&a, &length))
		return 0;
	return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
					     : ((struct sockaddr_in *)&a)->sin_port);
}

static void set_port(struct addrinfo *a, uint16_t port)
{
	if (a->ai_family == AF_INET6)
		((struct sockaddr_in6 *)a->ai_addr)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)a->ai_addr)->sin_port = htons(port);
}

static void stop_listening(struct ros_server *s)
{
	while (s->listener_count)
		close(s->listeners[--s->listener_count]);
}

/*
 * Listen on every address of @list, all with the same port; with port 0 the kernel selects it for
 * the first address. Addresses that fail are skipped. Return: errno of the last failure, 0: none.
 */
static int listen_at(struct ros_server *s, struct addrinfo *list)
{
	struct addrinfo *a;
	int fd, err = 0;

	s->port = 0;
	for (a = list; a && s->listener_count < ROS_LISTENERS; a = a->ai_next) {
		if (s->port)
			set_port(a, s->port);
		fd = listen_on(a);
		if (fd < 0) {
			err = errno;
			continue;
		}
		s->listeners[s->listener_count++] = fd;
		s->port = port_of(fd);
	}
	return err;
}

/* Listen on all addresses of the name that are usable; at least one must be. */
static int listen_all(struct ros_server *s)
{
	struct addrinfo *list = NULL, *a;
	unsigned int i, tries;
	bool any_port;
	int code, err;

	code = resolve(s->set.listen, &list);
	if (code)
		return code;
	any_port = !strcmp(strrchr(s->set.listen, ':'), ":0");
	err = listen_at(s, list);
	/* The port that the kernel chose for one family can be in use in the other. */
	for (tries = 0; any_port && err == EADDRINUSE && tries < PORT_TRIES; tries++) {
		stop_listening(s);
		for (a = list; a; a = a->ai_next)
			set_port(a, 0);
		err = listen_at(s, list);
	}
	freeaddrinfo(list);
	if (!s->listener_count)
		return tool_fail("Cannot listen on %s: %s.", s->set.listen, strerror(err));
	for (i = 0; i < s->listener_count; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = &s->listeners[i]};

		epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->listeners[i], &event);
	}
	return TOOL_OK;
}

/* Raise the limit of open files, so that all clients fit. */
static void raise_files(struct ros_server *s)
{
	uint64_t needed = s->set.clients + ROS_GREETING_MAX + ROS_REFUSED_MAX + FILES_EXTRA;
	uint64_t limit = files_raise(needed);

	if (limit < needed)
		tool_note(
			"The limit of open files (ulimit -n) is %llu: fewer than %u clients can connect.",
			(unsigned long long)limit, s->set.clients);
}

static size_t round_up(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

static void number_links(struct ros_server *s)
{
	unsigned int unit;

	s->links = 0;
	s->set.limits.links = 0;
	for (unit = 0; unit < s->units; unit++) {
		const struct ros_source *source = s->workers[unit].source;

		s->first_link[unit] = s->links;
		s->set.limits.links |= (uint64_t)source->links << s->links;
		memset(&s->unit_of[s->links], (int)unit, source->link_count);
		s->links += source->link_count;
	}
}

int ros_server_init(struct ros_server *s)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};

	TAILQ_INIT(&s->clients);
	TAILQ_INIT(&s->dirty);
	TAILQ_INIT(&s->retired);
	TAILQ_INIT(&s->partial);
	s->now = now_ns();
	number_links(s);
	s->slot_bytes = round_up(sizeof(struct ros_slot) + s->units * sizeof(struct ros_part) +
				 (1 + s->links) * sizeof(struct iovec) + ROS_REPLY_HEAD_MAX);
	s->clear_bytes = round_up(
		sizeof(struct ros_clear_slot) + s->units * sizeof(struct ros_clear_part) +
		(size_t)s->set.limits.events * (s->units * sizeof(struct ros_clear_waiter) +
						sizeof(uint32_t) + sizeof(uint8_t)));
	s->in_bytes = s->set.limits.message * 2;
	if (s->in_bytes < 16384)
		s->in_bytes = 16384;
	raise_files(s);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	/* The bell is edge-triggered: each write to it is an event, so it is never read. */
	event.data.ptr = &s->bell;
	if (s->epoll < 0 || !ros_bell_init(&s->bell) ||
	    epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->bell.fd, &event))
		return tool_fail("Cannot create an epoll instance: %s.", strerror(errno));
	return listen_all(s);
}

/* Return an IPv4 address in its mapped form. */
static struct in6_addr address_of(const struct sockaddr_storage *a)
{
	struct in6_addr from = {0};

	if (a->ss_family == AF_INET6)
		return ((const struct sockaddr_in6 *)a)->sin6_addr;
	from.s6_addr[10] = from.s6_addr[11] = 0xff;
	memcpy(&from.s6_addr[12], &((const struct sockaddr_in *)a)->sin_addr, 4);
	return from;
}

/*
 * Accept connections. If there are too many, the first ones get an error message and the others are
 * closed at once.
 */
static void accept_some(struct ros_server *s, int listener)
{
	struct sockaddr_storage address = {0};
	struct in6_addr from;
	socklen_t length;
	unsigned int i;
	int fd;

	for (i = 0; i < ACCEPTS; i++) {
		length = sizeof(address);
		fd = accept4(listener, (struct sockaddr *)&address, &length,
			     SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && accept_no_files(errno)) {
			s->no_files = true;
			epoll_ctl(s->epoll, EPOLL_CTL_DEL, listener, NULL);
		}
		if (fd < 0 && (errno == ECONNABORTED || errno == EINTR))
			continue;
		if (fd < 0)
			return;
		from = address_of(&address);
		if (ros_client_may_greet(s, &from)) {
			ros_client_new(s, fd, &from, false);
			continue;
		}
		ros_count_add(&s->counts.refused, 1);
		if (s->refused_count < ROS_REFUSED_MAX)
			ros_client_new(s, fd, &from, true);
		else
			close(fd);
	}
}

static void accept_again(struct ros_server *s)
{
	unsigned int i;

	s->no_files = false;
	for (i = 0; i < s->listener_count; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = &s->listeners[i]};

		epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->listeners[i], &event);
	}
}

static bool is_listener(const struct ros_server *s, const void *pointer)
{
	const int *listener = pointer;

	return listener >= s->listeners && listener < s->listeners + ROS_LISTENERS;
}

static bool results_there(struct ros_server *s)
{
	unsigned int unit;

	for (unit = 0; unit < s->units; unit++) {
		if (!ros_queue_empty(&s->workers[unit].results))
			return true;
	}
	return false;
}

static void take_results(struct ros_server *s)
{
	struct ros_job *job;
	unsigned int unit, n;

	for (unit = 0; unit < s->units; unit++) {
		for (n = 0; n < RESULTS && (job = ros_queue_pop(&s->workers[unit].results)); n++)
			ros_client_job_done(s, job);
	}
}

/* Send everything that is ready for a client with one call. */
static void send_all(struct ros_server *s)
{
	struct ros_client *c;

	while ((c = TAILQ_FIRST(&s->dirty))) {
		TAILQ_REMOVE(&s->dirty, c, dirty_entry);
		c->dirty = false;
		if (c->state != ROS_CLIENT_GONE && !c->blocked)
			ros_client_send(c);
	}
}

/*
 * The worker sets the flag and then checks for host pages again. This thread returned pages before
 * and reads the flag now, so one of the two sees the other.
 */
static bool is_starving(struct ros_worker *w)
{
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load_explicit(&w->starving, memory_order_relaxed);
}

static void wake_workers(struct ros_server *s)
{
	unsigned int unit;

	for (unit = 0; unit < s->units; unit++) {
		struct ros_worker *w = &s->workers[unit];

		if (s->ordered[unit] || (s->returned[unit] && is_starving(w)))
			ros_worker_wake(w);
		s->ordered[unit] = false;
		s->returned[unit] = false;
	}
}

static void drop_slow(struct ros_server *s, struct ros_client *c)
{
	if (!c)
		return;
	ros_count_add(&s->counts.slow, 1);
	ros_client_drop(c);
}

/*
 * If a worker waits for host pages, copy replies of blocked clients aside and return their pages.
 */
static void spill(struct ros_server *s)
{
	struct ros_client *c, *next, *slow;
	unsigned int unit;

	s->starving = false;
	for (unit = 0; unit < s->units; unit++)
		s->starving |=
			atomic_load_explicit(&s->workers[unit].starving, memory_order_relaxed);
	if (!s->starving || s->now - s->spilled_at < SPILL_NS)
		return;
	s->spilled_at = s->now;
	drop_slow(s, ros_send_spill_partial(s));
	for (c = TAILQ_FIRST(&s->clients); c; c = next) {
		slow = NULL;
		if (c->state != ROS_CLIENT_GONE && c->blocked)
			slow = ros_send_spill(c);
		/* Drop another client now, so that there is space for this one in the next call. */
		if (slow != c)
			drop_slow(s, slow);
		next = TAILQ_NEXT(c, all);
		if (slow == c)
			drop_slow(s, slow);
	}
}

static void tick(struct ros_server *s)
{
	struct ros_client *c, *next;

	s->ticked = s->now;
	if (s->no_files)
		accept_again(s);
	for (c = TAILQ_FIRST(&s->clients); c; c = next) {
		next = TAILQ_NEXT(c, all);
		ros_client_tick(c);
	}
}

static void begin_drain(struct ros_server *s)
{
	struct ros_client *c, *next;
	unsigned int unit;

	s->draining = true;
	s->drain_until = s->now + s->set.drain_ns;
	stop_listening(s);
	for (unit = 0; unit < s->units; unit++)
		ros_worker_drain(&s->workers[unit]);
	for (c = TAILQ_FIRST(&s->clients); c; c = next) {
		next = TAILQ_NEXT(c, all);
		if (c->state == ROS_CLIENT_NEW)
			ros_client_finish(c);
	}
}

/* End the clients that have all their replies; after the drain time, end all. */
static void drain(struct ros_server *s)
{
	struct ros_client *c, *next;

	for (c = TAILQ_FIRST(&s->clients); c; c = next) {
		next = TAILQ_NEXT(c, all);
		if (s->now >= s->drain_until)
			ros_client_drop(c);
		else if (c->state == ROS_CLIENT_OPEN && !c->jobs && TAILQ_EMPTY(&c->out) &&
			 TAILQ_EMPTY(&c->sent))
			ros_client_finish(c);
	}
}

static void free_retired(struct ros_server *s)
{
	struct ros_client *c;

	while ((c = TAILQ_FIRST(&s->retired)))
		ros_client_free(c);
}

static void turn(struct ros_server *s)
{
	struct epoll_event events[EVENTS];
	int i, n, ms = (int)((s->starving ? SPILL_NS : TICK_NS) / NS_PER_MS);

	ros_bell_arm(&s->bell);
	if (results_there(s) || !TAILQ_EMPTY(&s->dirty))
		ms = 0;
	n = epoll_wait(s->epoll, events, EVENTS, ms);
	ros_bell_disarm(&s->bell);
	ros_count_add(&s->counts.polls, 1);
	ros_count_add(&s->counts.turns, 1);
	s->now = now_ns();
	for (i = 0; i < n; i++) {
		if (is_listener(s, events[i].data.ptr))
			accept_some(s, *(int *)events[i].data.ptr);
		else if (events[i].data.ptr != &s->bell)
			ros_client_event(events[i].data.ptr, events[i].events);
	}
	/* Wake the workers early, so that they work in parallel. */
	wake_workers(s);
	take_results(s);
	send_all(s);
	spill(s);
	wake_workers(s);
	if (!s->draining && atomic_load_explicit(&s->drain, memory_order_relaxed))
		begin_drain(s);
	if (s->now - s->ticked >= TICK_NS)
		tick(s);
	if (s->draining && atomic_load_explicit(&s->hurry, memory_order_relaxed) &&
	    s->drain_until > s->now)
		s->drain_until = s->now;
	if (s->draining)
		drain(s);
	free_retired(s);
}

/* A client whose jobs are with a worker is not freed, so wait for these jobs at most 1 s longer. */
static bool over(struct ros_server *s)
{
	return s->draining && (TAILQ_EMPTY(&s->clients) || s->now >= s->drain_until + NS_PER_S);
}

static void *serve(void *argument)
{
	struct ros_server *s = argument;

	while (!over(s))
		turn(s);
	atomic_store_explicit(&s->done, true, memory_order_release);
	return NULL;
}

int ros_server_start(struct ros_server *s)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&s->thread, NULL, serve, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return tool_fail("Cannot start a thread: %s.", strerror(err));
	s->started = true;
	return TOOL_OK;
}

void ros_server_drain(struct ros_server *s)
{
	atomic_store_explicit(&s->drain, true, memory_order_relaxed);
	ros_bell_ring(&s->bell);
}

void ros_server_hurry(struct ros_server *s)
{
	atomic_store_explicit(&s->hurry, true, memory_order_relaxed);
	ros_bell_ring(&s->bell);
}

bool ros_server_ended(struct ros_server *s)
{
	return atomic_load_explicit(&s->done, memory_order_acquire);
}

void ros_server_stop(struct ros_server *s)
{
	if (!s->started)
		return;
	ros_server_drain(s);
	pthread_join(s->thread, NULL);
	s->started = false;
}

/* Called after the workers have stopped: returns the host pages of clients. */
void ros_server_free(struct ros_server *s)
{
	struct ros_client *c;

	stop_listening(s);
	while ((c = TAILQ_FIRST(&s->clients))) {
		TAILQ_REMOVE(&s->clients, c, all);
		TAILQ_INSERT_TAIL(&s->retired, c, all);
	}
	free_retired(s);
	ros_bell_free(&s->bell);
	if (s->epoll >= 0)
		close(s->epoll);
}
