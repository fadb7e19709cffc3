/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What libfabric should do when it closes an end, and does not.
 */
#ifndef LIBROC_FABRIC_HANG_UP_H
#define LIBROC_FABRIC_HANG_UP_H

#include <stdbool.h>
#include <stddef.h>

/* Shut down all connections that came to an endpoint of this name: how many. */
unsigned int fabric_hang_up(const unsigned char *name, size_t bytes);

#endif
