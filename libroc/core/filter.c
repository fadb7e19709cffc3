// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Connect a filter process to a builder and receive blocks in the builder's memory. The builder is
 * another program, so everything that it sends is checked before use.
 */
#include <roc/filter.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "libroc.h"

#define HELLO_MS 10000
#define MESSAGE_MAX (1 << 22)
#define SEGMENTS_MAX (1 << 17)

/* A block that the caller has not returned yet, if @out. */
struct taken {
	struct roc_mep mep;
	struct roc_mep_source *sources;
	struct iovec *segments;
	unsigned int source_space, segment_space;
	bool out;
};

struct roc_filter {
	int fd;
	char *memory;
	uint64_t length;
	unsigned char *message;
	uint32_t message_size, depth;
	/* bytes of a received message that could not be decoded for lack of memory; 0: none */
	size_t waiting;
	bool failed; /* the builder sent an invalid message */
	struct taken taken[ROC_FILTER_DEPTH_MAX];
};

static int fail_signal(void)
{
	roc_fail(EINTR, "a signal ended the wait for the builder: open the filter again");
	return -EINTR;
}

static int fail_time(void)
{
	roc_fail(ETIME, "the builder did not answer within 10 s: check that it runs");
	return -ETIME;
}

/*
 * If the backlog of the socket is full, connect() waits until the builder accepts a connection:
 * limit this wait, too.
 */
static int connect_within(int fd, const struct sockaddr_un *to)
{
	struct timeval none = {0}, most = {.tv_sec = HELLO_MS / 1000};

	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) ||
	    connect(fd, (const struct sockaddr *)to, sizeof(*to)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof(none)))
		return -errno;
	return 0;
}

/* Return a connected socket or -errno. */
static int connect_to(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd, ret;

	if (strlen(path) >= sizeof(to.sun_path))
		return roc_fail(
			ENAMETOOLONG,
			"%s: the name of the socket is too long: use at most %zu characters", path,
			sizeof(to.sun_path) - 1);
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return roc_fail(errno, "cannot create a socket: %s", strerror(errno));
	ret = connect_within(fd, &to);
	if (!ret)
		return fd;
	close(fd);
	switch (ret) {
	case -EAGAIN:
		return fail_time();
	case -EINTR:
		return fail_signal();
	default:
		return roc_fail(-ret, "cannot connect to a builder at %s: %s", path,
				strerror(-ret));
	}
}

/*
 * Return the descriptor of a message; -1 if there is none. If there are several, close all of them.
 */
static int descriptor(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	size_t n, i;
	int fd;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return -1;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(fd);
	for (i = 0; i < n; i++) {
		memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
		if (n == 1)
			return fd;
		close(fd);
	}
	return -1;
}

/*
 * Receive the hello; return its descriptor or -errno. @until: deadline on the clock of libroc_now()
 */
static int read_hello(struct roc_filter *f, struct roc_filter_hello *hello, uint64_t until)
{
	union {
		struct cmsghdr head;
		char control[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec v = {.iov_base = hello, .iov_len = sizeof(*hello)};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	struct pollfd p = {.fd = f->fd, .events = POLLIN};
	uint64_t now = libroc_now();
	int fd = -1;
	ssize_t n;

	n = poll(&p, 1, now < until ? (int)((until - now) / 1000000) : 0);
	if (n < 0 && errno == EINTR)
		return fail_signal();
	if (n <= 0)
		return fail_time();
	n = recvmsg(f->fd, &m, MSG_CMSG_CLOEXEC);
	if (n >= 0)
		fd = descriptor(&m);
	if (n != sizeof(*hello) || hello->magic != ROC_FILTER_MAGIC || fd < 0 || !hello->length ||
	    !hello->depth || hello->depth > ROC_FILTER_DEPTH_MAX ||
	    hello->message < sizeof(struct roc_filter_block) || hello->message > MESSAGE_MAX) {
		if (fd >= 0)
			close(fd);
		roc_fail(
			EPROTO,
			"the peer is not a builder, or a builder of another version: check the path and both versions");
		return -EPROTO;
	}
	return fd;
}

static int map(struct roc_filter *f, const struct roc_filter_hello *hello, int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	void *memory;

	if (seals < 0 || !(seals & F_SEAL_SHRINK))
		return roc_fail(
			EPROTO,
			"the builder's memory is not sealed against shrinking: use builder and filter of the same version");
	if (fstat(fd, &st) || (uint64_t)st.st_size < hello->length)
		return roc_fail(
			EPROTO,
			"the builder's memory is smaller than its hello states: use builder and filter of the same version");
	memory = mmap(NULL, hello->length, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return roc_fail(ENOMEM, "cannot map the builder's memory: %s", strerror(errno));
	f->memory = memory;
	f->length = hello->length;
	f->depth = hello->depth;
	f->message_size = hello->message;
	f->message = malloc(hello->message);
	return f->message ? 0 : roc_fail(ENOMEM, "cannot allocate the message buffer");
}

int roc_filter_open(const char *path, struct roc_filter **filter)
{
	struct roc_filter *f = calloc(1, sizeof(*f));
	struct roc_filter_hello hello;
	uint64_t until = libroc_deadline(HELLO_MS);
	int fd, saved = errno, ret;

	if (!f) {
		errno = saved;
		return roc_fail(ENOMEM, "cannot allocate the handle of a filter");
	}
	f->fd = connect_to(path);
	fd = f->fd < 0 ? f->fd : read_hello(f, &hello, until);
	ret = fd < 0 ? fd : map(f, &hello, fd);
	if (fd >= 0)
		close(fd);
	if (ret)
		roc_filter_close(f);
	else
		*filter = f;
	errno = saved;
	return ret;
}

int roc_filter_fd(const struct roc_filter *f)
{
	return f->fd;
}

static int reserve(struct taken *t, unsigned int sources, unsigned int segments)
{
	if (sources > t->source_space) {
		free(t->sources);
		t->sources = calloc(sources, sizeof(*t->sources));
		t->source_space = t->sources ? sources : 0;
	}
	if (segments > t->segment_space) {
		free(t->segments);
		t->segments = calloc(segments, sizeof(*t->segments));
		t->segment_space = t->segments ? segments : 0;
	}
	return t->source_space >= sources && t->segment_space >= segments
		       ? 0
		       : roc_fail(
				 ENOMEM,
				 "cannot allocate the tables for a block of %u segments: free memory and call again",
				 segments);
}

static bool segments_good(const struct roc_filter *f, struct taken *t,
			  const struct roc_filter_segment *from, unsigned int count)
{
	struct roc_filter_segment s;
	unsigned int i;

	for (i = 0; i < count; i++) {
		memcpy(&s, &from[i], sizeof(s));
		if (s.offset > f->length || s.bytes > f->length - s.offset)
			return false;
		t->segments[i] =
			(struct iovec){.iov_base = f->memory + s.offset, .iov_len = s.bytes};
	}
	return true;
}

static bool sources_good(struct taken *t, const struct roc_filter_source *from, unsigned int count,
			 unsigned int segments)
{
	unsigned int i, at = 0;

	for (i = 0; i < count; i++) {
		struct roc_mep_source *to = &t->sources[i];

		if (from[i].segments > segments - at || from[i].state > ROC_MEP_MISSING ||
		    !memchr(from[i].name, 0, sizeof(from[i].name)))
			return false;
		*to = (struct roc_mep_source){.state = from[i].state};
		strcpy(to->name, from[i].name);
		if (to->state == ROC_MEP_HERE &&
		    (roc_mfp_open(&to->view, t->segments + at, from[i].segments) ||
		     !libroc_mfp_of_block(&to->view.head, &t->mep)))
			return false;
		at += from[i].segments;
	}
	return at == segments;
}

static int decode(const struct roc_filter *f, struct taken *t, size_t bytes)
{
	const struct roc_filter_source *sources =
		(const void *)(f->message + sizeof(struct roc_filter_block));
	struct roc_filter_block b;
	int ret;

	if (bytes < sizeof(b))
		return -EBADMSG;
	memcpy(&b, f->message, sizeof(b));
	if (b.count > ROC_MEP_SOURCES_MAX || b.segments > SEGMENTS_MAX ||
	    bytes != sizeof(b) + b.count * sizeof(struct roc_filter_source) +
			     b.segments * sizeof(struct roc_filter_segment))
		return -EBADMSG;
	ret = reserve(t, b.count, b.segments);
	if (ret)
		return ret;
	t->mep = (struct roc_mep){
		.block = b.block,
		.first_event = b.first_event,
		.handle = b.handle,
		.time = b.time,
		.events = b.events,
		.epoch = b.epoch,
		.flags = b.flags,
		.count = b.count,
		.sources = t->sources,
	};
	if (!segments_good(f, t, (const void *)(sources + b.count), b.segments) ||
	    !sources_good(t, sources, b.count, b.segments))
		return -EBADMSG;
	return 0;
}

/* Receive the next message. Return 1; 0 if there is none; -ENODATA. */
static int receive(struct roc_filter *f)
{
	ssize_t n;

	if (f->waiting)
		return 1;
	n = recv(f->fd, f->message, f->message_size, MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return roc_fail(ENODATA, "the builder has closed the connection");
	f->waiting = (size_t)n;
	return 1;
}

static int take(struct roc_filter *f, const struct roc_mep **mep)
{
	struct taken *t = NULL;
	unsigned int i;
	int ret;

	/* Further messages may already have been on their way when the invalid one was detected. */
	if (f->failed)
		return roc_fail(
			ENODATA,
			"the builder sent an invalid message and the connection was closed: open the filter again");
	for (i = 0; i < f->depth && !t; i++)
		t = f->taken[i].out ? NULL : &f->taken[i];
	if (!t)
		return 0;
	ret = receive(f);
	if (ret <= 0)
		return ret;
	ret = f->waiting <= f->message_size ? decode(f, t, f->waiting) : -EBADMSG;
	if (ret == -EBADMSG) {
		f->failed = true;
		shutdown(f->fd, SHUT_RDWR);
		return roc_fail(EBADMSG,
				"the builder sent an invalid message instead of a block of events");
	}
	if (ret)
		return ret;
	f->waiting = 0;
	t->out = true;
	*mep = &t->mep;
	return 1;
}

int roc_filter_take(struct roc_filter *f, const struct roc_mep **mep)
{
	int saved = errno, ret = take(f, mep);

	errno = saved;
	return ret;
}

int roc_filter_return(struct roc_filter *f, const struct roc_mep *mep, uint64_t accepted)
{
	struct roc_filter_return r = {.handle = mep->handle, .accepted = accepted};
	int saved = errno;
	unsigned int i;
	ssize_t n;

	for (i = 0; i < f->depth && &f->taken[i].mep != mep; i++)
		;
	if (i == f->depth || !f->taken[i].out)
		return roc_fail(EINVAL, "the block is not lent: return each block once");
	f->taken[i].out = false;
	/* This does not block: the socket has space for one such message per lent block. */
	do
		n = send(f->fd, &r, sizeof(r), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	errno = saved;
	return n == sizeof(r) ? 0 : roc_fail(ENODATA, "the builder has closed the connection");
}

void roc_filter_close(struct roc_filter *f)
{
	unsigned int i;

	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	if (f->memory)
		munmap(f->memory, f->length);
	for (i = 0; i < ROC_FILTER_DEPTH_MAX; i++) {
		free(f->taken[i].sources);
		free(f->taken[i].segments);
	}
	free(f->message);
	free(f);
}
