// SPDX-License-Identifier: GPL-2.0-or-later
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file_io.h"

#define PIECES_MAX 1024 /* maximum pieces of a write (IOV_MAX) */

bool writer_no_space(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EFBIG;
}

void writer_fail(struct writer *w, int err)
{
	w->failed = true;
	units_fail(w->reason, -err, "%s cannot be written: %s.", w->dir, strerror(-err));
}

static void queue(struct writer *w, struct writer_op *op)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&w->ring);

	if (!op->pieces)
		io_uring_prep_fsync(sqe, op->fd, op->fd == w->folder ? 0 : IORING_FSYNC_DATASYNC);
	else if (op->buffer >= 0)
		io_uring_prep_write_fixed(sqe, op->fd, op->pieces->iov_base, (unsigned int)op->left,
					  op->place, op->buffer);
	else
		io_uring_prep_writev(sqe, op->fd, op->pieces,
				     op->count < PIECES_MAX ? op->count : PIECES_MAX, op->place);
	io_uring_sqe_set_data(sqe, op);
	w->queued++;
	w->in_flight++;
}

static void end_op(struct writer *w, struct writer_op *op, int err)
{
	*op->link = op->next;
	if (op->next)
		op->next->link = op->link;
	w->syncs -= !op->pieces;
	*w->syncing = w->syncs;
	/* The file system cannot sync a folder. */
	if (!op->pieces && op->fd == w->folder && err == -EINVAL)
		err = 0;
	op->complete(w, op, err);
}

void writer_start(struct writer *w, struct writer_op *op)
{
	int ret;

	op->refused = 0;
	op->link = &w->ops;
	op->next = w->ops;
	if (op->next)
		op->next->link = &op->next;
	w->ops = op;
	w->syncs += !op->pieces;
	*w->syncing = w->syncs;
	if (!w->broken) {
		queue(w, op);
		return;
	}
	/* Data that are written can still be synced. */
	ret = op->pieces ? -1 : op->fd == w->folder ? fsync(op->fd) : fdatasync(op->fd);
	end_op(w, op, op->pieces ? -EIO : ret ? -errno : 0);
}

/* Account @n bytes that were written. Return: 0: all are; 1: some are left; -ENOSPC. */
static int written(const struct writer *w, struct writer_op *op, uint64_t n)
{
	if (n < op->left)
		n -= n % w->align;
	if (!n)
		return -ENOSPC;
	op->place += n;
	op->left -= n;
	while (n) {
		struct iovec *v = op->pieces;
		size_t part = v->iov_len < n ? v->iov_len : n;

		v->iov_base = (char *)v->iov_base + part;
		v->iov_len -= part;
		n -= part;
		if (!v->iov_len) {
			op->pieces++;
			op->count--;
		}
	}
	return op->left > 0;
}

/*
 * Return whether a write exceeds the file size limit of the process. If the limit is within a
 * block, the kernel truncates the write, which then looks like a full disk or unaligned I/O.
 */
static bool beyond_limit(const struct writer_op *op)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	       op->place + op->left > limit.rlim_cur;
}

static void completed(struct writer *w, struct io_uring_cqe *cqe)
{
	struct writer_op *op = io_uring_cqe_get_data(cqe);
	int res = cqe->res;

	io_uring_cqe_seen(&w->ring, cqe);
	w->in_flight--;
	if ((res == -EAGAIN || res == -EINTR) && units_again(&op->refused)) {
		queue(w, op);
		return;
	}
	op->refused = 0;
	if (op->pieces && res >= 0)
		res = written(w, op, (uint64_t)res);
	if (res > 0) {
		queue(w, op);
		return;
	}
	if (op->pieces && (res == -ENOSPC || res == -EINVAL) && beyond_limit(op))
		res = -EFBIG;
	end_op(w, op, res);
}

int writer_flush(struct writer *w)
{
	int ret;

	if (!w->queued)
		return 0;
	ret = io_uring_submit(&w->ring);
	w->n->calls++;
	if (ret == -EAGAIN || ret == -EBUSY || ret == -EINTR)
		return 0;
	if (ret < 0)
		return units_fail(w->reason, -ret, "The kernel accepts no writes: %s.",
				  strerror(-ret));
	w->n->batches++;
	w->queued -= (unsigned int)ret;
	return 0;
}

int writer_reap(struct writer *w)
{
	struct io_uring_cqe *cqe;

	while (!io_uring_peek_cqe(&w->ring, &cqe))
		completed(w, cqe);
	w->format->advance(w);
	return writer_flush(w);
}

static void end_previous(struct writer *w, int synced)
{
	int ret = w->format->end(w, w->previous, synced, &w->sync.fd);

	w->ending = ret > 0;
	if (w->ending) {
		writer_start(w, &w->sync);
		return;
	}
	w->previous = NULL;
	w->failed |= ret < 0;
}

static void sync_ended(struct writer *w, struct writer_op *op, int err)
{
	(void)op;
	end_previous(w, err);
}

void writer_unit_done(struct writer *w, struct writer_file *f)
{
	if (!--f->pending && f == w->previous)
		end_previous(w, 0);
}

int writer_next(struct writer *w, bool over)
{
	int ret;

	if (w->file && over) {
		if (w->previous)
			return 0;
		w->previous = w->file;
		w->file = NULL;
		if (!w->previous->pending)
			end_previous(w, 0);
	}
	if (w->failed)
		return -EIO;
	ret = w->file ? 0 : w->format->begin(w);
	return ret ? ret : 1;
}

int writer_finish(struct writer *w)
{
	while (w->previous || w->file) {
		if (!w->previous) {
			w->previous = w->file;
			w->file = NULL;
		}
		if (w->ending || w->previous->pending)
			return 0;
		end_previous(w, 0);
	}
	return w->failed ? -EIO : 1;
}

/*
 * Fail operations that the kernel did not accept. They stay in the submission queue, which is not
 * used any more.
 */
static void drop_queued(struct writer *w)
{
	units_fail(w->reason, EAGAIN, "The kernel accepts no writes: %s.", strerror(EAGAIN));
	w->broken = w->failed = true;
	w->in_flight = w->queued = 0;
	while (w->ops)
		end_op(w, w->ops, -EAGAIN);
}

/*
 * Wait until no write is in flight, and with @sync no sync; operations that the kernel does not
 * accept are dropped after UNITS_TAKE_NS.
 */
static void wait_for_all(struct writer *w, bool sync)
{
	uint64_t until = units_now() + UNITS_TAKE_NS;
	struct io_uring_cqe *cqe;
	int ret;

	for (w->format->advance(w); w->in_flight > (!sync && w->ending); w->format->advance(w)) {
		ret = writer_flush(w);
		if (w->in_flight > w->queued) {
			/* A signal does not cancel a write. */
			if (io_uring_wait_cqe(&w->ring, &cqe))
				continue;
			completed(w, cqe);
			until = units_now() + UNITS_TAKE_NS;
		} else if (ret || units_now() > until) {
			drop_queued(w);
		} else {
			nanosleep(&(struct timespec){.tv_nsec = UNITS_AGAIN_NS}, NULL);
		}
	}
}

void writer_abandon(struct writer *w)
{
	wait_for_all(w, false);
}

/* There is no time limit: the user may switch the machine off when the tool has ended. */
int writer_end(struct writer *w)
{
	int ret;

	while (!(ret = writer_finish(w)))
		wait_for_all(w, true);
	return ret;
}

void writer_sleep(struct writer *w, struct units_sleep *sleep)
{
	if (w->queued)
		sleep->ns = 0;
	else if (w->in_flight)
		units_sleep_fd(sleep, w->ring.ring_fd, POLLIN);
}

/* Open the folder, and sync its name in its parent before data arrive. */
static int open_folder(struct writer *w, bool durable)
{
	int parent, err;

	if (mkdir(w->dir, 0777) && errno != EEXIST)
		return units_fail(w->reason, errno, "The directory %s cannot be created: %s.",
				  w->dir, strerror(errno));
	w->folder = open(w->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->folder < 0)
		return units_fail(w->reason, errno, "The directory %s cannot be opened: %s.",
				  w->dir, strerror(errno));
	if (!durable)
		return 0;
	parent = openat(w->folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent >= 0) {
		err = fsync(parent) ? errno : 0;
		close(parent);
	} else {
		err = errno;
	}
	/*
	 * Ignore a file system that cannot sync a folder, and a parent folder without read
	 * permission.
	 */
	if (!err || err == EINVAL || err == EACCES)
		return 0;
	return units_fail(w->reason, err, "The parent directory of %s cannot be synced: %s.",
			  w->dir, strerror(err));
}

int writer_open(struct writer *w, unsigned int operations, bool durable)
{
	int ret = open_folder(w, durable);

	if (!ret)
		ret = uring_open(&w->ring, operations + 1, w->reason);
	w->have_ring = !ret;
	w->sync.complete = sync_ended;
	return ret;
}

void writer_close(struct writer *w)
{
	if (w->have_ring) {
		writer_end(w);
		io_uring_queue_exit(&w->ring);
	}
	if (w->folder >= 0)
		close(w->folder);
}
