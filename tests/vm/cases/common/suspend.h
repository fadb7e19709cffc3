/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own test of suspend: it goes as far as a level, waits a second, and comes back.
 */
#ifndef CASE_SUSPEND_H
#define CASE_SUSPEND_H

#include <stdbool.h>

bool suspend_there(void);
/* As far as "devices" or "platform": 0, or what the kernel answers. */
int suspend(const char *level);

#endif /* CASE_SUSPEND_H */
