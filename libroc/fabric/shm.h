/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of libfabric's provider shm: one in /dev/shm for each endpoint, named after the process.
 * Short: the interface of shm.c, which is independent of libfabric and has its own test.
 */
#ifndef LIBROC_FABRIC_SHM_H
#define LIBROC_FABRIC_SHM_H

#include "base.h"

#define SHM_FOLDER "/dev/shm"

/*
 * Remove the files that ended processes of this user left: the provider removes its files only in a
 * process that ends in order.
 */
void shm_remove_stale(void);
/* Check that there is space for the next endpoint's file. Return 0, or -errno with @reason. */
int shm_check_room(char reason[FABRIC_REASON]);
/*
 * Reserve all space of the file of the endpoint with this address, which the provider makes sparse:
 * a later write that finds no space would end the process by SIGBUS. Return 0, or -errno with
 * @reason.
 */
int shm_reserve(const unsigned char *name, size_t bytes, char reason[FABRIC_REASON]);

#endif
