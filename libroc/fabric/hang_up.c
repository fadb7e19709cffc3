// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Hanging up before an end is closed. libfabric's tcp (1.17) crashes when it closes an end into
 * which a write is on its way: the half of a write that is cancelled has no owner. It does not when
 * the other side has hung up. So its connections are shut down here, where they can be found by
 * their addresses alone, and it is let see that. 2.1 crashes then, too, and nothing helps there.
 */
#include "hang_up.h"

#include <dirent.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Port of an address of the internet, 0: it is none. */
static in_port_t port_of(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_port;
	return a->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)a)->sin6_port : 0;
}

/* A connection that came to @own, where nobody else listens. */
static bool came_to(int fd, const struct sockaddr_storage *own)
{
	struct sockaddr_storage here = {0}, there;
	socklen_t size = sizeof(here), other = sizeof(there);

	if (getsockname(fd, (struct sockaddr *)&here, &size) ||
	    getpeername(fd, (struct sockaddr *)&there, &other))
		return false;
	return here.ss_family == own->ss_family && port_of(&here) == port_of(own);
}

unsigned int fabric_hang_up(const unsigned char *name, size_t bytes)
{
	struct sockaddr_storage own = {0};
	unsigned int count = 0;
	struct dirent *entry;
	DIR *fds;

	memcpy(&own, name, bytes < sizeof(own) ? bytes : sizeof(own));
	if (!port_of(&own))
		return 0;
	fds = opendir("/proc/self/fd");
	while (fds && (entry = readdir(fds))) {
		int fd = atoi(entry->d_name);

		if (came_to(fd, &own))
			count += !shutdown(fd, SHUT_RDWR);
	}
	if (fds)
		closedir(fds);
	return count;
}
