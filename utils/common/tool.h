/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a tool is: one constant structure in the tool's file, and one line in the table (tools.c).
 * And the messages that all tools print.
 */
#ifndef ROC_UTILS_TOOL_H
#define ROC_UTILS_TOOL_H

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
int tool_fail_for(int err, const char *why);

/* What the library says after it was given an id: an id of no form is wrong usage. */
int tool_fail_card(int err);

/* stdout was fully written; else says so. To be called before returning TOOL_OK. */
int tool_finish(void);

#endif
