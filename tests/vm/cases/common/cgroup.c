// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A memory cgroup for one test. See cgroup.h.
 */
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limit.h"
#include "node.h"

#define ROOT "/run/case-cgroup"
#define GROUP ROOT "/case"
#define END_MS 5000

bool cgroup_make(void)
{
	int err = mkdir(ROOT, 0755) && errno != EEXIST ? -errno : 0;

	if (!err && mount("none", ROOT, "cgroup2", 0, NULL))
		err = -errno;
	if (!err)
		err = put_text(ROOT "/cgroup.subtree_control", "+memory");
	if (!err && mkdir(GROUP, 0755) && errno != EEXIST)
		err = -errno;
	if (err)
		printf("# no memory cgroup: %s\n", strerror(-err));
	return !err;
}

int cgroup_enter(void)
{
	return put_text(GROUP "/cgroup.procs", "0");
}

int64_t cgroup_bytes(void)
{
	char text[32] = "";
	int fd = open(GROUP "/memory.current", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0) {
		printf("Bail out! no memory.current\n");
		fflush(stdout);
		_exit(2);
	}
	close(fd);
	return strtoll(text, NULL, 10);
}

/* A limit makes the kernel reclaim memory: first what each CPU has charged ahead. */
int64_t cgroup_left(void)
{
	put_text(GROUP "/memory.high", "0");
	put_text(GROUP "/memory.high", "max");
	return cgroup_bytes();
}

bool cgroup_end(void)
{
	int64_t end = now_ms() + patience_ms(END_MS);
	bool empty;

	while (!(empty = !rmdir(GROUP)) && now_ms() < end)
		sleep_ms(1);
	return !umount(ROOT) && empty;
}
