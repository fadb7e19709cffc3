/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File descriptors and files of a program: standard descriptors, the limit of open files (the
 * default soft limit is kept low for select()), numbered files.
 */
#ifndef ROC_UTILS_FILES_H
#define ROC_UTILS_FILES_H

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <unistd.h>

/*
 * Descriptors 0 to 2. The kernel gives the next opened file the lowest free descriptor. If a
 * program starts with one of these closed, a socket or data file gets it, and the messages of the
 * program end up in there.
 */

/*
 * Open /dev/null for each of them that is closed. Call it first in main(). Return 0, or -1 with
 * errno.
 */
static inline int descriptors_fill(void)
{
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return -1;
	}
	return 0;
}

/* Raise the limit of open files to @count, or to the hard limit. Return the new limit. */
uint64_t files_raise(uint64_t count);

/* Numbered files of a program: DIR/PREFIX-NNNNNN.END, with at least six digits. */

/*
 * Find the numbered file in @dir with the highest number and one of @ends (NULL-terminated, with
 * the dots). Return 1 with its name in @name and its number in *@number, 0 if there is none, or
 * -errno.
 */
int numbered_last(const char *dir, const char *prefix, const char *const *ends,
		  char name[NAME_MAX + 1], unsigned int *number);
void numbered_name(const char *dir, const char *prefix, unsigned int number, const char *end,
		   char path[PATH_MAX]);
/*
 * Create a numbered file; fail if it exists. Return a descriptor, or -errno; the path is in @path.
 */
int numbered_create(const char *dir, const char *prefix, unsigned int number, const char *end,
		    char path[PATH_MAX]);

#endif
