// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sockets in the folder of a card: listen and accept, common to the vfio-user and the control
 * server.
 */
#include "emu.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Without descriptors or memory for another client, accept waits until one disconnects. */
#define ACCEPT_PAUSE_NS 20000000

int emu_listen(const char *path, int backlog)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd, rc;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	unlink(path); /* left by a process that was killed */
	if (!bind(fd, (struct sockaddr *)&addr, sizeof(addr)) && !listen(fd, backlog))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

int emu_accept(struct emu *emu, int listen_fd)
{
	const struct timespec pause = {.tv_nsec = ACCEPT_PAUSE_NS};

	while (!atomic_load(&emu->quit)) {
		int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0)
			return fd;
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			nanosleep(&pause, NULL);
		else if (errno != EINTR && errno != ECONNABORTED)
			return -1;
	}
	return -1;
}
