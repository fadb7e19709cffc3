/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink that runs in a process apart (apart.h): no call of its may block the thread that serves
 * the source.
 */
#ifndef ROC_UTILS_SINK_APART_H
#define ROC_UTILS_SINK_APART_H

#include "units.h"

#define SINK_APART_UNITS 4096 /* with the sink at most; a handle there is a number below */

/* Opens the sink in the process apart. @source: a copy whose format is up to date in each call. */
typedef struct sink *(*sink_apart_open)(const void *options, const struct source *source,
					char why[UNITS_WHY]);

/**
 * sink_apart - a sink in a process apart
 * @open: opens it
 * @options: of @open, must stay
 * @source: of the units; its format may change until the sink is closed
 * @place: the folder that it writes to, for messages; must stay
 * @why: the sentence after a failure
 *
 * When units are to come to their end the sink waits 10 s for the file system without any progress,
 * but without a limit while a disk syncs; after the second signal it waits 5 s. Then what it has is
 * lost, all calls fail, and the process is killed: it ends when the file system answers.
 *
 * Return: the sink, or NULL.
 */
struct sink *sink_apart(sink_apart_open open, const void *options, const struct source *source,
			const char *place, char why[UNITS_WHY]);

/* As finish() of the sink, but without waiting: 1 done, 0 not yet, -errno. */
int sink_apart_finish(struct sink *s);

#endif
