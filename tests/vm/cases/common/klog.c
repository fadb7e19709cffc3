// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's log while a test runs. See klog.h.
 */
#include "klog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "limit.h"

/* The runner knows more messages (rocvm/kmsg.py), but not during which test they were logged. */
static const char *const bad[] = {
	"BUG",
	"WARNING:",
	"Oops",
	"Call Trace",
	"general protection",
	"vmalloc bug",
	"refcount_t",
	"list_del corruption",
	"list_add corruption",
	"Unable to handle",
	"unable to handle",
	"Bad page",
	"blocked for more than",
	"DMA-API",
	"DMAR: [",
	"lockup",
	"scheduling while atomic",
};

int klog_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* The text of the next record; NULL at the end. */
static const char *next(int fd)
{
	static char record[8192];
	ssize_t n;

	do
		n = read(fd, record, sizeof(record) - 1);
	while (n < 0 && errno == EPIPE); /* some records were overwritten */
	if (n <= 0)
		return NULL;
	record[n] = '\0';
	return strchr(record, ';') ? strchr(record, ';') + 1 : record;
}

const char *klog_wait(int fd, const char *text, unsigned int ms)
{
	int64_t end = now_ms() + patience_ms(ms);
	const char *line;

	for (;;) {
		while ((line = next(fd)))
			if (strstr(line, text))
				return line;
		if (now_ms() > end)
			return NULL;
		sleep_ms(2);
	}
}

bool klog_clean(int fd)
{
	const char *line;
	bool clean = true;
	unsigned int i;

	while ((line = next(fd))) {
		for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			if (!strstr(line, bad[i]))
				continue;
			printf("# kernel log: %.*s\n", (int)strcspn(line, "\n"), line);
			clean = false;
			break;
		}
	}
	return clean;
}
