// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open an io_uring, or say what keeps the process from it.
 */
#include "uring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* 0: everybody may, 1: a group and root, 2: nobody. Kernels before 6.6 do not have it. */
static int disabled(void)
{
	FILE *f = fopen("/proc/sys/kernel/io_uring_disabled", "re");
	int value = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%d", &value) != 1)
		value = 0;
	fclose(f);
	return value;
}

static int refused(char why[UNITS_WHY])
{
	int value = disabled();

	if (value)
		return units_fail(
			why, EPERM,
			"io_uring is disabled for this process: set the sysctl kernel.io_uring_disabled to 0 (it is %d).",
			value);
	return units_fail(
		why, EPERM,
		"A seccomp profile refuses io_uring, as in most containers: allow io_uring_setup, io_uring_enter and io_uring_register in it.");
}

int uring_open(struct io_uring *ring, unsigned int entries, char why[UNITS_WHY])
{
	int ret = io_uring_queue_init(entries, ring, 0);

	switch (-ret) {
	case 0:
		return 0;
	case EPERM:
		return refused(why);
	case ENOSYS:
		return units_fail(
			why, ENOSYS,
			"This kernel has no io_uring: take one that was built with CONFIG_IO_URING; or a seccomp profile hides the calls.");
	case ENOMEM:
		return units_fail(
			why, ENOMEM,
			"There is no memory for an io_uring: raise the limit of locked memory (ulimit -l), to which kernels before 5.12 charge it.");
	default:
		return units_fail(why, -ret, "The kernel gives no io_uring: %s.", strerror(-ret));
	}
}
