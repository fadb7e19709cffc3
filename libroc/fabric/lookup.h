/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A name's address, for who cannot wait until somebody knows it.
 */
#ifndef LIBROC_FABRIC_LOOKUP_H
#define LIBROC_FABRIC_LOOKUP_H

#include "control.h"

struct lookup;

/*
 * 1: it is in @address, as a number; 0: not yet; -errno with the sentence. @lookup is NULL at first
 * and when it is over; a number needs no looking up. Of several addresses number @which, modulo how
 * many there are.
 */
int lookup_address(struct lookup **lookup, const char *host, unsigned int which,
		   char address[CONTROL_ADDRESS], char why[FABRIC_WHY]);
/* Nobody waits for it any more. */
void lookup_drop(struct lookup **lookup);

#endif
