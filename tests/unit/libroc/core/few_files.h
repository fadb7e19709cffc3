/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limit how many more files the process can open. Included after unit.h. */
#ifndef ROC_UNIT_FEW_FILES_H
#define ROC_UNIT_FEW_FILES_H

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

/* More files than the tested code has open at a time */
#define FEW_FILES_ENOUGH 16

/* Allow @files more open files; -1: no limit. */
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
