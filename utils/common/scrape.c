// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Serve metrics on a Unix socket. See prometheus.h.
 */
#include "prometheus.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"
#include "libroc/fabric/base.h"
#include "tool.h"

#define CLIENTS 8
#define CLIENT_TIMEOUT_MS 1000 /* limit of a whole connection */
#define ACCEPT_RETRY_MS (ACCEPT_AGAIN_NS / (int)NS_PER_MS)
#define REQUEST_MAX 4096
#define HEAD_MAX 160

struct client {
	int fd; /* -1: unused */
	int64_t until;
	char request[REQUEST_MAX];
	size_t have;
	char *text; /* response; NULL: the request is not complete */
	size_t length, sent;
};

struct scrape {
	void (*print)(struct prometheus *p, void *what);
	void *what;
	struct sockaddr_un address;
	dev_t device; /* of the file at the socket's path, to recognize it when it is removed */
	ino_t inode;
	int listener, quit;
	bool no_files; /* out of descriptors: accept() is retried after a delay */
	pthread_t thread;
	struct client clients[CLIENTS];
};

static int64_t now_ms(void)
{
	return (int64_t)(now_ns() / NS_PER_MS);
}

static void disconnect(struct client *r)
{
	close(r->fd);
	free(r->text);
	r->fd = -1;
	r->text = NULL;
}

/* Make the response. False: out of memory. */
static bool make_response(struct scrape *s, struct client *r)
{
	const char *status = "200 OK";
	char *body = NULL, head[HEAD_MAX];
	size_t length = 0, used;
	FILE *out = open_memstream(&body, &length);
	struct prometheus p;

	if (!out)
		return false;
	prometheus_start(&p, out);
	if (!strncmp(r->request, "GET ", 4))
		s->print(&p, s->what);
	else
		status = "405 Method Not Allowed";
	if (fclose(out)) {
		free(body);
		return false;
	}
	used = (size_t)snprintf(head, sizeof(head),
				"HTTP/1.0 %s\r\n"
				"Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
				"Content-Length: %zu\r\n\r\n",
				status, length);
	r->text = malloc(used + length);
	if (r->text) {
		memcpy(r->text, head, used);
		memcpy(r->text + used, body, length);
		r->length = used + length;
		r->sent = 0;
	}
	free(body);
	return r->text;
}

/* Return true if the request is complete. */
static bool receive_request(struct client *r)
{
	ssize_t got =
		recv(r->fd, r->request + r->have, sizeof(r->request) - 1 - r->have, MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got <= 0) {
		disconnect(r);
		return false;
	}
	r->have += (size_t)got;
	r->request[r->have] = '\0';
	if (strstr(r->request, "\r\n\r\n") || strstr(r->request, "\n\n"))
		return true;
	if (r->have == sizeof(r->request) - 1)
		disconnect(r);
	return false;
}

static void send_response(struct client *r)
{
	ssize_t sent =
		send(r->fd, r->text + r->sent, r->length - r->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (sent < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (sent > 0)
		r->sent += (size_t)sent;
	if (sent < 0 || r->sent == r->length)
		disconnect(r);
}

static void serve(struct scrape *s, struct client *r)
{
	if (!r->text && receive_request(r) && !make_response(s, r))
		disconnect(r);
	if (r->text)
		send_response(r);
}

static struct client *free_client(struct scrape *s)
{
	unsigned int i;

	for (i = 0; i < CLIENTS; i++)
		if (s->clients[i].fd < 0)
			return &s->clients[i];
	return NULL;
}

static void accept_client(struct scrape *s)
{
	struct client *r = free_client(s);

	r->fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
	s->no_files = r->fd < 0 && accept_no_files(errno);
	r->until = now_ms() + CLIENT_TIMEOUT_MS;
	r->have = 0;
}

/* Disconnect clients whose time is over. Return the ms until the next timeout; -1: none. */
static int expire_clients(struct scrape *s)
{
	int64_t now = now_ms(), next = -1;
	unsigned int i;

	for (i = 0; i < CLIENTS; i++) {
		struct client *r = &s->clients[i];

		if (r->fd >= 0 && r->until <= now)
			disconnect(r);
		if (r->fd >= 0 && (next < 0 || r->until - now < next))
			next = r->until - now;
	}
	if (s->no_files && (next < 0 || next > ACCEPT_RETRY_MS))
		next = ACCEPT_RETRY_MS;
	return (int)next;
}

static void *work(void *argument)
{
	struct pollfd fd[CLIENTS + 2];
	struct scrape *s = argument;
	unsigned int i;

	for (;;) {
		int ms = expire_clients(s);
		bool accepting = free_client(s) && !s->no_files;

		fd[0] = (struct pollfd){.fd = s->quit, .events = POLLIN};
		/* Without a free slot, clients wait in the backlog. */
		fd[1] = (struct pollfd){.fd = accepting ? s->listener : -1, .events = POLLIN};
		for (i = 0; i < CLIENTS; i++)
			fd[2 + i] =
				(struct pollfd){.fd = s->clients[i].fd,
						.events = s->clients[i].text ? POLLOUT : POLLIN};
		if (poll(fd, CLIENTS + 2, ms) < 0)
			continue;
		if (fd[0].revents)
			return NULL;
		for (i = 0; i < CLIENTS; i++)
			if (fd[2 + i].fd >= 0 && fd[2 + i].revents)
				serve(s, &s->clients[i]);
		if (fd[1].revents || (s->no_files && free_client(s)))
			accept_client(s);
	}
}

/*
 * True if the path is a socket without a listener, as left by a killed program. Connecting to a
 * regular file is refused as well, but the file must stay.
 */
static bool is_stale(const struct sockaddr_un *a)
{
	struct stat st;
	bool stale;
	int fd;

	if (lstat(a->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	/* A listener with a full backlog fails with EAGAIN instead. */
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	stale = connect(fd, (const struct sockaddr *)a, sizeof(*a)) && errno == ECONNREFUSED;
	close(fd);
	return stale;
}

/* Return 0 or a positive errno. */
static int listen_at(struct scrape *s)
{
	const struct sockaddr *a = (struct sockaddr *)&s->address;
	struct stat st;
	int err;

	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->listener < 0)
		return errno;
	err = bind(s->listener, a, sizeof(s->address)) ? errno : 0;
	if (err == EADDRINUSE && is_stale(&s->address)) {
		unlink(s->address.sun_path);
		err = bind(s->listener, a, sizeof(s->address)) ? errno : 0;
	}
	if (err)
		goto err_close;
	/* Clients cannot connect before listen(), so chmod() comes first. */
	if (chmod(s->address.sun_path, 0666) || listen(s->listener, CLIENTS)) {
		err = errno;
		unlink(s->address.sun_path);
		goto err_close;
	}
	if (!lstat(s->address.sun_path, &st)) {
		s->device = st.st_dev;
		s->inode = st.st_ino;
	}
	return 0;

err_close:
	close(s->listener);
	return err;
}

static int begin(struct scrape *s)
{
	sigset_t all, before;
	int err;

	s->quit = eventfd(0, EFD_CLOEXEC);
	if (s->quit < 0)
		return errno;
	err = listen_at(s);
	if (err)
		goto err_quit;
	/* The main thread handles the signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&s->thread, NULL, work, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		return 0;
	unlink(s->address.sun_path);
	close(s->listener);
err_quit:
	close(s->quit);
	return err;
}

bool scrape_path_fits(const char *path)
{
	return strlen(path) < sizeof(((struct sockaddr_un *)NULL)->sun_path);
}

struct scrape *scrape_start(const char *path, void (*print)(struct prometheus *p, void *what),
			    void *what)
{
	struct scrape *s = calloc(1, sizeof(*s));
	unsigned int i;
	int err = ENOMEM;

	if (!s)
		goto err;
	s->print = print;
	s->what = what;
	for (i = 0; i < CLIENTS; i++)
		s->clients[i].fd = -1;
	s->address.sun_family = AF_UNIX;
	err = ENAMETOOLONG;
	if (!scrape_path_fits(path))
		goto err;
	strcpy(s->address.sun_path, path);
	err = begin(s);
	if (!err)
		return s;
err:
	free(s);
	tool_fail("Cannot create the metrics socket %s: %s.", path, strerror(err));
	return NULL;
}

void scrape_stop(struct scrape *s)
{
	struct stat st;
	unsigned int i;

	if (!s)
		return;
	eventfd_write(s->quit, 1);
	pthread_join(s->thread, NULL);
	/* Do not remove the socket of another program that has taken over the path. */
	if (!lstat(s->address.sun_path, &st) && st.st_dev == s->device && st.st_ino == s->inode)
		unlink(s->address.sun_path);
	for (i = 0; i < CLIENTS; i++)
		if (s->clients[i].fd >= 0)
			disconnect(&s->clients[i]);
	close(s->listener);
	close(s->quit);
	free(s);
}
