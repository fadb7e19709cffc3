/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writer process: a process that shares the memory of the tool and has its own descriptor table,
 * for calls into a file system.
 *
 * A thread that waits in a frozen file system cannot be killed and keeps its process from exiting.
 * The tool can exit while the writer process is still blocked in the kernel.
 *
 * The kernel kills the writer process when the tool ends. The writer process blocks all signals.
 */
#ifndef ROC_UTILS_WRITER_PROCESS_H
#define ROC_UTILS_WRITER_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* Zero it before writer_process_start(); keep it until writer_process_wait() returns true. */
struct writer_process {
	void (*run)(void *context);
	void *context;
	int wake; /* eventfd that is written when the process has ended */
	_Atomic pid_t pid;
	int pidfd; /* refers to this process even after the host thread has reaped it */
	atomic_bool ended;
	void *stack;
	pthread_t thread;
};

/**
 * writer_process_start - run a function in a writer process
 * @a: run, context and wake are set
 * @keep: descriptors that the process keeps besides standard error; it closes all others
 * @count: number of descriptors in @keep
 *
 * Return: 0, or a negative errno.
 */
int writer_process_start(struct writer_process *a, const int *keep, unsigned int count);

/**
 * writer_process_wait - wait until the process has ended, and free its resources
 * @a: a started writer process
 * @ms: maximum time to wait in ms; 0: only check
 *
 * Return: true if the process has ended.
 */
bool writer_process_wait(struct writer_process *a, unsigned int ms);

/* Send SIGKILL. The process ends at its next return from the kernel. */
void writer_process_kill(struct writer_process *a);

#endif
