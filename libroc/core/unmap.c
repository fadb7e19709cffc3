// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The end of a mapping that children do not inherit.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "libroc.h"

void libroc_unmap(volatile const void *at, size_t length, int pid)
{
	if (at && (!pid || pid == getpid()))
		munmap((void *)at, length);
}
