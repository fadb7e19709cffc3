/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open an io_uring, or say what keeps the process from it.
 */
#ifndef ROC_UTILS_URING_H
#define ROC_UTILS_URING_H

#include <liburing.h>

#include "utils/units/units.h"

/**
 * uring_open() - create an io_uring
 * @ring: filled in
 * @entries: of the submission queue
 * @why: the reason and the remedy after an error
 *
 * Return: 0, or a negative errno.
 */
int uring_open(struct io_uring *ring, unsigned int entries, char why[UNITS_WHY]);

#endif
