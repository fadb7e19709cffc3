/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that shares the memory of this one and has its own table of descriptors, for calls into
 * a file system. A thread that waits in a frozen file system cannot be killed, and keeps its
 * process from ending; this process does not wait for the one apart, and leaves it in the kernel.
 *
 * The process apart is killed when this one ends. It blocks all signals.
 */
#ifndef ROC_UTILS_APART_H
#define ROC_UTILS_APART_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* Zeroed before apart_start(); must stay until apart_wait() returns true. */
struct apart {
	void (*run)(void *context);
	void *context;
	int wake; /* eventfd that is written when the process has ended */
	_Atomic pid_t pid;
	atomic_bool ended;
	void *stack;
	pthread_t thread;
};

/**
 * apart_start - run a function in a process apart
 * @a: run, context and wake are set
 * @keep: descriptors that the process keeps, besides standard error; all others are closed there
 * @count: of @keep
 *
 * Return: 0, or a negative errno.
 */
int apart_start(struct apart *a, const int *keep, unsigned int count);

/**
 * apart_wait - wait until the process has ended, and free what it had
 * @a: started
 * @ms: how long at most; 0: only check
 *
 * Return: whether it has ended.
 */
bool apart_wait(struct apart *a, unsigned int ms);

/* It ends at its next return from the kernel. */
void apart_kill(struct apart *a);

#endif
