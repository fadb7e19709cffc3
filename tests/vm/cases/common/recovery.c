// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCI error recoveries, step by step. See recovery.h.
 */
#include "recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "node.h"

#define MODULE "/usr/lib/roc/modules/roc-test-recovery.ko"

int recovery(const char *id, const char *steps)
{
	int module = open(MODULE, O_RDONLY | O_CLOEXEC), err = 0;
	char parameters[128];

	if (module < 0)
		return -errno;
	snprintf(parameters, sizeof(parameters), "device=%s steps=%s", pci_address(id), steps);
	if (syscall(SYS_finit_module, module, parameters, 0))
		err = -errno;
	close(module);
	if (!err && syscall(SYS_delete_module, "roc_test_recovery", O_NONBLOCK))
		err = -errno;
	return err;
}
