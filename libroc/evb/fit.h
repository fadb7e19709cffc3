/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who can be in a table together: each node is made for so many of the other role.
 */
#ifndef LIBROC_EVB_FIT_H
#define LIBROC_EVB_FIT_H

#include <stdbool.h>
#include <stdint.h>

#define EVB_FIT_ITSELF UINT32_MAX

struct evb_fit {
	uint32_t who;	/* for the caller */
	uint32_t peers; /* that it is made for; 0: any number */
	bool holds;	/* it has its place already */
	bool fits;	/* the answer */
	uint32_t limit; /* if not: index of the one that it is too many for, or EVB_FIT_ITSELF */
};

/* Both in the order in which they are preferred. Who holds a place keeps it. */
void evb_fit(struct evb_fit *rus, unsigned int ru_count, struct evb_fit *bus,
	     unsigned int bu_count);

#endif
