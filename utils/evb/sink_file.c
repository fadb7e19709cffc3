// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks of events in files: one MEP in one piece behind the other (Documentation/mep.md), written
 * by io_uring from where they were built. DIR/NAME-000000.mep, then -000001 and so on; what is
 * there already is never written to.
 *
 * A file that is over is synced by io_uring too, while the next one is written; only one at a time,
 * so a disk that cannot follow is seen as one: nothing is taken until it has.
 *
 * A file may come to an end that nobody told of (EFBIG). That costs what is on its way into it; the
 * next ones end in time.
 */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "text.h"
#include "utils/common/files.h"
#include "utils/common/tool.h"

#define DEPTH 64	 /* blocks on their way at most */
#define PIECES (1 << 14) /* of a block */
#define AT_ONCE 1024	 /* pieces of a write: the kernel takes no more */

struct values {
	char dir[EVB_TEXT_MAX];
	uint64_t size;
};

static const struct evb_key keys[] = {
	{.name = "dir", .type = EVB_KEY_TEXT, .offset = offsetof(struct values, dir), .bare = true},
	{.name = "size", .type = EVB_KEY_SIZE, .offset = offsetof(struct values, size)},
};

struct block {
	uint64_t handle, offset, bytes;
	unsigned char *head; /* its own head and table */
	size_t head_room;
	struct iovec *pieces;
	unsigned int count, room, at;
	uint64_t begin;	  /* in the file */
	uint64_t refused; /* see units_again() */
	bool over, well;
	struct roc_mep_shape {
		uint64_t events, fragments, data;
		uint32_t flags, missing;
	} shape;
};

struct file_sink {
	struct values v;
	char name[ROC_EVB_NAME];
	struct io_uring ring;
	bool have_ring;
	int fd;		       /* -1: none is open */
	int syncing;	       /* the one before, or in the end the last one; -1: none */
	bool synced;	       /* the last one is */
	uint64_t sync_refused; /* see units_again() */
	unsigned int number;
	unsigned int flying; /* blocks */
	unsigned int queued; /* of them, and the sync */
	uint64_t end;	     /* of what was handed out in the file */
	uint64_t limit;	     /* of a file, as far as one is known */
	bool too_long;	     /* a block did not fit, though it should have */
	bool too_long_said;
	struct block blocks[DEPTH];
	unsigned int free_list[DEPTH], free_count;
	unsigned int order[DEPTH], first, ordered; /* blocks as they lie in the file */
	bool hole;				   /* from that byte on nothing can be read */
	uint64_t hole_at;
	uint64_t handles[DEPTH];
	unsigned int done_count;
	bool full;
	struct evb_sink_books n;
	char why[UNITS_WHY];
};

static const char padding[ROC_MEP_ALIGN];

static int open_next(struct file_sink *s)
{
	char path[EVB_TEXT_MAX + ROC_EVB_NAME + 32];

	for (;; s->number++) {
		snprintf(path, sizeof(path), "%s/%s-%06u.mep", s->v.dir, s->name, s->number);
		s->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (s->fd >= 0 || errno != EEXIST)
			break;
	}
	if (s->fd < 0)
		return units_fail(s->why, errno, "%s cannot be written: %s.", path,
				  strerror(errno));
	s->number++;
	s->end = 0;
	s->n.files++;
	return 0;
}

static void queue_sync(struct file_sink *s, int fd)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&s->ring);

	io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
	io_uring_sqe_set_data(sqe, s);
	s->syncing = fd;
	s->queued++;
}

/* For good: there would be a hole in what was written. */
static int no_space(struct file_sink *s, int err)
{
	s->full = true;
	s->why[0] = '\0'; /* that of the file which could not be made */
	return units_fail(
		s->why, ENOSPC,
		"%s: %s. What comes now is not written: start the node anew when there is room.",
		s->v.dir, strerror(err));
}

/* What lies behind the hole is lost; what comes now begins there, if the file may have it. */
static int cut(struct file_sink *s)
{
	if (s->flying)
		return 0;
	if (ftruncate(s->fd, (off_t)s->hole_at))
		return units_fail(s->why, EIO, "%s cannot be cut: %s.", s->v.dir, strerror(errno));
	s->end = s->hole_at;
	s->hole = s->too_long = false;
	return 1;
}

/* The next file begins when nothing is on its way into this one. */
static int roll(struct file_sink *s)
{
	int old = s->fd, ret;

	if (s->flying || s->syncing >= 0)
		return 0;
	ret = open_next(s);
	if (ret) {
		s->fd = old;
		return ret == -ENOSPC || ret == -EDQUOT ? no_space(s, -ret) : -EIO;
	}
	queue_sync(s, old);
	return 1;
}

static int piece(struct file_sink *s, struct block *b, const void *data, size_t bytes)
{
	struct iovec *more;

	if (!bytes)
		return 0;
	if (b->count == b->room) {
		if (b->room == PIECES)
			return units_fail(s->why, E2BIG, "A block has more than %d pieces.",
					  PIECES);
		more = realloc(b->pieces, 2 * b->room * sizeof(*more));
		if (!more)
			return units_fail(s->why, ENOMEM, "There is no memory left.");
		b->pieces = more;
		b->room *= 2;
	}
	b->pieces[b->count++] =
		(struct iovec){.iov_base = (void *)(uintptr_t)data, .iov_len = bytes};
	return 0;
}

/* A MFP lies in the first bytes of its segments. */
static int pieces_of(struct file_sink *s, struct block *b, const struct roc_mep_source *source)
{
	uint64_t left = source->view.head.bytes;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < source->view.count && left && !ret; i++) {
		const struct iovec *segment = &source->view.segments[i];
		size_t n = segment->iov_len < left ? segment->iov_len : left;

		ret = piece(s, b, segment->iov_base, n);
		left -= n;
	}
	b->shape.fragments += source->view.head.count;
	/* So many at least. */
	if (source->view.head.count > b->shape.events)
		b->shape.events = source->view.head.count;
	b->shape.data += source->view.head.bytes - roc_mfp_data(source->view.head.count);
	return ret ? ret
		   : piece(s, b, padding,
			   roc_mep_padded(source->view.head.bytes) - source->view.head.bytes);
}

static int lay_out(struct file_sink *s, struct block *b, const struct roc_mep *mep)
{
	size_t head = ROC_MEP_HEAD + (size_t)mep->count * ROC_MEP_ENTRY;
	unsigned char *more;
	unsigned int i;
	int ret;

	if (head > b->head_room) {
		more = realloc(b->head, head);
		if (!more)
			return units_fail(s->why, ENOMEM, "There is no memory left.");
		b->head = more;
		b->head_room = head;
	}
	b->handle = mep->handle;
	b->count = b->at = 0;
	b->shape = (struct roc_mep_shape){.flags = mep->flags};
	b->bytes = roc_mep_bytes(mep);
	ret = piece(s, b, b->head, roc_mep_put(b->head, mep));
	for (i = 0; i < mep->count && !ret; i++) {
		b->shape.missing += mep->sources[i].state == ROC_MEP_MISSING;
		if (mep->sources[i].state == ROC_MEP_HERE)
			ret = pieces_of(s, b, &mep->sources[i]);
	}
	return ret;
}

static void queue(struct file_sink *s, struct block *b)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&s->ring);
	unsigned int n = b->count - b->at < AT_ONCE ? b->count - b->at : AT_ONCE;

	io_uring_prep_writev(sqe, s->fd, b->pieces + b->at, n, b->offset);
	io_uring_sqe_set_data(sqe, b);
	s->queued++;
}

static int put(void *self, const struct roc_mep *mep)
{
	struct file_sink *s = self;
	struct block *b;
	int ret;

	if (s->full)
		return -ENOSPC;
	if (!s->free_count)
		return 0;
	if (s->too_long) {
		ret = cut(s);
		if (ret <= 0)
			return ret;
	}
	if (s->end && s->end + roc_mep_bytes(mep) > s->limit) {
		ret = roll(s);
		if (ret <= 0)
			return ret;
	}
	b = &s->blocks[s->free_list[s->free_count - 1]];
	ret = lay_out(s, b, mep);
	if (ret)
		return ret;
	s->free_count--;
	b->offset = b->begin = s->end;
	b->over = false;
	s->end += b->bytes;
	s->order[(s->first + s->ordered++) % DEPTH] = (unsigned int)(b - s->blocks);
	s->flying++;
	queue(s, b);
	return 1;
}

static void add_up(struct file_sink *s, const struct block *b)
{
	s->n.blocks++;
	s->n.events += b->shape.events;
	s->n.fragments += b->shape.fragments;
	s->n.bytes += b->shape.data;
	s->n.incomplete += !!(b->shape.flags & ROC_MEP_INCOMPLETE);
	s->n.damaged += !!(b->shape.flags & ROC_MEP_DAMAGED);
	s->n.missing += b->shape.missing;
}

/*
 * A reader does not find what lies behind a block that could not be written. So blocks go back, and
 * are counted, in the order of the file: the sum is right also if a write never ends.
 */
static void finished(struct file_sink *s, struct block *b, bool well)
{
	s->flying--;
	b->over = true;
	b->well = well;
	while (s->ordered && s->blocks[s->order[s->first]].over) {
		struct block *first = &s->blocks[s->order[s->first]];

		if (!first->well && !s->hole) {
			s->hole = true;
			s->hole_at = first->begin;
		}
		if (s->hole)
			s->n.lost++;
		else
			add_up(s, first);
		s->handles[s->done_count++] = first->handle;
		s->free_list[s->free_count++] = s->order[s->first];
		s->first = (s->first + 1) % DEPTH;
		s->ordered--;
	}
}

/* The kernel writes up to the limit, and says so only then. */
static void be_too_long(struct file_sink *s, struct block *b)
{
	s->too_long = true;
	if (b->offset < s->limit)
		s->limit = b->offset;
	if (!s->too_long_said)
		tool_note(
			"A file in %s may not be longer, by ulimit -f or by its file system. Blocks that were on their way are lost, and each that is longer alone; the next files end in time.",
			s->v.dir);
	s->too_long_said = true;
	finished(s, b, false);
}

/* @written bytes of a block are there. */
static int written(struct file_sink *s, struct block *b, int ret)
{
	size_t left = ret > 0 ? (size_t)ret : 0;

	if ((ret == -EAGAIN || ret == -EINTR) && units_again(&b->refused)) {
		queue(s, b);
		return 0;
	}
	b->refused = 0;
	if (ret == -EFBIG) {
		be_too_long(s, b);
		return 0;
	}
	if (ret == -ENOSPC || ret == -EDQUOT) {
		/* What is whole up to there can be read; whoever reads sees where it ends. */
		no_space(s, -ret);
		finished(s, b, false);
		return 0;
	}
	if (ret <= 0) {
		finished(s, b, false);
		return units_fail(s->why, ret ? -ret : EIO, "%s cannot be written: %s.", s->v.dir,
				  strerror(ret ? -ret : EIO));
	}
	b->offset += left;
	while (left) {
		struct iovec *v = &b->pieces[b->at];
		size_t n = v->iov_len < left ? v->iov_len : left;

		v->iov_base = (char *)v->iov_base + n;
		v->iov_len -= n;
		left -= n;
		b->at += !v->iov_len;
	}
	if (b->at == b->count)
		finished(s, b, true);
	else
		queue(s, b);
	return 0;
}

static int sync_ended(struct file_sink *s, int ret)
{
	int fd = s->syncing;

	if ((ret == -EAGAIN || ret == -EINTR) && units_again(&s->sync_refused)) {
		queue_sync(s, fd);
		return 0;
	}
	s->sync_refused = 0;
	s->syncing = -1;
	if (fd == s->fd)
		s->synced = true;
	else
		close(fd);
	return ret ? units_fail(s->why, -ret, "%s cannot be written: %s.", s->v.dir, strerror(-ret))
		   : 0;
}

static int completed(struct file_sink *s, struct io_uring_cqe *cqe)
{
	void *what = io_uring_cqe_get_data(cqe);
	int ret = cqe->res;

	io_uring_cqe_seen(&s->ring, cqe);
	return what == s ? sync_ended(s, ret) : written(s, what, ret);
}

static int flush(void *self)
{
	struct file_sink *s = self;
	int ret;

	if (!s->queued)
		return 0;
	ret = io_uring_submit(&s->ring);
	if (ret < 0 && ret != -EAGAIN && ret != -EBUSY && ret != -EINTR)
		return units_fail(s->why, -ret, "The kernel takes no writes: %s.", strerror(-ret));
	if (ret > 0)
		s->queued -= (unsigned int)ret;
	return 0;
}

static int reap(struct file_sink *s)
{
	struct io_uring_cqe *cqe;
	int ret = 0;

	while (!ret && !io_uring_peek_cqe(&s->ring, &cqe))
		ret = completed(s, cqe);
	return ret ? ret : flush(s);
}

static int done(void *self, uint64_t *handles, unsigned int room)
{
	struct file_sink *s = self;
	unsigned int n;
	int ret = reap(s);

	if (ret)
		return ret;
	for (n = 0; n < room && s->done_count; n++)
		handles[n] = s->handles[--s->done_count];
	return (int)n;
}

/* Without a limit of time: who is told that it is done may cut the power. */
static int finish(void *self)
{
	struct file_sink *s = self;
	int ret = reap(s);

	if (ret || s->flying || s->syncing >= 0)
		return ret;
	if (s->fd < 0 || s->synced)
		return 1;
	queue_sync(s, s->fd);
	return flush(s);
}

/* What the kernel did not take is lost. It stays in the queue, which nobody submits any more. */
static void lose_queued(struct file_sink *s)
{
	units_fail(s->why, EAGAIN, "The kernel takes no writes: %s.", strerror(EAGAIN));
	s->queued = 0;
	if (s->syncing >= 0 && s->syncing != s->fd)
		close(s->syncing);
	s->syncing = -1;
	/* What lies first is never over. */
	while (s->ordered)
		finished(s, &s->blocks[s->order[s->first]], false);
}

/* The kernel reads our blocks until it says otherwise: wait for it, but only for what it has. */
static void abandon(void *self)
{
	uint64_t until = units_now() + UNITS_TAKE_NS;
	struct file_sink *s = self;
	struct io_uring_cqe *cqe;
	int ret;

	while (s->flying || s->syncing >= 0) {
		ret = flush(s);
		if (s->flying + (s->syncing >= 0) > s->queued) {
			/* A signal ends no write. */
			if (io_uring_wait_cqe(&s->ring, &cqe))
				continue;
			completed(s, cqe);
			until = units_now() + UNITS_TAKE_NS;
		} else if (ret || units_now() > until) {
			lose_queued(s);
		} else {
			nanosleep(&(struct timespec){.tv_nsec = UNITS_AGAIN_NS}, NULL);
		}
	}
}

static void idle(void *self, struct roc_idle *idle)
{
	struct file_sink *s = self;

	if (s->done_count)
		roc_idle_ns(idle, 0);
	else if (s->flying || s->syncing >= 0)
		roc_idle_fd(idle, s->ring.ring_fd, POLLIN);
}

static const char *why_of(void *self)
{
	return ((struct file_sink *)self)->why;
}

static void books(void *self, struct evb_sink_books *books)
{
	struct file_sink *s = self;

	*books = s->n;
	memcpy(books->wrong, s->why, sizeof(books->wrong));
}

static bool syncing(void *self)
{
	return ((struct file_sink *)self)->syncing >= 0;
}

static void close_sink(void *self)
{
	struct file_sink *s = self;
	unsigned int i;

	if (s->have_ring) {
		abandon(s);
		io_uring_queue_exit(&s->ring);
	}
	if (s->fd >= 0) {
		if (s->hole && ftruncate(s->fd, (off_t)s->hole_at))
			units_fail(s->why, errno, "%s cannot be cut.", s->v.dir);
		if (!s->synced && fdatasync(s->fd))
			units_fail(s->why, errno, "%s cannot be written: %s.", s->v.dir,
				   strerror(errno));
		close(s->fd);
	}
	for (i = 0; i < DEPTH; i++) {
		free(s->blocks[i].head);
		free(s->blocks[i].pieces);
	}
	free(s);
}

static const struct roc_evb_sink_ops ops = {
	.name = "file",
	.put = put,
	.flush = flush,
	.done = done,
	.finish = finish,
	.abandon = abandon,
	.idle = idle,
	.why = why_of,
};

/* Files are read in the order of their names: these come after all that are there. */
static int first_number(struct file_sink *s)
{
	static const char *const ends[] = {".mep", NULL};
	char name[NAME_MAX + 1];
	unsigned int last;
	int ret = numbered_last(s->v.dir, s->name, ends, name, &last);

	if (ret < 0)
		return units_fail(s->why, -ret, "%s cannot be read: %s.", s->v.dir, strerror(-ret));
	s->number = ret ? last + 1 : 0;
	return 0;
}

static int prepare(struct file_sink *s)
{
	struct rlimit limit;
	unsigned int i;
	int ret;

	if (!s->v.dir[0])
		return units_fail(s->why, EINVAL, "file: which folder? As in file:/data/run1.");
	if (mkdir(s->v.dir, 0777) && errno != EEXIST)
		return units_fail(s->why, errno, "%s cannot be made: %s.", s->v.dir,
				  strerror(errno));
	ret = first_number(s);
	if (ret)
		return ret;
	for (i = 0; i < DEPTH; i++) {
		s->blocks[i].room = 64;
		s->blocks[i].pieces = calloc(s->blocks[i].room, sizeof(struct iovec));
		if (!s->blocks[i].pieces)
			return units_fail(s->why, ENOMEM, "There is no memory left.");
		s->free_list[s->free_count++] = i;
	}
	ret = io_uring_queue_init(2 * DEPTH, &s->ring, 0);
	if (ret)
		return units_fail(
			s->why, -ret,
			"The kernel gives no io_uring: %s. See /proc/sys/kernel/io_uring_disabled.",
			strerror(-ret));
	s->have_ring = true;
	s->limit = s->v.size ? s->v.size : UINT64_MAX;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < s->limit)
		s->limit = limit.rlim_cur;
	return open_next(s);
}

int evb_sink_file(const char *values, const char *name, struct evb_sink *sink, char why[UNITS_WHY])
{
	struct file_sink *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return units_fail(why, ENOMEM, "There is no memory left.");
	s->fd = s->syncing = -1;
	s->v.size = UINT64_C(4) << 30;
	snprintf(s->name, sizeof(s->name), "%s", name);
	ret = evb_text_parse("file", values, keys, sizeof(keys) / sizeof(keys[0]), &s->v, s->why);
	if (!ret)
		ret = prepare(s);
	if (ret) {
		units_fail(why, -ret, "%s", s->why);
		close_sink(s);
		return ret;
	}
	*sink = (struct evb_sink){
		.ops = &ops, .self = s, .books = books, .syncing = syncing, .close = close_sink};
	return 0;
}
