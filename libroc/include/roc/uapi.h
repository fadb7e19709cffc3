/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * In the source tree: the way to the one copy of the kernel's user ABI. `make install` puts
 * that file itself in the place of this one, and what it includes beside it, so a machine needs no
 * kernel header of roc.
 */
#include "../../../kmod/include/uapi/linux/roc.h"
