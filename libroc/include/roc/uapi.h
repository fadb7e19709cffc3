/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Include the single copy of the kernel's user ABI in the source tree. `make install` replaces this
 * file by that copy and installs the files that it includes beside it, so that a machine needs no
 * kernel header of roc.
 */
#include "../../../kmod/include/uapi/linux/roc.h"
