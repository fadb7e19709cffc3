/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine around the guest, asked to do something to a card (tests/vm/rocvm/host.py has the
 * words), and the slots that it plugs cards into. Only in a guest that was started with it.
 */
#ifndef CASE_HOST_H
#define CASE_HOST_H

#include <stdbool.h>

bool host_there(void);
/* One line; false, with a note, when it could not be done. */
bool host_do(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Switch the slot of this PCI function off: 0 or -errno. What is in it gets unplugged. */
int slot_off(const char *address);

#endif /* CASE_HOST_H */
