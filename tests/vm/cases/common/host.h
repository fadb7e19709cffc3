/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to the machine around the guest, which act on a card (tests/vm/rocvm/host.py has the
 * list), and the PCI slots of the cards. Only in a guest that was started with --host.
 */
#ifndef CASE_HOST_H
#define CASE_HOST_H

#include <stdbool.h>

bool host_there(void);
/* Send one line; false, with a note, if the host failed to do it. */
bool host_do(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Switch off the slot of this PCI function, which unplugs its card: 0 or -errno. */
int slot_off(const char *address);

#endif /* CASE_HOST_H */
