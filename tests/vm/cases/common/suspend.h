/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own suspend test: it suspends down to a level, waits a second, and resumes.
 */
#ifndef CASE_SUSPEND_H
#define CASE_SUSPEND_H

#include <stdbool.h>

bool suspend_there(void);
/* @level: "devices" or "platform". 0 or the kernel's -errno. */
int suspend(const char *level);

#endif /* CASE_SUSPEND_H */
