/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal writer of files that replaces a file atomically. It needs nothing else of libroc, so the
 * tools link this object alone.
 */
#ifndef LIBROC_REPLACE_H
#define LIBROC_REPLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* A file being written, owned by the caller from begin to end or drop */
struct libroc_replacement {
	FILE *file;
	/*
	 * The file will be rewritten soon: end() does not sync it to the disk. begin() clears this.
	 */
	bool passing;
	bool in_place; /* written directly, without a temporary file */
	char path[PATH_MAX], work[PATH_MAX + 32];
};

/*
 * Begin to replace @path. A reader of @path sees either the old or the new file, never a part. A
 * symbolic link is kept and its target replaced. The new file gets the mode of the old one and, if
 * permitted, its owner and group. Devices, paths in /proc and the standard descriptors of the
 * process are written in place. Return 0; -EINVAL if @path is not a regular file; -errno.
 */
int libroc_replace_begin(struct libroc_replacement *r, const char *path);
/* Complete the replacement. On -errno the old file is unchanged. */
int libroc_replace_end(struct libroc_replacement *r);
/* Drop the new file and keep the old one. */
void libroc_replace_drop(struct libroc_replacement *r);

#endif /* LIBROC_REPLACE_H */
