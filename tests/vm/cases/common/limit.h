/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time limits, and child processes with a time limit.
 *
 * Helpers take limits for a machine of usual speed, and extend them on a slow one. Use limit_ms()
 * for a limit that is passed to the kernel or the library, and took_less() to assert one.
 */
#ifndef CASE_LIMIT_H
#define CASE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

int64_t now_ms(void);
uint64_t now_ns(void);
void sleep_ms(unsigned int ms);

/* @ms, longer on a slow machine. */
unsigned int limit_ms(unsigned int ms);
/* Time limit for an expected event: a multiple of @ms, as in UNIT_WAIT. */
unsigned int patience_ms(unsigned int ms);
/* True if less than @ms passed since @begin (now_ms()). */
bool took_less(int64_t begin, unsigned int ms);

enum run_as {
	AS_ROOT,
	AS_ROOT_NO_CAPS, /* root without capabilities */
	AS_READER,	 /* in group roc */
	AS_STRANGER,	 /* not in it */
};

/* Change the user of this process permanently. False if that fails. */
bool change_user(enum run_as as);

/*
 * Run @fn in a child and return its return value (0..255). -1: it did not end within @ms and was
 * killed; -2: a signal ended it.
 */
int child_run(enum run_as as, int (*fn)(void *arg), void *arg, unsigned int ms);

/* Start a child; wait for it, or kill it, later. */
pid_t child_start(enum run_as as, int (*fn)(void *arg), void *arg);
int child_wait(pid_t pid, unsigned int ms);
void child_kill(pid_t pid);   /* SIGKILL, and wait for the end */
bool child_sleeps(pid_t pid); /* true in an interruptible sleep */
bool child_rests(pid_t pid);  /* true in any sleep */

/* Zeroed memory shared with child processes. */
void *shared_alloc(size_t size);
void shared_free(void *p, size_t size);

/*
 * Call @fn; the signal if it raised SIGSEGV or SIGBUS, else 0. (Handled here, so that the kernel
 * does not log it.)
 */
int faults(void (*fn)(void *arg), void *arg);

#endif /* CASE_LIMIT_H */
