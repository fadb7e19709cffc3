/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The index of fragments, inside: its rows and their lists. Apart from fragment.h, because
 * fragment_index.c and its test need nothing of a sub-unit.
 */
#ifndef LIBROC_FRAGMENT_INDEX_H
#define LIBROC_FRAGMENT_INDEX_H

#include <roc/fragment_index.h>

#define LIBROC_INDEX_NONE UINT32_MAX
/* Entries after which an event is of an earlier lap. */
#define LIBROC_INDEX_LAP (UINT64_C(1) << 31)

/*
 * An event: in a chain of those with the same hash and in the list of all, in order; or free, and
 * then next is the next free one.
 */
struct libroc_index_row {
	uint32_t event;
	uint32_t links; /* mask of those that are there; 0: free */
	uint32_t next;
	uint32_t older, newer;
	uint32_t reserved;
	uint64_t born; /* inserted when the first link came */
	uint64_t stamp;
};

struct roc_fragment_index {
	uint32_t limit; /* entries, and so rows */
	unsigned int links;
	uint32_t shift;	  /* of a hash, so that it is below the number of chains */
	uint32_t *chains; /* first row of each */
	struct libroc_index_row *rows;
	uint32_t *pages; /* of row r and link l: r * links + l */
	uint32_t free;
	uint32_t oldest, newest;
	uint32_t events, count;
	uint64_t inserted; /* entries, ever */
};

/* Everything is forgotten. */
void libroc_index_empty(struct roc_fragment_index *index);

#endif /* LIBROC_FRAGMENT_INDEX_H */
