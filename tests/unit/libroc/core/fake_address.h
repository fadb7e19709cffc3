/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake the address file of rocN in sysfs: the linker redirects openat() to this one
 * (--wrap=openat). Included by the fake kernels, which have the card.
 */
#ifndef ROC_UNIT_LIBROC_FAKE_ADDRESS_H
#define ROC_UNIT_LIBROC_FAKE_ADDRESS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

#define FAKE_ADDRESS "0000:3b:00.0"

/* NULL: no such card. If @fake_address_errno is set, fail with that instead. */
static const char *fake_address = FAKE_ADDRESS;
static int fake_address_errno;
static char fake_address_path[64];

int __wrap_openat(int dir, const char *path, int flags, ...);

int __wrap_openat(int dir, const char *path, int flags, ...)
{
	int fd;

	snprintf(fake_address_path, sizeof(fake_address_path), "%s", path);
	if (!fake_address || fake_address_errno) {
		errno = fake_address_errno ? fake_address_errno : ENOENT;
		return -1;
	}
	fd = memfd_create("pci_address", MFD_CLOEXEC);
	UNIT_NEED(dprintf(fd, "%s\n", fake_address) > 0);
	UNIT_EQ(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

#endif /* ROC_UNIT_LIBROC_FAKE_ADDRESS_H */
