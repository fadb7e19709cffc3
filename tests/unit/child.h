/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run a child process of a test, and capture its output and exit status. */
#ifndef UNIT_CHILD_H
#define UNIT_CHILD_H

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* Like fork(), with a pipe for the child's output. */
static inline pid_t child_begin(int ends[2])
{
	UNIT_NEED(!pipe(ends));
	fflush(stdout);
	return fork();
}

/*
 * In the parent: read the output of @pid from the pipe @ends until it exits; return its wait
 * status.
 */
static inline int child_output(pid_t pid, const int ends[2], char *output, size_t size)
{
	size_t length = 0;
	int status = 0;
	ssize_t got;

	UNIT_NEED(pid > 0);
	close(ends[1]);
	while ((got = read(ends[0], output + length, size - 1 - length)) > 0)
		length += (size_t)got;
	output[length] = '\0';
	close(ends[0]);
	UNIT_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

#endif
