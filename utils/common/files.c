// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many files may be open.
 */
#include "files.h"

#include <sys/resource.h>

uint64_t files_raise(uint64_t wanted)
{
	struct rlimit limit, more;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_cur >= wanted)
		return limit.rlim_cur;
	more = limit;
	more.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &more) ? limit.rlim_cur : more.rlim_cur;
}
