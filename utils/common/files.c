// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raise the limit of open files, and manage numbered files.
 */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

uint64_t files_raise(uint64_t count)
{
	struct rlimit limit, more;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_cur >= count)
		return limit.rlim_cur;
	more = limit;
	more.rlim_cur = count < limit.rlim_max ? count : limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &more) ? limit.rlim_cur : more.rlim_cur;
}

#define DIGITS 6

static bool number_of(const char *name, const char *prefix, const char *const *ends,
		      unsigned int *number)
{
	size_t length = strlen(prefix), digits;
	unsigned long long value;

	if (strncmp(name, prefix, length) || name[length] != '-')
		return false;
	name += length + 1;
	digits = strspn(name, "0123456789");
	/* A longer number overflows to ULLONG_MAX. */
	value = strtoull(name, NULL, 10);
	if (digits < DIGITS || value > UINT_MAX)
		return false;
	while (*ends && strcmp(name + digits, *ends))
		ends++;
	*number = (unsigned int)value;
	return *ends;
}

int numbered_last(const char *dir, const char *prefix, const char *const *ends,
		  char name[NAME_MAX + 1], unsigned int *number)
{
	DIR *folder = opendir(dir);
	struct dirent *entry;
	unsigned int n;
	int ret = 0;

	if (!folder)
		return -errno;
	while ((errno = 0, entry = readdir(folder))) {
		if (!number_of(entry->d_name, prefix, ends, &n) || (ret && n < *number))
			continue;
		*number = n;
		snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
		ret = 1;
	}
	if (errno)
		ret = -errno;
	closedir(folder);
	return ret;
}

void numbered_name(const char *dir, const char *prefix, unsigned int number, const char *end,
		   char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s-%06u%s", dir, prefix, number, end);
}

int numbered_create(const char *dir, const char *prefix, unsigned int number, const char *end,
		    char path[PATH_MAX])
{
	int fd;

	numbered_name(dir, prefix, number, end, path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return fd < 0 ? -errno : fd;
}
