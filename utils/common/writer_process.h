/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer process shares the memory of the tool and has its own table of descriptors, for calls
 * into a file system. A thread that waits in a frozen file system cannot be killed, and keeps its
 * process from ending. The tool does not wait for the writer process, and leaves it in the kernel.
 *
 * The kernel kills the writer process when the tool ends. It blocks all signals.
 * Short: the interface of writer_process.c for all that writes files.
 */
#ifndef ROC_UTILS_WRITER_PROCESS_H
#define ROC_UTILS_WRITER_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* Zeroed before writer_process_start(); must stay until writer_process_wait() returns true. */
struct writer_process {
	void (*run)(void *context);
	void *context;
	int wake; /* eventfd that is written when the process has ended */
	_Atomic pid_t pid;
	int pidfd; /* no other process has it, also after the thread has reaped this one */
	atomic_bool ended;
	void *stack;
	pthread_t thread;
};

/**
 * writer_process_start - run a function in a writer process
 * @a: run, context and wake are set
 * @keep: descriptors that the process keeps, besides standard error; all others are closed there
 * @count: of @keep
 *
 * Return: 0, or a negative errno.
 */
int writer_process_start(struct writer_process *a, const int *keep, unsigned int count);

/**
 * writer_process_wait - wait until the process has ended, and free what it had
 * @a: started
 * @ms: how long at most; 0: only check
 *
 * Return: whether it has ended.
 */
bool writer_process_wait(struct writer_process *a, unsigned int ms);

/* It ends at its next return from the kernel. */
void writer_process_kill(struct writer_process *a);

#endif
