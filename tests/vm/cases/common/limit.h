/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time, and children with a limit on their lives.
 *
 * Every limit that a helper of the cases takes is for a machine of usual speed, and longer on a
 * slow one. Who hands a limit to the kernel or the library uses limit_ms(), who asserts one
 * took_less().
 */
#ifndef CASE_LIMIT_H
#define CASE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

int64_t now_ms(void);
uint64_t now_ns(void);
void sleep_ms(unsigned int ms);

/* So many ms, longer on a slow machine. */
unsigned int limit_ms(unsigned int ms);
/* When to give up waiting for what must come: a few times as long, as UNIT_WAIT does. */
unsigned int patience_ms(unsigned int ms);
/* What began at @begin (now_ms()) did not take for ever. */
bool took_less(int64_t begin, unsigned int ms);

enum who {
	AS_ROOT,
	AS_ROOT_NO_CAPS, /* root without capabilities */
	AS_READER,	 /* in group roc */
	AS_STRANGER,	 /* not in it */
};

/* Become somebody, for good. False if that fails. */
bool become(enum who who);

/*
 * Run @fn in a child; its return value (0..255) is the answer. -1: it did not end in @ms and was
 * killed; -2: a signal ended it.
 */
int child_run(enum who who, int (*fn)(void *arg), void *arg, unsigned int ms);

/* A child to be waited for, or killed, later. */
pid_t child_start(enum who who, int (*fn)(void *arg), void *arg);
int child_wait(pid_t pid, unsigned int ms);
void child_kill(pid_t pid);   /* SIGKILL, and wait for the end */
bool child_sleeps(pid_t pid); /* a signal would wake it */
bool child_rests(pid_t pid);  /* whether or not */

/* Memory that a child shares with us; zeroed. */
void *shared_alloc(size_t size);
void shared_free(void *p, size_t size);

/*
 * Call @fn; the signal if it raised SIGSEGV or SIGBUS, else 0. (Handled here, so that the kernel
 * does not log it.)
 */
int faults(void (*fn)(void *arg), void *arg);

#endif /* CASE_LIMIT_H */
