// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests to the machine around the guest. See host.h.
 */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "limit.h"
#include "node.h"

#define PORT "/dev/virtio-ports/roc.host"
#define LIMIT_MS 30000

bool host_there(void)
{
	return !access(PORT, F_OK);
}

static bool answer(int fd, char *text, size_t size)
{
	int64_t end = now_ms() + patience_ms(LIMIT_MS);
	size_t used = 0;

	while (now_ms() < end && used + 1 < size) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n = poll(&p, 1, 100) > 0 ? read(fd, text + used, size - used - 1) : 0;

		used += n > 0 ? n : 0;
		text[used] = '\0';
		if (used && text[used - 1] == '\n') {
			text[used - 1] = '\0';
			return true;
		}
	}
	return false;
}

bool host_do(const char *fmt, ...)
{
	char line[128], text[512] = "";
	bool good;
	va_list ap;
	int fd, n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	fd = open_rw(PORT);
	if (fd < 0)
		return false;
	line[n] = '\n';
	good = write(fd, line, n + 1) == n + 1 && answer(fd, text, sizeof(text)) &&
	       !strcmp(text, "ok");
	line[n] = '\0';
	if (!good)
		printf("# host: %s: %s\n", line, text);
	close(fd);
	return good;
}

int slot_off(const char *address)
{
	char line[32], path[96];
	int err = -ENOENT;
	glob_t found;
	size_t i;

	if (glob("/sys/bus/pci/slots/*/address", 0, NULL, &found))
		return err;
	for (i = 0; i < found.gl_pathc && err == -ENOENT; i++) {
		FILE *f = fopen(found.gl_pathv[i], "re");

		/* "0000:81:00" of "0000:81:00.0" */
		if (f && fgets(line, sizeof(line), f) &&
		    !strncmp(line, address, strcspn(line, "\n"))) {
			snprintf(path, sizeof(path), "%.*s/power",
				 (int)(strrchr(found.gl_pathv[i], '/') - found.gl_pathv[i]),
				 found.gl_pathv[i]);
			err = put_text(path, "0");
		}
		if (f)
			fclose(f);
	}
	globfree(&found);
	return err;
}
