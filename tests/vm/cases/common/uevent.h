/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's announcements, heard by ourselves: nothing that is said after the listening began
 * is missed.
 */
#ifndef CASE_UEVENT_H
#define CASE_UEVENT_H

#include <stdint.h>

/* A descriptor for uevent(), closed by the caller, or -1. */
int uevents_listen(void);

/* ms until a uevent with this line came; -1: it did not in @ms. */
int64_t uevent(int fd, const char *line, unsigned int ms);

/* The value of @key in the uevent that was found last, or "". */
const char *uevent_value(const char *key);

#endif /* CASE_UEVENT_H */
