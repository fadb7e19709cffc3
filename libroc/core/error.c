// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keep the thread's error text, and format the errors that several functions share. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "libroc.h"

static __thread char sentence[ROC_ERROR_MAX];
static __thread const char *last;

const char *roc_error(void)
{
	return last ? last : "no error";
}

int roc_fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	last = sentence;
	return -err;
}

int libroc_fail_text(int err, const char *text)
{
	last = text;
	return -err;
}

int libroc_ioctl(int fd, unsigned long request, void *arg)
{
	int saved = errno;
	int ret = ioctl(fd, request, arg);

	if (ret < 0) {
		ret = -errno;
		errno = saved;
	}
	return ret;
}

/* Read the first line of a file; empty if it cannot be read. */
static void read_line(const char *path, char *text, size_t size)
{
	int saved = errno;
	FILE *f = fopen(path, "re");

	text[0] = '\0';
	if (f) {
		if (fgets(text, size, f))
			text[strcspn(text, "\n")] = '\0';
		fclose(f);
	}
	errno = saved;
}

static int fail_old_module(int err, const char *name, const char *what)
{
	char version[32];

	read_line("/sys/module/roc/version", version, sizeof(version));
	return roc_fail(
		err,
		"%s: %s: the loaded roc module%s%s does not support the request of this library, version %s: install the module of this version and reload it (modprobe -r roc && modprobe roc)",
		name, what, version[0] ? " " : "", version, roc_version());
}

int libroc_fail_ioctl(int err, const char *name, const char *what)
{
	switch (err) {
	case ENOTTY:
	case E2BIG:
		return fail_old_module(err, name, what);
	case EPERM:
		return roc_fail(
			err,
			"%s: %s: only the process that opened the handle can use it: open a handle after fork()",
			name, what);
	case ENODEV:
		return roc_fail(
			err,
			"%s: %s: the card was removed or reset: close the handle and open it again (roc-list-cards shows whether the card is present)",
			name, what);
	case EIO:
		return roc_fail(
			err,
			"%s: %s: the card answers all ones, because it is off the bus or its firmware is being loaded: wait for the load to finish, or power-cycle the server",
			name, what);
	default:
		return roc_fail(err, "%s: %s: %s", name, what, strerror(err));
	}
}

int libroc_fail_map(int err, const char *name, const char *what)
{
	if (err != ENOMEM)
		return libroc_fail_ioctl(err, name, what);
	return roc_fail(
		err,
		"%s: %s: no address space, or too many mappings: raise the limit (ulimit -v, vm.max_map_count) or unmap some, then call again to map what the driver has already made",
		name, what);
}
