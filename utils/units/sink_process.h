/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink that runs in a writer process (writer_process.h): none of its calls may block the thread
 * that serves the source. Short: the interface of sink_process.c alone.
 */
#ifndef ROC_UTILS_SINK_PROCESS_H
#define ROC_UTILS_SINK_PROCESS_H

#include "units.h"

#define SINK_PROCESS_UNITS 4096 /* with the sink at most; a handle there is a number below */

struct sink_process_type {
	/* Open the sink there: 0, or -errno. @source: a copy whose format is up to date. */
	int (*open)(void *options, const struct source *source, struct sink **sink,
		    char reason[UNITS_REASON]);
	/* The process has ended. Never called if it does not: it may still use @options. */
	void (*release)(void *options);
};

/**
 * sink_process() - create a sink in a writer process
 * @type: opens it
 * @options: of @type, stay until release()
 * @source: of the units; its format may change until the sink is closed
 * @place: the folder that it writes to, for messages; must stay
 * @sink: the sink
 * @reason: the sentence after a failure
 *
 * When units are to come to their end the sink waits 10 s for the file system without any progress,
 * but without a limit while a disk syncs; after the second signal it waits 5 s. Then what it has is
 * lost, all calls fail, and the process is killed: it ends when the file system answers.
 *
 * Return: 0, or a negative errno.
 */
int sink_process(const struct sink_process_type *type, void *options, const struct source *source,
		 const char *place, struct sink **sink, char reason[UNITS_REASON]);

/* As finish() of the sink, but without waiting: 1 done, 0 not yet, -errno. */
int sink_process_finish(struct sink *s);

#endif
