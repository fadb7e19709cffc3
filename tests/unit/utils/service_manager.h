/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Act as the service manager of sd_notify(3). Included after unit.h.
 */
#ifndef ROC_UNIT_SERVICE_MANAGER_H
#define ROC_UNIT_SERVICE_MANAGER_H

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#define MANAGER_MS 30000 /* timeout for each notification */

static int manager = -1; /* socket */

/* Processes started from now on notify this manager. */
static void manager_open(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	unlink(path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", path);
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	UNIT_NEED(!bind(manager, (struct sockaddr *)&address, sizeof(address)));
	setenv("NOTIFY_SOCKET", path, 1);
}

static void manager_close(const char *path)
{
	unsetenv("NOTIFY_SOCKET");
	close(manager);
	unlink(path);
}

/* Return the next notification, or an empty text after the timeout. */
static const char *manager_received(void)
{
	static char text[256];
	struct pollfd fd = {.fd = manager, .events = POLLIN};
	ssize_t got = 0;
	int ret;

	/* A stopped and continued process gets EINTR. */
	do
		ret = poll(&fd, 1, (int)(MANAGER_MS * slowness()));
	while (ret < 0 && errno == EINTR);
	if (ret > 0)
		got = recv(manager, text, sizeof(text) - 1, 0);
	text[got > 0 ? got : 0] = '\0';
	return text;
}

/* Return the next notification that is not @but. */
__attribute__((unused)) static const char *manager_received_other(const char *but)
{
	const char *text;

	do {
		text = manager_received();
	} while (!strcmp(text, but));
	return text;
}

#endif
