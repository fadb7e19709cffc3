/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What everything shares that has to do with a network: the sentence of a failure, the clocks.
 */
#ifndef LIBROC_FABRIC_BASE_H
#define LIBROC_FABRIC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <roc/idle.h>

#define FABRIC_WHY 512
#define FABRIC_NS_PER_S UINT64_C(1000000000)

/* Keep the first sentence; returns -err. */
int fabric_fail(char why[FABRIC_WHY], int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

uint64_t fabric_now(void);	/* CLOCK_MONOTONIC ns */
uint64_t fabric_realtime(void); /* CLOCK_REALTIME ns */

#endif
