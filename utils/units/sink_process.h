/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run a sink in a writer process (writer_process.h), so that none of its calls blocks the thread
 * that serves the source. Short: the interface of sink_process.c alone.
 */
#ifndef ROC_UTILS_SINK_PROCESS_H
#define ROC_UTILS_SINK_PROCESS_H

#include "units.h"

/* with the sink at most; a handle in the writer process is a number below it */
#define SINK_PROCESS_UNITS 4096

struct sink_process_type {
	/*
	 * Open the sink in the writer process: 0, or -errno. @source: a copy with the current
	 * format.
	 */
	int (*open)(void *options, const struct source *source, struct sink **sink,
		    char reason[UNITS_REASON]);
	/* Free @options. Called after the process has ended, never while it may still use them. */
	void (*release)(void *options);
};

/**
 * sink_process() - create a sink in a writer process
 * @type: callbacks that open the sink and free @options
 * @options: argument of @type; valid until release()
 * @source: source of the units; its format may change until the sink is closed
 * @place: folder that the sink writes to, for messages; must outlive the sink
 * @sink: filled in
 * @reason: the reason after a failure
 *
 * At the end the sink waits at most 10 s without progress for the file system, and without a limit
 * while a disk sync is in progress. After a second stop signal it waits 5 s. Then the units that it
 * has are lost, all calls fail, and the process is killed. A process in an uninterruptible call
 * ends when the file system responds.
 *
 * Return: 0, or a negative errno.
 */
int sink_process(const struct sink_process_type *type, void *options, const struct source *source,
		 const char *place, struct sink **sink, char reason[UNITS_REASON]);

/* As finish() of the sink, without waiting: 1 when done, 0 not yet, or -errno. */
int sink_process_finish(struct sink *s);

#endif
