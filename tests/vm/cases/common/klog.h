/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's log while a test runs.
 */
#ifndef CASE_KLOG_H
#define CASE_KLOG_H

#include <stdbool.h>

/* A descriptor that sees what is written from now on. */
int klog_open(void);
/* Wait for a line that contains @text; a copy of it, or NULL. Skips the lines before. */
const char *klog_wait(int fd, const char *text, unsigned int ms);
/* No line that a healthy kernel never writes; else it is noted. Reads all there is. */
bool klog_clean(int fd);

#endif /* CASE_KLOG_H */
