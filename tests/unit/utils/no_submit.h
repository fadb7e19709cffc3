/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulate a kernel that accepts no writes, a full disk, and a disk whose syncs fail or hang. For
 * programs linked with --wrap=io_uring_submit.
 */
#ifndef ROC_UNIT_NO_SUBMIT_H
#define ROC_UNIT_NO_SUBMIT_H

#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int submit_result;	    /* returned while submissions are refused */
static unsigned int submit_refuses; /* number of submissions to refuse */
static unsigned int bad_sync;	    /* the n-th sync from now fails; 0: none */
static int slow_sync = -1;	    /* a pipe: a sync hangs until its write end is closed */
static pid_t slow_owner;	    /* process that has the pipe; others open it through /proc */
static unsigned int syncs;
static struct {
	int opcode, fd;
} submitted[16]; /* the last ones */
static unsigned int submissions;
static int full_disk = -1; /* /dev/full: a write beyond @disk_ends goes there */
static uint64_t disk_ends;
static int no_data = -1; /* a socket without data: the kernel accepts no writes for now */

int __wrap_io_uring_submit(struct io_uring *ring);
int __real_io_uring_submit(struct io_uring *ring);

/* The writer process does not have the descriptor. */
static int slow_sync_here(void)
{
	char path[64];

	if (fcntl(slow_sync, F_GETFD) >= 0)
		return slow_sync;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", slow_owner, slow_sync);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void meet_sync(struct io_uring_sqe *sqe)
{
	static char nothing;
	uint64_t whose = sqe->user_data;

	syncs++;
	if (bad_sync && !--bad_sync)
		sqe->fd = -1;
	else if (slow_sync >= 0)
		io_uring_prep_read(sqe, slow_sync_here(), &nothing, 1, UINT64_MAX);
	sqe->user_data = whose;
}

/* A write that fits is carried out. */
static void meet_write(struct io_uring_sqe *sqe)
{
	const struct iovec *pieces = (const struct iovec *)(uintptr_t)sqe->addr;
	uint64_t end = sqe->off, whose = sqe->user_data;
	static char nothing;
	unsigned int n;

	for (n = 0; n < sqe->len; n++)
		end += pieces[n].iov_len;
	if (full_disk >= 0 && sqe->off < disk_ends && end > disk_ends)
		sqe->fd = full_disk;
	if (no_data >= 0)
		io_uring_prep_recv(sqe, no_data, &nothing, 1, MSG_DONTWAIT);
	sqe->user_data = whose;
}

int __wrap_io_uring_submit(struct io_uring *ring)
{
	unsigned int n;

	if (submit_refuses) {
		submit_refuses--;
		return submit_result;
	}
	for (n = ring->sq.sqe_head; n != ring->sq.sqe_tail; n++) {
		struct io_uring_sqe *sqe = &ring->sq.sqes[n & *ring->sq.kring_mask];

		submitted[submissions % 16].opcode = sqe->opcode;
		submitted[submissions++ % 16].fd = sqe->fd;
		if (sqe->opcode == IORING_OP_FSYNC)
			meet_sync(sqe);
		if (sqe->opcode == IORING_OP_WRITEV)
			meet_write(sqe);
	}
	return __real_io_uring_submit(ring);
}

/* Until end_slow_sync(). */
static int begin_slow_sync(void)
{
	int ends[2];

	if (pipe(ends))
		return -1;
	slow_sync = ends[0];
	slow_owner = getpid();
	return ends[1];
}

static void end_slow_sync(int end)
{
	close(end);
	/* The kernel keeps the read end while it reads from it. */
	close(slow_sync);
	slow_sync = -1;
}

#endif
