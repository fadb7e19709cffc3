/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: an index of fragments, from event id and link to a number, which is a page of the card's
 * or whatever the caller means by it. It is for who keeps fragments elsewhere than in a card: an
 * open sub-unit (roc/fragment.h) has one inside.
 *
 * All memory is allocated when the index is made, for as many entries as there can be. What is
 * looked for costs one or two cache lines, of all links of an event at once. The index remembers
 * in which order the events came.
 *
 * Event ids are 32 bits and wrap. If the same (event, link) comes again, the newer entry counts. An
 * event that has been there while 2^31 others were entered is of a time before the ids wrapped:
 * when its id comes again the whole old event goes, so that no event is put together from two. Both
 * are handed to the caller.
 *
 * One thread at a time per index.
 */
#ifndef ROC_FRAGMENT_INDEX_H
#define ROC_FRAGMENT_INDEX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_fragment_index; /* owned by the caller from roc_fragment_index_new() to _free() */

#define ROC_FRAGMENTS_LINKS_MAX 16	 /* of an index; a sub-unit usually has six */
#define ROC_FRAGMENT_INDEX_MAX (1 << 26) /* entries */

/**
 * roc_fragment_index_new() - an index from (event, link) to a number
 * @pages: entries that it can have, 1 to ROC_FRAGMENT_INDEX_MAX
 * @links: 1 to ROC_FRAGMENTS_LINKS_MAX
 * @index: the new handle
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int roc_fragment_index_new(uint32_t pages, unsigned int links, struct roc_fragment_index **index);

/**
 * roc_fragment_index_free() - give an index up
 * @index: handle, or NULL
 */
void roc_fragment_index_free(struct roc_fragment_index *index);

/**
 * roc_fragment_index_insert() - enter a fragment
 * @index: handle
 * @event: event id
 * @link: below the number of links
 * @page: the caller's number
 * @stamp: the caller's, kept of the first fragment of an event
 * @dropped: array of ROC_FRAGMENTS_LINKS_MAX: pages that are in the index no more, because the same
 *	(event, link) was there, or the event of a time before the ids wrapped
 *
 * Return: how many are in @dropped, 0 as a rule; -ENOSPC it has as many entries as it can have;
 * -EINVAL @link.
 */
int roc_fragment_index_insert(struct roc_fragment_index *index, uint32_t event, unsigned int link,
			      uint32_t page, uint64_t stamp, uint32_t *dropped);

/**
 * roc_fragment_index_find() - what is there of an event
 * @index: handle
 * @event: event id
 * @pages: array of ROC_FRAGMENTS_LINKS_MAX, of which those of links that are there are filled in;
 *	or NULL
 *
 * Return: mask of links.
 */
uint32_t roc_fragment_index_find(const struct roc_fragment_index *index, uint32_t event,
				 uint32_t *pages);

/**
 * roc_fragment_index_remove() - forget fragments of an event
 * @index: handle
 * @event: event id
 * @links: mask of links; those that are not there are passed over
 * @pages: as for roc_fragment_index_find(): what was forgotten; or NULL
 *
 * Return: mask of links that were there.
 */
uint32_t roc_fragment_index_remove(struct roc_fragment_index *index, uint32_t event, uint32_t links,
				   uint32_t *pages);

/**
 * roc_fragment_index_oldest() - the event whose first fragment was entered before all others'
 * @index: handle
 * @event: its id
 * @stamp: of that fragment
 *
 * Return: mask of its links; 0: the index is empty.
 */
uint32_t roc_fragment_index_oldest(const struct roc_fragment_index *index, uint32_t *event,
				   uint64_t *stamp);

/**
 * roc_fragment_index_count() - how much there is
 * @index: handle
 * @events: events, or NULL
 *
 * Return: fragments.
 */
uint32_t roc_fragment_index_count(const struct roc_fragment_index *index, uint32_t *events);

#ifdef __cplusplus
}
#endif

#endif /* ROC_FRAGMENT_INDEX_H */
