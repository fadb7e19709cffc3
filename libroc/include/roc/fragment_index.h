/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: an index of fragments, from event id and link to a number. The number is a page of the
 * card or has any other meaning for the caller. Programs that keep fragments outside of a card can
 * use it; an open sub-unit (roc/fragment.h) contains one.
 *
 * The index allocates all memory when it is created, for the maximum number of entries. A lookup
 * takes one or two cache lines for all links of an event. The index keeps the order in which events
 * were entered.
 *
 * Event ids are 32 bits and wrap. If the same (event, link) is entered again, the newer entry
 * replaces the older one. If 2^31 other events were entered after an event, its id dates from
 * before a wrap. When that id is entered again, the newer entry replaces the whole old event, so
 * that no event mixes two. The index returns the replaced entries to the caller.
 *
 * At most one thread at a time may use an index.
 */
#ifndef ROC_FRAGMENT_INDEX_H
#define ROC_FRAGMENT_INDEX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_fragment_index; /* the caller owns it from roc_fragment_index_new() to _free() */

#define ROC_FRAGMENTS_LINKS_MAX 16	 /* links of an index; a sub-unit usually has 6 */
#define ROC_FRAGMENT_INDEX_MAX (1 << 26) /* entries */

/**
 * roc_fragment_index_new() - Create an index from (event, link) to a number
 * @pages: maximum number of entries, 1 to ROC_FRAGMENT_INDEX_MAX
 * @links: number of links, 1 to ROC_FRAGMENTS_LINKS_MAX
 * @index: the new handle
 *
 * Return: 0 on success; -EINVAL if a number is out of range; -ENOMEM.
 */
int roc_fragment_index_new(uint32_t pages, unsigned int links, struct roc_fragment_index **index);

/**
 * roc_fragment_index_free() - Free an index
 * @index: handle, or NULL
 */
void roc_fragment_index_free(struct roc_fragment_index *index);

/**
 * roc_fragment_index_insert() - Enter a fragment
 * @index: handle
 * @event: event id
 * @link: link, below the number of links
 * @page: number with a meaning for the caller
 * @stamp: value of the caller, kept for the first fragment of an event
 * @dropped: array of ROC_FRAGMENTS_LINKS_MAX: receives the pages that the new entry replaced,
 *	because the same (event, link) was present, or the event dated from before a wrap of the ids
 *
 * Return: number of pages in @dropped, normally 0; -ENOSPC if the index is full; -EINVAL if @link
 * is out of range.
 */
int roc_fragment_index_insert(struct roc_fragment_index *index, uint32_t event, unsigned int link,
			      uint32_t page, uint64_t stamp, uint32_t *dropped);

/**
 * roc_fragment_index_find() - Find the fragments of an event
 * @index: handle
 * @event: event id
 * @pages: array of ROC_FRAGMENTS_LINKS_MAX, whose elements of present links are filled in; or NULL
 *
 * Return: mask of links with a fragment.
 */
uint32_t roc_fragment_index_find(const struct roc_fragment_index *index, uint32_t event,
				 uint32_t *pages);

/**
 * roc_fragment_index_remove() - Remove fragments of an event
 * @index: handle
 * @event: event id
 * @links: mask of links; links without a fragment are ignored
 * @pages: as for roc_fragment_index_find(), for the removed fragments; or NULL
 *
 * Return: mask of links whose fragment was removed.
 */
uint32_t roc_fragment_index_remove(struct roc_fragment_index *index, uint32_t event, uint32_t links,
				   uint32_t *pages);

/**
 * roc_fragment_index_oldest() - Find the event whose first fragment was entered earliest
 * @index: handle
 * @event: receives its event id
 * @stamp: receives the stamp of that fragment
 *
 * Return: mask of its links; 0 if the index is empty.
 */
uint32_t roc_fragment_index_oldest(const struct roc_fragment_index *index, uint32_t *event,
				   uint64_t *stamp);

/**
 * roc_fragment_index_count() - Count the entries
 * @index: handle
 * @events: receives the number of events, or NULL
 *
 * Return: number of fragments.
 */
uint32_t roc_fragment_index_count(const struct roc_fragment_index *index, uint32_t *events);

#ifdef __cplusplus
}
#endif

#endif /* ROC_FRAGMENT_INDEX_H */
