/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that can open few files more, or none. Included after unit.h.
 */
#ifndef ROC_UNIT_FEW_FILES_H
#define ROC_UNIT_FEW_FILES_H

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

/* More than what is tested has open at a time. */
#define FEW_FILES_ENOUGH 16

/* So many at a time from now on; -1: as many as ever. */
static void few_files(int files)
{
	static struct rlimit usual;
	struct rlimit now;
	int next;

	if (!usual.rlim_max)
		UNIT_NEED(!getrlimit(RLIMIT_NOFILE, &usual));
	UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &usual));
	if (files < 0)
		return;
	next = dup(STDIN_FILENO);
	UNIT_NEED(next >= 0 && !close(next));
	now = usual;
	now.rlim_cur = next + files;
	UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &now));
}

#endif /* ROC_UNIT_FEW_FILES_H */
