/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The linker redirects the library's ioctl() to this one (--wrap=ioctl), which calls on_ioctl() of
 * the including test. It returns -1 with errno, or the result of the driver.
 */
#ifndef TESTS_WRAP_IOCTL_H
#define TESTS_WRAP_IOCTL_H

#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>

static int on_ioctl(int fd, unsigned long request, void *arg);

int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return on_ioctl(fd, request, arg);
}

#endif
