/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's uevents, received without udev: no event after uevents_listen() is missed.
 */
#ifndef CASE_UEVENT_H
#define CASE_UEVENT_H

#include <stdint.h>

/* Open a descriptor for uevent(), which the caller closes; -1 on failure. */
int uevents_listen(void);

/* Milliseconds until a uevent with this line came; -1: none within @ms. */
int64_t uevent(int fd, const char *line, unsigned int ms);

/* The value of @key in the last uevent found, or "". */
const char *uevent_value(const char *key);

#endif /* CASE_UEVENT_H */
