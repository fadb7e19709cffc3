/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling the service manager: sd_notify(3) without libsystemd. Its protocol is one datagram, is
 * documented there as stable, and is all that the tools would have of that library, which they
 * would then need on every machine.
 */
#ifndef ROC_UTILS_NOTIFY_H
#define ROC_UTILS_NOTIFY_H

#include <stdint.h>

/* "READY=1" and the like, to $NOTIFY_SOCKET. 1 told, 0 nobody wants to know, or a negative errno.
 */
int notify_manager(const char *state);

/* The end takes so many ns, and a moment to say how it went: the manager's limit may be less. */
void notify_end_within(uint64_t ns);

/* How often a sign of life is wanted, ns; 0: never. */
uint64_t notify_watchdog(void);

#endif
