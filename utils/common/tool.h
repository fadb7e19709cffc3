/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a tool is: one constant structure in the tool's file, and one line in the table (tools.c).
 * The messages that all tools print; signals; the service manager.
 */
#ifndef ROC_UTILS_TOOL_H
#define ROC_UTILS_TOOL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/common/options.h"

/*
 * Exit codes, the same for every tool. A command line that is wrong on every machine is TOOL_USAGE;
 * what another card, firmware, file or user could have had done is TOOL_FAILED. A daemon says
 * TOOL_USAGE of its file of nodes, too: its unit tries again for ever what is TOOL_FAILED.
 */
enum {
	TOOL_OK = 0,
	TOOL_FAILED = 1,
	TOOL_USAGE = 2,
	TOOL_UNFINISHED = 3, /* interrupted before there was a verdict: roc-bench-dma --soak */
};

struct tool {
	const char *name;    /* without "roc-" */
	const char *summary; /* one line, without a full stop */
	const char *example; /* arguments of a typical call */
	const struct option_spec *options;
	size_t option_count;
	size_t values_size;		/* of the structure that the options fill */
	int (*run)(const void *values); /* returns an exit code */
};

#define TOOL_OPTIONS(table, values)                                                                \
	.options = (table), .option_count = sizeof(table) / sizeof((table)[0]),                    \
	.values_size = sizeof(values)

/* For messages: name of the tool that runs. */
void tool_set_name(const char *name);

/* "roc-name: sentence" on stderr. The first two return the exit code for `return`. */
int tool_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int tool_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tool_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* From now on a thread writes the messages: no caller waits for a terminal. */
void tool_queue_messages(void);
/* No data move any more: write what is queued, and messages at once from now on. */
void tool_write_messages(void);

/* For an -errno with its sentence: of -EINVAL it is what was asked for that is wrong. */
int tool_fail_for(int err, const char *reason);

/* What the library says after it was given an id: an id of no form is wrong usage. */
int tool_fail_card(int err);

/* stdout was fully written; else says so. To be called before returning TOOL_OK. */
int tool_finish(void);

/*
 * Signals (stop.c): going on until one comes.
 */

/* From now on SIGTERM, and SIGINT and SIGHUP unless they are ignored, do not end the process:
 * stop_requested() reports them. */
void stop_on_signals(void);
/* @number is ignored, as nohup or the shell that started the process set it. */
bool stop_is_ignored(int number);
/* From now on SIGPIPE ends nothing: look at what is written. */
void stop_not_by_pipes(void);
/* The same for tools whose data count, and not what they print: after a signal, a report that
 * cannot be written changes no status, either. */
void stop_not_by_readers(void);
/* There was a signal, and stop_not_by_readers() is in effect. */
bool stop_excuses_report(void);
/* From now on a file that may not be longer (ulimit -f) ends nothing: the write says so. */
void stop_not_by_files(void);
/* stop_on_signals() and stop_not_by_pipes(): for what has to be ended in order. */
void stop_in_order(void);
/* As stop_on_signals(), but what stop_requested_twice() speaks of ends the process. */
void stop_on_first_signals(void);
bool stop_requested(void);
/* A SIGINT or SIGTERM came a second after the first signal or later: the end takes too long. */
bool stop_requested_twice(void);
/* From now on SIGINT, SIGTERM and SIGHUP wait, until @before (if not NULL) is the mask again. */
void stop_block_signals(sigset_t *before);
/* As the signal does, from any thread. */
void stop_request(void);
/* Sleep until the signal or for so long; true: the signal came. */
bool stop_sleep(double seconds);

/*
 * The service manager (notify.c): sd_notify(3) without libsystemd. Its protocol is one datagram, is
 * documented there as stable, and is all that the tools would have of that library, which they
 * would then need on every machine.
 */

/* Send "READY=1" and the like to $NOTIFY_SOCKET. 1 sent, 0 there is no manager, -errno. */
int notify_manager(const char *state);

/* The end takes so many ns, and a moment for its report: the manager's limit may be less. */
void notify_end_within(uint64_t ns);

/* Period at which the manager expects a sign of life, ns; 0: never. */
uint64_t notify_watchdog(void);

/*
 * Lines to a descriptor that a thread writes (line_queue.c): a program that moves data does not
 * wait for a terminal, a pipe or the journal.
 */

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
