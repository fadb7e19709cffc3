/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's log while a test runs.
 */
#ifndef CASE_KLOG_H
#define CASE_KLOG_H

#include <stdbool.h>

/* Open the log at its end: later calls see only newer messages. */
int klog_open(void);
/* Wait for a line that contains @text; returns a copy, or NULL. Skips the lines before. */
const char *klog_wait(int fd, const char *text, unsigned int ms);
/* True if no new line shows a kernel bug; else print it. Reads to the end of the log. */
bool klog_clean(int fd);

#endif /* CASE_KLOG_H */
