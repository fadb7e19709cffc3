// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sink shm: lend blocks of events to filter processes on this machine (roc/filter.h). Filters
 * map the memory where the blocks were built, and cannot write to it. A block goes to the filter
 * with the fewest blocks. If a filter exits, violates the protocol, or keeps a block for longer
 * than the hold time, its blocks are lent to other filters, three times at most.
 */
#include "sink.h"

#include <roc/filter.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "libroc/fabric/base.h"
#include "text.h"

#define FILTERS 16
#define BLOCKS 1024
#define TRIES 3
#define MESSAGE (128 << 10)
#define NO_FILTER FILTERS

struct values {
	char path[EVB_TEXT_MAX];
	uint64_t depth, hold;
	bool pass;
};

static const struct evb_key keys[] = {
	{.name = "path",
	 .type = EVB_KEY_TEXT,
	 .offset = offsetof(struct values, path),
	 .bare = true},
	{.name = "depth",
	 .type = EVB_KEY_SIZE,
	 .offset = offsetof(struct values, depth),
	 .min = 1,
	 .max = ROC_FILTER_DEPTH_MAX},
	{.name = "hold", .type = EVB_KEY_TIME, .offset = offsetof(struct values, hold)},
	{.name = "pass", .type = EVB_KEY_FLAG, .offset = offsetof(struct values, pass)},
};

/* A block that the sink has accepted. */
struct lent {
	const struct roc_mep *mep; /* NULL: the entry is free */
	unsigned int filter;	   /* NO_FILTER: the block waits */
	unsigned int tries;
	uint32_t times; /* times that the entry was used: upper half of the handle */
	uint64_t since; /* units_now() when it was lent */
};

struct filter {
	int fd; /* -1: the entry is free */
	unsigned int out;
	bool full; /* the socket accepts no more data now */
};

struct shm {
	struct values v;
	int listener, memory;
	bool no_files; /* no file descriptor is free for a waiting connection */
	char *base;
	size_t length;
	struct filter filters[FILTERS];
	struct lent lent[BLOCKS];
	unsigned int accepted, waiting;
	uint64_t done[BLOCKS];
	unsigned int done_count;
	unsigned char *message;
	uint64_t ages_checked; /* units_now() of the last check of the hold time */
	dev_t device;	       /* identity of our socket in the file system: */
	ino_t inode;	       /* another process may have replaced the file */
	struct evb_sink_counters n;
	char reason[UNITS_REASON];
};

/* A filter must not be able to write to the memory, or to truncate it. */
static int memory(void *self, int fd, void *base, size_t length)
{
	const int needed = F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
	struct shm *s = self;
	char path[64];
	int seals;

	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & needed) != needed)
		return units_fail(
			s->reason, EPERM,
			"shm: the memory of blocks is not sealed, so filters could write to it: no block is lent.");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	s->memory = open(path, O_RDONLY | O_CLOEXEC);
	if (s->memory < 0)
		return units_fail(
			s->reason, errno,
			"shm: the memory of blocks cannot be opened read-only: %s: check that /proc is mounted.",
			strerror(errno));
	s->base = base;
	s->length = length;
	return 0;
}

static void finished(struct shm *s, struct lent *l)
{
	s->done[s->done_count++] = l->mep->handle;
	l->mep = NULL;
	s->accepted--;
}

static void disconnect_filter(struct shm *s, unsigned int filter)
{
	unsigned int i;

	close(s->filters[filter].fd);
	s->filters[filter] = (struct filter){.fd = -1};
	for (i = 0; i < BLOCKS; i++) {
		struct lent *l = &s->lent[i];

		if (!l->mep || l->filter != filter)
			continue;
		l->filter = NO_FILTER;
		if (l->tries < TRIES) {
			s->waiting++;
			continue;
		}
		s->n.lost++;
		finished(s, l);
	}
}

static bool hello(struct shm *s, int fd)
{
	struct roc_filter_hello h = {.magic = ROC_FILTER_MAGIC,
				     .length = s->length,
				     .depth = (uint32_t)s->v.depth,
				     .message = MESSAGE};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS}};
	struct iovec v = {.iov_base = &h, .iov_len = sizeof(h)};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.head), &s->memory, sizeof(int));
	return sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(h);
}

static void accept_filters(struct shm *s)
{
	unsigned int i;
	int fd;

	/* Until memory() was called, filters wait in the queue of the socket. */
	while (s->memory >= 0) {
		fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		s->no_files = fd < 0 && accept_no_files(errno);
		if (fd < 0)
			return;
		for (i = 0; i < FILTERS && s->filters[i].fd >= 0; i++)
			;
		if (i == FILTERS || !hello(s, fd)) {
			close(fd);
			continue;
		}
		s->filters[i] = (struct filter){.fd = fd};
	}
}

/* Receive returned blocks. A filter that sends an invalid message is disconnected. */
static void receive_returns(struct shm *s, unsigned int filter)
{
	struct roc_filter_return r;
	struct lent *l;
	ssize_t n;

	while (s->filters[filter].fd >= 0) {
		n = recv(s->filters[filter].fd, &r, sizeof(r), MSG_DONTWAIT | MSG_TRUNC);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		l = &s->lent[n == sizeof(r) ? (uint32_t)r.handle % BLOCKS : 0];
		if (n != sizeof(r) || (uint32_t)r.handle >= BLOCKS || !l->mep ||
		    l->filter != filter || l->times != r.handle >> 32) {
			disconnect_filter(s, filter);
			return;
		}
		s->filters[filter].out--;
		s->n.accepted += r.accepted < l->mep->events ? r.accepted : l->mep->events;
		finished(s, l);
	}
}

/* Disconnect filters that keep a block for longer than the hold time: they are stopped or hang. */
static void expire(struct shm *s)
{
	uint64_t now = units_now();
	unsigned int i;

	if (!s->v.hold || now - s->ages_checked < s->v.hold / 8)
		return;
	s->ages_checked = now;
	for (i = 0; i < BLOCKS; i++) {
		if (s->lent[i].mep && s->lent[i].filter != NO_FILTER &&
		    now - s->lent[i].since > s->v.hold)
			disconnect_filter(s, s->lent[i].filter);
	}
}

static void poll_filters(struct shm *s)
{
	unsigned int i;

	accept_filters(s);
	for (i = 0; i < FILTERS; i++) {
		s->filters[i].full = false;
		receive_returns(s, i);
	}
	expire(s);
}

/* Compose the message for a block: its bytes, or 0 if it exceeds MESSAGE. */
static size_t encode(struct shm *s, const struct lent *l)
{
	const struct roc_mep *mep = l->mep;
	struct roc_filter_block b = {
		.handle = (uint64_t)l->times << 32 | (uint32_t)(l - s->lent),
		.block = mep->block,
		.first_event = mep->first_event,
		.time = mep->time,
		.events = mep->events,
		.epoch = mep->epoch,
		.flags = mep->flags,
		.count = mep->count,
	};
	struct roc_filter_source *to = (void *)(s->message + sizeof(b));
	struct roc_filter_segment *segment;
	unsigned int i, k;

	for (i = 0; i < mep->count; i++)
		b.segments +=
			mep->sources[i].state == ROC_MEP_HERE ? mep->sources[i].view.count : 0;
	if (sizeof(b) + b.count * sizeof(*to) + b.segments * sizeof(*segment) > MESSAGE)
		return 0;
	segment = (void *)(to + b.count);
	for (i = 0; i < mep->count; i++, to++) {
		const struct roc_mep_source *source = &mep->sources[i];

		*to = (struct roc_filter_source){.state = source->state};
		memcpy(to->name, source->name, sizeof(to->name));
		if (source->state != ROC_MEP_HERE)
			continue;
		to->segments = source->view.count;
		for (k = 0; k < source->view.count; k++, segment++) {
			const struct iovec *v = &source->view.segments[k];

			*segment = (struct roc_filter_segment){
				.offset = (uint64_t)((char *)v->iov_base - s->base),
				.bytes = v->iov_len};
		}
	}
	memcpy(s->message, &b, sizeof(b));
	return (size_t)((unsigned char *)segment - s->message);
}

/* The filter with the fewest blocks. NO_FILTER: all have @depth blocks, or there is no filter. */
static unsigned int choose(const struct shm *s)
{
	unsigned int best = NO_FILTER, i;

	for (i = 0; i < FILTERS; i++) {
		if (s->filters[i].fd >= 0 && !s->filters[i].full &&
		    s->filters[i].out < s->v.depth &&
		    (best == NO_FILTER || s->filters[i].out < s->filters[best].out))
			best = i;
	}
	return best;
}

/* Lend a block: 1 done; 0 not possible now; -EMSGSIZE. */
static int lend(struct shm *s, struct lent *l)
{
	size_t bytes = encode(s, l);
	unsigned int filter;
	ssize_t sent;

	if (!bytes)
		return units_fail(
			s->reason, EMSGSIZE,
			"shm: a block has more segments than fit into a message of %d bytes for a filter: use fewer events in a block, or larger segments.",
			MESSAGE);
	while ((filter = choose(s)) != NO_FILTER) {
		sent = send(s->filters[filter].fd, s->message, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent == (ssize_t)bytes)
			break;
		if (sent < 0 && (errno == EAGAIN || errno == EINTR))
			s->filters[filter].full = true;
		else
			disconnect_filter(s, filter);
	}
	if (filter == NO_FILTER)
		return 0;
	l->filter = filter;
	l->tries++;
	l->since = units_now();
	s->n.again += l->tries > 1;
	s->filters[filter].out++;
	return 1;
}

static bool no_filters(const struct shm *s)
{
	unsigned int i;

	for (i = 0; i < FILTERS && s->filters[i].fd < 0; i++)
		;
	return i == FILTERS;
}

static void pass_waiting(struct shm *s)
{
	unsigned int i;

	for (i = 0; i < BLOCKS && s->waiting; i++) {
		if (!s->lent[i].mep || s->lent[i].filter != NO_FILTER)
			continue;
		s->n.unknown++;
		finished(s, &s->lent[i]);
		s->waiting--;
	}
}

static int lend_waiting(struct shm *s)
{
	unsigned int i;
	int ret;

	for (i = 0; i < BLOCKS && s->waiting; i++) {
		if (!s->lent[i].mep || s->lent[i].filter != NO_FILTER)
			continue;
		ret = lend(s, &s->lent[i]);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
		s->waiting--;
	}
	/* Blocks that the last filter left must not block those that pass without a filter. */
	if (s->v.pass && no_filters(s))
		pass_waiting(s);
	return 0;
}

static void count(struct shm *s, const struct roc_mep *mep)
{
	unsigned int i, events = 0;

	s->n.blocks++;
	s->n.incomplete += !!(mep->flags & ROC_MEP_INCOMPLETE);
	s->n.damaged += !!(mep->flags & ROC_MEP_DAMAGED);
	for (i = 0; i < mep->count; i++) {
		const struct roc_mfp *head = &mep->sources[i].view.head;

		s->n.missing += mep->sources[i].state == ROC_MEP_MISSING;
		if (mep->sources[i].state != ROC_MEP_HERE)
			continue;
		events = head->count > events ? head->count : events;
		s->n.fragments += head->count;
		s->n.bytes += head->bytes - roc_mfp_data(head->count);
	}
	s->n.events += events;
}

static int put(void *self, const struct roc_mep *mep)
{
	struct shm *s = self;
	unsigned int i;
	struct lent *l;
	int ret;

	poll_filters(s);
	ret = lend_waiting(s);
	if (ret)
		return ret;
	if (s->waiting || s->done_count + s->accepted >= BLOCKS)
		return 0;
	for (i = 0; i < BLOCKS && s->lent[i].mep; i++)
		;
	if (i == BLOCKS)
		return 0;
	l = &s->lent[i];
	*l = (struct lent){.mep = mep, .filter = NO_FILTER, .times = l->times + 1};
	ret = lend(s, l);
	if (ret <= 0) {
		l->mep = NULL;
		if (ret || !s->v.pass || !no_filters(s))
			return ret;
		s->n.unknown++;
		s->done[s->done_count++] = mep->handle;
		count(s, mep);
		return 1;
	}
	s->accepted++;
	count(s, mep);
	return 1;
}

static int done(void *self, uint64_t *handles, unsigned int room)
{
	struct shm *s = self;
	unsigned int n;
	int ret;

	poll_filters(s);
	ret = lend_waiting(s);
	if (ret)
		return ret;
	for (n = 0; n < room && s->done_count; n++)
		handles[n] = s->done[--s->done_count];
	return (int)n;
}

static void abandon(void *self)
{
	struct shm *s = self;
	unsigned int i;

	for (i = 0; i < FILTERS; i++) {
		if (s->filters[i].fd >= 0)
			disconnect_filter(s, i);
	}
	for (i = 0; i < BLOCKS; i++) {
		if (!s->lent[i].mep)
			continue;
		s->n.lost++;
		finished(s, &s->lent[i]);
	}
	s->waiting = 0;
}

static void idle(void *self, struct roc_idle *idle)
{
	struct shm *s = self;
	unsigned int i;

	if (s->done_count)
		roc_idle_ns(idle, 0);
	if (s->accepted && s->v.hold)
		roc_idle_ns(idle, s->v.hold / 8 + 1);
	if (s->no_files)
		roc_idle_ns(idle, ACCEPT_AGAIN_NS);
	else if (s->memory >= 0)
		roc_idle_fd(idle, s->listener, POLLIN);
	for (i = 0; i < FILTERS; i++) {
		if (s->filters[i].fd >= 0)
			roc_idle_fd(idle, s->filters[i].fd, POLLIN);
	}
}

static const char *reason_of(void *self)
{
	return ((struct shm *)self)->reason;
}

static void counters(void *self, struct evb_sink_counters *counters)
{
	*counters = ((struct shm *)self)->n;
}

static void close_sink(void *self)
{
	struct shm *s = self;
	struct stat st;
	unsigned int i;

	for (i = 0; i < FILTERS; i++) {
		if (s->filters[i].fd >= 0)
			close(s->filters[i].fd);
	}
	if (s->listener >= 0) {
		close(s->listener);
		if (!lstat(s->v.path, &st) && st.st_dev == s->device && st.st_ino == s->inode)
			unlink(s->v.path);
	}
	if (s->memory >= 0)
		close(s->memory);
	free(s->message);
	free(s);
}

static const struct roc_evb_sink_ops ops = {
	.name = "shm",
	.memory = memory,
	.put = put,
	.done = done,
	.abandon = abandon,
	.idle = idle,
	.reason = reason_of,
};

/*
 * Whether the path is a socket without a listener, which a killed process left. Other files are not
 * touched.
 */
static bool stale(const struct sockaddr_un *at)
{
	struct stat st;
	bool refused;
	int fd;

	if (lstat(at->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	/* A live listener with a full queue returns EAGAIN instead of ECONNREFUSED. */
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	refused = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof(*at)) &&
		  errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return refused;
}

static int listen_at(struct shm *s)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct stat st;
	int fd;

	if (!s->v.path[0] || strlen(s->v.path) >= sizeof(at.sun_path))
		return units_fail(
			s->reason, EINVAL,
			"shm: set the path of a socket with less than %zu characters, as in shm:/run/roc/events.",
			sizeof(at.sun_path));
	strcpy(at.sun_path, s->v.path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return units_fail(s->reason, errno, "shm: cannot create a socket: %s.",
				  strerror(errno));
	if (stale(&at))
		unlink(s->v.path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, FILTERS)) {
		units_fail(s->reason, errno, "shm: cannot listen at %s: %s.", s->v.path,
			   strerror(errno));
		close(fd);
		return -EADDRINUSE;
	}
	s->listener = fd;
	if (!lstat(s->v.path, &st)) {
		s->device = st.st_dev;
		s->inode = st.st_ino;
	}
	return 0;
}

int evb_sink_shm(const char *values, const char *name, struct evb_sink *sink,
		 char reason[UNITS_REASON])
{
	struct shm *s = calloc(1, sizeof(*s));
	unsigned int i;
	int ret;

	if (!s)
		return units_fail(reason, ENOMEM, "Cannot allocate the state of the sink shm.");
	s->listener = s->memory = -1;
	s->v.depth = 8;
	s->v.hold = 10 * UNITS_NS_PER_S;
	for (i = 0; i < FILTERS; i++)
		s->filters[i].fd = -1;
	s->message = malloc(MESSAGE);
	ret = s->message
		      ? evb_text_parse("shm", values, keys, sizeof(keys) / sizeof(keys[0]), &s->v,
				       s->reason)
		      : units_fail(s->reason, ENOMEM,
				   "Cannot allocate the message buffer of the sink shm (%d bytes).",
				   MESSAGE);
	if (!ret)
		ret = listen_at(s);
	if (ret) {
		units_fail(reason, -ret, "%s", s->reason);
		close_sink(s);
		return ret;
	}
	*sink = (struct evb_sink){
		.ops = &ops, .self = s, .counters = counters, .close = close_sink};
	return 0;
}
