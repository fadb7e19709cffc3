/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the kernel header of this name that kernel files need in user-space tests. */
#ifndef UNIT_LINUX_MINMAX_H
#define UNIT_LINUX_MINMAX_H

#define min(a, b) ((a) < (b) ? (a) : (b))
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define clamp(value, low, high) min(max(value, low), high)

#endif
