// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of provider shm, with libfabric itself and a small private /dev/shm.
 */
#include "unit.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libroc/fabric/fabric.h"
#include "libroc/fabric/shm.h"

/* Mount an empty /dev/shm of @size. */
static bool mount_small_shm(const char *size)
{
	static bool own;
	char options[64];

	own = own ||
	      (!unshare(CLONE_NEWNS) && !mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL));
	snprintf(options, sizeof(options), "size=%s", size);
	if (own && !mount("none", SHM_FOLDER, "tmpfs", 0, options))
		return true;
	unit_skip("needs root for a mount namespace");
	return false;
}

static void make(const char *name)
{
	int fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	UNIT_NEED(fd >= 0);
	close(fd);
}

static bool shm_open_fabric(struct fabric *f)
{
	char reason[FABRIC_REASON] = "";
	int ret = fabric_open(f, "shm", NULL, reason);

	if (ret)
		unit_skip("%.200s", reason);
	return !ret;
}

/* A new process removes the file of a killed one, and no other file. */
static void stale(void)
{
	char dead[64], live[64], other[64], reason[FABRIC_REASON] = "";
	struct fabric f;
	pid_t pid;

	if (!mount_small_shm("64m"))
		return;
	pid = fork();
	if (!pid)
		_exit(0);
	UNIT_EQ(waitpid(pid, NULL, 0), pid);
	snprintf(dead, sizeof(dead), SHM_FOLDER "/%d:0:0", (int)pid);
	snprintf(live, sizeof(live), SHM_FOLDER "/%d:0:77", (int)getpid());
	snprintf(other, sizeof(other), SHM_FOLDER "/%d:0:0.mine", (int)pid);
	make(dead);
	make(live);
	make(other);
	if (shm_open_fabric(&f)) {
		UNIT_EQ(access(dead, F_OK), -1);
		UNIT_EQ(access(live, F_OK), 0);
		UNIT_EQ(access(other, F_OK), 0);
		fabric_close(&f, reason);
	}
	UNIT_EQ(umount(SHM_FOLDER), 0);
}

/* All space of an endpoint is allocated at open, or the open fails with a remedy. */
static void full(void)
{
	char reason[FABRIC_REASON] = "", path[512];
	struct fabric_end first, second;
	struct fabric f;
	struct stat s;
	int fd;

	if (!mount_small_shm("64m"))
		return;
	if (shm_open_fabric(&f)) {
		fd = open(SHM_FOLDER "/filler", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		UNIT_EQ(posix_fallocate(fd, 0, 40 << 20), 0);
		close(fd);
		UNIT_EQ(fabric_end_open(&f, &first, reason), 0);
		UNIT_STR(reason, "");
		snprintf(path, sizeof(path), SHM_FOLDER "/%s",
			 (const char *)first.name + strlen("fi_shm://"));
		UNIT_EQ(stat(path, &s), 0);
		CU_ASSERT_TRUE(s.st_size > 0 && s.st_blocks * 512 >= s.st_size);
		CU_ASSERT_TRUE(fabric_end_open(&f, &second, reason) < 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, "for an endpoint of provider shm"));
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, "mount -o remount,size="));
		fabric_end_close(&first, reason);
		/* The freed space suffices for another endpoint. */
		reason[0] = '\0';
		UNIT_EQ(fabric_end_open(&f, &second, reason), 0);
		UNIT_STR(reason, "");
		fabric_end_close(&second, reason);
		fabric_close(&f, reason);
	}
	UNIT_EQ(umount(SHM_FOLDER), 0);
}

UNIT_MAIN("files of provider shm", {"files of ended processes are removed", stale},
	  {"no space for another endpoint", full})
