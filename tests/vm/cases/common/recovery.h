/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Error recoveries of the PCI core, step by step, run by tests/vm/modules/recovery.c.
 */
#ifndef CASE_RECOVERY_H
#define CASE_RECOVERY_H

/* Run these steps of the driver of the endpoint @id: 0 or -errno. */
int recovery(const char *id, const char *steps);

#endif /* CASE_RECOVERY_H */
