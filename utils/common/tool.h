/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Definition of a tool: one constant structure in the tool's file and one entry in the table
 * (tools.c). Messages, signals and the service manager.
 */
#ifndef ROC_UTILS_TOOL_H
#define ROC_UTILS_TOOL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/common/options.h"

/*
 * Exit codes of all tools. TOOL_USAGE: the command line is wrong on every machine. TOOL_FAILED: it
 * may succeed with another card, firmware, file or user. A daemon also returns TOOL_USAGE for an
 * invalid node file, because its unit restarts it for ever after TOOL_FAILED.
 */
enum {
	TOOL_OK = 0,
	TOOL_FAILED = 1,
	TOOL_USAGE = 2,
	TOOL_UNFINISHED = 3, /* roc-bench-dma --soak: interrupted before the verdict */
};

struct tool {
	const char *name;    /* without "roc-" */
	const char *summary; /* one line, without a full stop */
	const char *example; /* arguments of a typical call */
	const struct option_spec *options;
	size_t option_count;
	size_t values_size;		/* of the structure that the options fill in */
	int (*run)(const void *values); /* returns an exit code */
};

#define TOOL_OPTIONS(table, values)                                                                \
	.options = (table), .option_count = sizeof(table) / sizeof((table)[0]),                    \
	.values_size = sizeof(values)

/* Set the name of the running tool, for messages. */
void tool_set_name(const char *name);

/* Print "roc-NAME: message" on stderr. The first two return the exit code for `return`. */
int tool_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int tool_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tool_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* From now on a thread writes the messages, so that no caller waits for a terminal. */
void tool_queue_messages(void);
/*
 * Write the queued messages, and write messages directly from now on. For the time when no data
 * move any more.
 */
void tool_write_messages(void);

/* Report @reason for -errno @err: -EINVAL is wrong usage, anything else a failure. */
int tool_fail_for(int err, const char *reason);

/* Report roc_error() after a library call with an id: an invalid id is wrong usage. */
int tool_fail_card(int err);

/*
 * Flush stdout. Report and return TOOL_FAILED if any of the output could not be written. Call it
 * before returning TOOL_OK.
 */
int tool_finish(void);

/* Signals (stop.c): run until a stop is requested. */

/*
 * From now on SIGTERM, and SIGINT and SIGHUP unless they are ignored, do not end the process:
 * stop_requested() reports them.
 */
void stop_on_signals(void);
/* True if @number is ignored, as set by nohup or by the shell that started the process. */
bool stop_is_ignored(int number);
/* Ignore SIGPIPE: writes fail with EPIPE, which the caller must check. */
void stop_not_by_pipes(void);
/*
 * As stop_not_by_pipes(), for tools whose result is not their output: after a signal, a report that
 * cannot be written does not change the exit status.
 */
void stop_not_by_readers(void);
/* True if a signal came and stop_not_by_readers() is in effect. */
bool stop_report_optional(void);
/* Ignore SIGXFSZ: a write beyond the file size limit (ulimit -f) fails with EFBIG instead. */
void stop_not_by_files(void);
/* stop_on_signals() and stop_not_by_pipes(): for tools that must clean up. */
void stop_in_order(void);
/* As stop_on_signals(), but a signal for which stop_requested_twice() is true ends the process. */
void stop_on_first_signals(void);
bool stop_requested(void);
/*
 * True if SIGINT or SIGTERM came at least one second after the first signal: the stop takes too
 * long.
 */
bool stop_requested_twice(void);
/* Block SIGINT, SIGTERM and SIGHUP. The old mask is stored in @before unless it is NULL. */
void stop_block_signals(sigset_t *before);
/* Request a stop as a signal does, from any thread. */
void stop_request(void);
/* Sleep for @seconds or until a stop is requested; true: it was. */
bool stop_sleep(double seconds);

/*
 * Service manager (notify.c): the sd_notify(3) protocol without libsystemd, which the tools would
 * need for this alone. The protocol is one datagram and documented as stable.
 */

/*
 * Send a state such as "READY=1" to $NOTIFY_SOCKET. Return 1 if sent, 0 without a manager, or
 * -errno.
 */
int notify_manager(const char *state);

/*
 * Tell the manager that the stop takes @ns plus some time for the report, which may exceed its
 * limit.
 */
void notify_end_within(uint64_t ns);

/* Return the period in ns of the watchdog messages that the manager expects; 0: none. */
uint64_t notify_watchdog(void);

/*
 * Line queue (line_queue.c): a thread writes lines to a descriptor, so that a program that moves
 * data does not wait for a terminal, a pipe or the journal.
 */

struct line_queue;

/*
 * Create a queue for @fd, which the caller owns and keeps open until the process ends. NULL: out of
 * memory or threads.
 */
struct line_queue *line_queue_open(int fd);
/* Queue a copy of @text, which ends with a newline; drop it if the queue is full. */
void line_queue_put(struct line_queue *q, const char *text, size_t length);
/* Return the number of lines that were dropped or could not be written. */
uint64_t line_queue_lost(struct line_queue *q);
/* Return the errno of the last failed write; 0: none. */
int line_queue_error(struct line_queue *q);
/* Wait at most @ms until all lines are written; count the remaining ones as lost. */
void line_queue_drain(struct line_queue *q, unsigned int ms);

#endif
