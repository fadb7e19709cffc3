// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests to the host over virtio ports: the emulated cards' control sockets and the instruction
 * counter. A port is opened at its first use and stays open.
 */
#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define PORTS 10
#define LIMIT_MS 10000

static struct {
	char name[32];
	int fd;
} ports[PORTS];

static char answer[1 << 17];

static int find(const char *name)
{
	char path[80];
	unsigned int i;

	for (i = 0; i < PORTS && ports[i].name[0]; i++) {
		if (!strcmp(ports[i].name, name))
			return ports[i].fd;
	}
	if (i == PORTS)
		die("too many ports");
	snprintf(ports[i].name, sizeof(ports[i].name), "%s", name);
	snprintf(path, sizeof(path), "/dev/virtio-ports/%s", name);
	ports[i].fd = open(path, O_RDWR | O_CLOEXEC);
	return ports[i].fd;
}

const char *port_ask(const char *port, const char *line)
{
	int fd = find(port);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t length = 0;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (dprintf(fd, "%s\n", line) < 0)
		die("%s: %s", port, strerror(errno));
	do {
		if (length == sizeof(answer) - 1 || poll(&p, 1, LIMIT_MS) != 1)
			die("%s does not answer to '%s'", port, line);
		n = read(fd, answer + length, sizeof(answer) - 1 - length);
		if (n <= 0)
			die("%s: %s", port, n ? strerror(errno) : "closed");
		length += (size_t)n;
	} while (answer[length - 1] != '\n');
	answer[length - 1] = '\0';
	return answer;
}

const char *card_ask(unsigned int card, const char *fmt, ...)
{
	char port[32], line[200];
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	snprintf(port, sizeof(port), "roc.emu.%u", card);
	text = port_ask(port, line);
	if (!text)
		die("there is no emulated card %u", card);
	if (!strstr(text, "\"ok\":true"))
		die("card %u: %s: %s", card, line, text);
	return text;
}
