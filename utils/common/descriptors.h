/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors 0 to 2. The kernel gives the next file that is opened the lowest one that is free: if
 * a program is started with one of these closed, its socket or data file gets it, and the messages
 * of the program are written there.
 */
#ifndef ROC_UTILS_DESCRIPTORS_H
#define ROC_UTILS_DESCRIPTORS_H

#include <fcntl.h>
#include <unistd.h>

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

#endif
