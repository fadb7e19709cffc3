// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notify the service manager (sd_notify protocol).
 */
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"
#include "numbers.h"

#define REPORT_NS (UINT64_C(10) * NS_PER_S) /* time to report and to write files at the end */

int notify_manager(const char *state)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	const char *path = getenv("NOTIFY_SOCKET");
	size_t length = path ? strlen(path) : 0;
	ssize_t sent;
	int fd, err;

	if (!length)
		return 0;
	if ((path[0] != '/' && path[0] != '@') || length < 2)
		return -EAFNOSUPPORT;
	if (length >= sizeof(a.sun_path))
		return -E2BIG;
	memcpy(a.sun_path, path, length);
	if (path[0] == '@')
		a.sun_path[0] = '\0'; /* an abstract socket */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	sent = sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&a,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	err = errno;
	close(fd);
	return sent < 0 ? -err : 1;
}

void notify_end_within(uint64_t ns)
{
	char text[64];

	snprintf(text, sizeof(text), "EXTEND_TIMEOUT_USEC=%" PRIu64, (ns + REPORT_NS) / 1000);
	notify_manager(text);
}

uint64_t notify_watchdog(void)
{
	const char *text = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	uint64_t us, number;

	if (!text || number_value(text, &us))
		return 0;
	if (pid && (number_value(pid, &number) || number != (uint64_t)getpid()))
		return 0;
	return us * 1000;
}
