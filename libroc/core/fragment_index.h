/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal structures of the index of fragments: rows and their lists. Separate from fragment.h,
 * because fragment_index.c and its test do not need a sub-unit.
 */
#ifndef LIBROC_FRAGMENT_INDEX_H
#define LIBROC_FRAGMENT_INDEX_H

#include <roc/fragment_index.h>

#define LIBROC_INDEX_NONE UINT32_MAX
/* An event older than this many entries belongs to an earlier lap of the event ids. */
#define LIBROC_INDEX_LAP (UINT64_C(1) << 31)

/*
 * An event: in the chain of events with the same hash and in the ordered list of all; or free, and
 * then next links the free rows.
 */
struct libroc_index_row {
	uint32_t event;
	uint32_t links; /* mask of links present; 0: free */
	uint32_t next;
	uint32_t older, newer;
	uint32_t reserved;
	uint64_t born; /* value of inserted when the first link arrived */
	uint64_t stamp;
};

struct roc_fragment_index {
	uint32_t limit; /* maximum of entries, and of rows */
	unsigned int links;
	uint32_t shift;	  /* right shift that reduces a hash to a chain number */
	uint32_t *chains; /* first row of each */
	struct libroc_index_row *rows;
	uint32_t *pages; /* page of row r and link l: [r * links + l] */
	uint32_t free;
	uint32_t oldest, newest;
	uint32_t events, count;
	uint64_t inserted; /* total of entries inserted */
};

/* Remove all entries. */
void libroc_index_empty(struct roc_fragment_index *index);

#endif /* LIBROC_FRAGMENT_INDEX_H */
