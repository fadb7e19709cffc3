// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files of one device in sysfs. They are read one by one, without libudev: it looks at all parents
 * of a device, and at each file twice, which is four times as many system calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "libroc.h"

int libroc_sysfs_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int libroc_sysfs_read(int dir, const char *name, char *text, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t length;
	int err;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	do
		length = read(fd, text, size - 1);
	while (length < 0 && errno == EINTR);
	err = errno;
	close(fd);
	if (length < 0)
		return -err;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}
