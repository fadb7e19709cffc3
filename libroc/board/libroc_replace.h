/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc, inside: files that are there as a whole or not at all. Needs nothing of libroc, so the
 * tools, which write such files too, are linked with the one object.
 */
#ifndef LIBROC_REPLACE_H
#define LIBROC_REPLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* A file that is being written. Owned by whoever declares it, from begin to end or drop. */
struct libroc_replacement {
	FILE *file;
	/* Written anew soon: the end does not wait until it is on the disk. false after begin. */
	bool passing;
	bool in_place; /* there is no other file: what is written stays */
	char path[PATH_MAX], work[PATH_MAX + 32];
};

/*
 * A reader of @path finds what was there before or what is new, never a part. A link stays, what it
 * leads to is replaced. The new file gets the mode and, where the process may do that, the owner
 * and group of the old one. A device, what has its name in /proc, and what is a standard descriptor
 * of the process are written in place. 0; -EINVAL @path is no regular file; -errno.
 */
int libroc_replace_begin(struct libroc_replacement *r, const char *path);
/* All is written. 0, or -errno: then what was there before still is. */
int libroc_replace_end(struct libroc_replacement *r);
/* What was there before stays. */
void libroc_replace_drop(struct libroc_replacement *r);

#endif /* LIBROC_REPLACE_H */
