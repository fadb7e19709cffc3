// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reserve the files of libfabric's provider shm, and remove those of ended processes.
 */
#include "shm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEME "fi_shm://"

/* Size of an endpoint's file: the value of libfabric 1.17 to 2.1 until a file was opened. */
static _Atomic(off_t) file_size = 16 << 20;

/* Parse the provider's file names, PID:UID:N. Return the PID, 0: another program's file. */
static pid_t owner_of(const char *name)
{
	unsigned int uid, number;
	int pid, end = 0;

	if (sscanf(name, "%d:%u:%u%n", &pid, &uid, &number, &end) != 3 || name[end] || pid <= 0)
		return 0;
	return pid;
}

void shm_remove_stale(void)
{
	DIR *folder = opendir(SHM_FOLDER);
	struct dirent *entry;
	struct stat s;

	while (folder && (entry = readdir(folder))) {
		pid_t pid = owner_of(entry->d_name);

		if (!pid || !kill(pid, 0) || errno != ESRCH)
			continue;
		if (!fstatat(dirfd(folder), entry->d_name, &s, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(s.st_mode) && s.st_uid == geteuid())
			unlinkat(dirfd(folder), entry->d_name, 0);
	}
	if (folder)
		closedir(folder);
}

static int no_room(int err, off_t size, char reason[FABRIC_REASON])
{
	/* For the callers, -ENOSPC means an impossible configuration. */
	return fabric_fail(
		reason, err == ENOSPC ? ENOMEM : err,
		"Cannot allocate %lld bytes in %s for an endpoint of provider shm: %s. Remove files there, enlarge it (mount -o remount,size=SIZE %s), or use provider tcp.",
		(long long)size, SHM_FOLDER, strerror(err), SHM_FOLDER);
}

int shm_check_room(char reason[FABRIC_REASON])
{
	off_t size = atomic_load(&file_size);
	int fd, err;

	fd = open(SHM_FOLDER, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* Without O_TMPFILE, only shm_reserve() checks the space. */
	if (fd < 0)
		return 0;
	err = posix_fallocate(fd, 0, size);
	close(fd);
	return err == ENOSPC ? no_room(err, size, reason) : 0;
}

int shm_reserve(const unsigned char *name, size_t bytes, char reason[FABRIC_REASON])
{
	char text[256], path[sizeof(SHM_FOLDER) + sizeof(text)];
	struct stat s;
	int fd, err;

	snprintf(text, sizeof(text), "%.*s", (int)bytes, (const char *)name);
	if (strncmp(text, SCHEME, strlen(SCHEME)) || strchr(text + strlen(SCHEME), '/'))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", SHM_FOLDER, text + strlen(SCHEME));
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	/* The provider keeps its memory elsewhere. */
	if (fd < 0)
		return 0;
	if (fstat(fd, &s)) {
		close(fd);
		return 0;
	}
	err = posix_fallocate(fd, 0, s.st_size);
	close(fd);
	if (err)
		return no_room(err, s.st_size, reason);
	atomic_store(&file_size, s.st_size);
	return 0;
}
