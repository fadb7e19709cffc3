/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines to a descriptor that a thread writes: a program that moves data does not wait for a
 * terminal, a pipe or the journal.
 */
#ifndef ROC_UTILS_LINE_QUEUE_H
#define ROC_UTILS_LINE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_queue;

/* @fd stays the caller's, and open until the process ends. NULL: no memory or no thread. */
struct line_queue *line_queue_open(int fd);
/* Queue a copy of @text, which ends with a newline; it is dropped if the queue is full. */
void line_queue_put(struct line_queue *q, const char *text, size_t length);
/* Lines that were dropped or could not be written. */
uint64_t line_queue_lost(struct line_queue *q);
/* errno of the last write that failed, 0: none. */
int line_queue_error(struct line_queue *q);
/* Wait until all is written, for @ms at most; what is left then is lost, and counted. */
void line_queue_drain(struct line_queue *q, unsigned int ms);

#endif
