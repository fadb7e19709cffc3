/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kernel files that are tested in user space need of the kernel's header of this name. */
#ifndef UNIT_LINUX_MINMAX_H
#define UNIT_LINUX_MINMAX_H

#define min(a, b) ((a) < (b) ? (a) : (b))
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define clamp(value, low, high) min(max(value, low), high)

#endif
