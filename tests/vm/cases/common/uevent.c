// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's uevents. See uevent.h.
 */
#include "uevent.h"

#include <linux/netlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "limit.h"

static char text[8192]; /* lines that end with a NUL each */
static ssize_t length;

int uevents_listen(void)
{
	struct sockaddr_nl a = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The line that begins with @start, or NULL. */
static const char *line_of(const char *start)
{
	ssize_t at;

	for (at = 0; at < length; at += strlen(text + at) + 1)
		if (!strncmp(text + at, start, strlen(start)))
			return text + at;
	return NULL;
}

int64_t uevent(int fd, const char *line, unsigned int ms)
{
	int64_t begin = now_ms(), left;
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while ((left = begin + patience_ms(ms) - now_ms()) > 0 && poll(&p, 1, left) > 0) {
		const char *found;

		length = recv(fd, text, sizeof(text) - 1, 0);
		if (length <= 0)
			continue;
		text[length] = '\0';
		found = line_of(line);
		if (found && !strcmp(found, line))
			return now_ms() - begin;
	}
	length = 0;
	return -1;
}

const char *uevent_value(const char *key)
{
	const char *found = line_of(key);

	return found && found[strlen(key)] == '=' ? found + strlen(key) + 1 : "";
}
