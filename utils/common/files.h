/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors and files of a program: standard descriptors, how many files may be open (the usual
 * soft limit is that of programs of old, select()), numbered files. Short: not for every tool.
 */
#ifndef ROC_UTILS_FILES_H
#define ROC_UTILS_FILES_H

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <unistd.h>

/*
 * Descriptors 0 to 2. The kernel gives the next file that is opened the lowest one that is free: if
 * a program is started with one of these closed, its socket or data file gets it, and the messages
 * of the program are written there.
 */

/* Open /dev/null as each of them that is closed. To be called first of all; 0, or -1 with errno. */
static inline int descriptors_fill(void)
{
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return -1;
	}
	return 0;
}

/* Let @count files be open, or as many as the hard limit allows. How many may be now. */
uint64_t files_raise(uint64_t count);

/*
 * Files that a program writes one behind the other: DIR/PREFIX-NNNNNN.END, with six digits or more.
 */

/*
 * The last of these files that are in @dir already, with any of @ends (a list that ends with NULL,
 * each with its dot). 1, its name in @name and its number in *@number; 0 there is none; -errno.
 */
int numbered_last(const char *dir, const char *prefix, const char *const *ends,
		  char name[NAME_MAX + 1], unsigned int *number);
void numbered_name(const char *dir, const char *prefix, unsigned int number, const char *end,
		   char path[PATH_MAX]);
/* A new one, never one that is there: descriptor, or -errno; its path is in @path. */
int numbered_create(const char *dir, const char *prefix, unsigned int number, const char *end,
		    char path[PATH_MAX]);

#endif
