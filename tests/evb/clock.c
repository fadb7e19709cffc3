// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A wrong clock for one process (LD_PRELOAD): CLOCK_REALTIME is ahead by the ns in the file that
 * ROC_TEST_CLOCK names (8 bytes in host byte order), which may change at any time.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

static const volatile int64_t *offset;

__attribute__((constructor)) static void find_file(void)
{
	const char *path = getenv("ROC_TEST_CLOCK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *at = MAP_FAILED;

	if (fd >= 0)
		at = mmap(NULL, sizeof(*offset), PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		fprintf(stderr, "clock: the file of ROC_TEST_CLOCK cannot be opened\n");
		_exit(1);
	}
	close(fd);
	offset = at;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int ret = (int)syscall(SYS_clock_gettime, id, t);
	int64_t ns;

	if (ret || id != CLOCK_REALTIME || !offset)
		return ret;
	ns = (int64_t)t->tv_sec * SECOND + t->tv_nsec + *offset;
	t->tv_sec = ns / SECOND;
	t->tv_nsec = ns % SECOND;
	return 0;
}
