// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The writer: units go to the disk by io_uring, from where they lie. A unit need not begin where
 * direct I/O may begin; what is around it up to there is written with it, and the index says where
 * it starts. A batch is handed to the kernel with one call; what is finished is seen without any.
 *
 * Writes end in any order. The index has the units in the order in which they came, and a unit goes
 * back when its entry is there (commit.h).
 *
 * A file that is over is synced by io_uring too, while the next one is written: whoever waited for
 * a disk here could not tell the other side that it lives. Only one is being ended at a time, so a
 * disk that cannot follow is seen as one: nothing is taken until it has.
 */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commit.h"
#include "crc32c.h"
#include "file_io.h"
#include "utils/units/sink_apart.h"

/* Units beyond the depth that are written and wait for their commit: a sync takes its time. */
#define WAITING 1024

enum state {
	FLYING,
	WRITTEN,
	FAILED,
	COMMITTING,
	COMMITTED, /* its entry is in the index */
	RETURNED,
};

struct write {
	enum state state;
	struct recording_file *file;
	struct recording_entry entry;
	uint64_t handle;
	char *from;	/* where direct I/O begins */
	uint64_t place; /* of that in the file */
	uint64_t length, done;
	uint64_t refused; /* see units_again() */
	int buffer;	  /* registered one that has all of it, -1 */
};

struct record {
	struct sink sink;
	struct record_options opt;
	struct recording_set set;
	struct io_uring ring;
	bool have_ring;
	struct pinned pinned;
	struct recording_file *file;
	struct recording_file *before; /* nothing new goes there: it is being ended */
	int syncing;		       /* descriptor, -1: none */
	uint64_t sync_refused;	       /* see units_again() */
	struct write *writes;	       /* a ring */
	unsigned int room;	       /* of the ring */
	uint64_t head, tail;
	uint64_t next; /* unit that no commit and no failure has reached */
	struct commit commit;
	uint64_t commit_from;	     /* its first unit; its last is before next */
	unsigned int writing;	     /* writes on their way */
	unsigned int flying, queued; /* these, the sync and the commit */
	bool kick;		     /* a commit waits for nothing but its submission */
	bool full;
	bool failed;
	bool index_failed; /* no entry can follow */
};

static struct record *of(struct sink *s)
{
	return (struct record *)s;
}

/* No limit of time counts while a disk syncs. */
static void note_syncs(struct record *r)
{
	r->sink.syncing = r->syncing >= 0 || commit_syncs(&r->commit);
}

static struct write *at(struct record *r, uint64_t n)
{
	return &r->writes[n % r->room];
}

/* The disk is, or a file may not be longer: nothing new is taken. */
static int be_full(struct record *r, int err)
{
	r->full = true;
	if (err == -EFBIG)
		return units_fail(
			r->sink.why, ENOSPC,
			"A file in %s may not be longer, by ulimit -f or by its file system: give a smaller --file-size. Nothing more is taken, and what was written is in order.",
			r->opt.dir);
	return units_fail(r->sink.why, ENOSPC,
			  "%s is full: nothing more is taken, and what was written is in order.",
			  r->opt.dir);
}

static int new_file(struct record *r)
{
	struct recording_file *f = calloc(1, sizeof(*f));
	char why[UNITS_WHY] = "";
	int ret;

	if (!f)
		return units_fail(r->sink.why, ENOMEM, "There is no memory left.");
	ret = recording_file_begin(&r->set, f, why);
	if (ret) {
		free(f);
		/* Before the first one somebody wants to know which. */
		if (r->sink.n.files && recording_no_space(ret))
			return be_full(r, ret);
		return units_fail(r->sink.why, -ret, "%s", why);
	}
	r->file = f;
	r->sink.n.files++;
	return 0;
}

static void drop(struct record *r, struct recording_file *f)
{
	if (!f->entries && f->number)
		r->sink.n.files--;
	free(f);
}

static bool file_is_over(const struct record *r, uint64_t bytes)
{
	const struct recording_file *f = r->file;

	if (!f->end)
		return false;
	if (r->opt.file_bytes && f->end + bytes > r->opt.file_bytes)
		return true;
	return r->opt.file_time && units_now() - f->begun >= r->opt.file_time * UNITS_NS_PER_S;
}

/* The queue has room for as many writes as the depth says, the sync and the commit. */
static void queue(struct record *r, struct write *w)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->ring);
	uint64_t left = w->length - w->done;

	if (w->buffer >= 0)
		io_uring_prep_write_fixed(sqe, w->file->data, w->from + w->done, (unsigned int)left,
					  w->place + w->done, w->buffer);
	else
		io_uring_prep_write(sqe, w->file->data, w->from + w->done, (unsigned int)left,
				    w->place + w->done);
	io_uring_sqe_set_data(sqe, w);
	r->queued++;
	r->flying++;
	r->writing++;
}

static void queue_sync(struct record *r, int fd)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->ring);

	io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
	io_uring_sqe_set_data(sqe, r->before);
	r->syncing = fd;
	r->queued++;
	r->flying++;
	note_syncs(r);
}

/* The next step of the file before; nothing is on its way into it any more. */
static void end_before(struct record *r, int synced, char why[UNITS_WHY])
{
	int fd, ret = recording_file_end_step(&r->set, r->before, synced, &fd, why);

	if (ret > 0) {
		queue_sync(r, fd);
		return;
	}
	r->failed |= ret < 0;
	drop(r, r->before);
	r->before = NULL;
	note_syncs(r);
}

static void sync_ended(struct record *r, int res)
{
	int fd = r->syncing;

	r->flying--;
	r->syncing = -1;
	note_syncs(r);
	if ((res == -EAGAIN || res == -EINTR) && units_again(&r->sync_refused)) {
		queue_sync(r, fd);
		return;
	}
	r->sync_refused = 0;
	end_before(r, res, r->sink.why);
}

static int put(struct sink *s, const struct unit *u)
{
	struct record *r = of(s);
	uint64_t before, length;
	struct write *w;

	if (r->full)
		return -ENOSPC;
	if (r->failed)
		return -EIO;
	if (r->writing == r->opt.depth || r->tail - r->head == r->room)
		return 0;
	before = (uintptr_t)u->data % RECORDING_ALIGN;
	length = (before + u->bytes + RECORDING_ALIGN - 1) & ~(uint64_t)(RECORDING_ALIGN - 1);
	if (length > INT32_MAX)
		return units_fail(s->why, E2BIG, "A unit of %" PRIu64 " bytes is too large.",
				  u->bytes);
	if (r->file && file_is_over(r, length)) {
		if (r->before)
			return 0;
		r->before = r->file;
		r->file = NULL;
		if (!r->before->pending)
			end_before(r, 0, s->why);
		if (r->failed)
			return -EIO;
	}
	if (!r->file && new_file(r))
		return r->full ? -ENOSPC : -EIO;
	if (recording_file_reserve(&r->set, r->file, length))
		return be_full(r, -ENOSPC);
	w = at(r, r->tail++);
	*w = (struct write){
		.state = FLYING,
		.file = r->file,
		.entry = {.offset = r->file->end + before,
			  .bytes = u->bytes,
			  .first = u->first,
			  .sequence = u->sequence,
			  .time = u->time,
			  .run = u->run,
			  .link = u->link,
			  .flags = u->flags},
		.handle = u->handle,
		.from = (char *)(uintptr_t)u->data - before,
		.place = r->file->end,
		.length = length,
	};
	w->buffer = pinned_find(&r->pinned, w->from, length);
	r->file->end += length;
	r->file->pending++;
	/* Of no bytes there is only the entry: a write of none would look like a full disk. */
	if (length)
		queue(r, w);
	else
		w->state = WRITTEN;
	return 1;
}

static int flush(struct sink *s)
{
	struct record *r = of(s);
	int ret;

	r->kick = false;
	if (!r->queued)
		return 0;
	ret = io_uring_submit(&r->ring);
	s->n.calls++;
	if (ret == -EAGAIN || ret == -EBUSY || ret == -EINTR)
		return 0;
	if (ret < 0)
		return units_fail(s->why, -ret, "The kernel takes no writes: %s.", strerror(-ret));
	s->n.batches++;
	r->queued -= (unsigned int)ret;
	return 0;
}

/*
 * A limit that is in the middle of a block: the kernel cuts what is written there, which looks like
 * a full disk then, or like I/O that is not aligned.
 */
static bool beyond_limit(const struct write *w)
{
	struct rlimit most;

	return !getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY &&
	       w->place + w->length > most.rlim_cur;
}

static void finished(struct record *r, struct write *w, int res)
{
	r->flying--;
	r->writing--;
	if ((res == -EAGAIN || res == -EINTR) && units_again(&w->refused)) {
		queue(r, w);
		return;
	}
	w->refused = 0;
	if (res > 0 && w->done + (uint64_t)res < w->length) {
		/* The rest must begin where direct I/O may. */
		w->done += (uint64_t)res & ~(uint64_t)(RECORDING_ALIGN - 1);
		if (res >= RECORDING_ALIGN) {
			queue(r, w);
			return;
		}
		res = -ENOSPC;
	}
	if ((res == -ENOSPC || res == -EINVAL) && beyond_limit(w))
		res = -EFBIG;
	if (res > 0) {
		w->state = WRITTEN;
		return;
	}
	w->state = FAILED;
	if (recording_no_space(res) || !res) {
		be_full(r, res);
		return;
	}
	r->failed = true;
	units_fail(r->sink.why, -res, "%s cannot be written: %s.", r->opt.dir, strerror(-res));
}

/* One unit less that the file has to wait for. */
static void resolve(struct record *r, struct recording_file *f)
{
	/* After a failure the queue may hold writes that must not begin any more. */
	if (!--f->pending && f == r->before && !r->failed)
		end_before(r, 0, r->sink.why);
}

static void end_commit(struct record *r, int err, const char *why)
{
	uint64_t i;

	for (i = r->commit_from; i != r->next; i++) {
		struct write *w = at(r, i);

		if (w->state != COMMITTING)
			continue;
		w->state = err ? FAILED : COMMITTED;
		if (!err)
			recording_file_count(w->file, &w->entry);
	}
	if (recording_no_space(err)) {
		be_full(r, err);
	} else if (err) {
		units_fail(r->sink.why, -err, "%s", why);
		r->failed = true;
	}
	r->index_failed |= err != 0;
	for (i = r->commit_from; i != r->next; i++)
		resolve(r, at(r, i)->file);
	r->commit_from = r->next;
}

static void advance_commit(struct record *r, int res)
{
	char why[UNITS_WHY] = "";
	int ret = commit_advance(&r->commit, &r->ring, res, why);

	if (ret > 0) {
		r->queued++;
		r->flying++;
		r->kick = true;
	} else {
		end_commit(r, ret, why);
	}
	note_syncs(r);
}

static void completed(struct record *r, struct io_uring_cqe *cqe)
{
	void *what = io_uring_cqe_get_data(cqe);
	int res = cqe->res;

	io_uring_cqe_seen(&r->ring, cqe);
	if (what == r->before) {
		sync_ended(r, res);
	} else if (what == &r->commit) {
		r->flying--;
		advance_commit(r, res);
	} else {
		finished(r, what, res);
	}
}

static void add_to_commit(struct record *r, struct write *w)
{
	const char *data = w->from + (w->entry.offset - w->place);

	w->entry.data_crc = crc32c(data, w->entry.bytes);
	commit_add(&r->commit, w->file, &w->entry);
	w->state = COMMITTING;
}

/*
 * Begin a commit with all that is written, up to the first unit that is not and to the end of the
 * file. One at a time: what is written meanwhile is for the next one.
 */
static void commit(struct record *r)
{
	while (r->commit_from == r->next && r->next != r->tail) {
		for (; r->next != r->tail; r->next++) {
			struct write *w = at(r, r->next);

			if (w->state == WRITTEN && r->index_failed)
				w->state = FAILED;
			if (w->state == FLYING || (r->commit.file && w->file != r->commit.file))
				break;
			if (w->state == WRITTEN)
				add_to_commit(r, w);
		}
		if (r->commit.file)
			advance_commit(r, 0);
		else if (r->commit_from != r->next)
			end_commit(r, 0, "");
		else
			return;
	}
}

/* Handles of units in this state, oldest first. */
static unsigned int collect(struct record *r, enum state state, uint64_t *handles,
			    unsigned int room)
{
	unsigned int n = 0;
	uint64_t i;

	for (i = r->head; i != r->commit_from && n < room; i++) {
		struct write *w = at(r, i);

		if (w->state != state)
			continue;
		w->state = RETURNED;
		if (state == COMMITTED) {
			/* By the page cache the kernel copies. We never do. */
			r->sink.n.units++;
			r->sink.n.bytes += w->entry.bytes;
		} else {
			r->sink.n.lost++;
			r->sink.n.lost_bytes += w->entry.bytes;
		}
		handles[n++] = w->handle;
	}
	while (r->head != r->commit_from && at(r, r->head)->state == RETURNED)
		r->head++;
	return n;
}

/* What is still in has to come out first, as lost at worst. */
static int fails(const struct record *r)
{
	return r->failed && r->head == r->tail ? -EIO : 0;
}

static int done(struct sink *s, uint64_t *handles, unsigned int room)
{
	struct record *r = of(s);
	struct io_uring_cqe *cqe;
	unsigned int n;
	int ret;

	while (!io_uring_peek_cqe(&r->ring, &cqe))
		completed(r, cqe);
	commit(r);
	if (r->kick) {
		ret = flush(s);
		if (ret)
			return ret;
	}
	n = collect(r, COMMITTED, handles, room);
	return n ? (int)n : fails(r);
}

static int lost(struct sink *s, uint64_t *handles, unsigned int room)
{
	struct record *r = of(s);
	unsigned int n;

	if (!r->full && !r->failed)
		return 0;
	n = collect(r, FAILED, handles, room);
	if (n)
		return (int)n;
	return r->failed ? fails(r) : -ENOSPC;
}

static void record_sleep(struct sink *s, struct units_sleep *sleep)
{
	struct record *r = of(s);

	if (r->queued)
		sleep->ns = 0;
	else if (r->flying)
		units_sleep_fd(sleep, r->ring.ring_fd, POLLIN);
}

/* What the kernel did not take is lost. It stays in the queue, which nobody submits any more. */
static void lose_queued(struct record *r)
{
	char why[UNITS_WHY] = "";
	uint64_t i;

	for (i = r->head; i != r->tail; i++) {
		if (at(r, i)->state == FLYING)
			at(r, i)->state = FAILED;
	}
	r->flying = r->queued = r->writing = 0;
	r->failed = true;
	/* Why has been said. */
	if (r->commit.file) {
		commit_cancel(&r->commit);
		end_commit(r, -EAGAIN, r->sink.why);
	}
	r->index_failed = true;
	if (r->syncing >= 0)
		end_before(r, -EAGAIN, why);
	r->syncing = -1;
	note_syncs(r);
}

/* Until no write, and with @sync no sync, is on its way; waits only for what the kernel has. */
static void wait_for_all(struct record *r, bool sync)
{
	uint64_t until = units_now() + UNITS_TAKE_NS;
	struct io_uring_cqe *cqe;
	int ret;

	for (commit(r); r->flying > (!sync && r->syncing >= 0); commit(r)) {
		ret = flush(&r->sink);
		if (r->flying > r->queued) {
			if (io_uring_wait_cqe(&r->ring, &cqe))
				continue;
			completed(r, cqe);
			until = units_now() + UNITS_TAKE_NS;
		} else if (ret || units_now() > until) {
			units_fail(r->sink.why, EAGAIN, "The kernel takes no writes: %s.",
				   strerror(EAGAIN));
			lose_queued(r);
		} else {
			nanosleep(&(struct timespec){.tv_nsec = UNITS_AGAIN_NS}, NULL);
		}
	}
}

/* The kernel has our memory until it says otherwise. A sync has none. */
static void abandon(struct sink *s)
{
	wait_for_all(of(s), false);
}

/* Nothing is on its way any more: there is nobody else to wait for. */
static void end_now(struct record *r, struct recording_file *f)
{
	int ret, fd, synced = 0;

	if (!f)
		return;
	while ((ret = recording_file_end_step(&r->set, f, synced, &fd, r->sink.why)) > 0) {
		r->sink.syncing = true;
		synced = fdatasync(fd) ? -errno : 0;
		r->sink.syncing = false;
	}
	r->failed |= ret < 0;
	drop(r, f);
}

static void end_both(struct record *r)
{
	wait_for_all(r, true);
	end_now(r, r->before);
	end_now(r, r->file);
	r->before = r->file = NULL;
}

/* Without a limit of time: who is told that it is done may cut the power. */
static int finish(struct sink *s)
{
	struct record *r = of(s);

	end_both(r);
	if (r->failed)
		return -EIO;
	return r->full ? -ENOSPC : 0;
}

static void close_sink(struct sink *s)
{
	struct record *r = of(s);

	if (r->have_ring) {
		end_both(r);
		io_uring_queue_exit(&r->ring);
	}
	pinned_free(&r->pinned);
	commit_free(&r->commit);
	if (r->set.folder >= 0)
		close(r->set.folder);
	free(r->writes);
	free(r);
}

static const struct sink_ops ops = {
	.name = "record",
	.put = put,
	.flush = flush,
	.done = done,
	.lost = lost,
	.finish = finish,
	.abandon = abandon,
	.sleep = record_sleep,
	.close = close_sink,
};

/* The folder's own name is synced here, before the card starts. */
static int open_folder(struct record *r)
{
	char *why = r->sink.why;
	int parent, err;

	if (mkdir(r->opt.dir, 0777) && errno != EEXIST)
		return units_fail(why, errno, "The folder %s cannot be made: %s.", r->opt.dir,
				  strerror(errno));
	r->set.folder = open(r->opt.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->set.folder < 0)
		return units_fail(why, errno, "The folder %s cannot be opened: %s.", r->opt.dir,
				  strerror(errno));
	if (r->opt.durability == RECORDING_DURABLE_NONE)
		return 0;
	parent = openat(r->set.folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent >= 0) {
		err = fsync(parent) ? errno : 0;
		close(parent);
	} else {
		err = errno;
	}
	/* A file system that cannot sync a folder, and a folder that this user may not read. */
	if (!err || err == EINVAL || err == EACCES)
		return 0;
	return units_fail(why, err, "The folder that %s is in cannot be synced: %s.", r->opt.dir,
			  strerror(err));
}

static int prepare(struct record *r, const struct source *source)
{
	char *why = r->sink.why;
	int ret;

	ret = open_folder(r);
	if (!ret)
		ret = recording_set_begin(&r->set, why);
	if (ret)
		return ret;
	r->room = r->opt.depth + WAITING;
	r->writes = calloc(r->room, sizeof(*r->writes));
	if (!r->writes || commit_init(&r->commit, &r->set, r->room))
		return units_fail(why, ENOMEM, "There is no memory left.");
	ret = uring_open(&r->ring, r->opt.depth + 2, why);
	if (ret)
		return ret;
	r->have_ring = true;
	pinned_register(&r->pinned, &r->ring, source);
	/* A folder that cannot be written is said before the card starts. */
	return new_file(r);
}

struct sink *sink_record(const struct record_options *o, const struct source *source,
			 char why[UNITS_WHY])
{
	struct record *r = calloc(1, sizeof(*r));

	if (!r) {
		units_fail(why, ENOMEM, "There is no memory left.");
		return NULL;
	}
	r->sink.ops = &ops;
	r->opt = *o;
	r->syncing = -1;
	r->set = (struct recording_set){
		.opt = &r->opt,
		.format = &source->format,
		.run = units_realtime(),
		.folder = -1,
		.direct.buffered = o->buffered,
		.note = r->sink.note,
	};
	if (prepare(r, source)) {
		units_fail(why, EIO, "%s", r->sink.why);
		close_sink(&r->sink);
		return NULL;
	}
	return &r->sink;
}

static struct sink *open_apart(const void *options, const struct source *source,
			       char why[UNITS_WHY])
{
	return sink_record(options, source, why);
}

struct sink *sink_record_apart(const struct record_options *o, const struct source *source,
			       char why[UNITS_WHY])
{
	return sink_apart(open_apart, o, source, o->dir, why);
}
