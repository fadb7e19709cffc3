/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel that takes no writes: of programs that are linked with --wrap=io_uring_submit.
 */
#ifndef ROC_UNIT_NO_SUBMIT_H
#define ROC_UNIT_NO_SUBMIT_H

struct io_uring;

static int submit_says;		    /* instead of what it does */
static unsigned int submit_refuses; /* so many times from now */

int __wrap_io_uring_submit(struct io_uring *ring);
int __real_io_uring_submit(struct io_uring *ring);

int __wrap_io_uring_submit(struct io_uring *ring)
{
	if (!submit_refuses)
		return __real_io_uring_submit(ring);
	submit_refuses--;
	return submit_says;
}

#endif
