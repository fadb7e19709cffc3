// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the index of fragments: alone, at its limits, and against a plain table of all entries. */
#include <errno.h>

#include "libroc/core/fragment_index.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

#define LINKS 6

static uint32_t dropped[ROC_FRAGMENTS_LINKS_MAX], pages[ROC_FRAGMENTS_LINKS_MAX];

static struct roc_fragment_index *index_of(uint32_t limit, unsigned int links)
{
	struct roc_fragment_index *x = NULL;

	UNIT_NEED(!roc_fragment_index_new(limit, links, &x));
	return x;
}

static void an_event_of_some_links(void)
{
	struct roc_fragment_index *x = index_of(100, LINKS);
	uint32_t event = 0, events = 9;
	uint64_t stamp = 0;

	UNIT_EQ(roc_fragment_index_find(x, 7, pages), 0);
	UNIT_EQ(roc_fragment_index_remove(x, 7, ~0u, pages), 0);
	UNIT_EQ(roc_fragment_index_oldest(x, &event, &stamp), 0);
	UNIT_EQ(roc_fragment_index_insert(x, 7, 0, 70, 1000, dropped), 0);
	UNIT_EQ(roc_fragment_index_insert(x, 8, 0, 80, 1001, dropped), 0);
	UNIT_EQ(roc_fragment_index_insert(x, 7, 5, 75, 1002, dropped), 0);
	UNIT_EQ(roc_fragment_index_insert(x, 7, 3, 73, 1003, dropped), 0);
	UNIT_EQ(roc_fragment_index_count(x, &events), 4);
	UNIT_EQ(events, 2);
	memset(pages, 0, sizeof(pages));
	UNIT_EQ(roc_fragment_index_find(x, 7, pages), 0x29);
	UNIT_EQ(pages[0], 70);
	UNIT_EQ(pages[1], 0);
	UNIT_EQ(pages[3], 73);
	UNIT_EQ(pages[5], 75);
	UNIT_EQ(roc_fragment_index_find(x, 7, NULL), 0x29);
	UNIT_EQ(roc_fragment_index_oldest(x, &event, &stamp), 0x29);
	UNIT_EQ(event, 7);
	UNIT_EQ(stamp, 1000);
	UNIT_EQ(roc_fragment_index_remove(x, 7, 0x06, pages), 0);
	UNIT_EQ(roc_fragment_index_remove(x, 7, 0x0f, pages), 0x09);
	UNIT_EQ(roc_fragment_index_find(x, 7, pages), 0x20);
	UNIT_EQ(roc_fragment_index_remove(x, 7, ~0u, NULL), 0x20);
	UNIT_EQ(roc_fragment_index_find(x, 7, pages), 0);
	UNIT_EQ(roc_fragment_index_oldest(x, &event, &stamp), 0x01);
	UNIT_EQ(event, 8);
	UNIT_EQ(roc_fragment_index_count(x, &events), 1);
	UNIT_EQ(events, 1);
	UNIT_EQ(roc_fragment_index_insert(x, 7, LINKS, 1, 0, dropped), -EINVAL);
	ERROR_HAS("the index has 6 links");
	roc_fragment_index_free(x);
}

static void limits(void)
{
	struct roc_fragment_index *x = NULL;
	uint32_t i, events;

	UNIT_EQ(roc_fragment_index_new(0, 6, &x), -EINVAL);
	UNIT_EQ(roc_fragment_index_new(ROC_FRAGMENT_INDEX_MAX + 1, 6, &x), -EINVAL);
	UNIT_EQ(roc_fragment_index_new(16, 0, &x), -EINVAL);
	UNIT_EQ(roc_fragment_index_new(16, ROC_FRAGMENTS_LINKS_MAX + 1, &x), -EINVAL);
	ERROR_HAS("1 to 16 links");
	roc_fragment_index_free(NULL);
	/* One event for each entry, which is the maximum. */
	x = index_of(1000, ROC_FRAGMENTS_LINKS_MAX);
	for (i = 0; i < 1000; i++)
		UNIT_EQ(roc_fragment_index_insert(x, i * 7919, 15, i, 0, dropped), 0);
	UNIT_EQ(roc_fragment_index_insert(x, 1, 0, i, 0, dropped), -ENOSPC);
	ERROR_HAS("full with 1000 fragments");
	UNIT_EQ(roc_fragment_index_insert(x, 7919, 0, i, 0, dropped), -ENOSPC);
	/* A full index still accepts a replacement. */
	UNIT_EQ(roc_fragment_index_insert(x, 7919, 15, 5555, 0, dropped), 1);
	UNIT_EQ(dropped[0], 1);
	UNIT_EQ(roc_fragment_index_count(x, &events), 1000);
	UNIT_EQ(events, 1000);
	for (i = 0; i < 1000; i++) {
		UNIT_EQ(roc_fragment_index_remove(x, i * 7919, 1u << 15, pages), 1u << 15);
		UNIT_EQ(pages[15], i == 1 ? 5555 : i);
	}
	UNIT_EQ(roc_fragment_index_count(x, &events), 0);
	UNIT_EQ(events, 0);
	roc_fragment_index_free(x);
	/* All links of one event. */
	x = index_of(16, ROC_FRAGMENTS_LINKS_MAX);
	for (i = 0; i < 16; i++)
		UNIT_EQ(roc_fragment_index_insert(x, UINT32_MAX, i, i, 0, dropped), 0);
	UNIT_EQ(roc_fragment_index_find(x, UINT32_MAX, pages), 0xffff);
	roc_fragment_index_free(x);
}

/* If a link repeats an event, its own fragment is replaced and those of other links stay. */
static void the_same_again(void)
{
	struct roc_fragment_index *x = index_of(100, LINKS);
	uint32_t event;
	uint64_t stamp;

	roc_fragment_index_insert(x, 7, 0, 70, 1, dropped);
	roc_fragment_index_insert(x, 7, 1, 71, 2, dropped);
	UNIT_EQ(roc_fragment_index_insert(x, 7, 1, 99, 3, dropped), 1);
	UNIT_EQ(dropped[0], 71);
	UNIT_EQ(roc_fragment_index_find(x, 7, pages), 3);
	UNIT_EQ(pages[0], 70);
	UNIT_EQ(pages[1], 99);
	UNIT_EQ(roc_fragment_index_count(x, NULL), 2);
	UNIT_EQ(roc_fragment_index_oldest(x, &event, &stamp), 3);
	UNIT_EQ(stamp, 1);
	/* The only fragment of its event. */
	roc_fragment_index_insert(x, 8, 4, 84, 4, dropped);
	UNIT_EQ(roc_fragment_index_insert(x, 8, 4, 85, 5, dropped), 1);
	UNIT_EQ(dropped[0], 84);
	UNIT_EQ(roc_fragment_index_find(x, 8, pages), 0x10);
	UNIT_EQ(pages[4], 85);
	roc_fragment_index_free(x);
}

/*
 * After the ids have wrapped around, fragments of the old event must not be combined with those of
 * the new one.
 */
static void ids_wrap(void)
{
	struct roc_fragment_index *x = index_of(100, LINKS);
	uint32_t event = 0;
	uint64_t stamp;

	roc_fragment_index_insert(x, UINT32_MAX, 0, 1, 0, dropped);
	roc_fragment_index_insert(x, UINT32_MAX, 2, 2, 0, dropped);
	roc_fragment_index_insert(x, UINT32_MAX, 3, 3, 0, dropped);
	roc_fragment_index_insert(x, 0, 0, 4, 1, dropped);
	roc_fragment_index_insert(x, 0, 2, 5, 1, dropped);
	/* Late, but in the same lap. */
	x->inserted = LIBROC_INDEX_LAP - 1;
	UNIT_EQ(roc_fragment_index_insert(x, UINT32_MAX, 1, 6, 2, dropped), 0);
	UNIT_EQ(roc_fragment_index_find(x, UINT32_MAX, pages), 0xf);
	/* In the next lap: a link that the old event has, and one that it does not have. */
	UNIT_EQ(roc_fragment_index_insert(x, UINT32_MAX, 1, 7, 3, dropped), 4);
	UNIT_EQ(dropped[0] + dropped[1] + dropped[2] + dropped[3], 1 + 2 + 3 + 6);
	UNIT_EQ(roc_fragment_index_find(x, UINT32_MAX, pages), 0x2);
	UNIT_EQ(pages[1], 7);
	x->inserted += 3;
	UNIT_EQ(roc_fragment_index_insert(x, 0, 5, 8, 4, dropped), 2);
	UNIT_EQ(dropped[0] + dropped[1], 4 + 5);
	UNIT_EQ(roc_fragment_index_find(x, 0, pages), 0x20);
	UNIT_EQ(roc_fragment_index_count(x, NULL), 2);
	UNIT_EQ(roc_fragment_index_oldest(x, &event, &stamp), 0x2);
	UNIT_EQ(event, UINT32_MAX);
	UNIT_EQ(stamp, 3);
	roc_fragment_index_free(x);
}

#define EVENTS 64
#define LIMIT 150

/* Pages by event and link; 0: none */
static struct model {
	uint32_t page[EVENTS][LINKS];
	uint64_t born[EVENTS]; /* when the first link arrived */
	unsigned int count, events;
} model;

/* Some ids have the same hash, some are consecutive across the wrap. */
static uint32_t id(unsigned int i)
{
	return i < EVENTS / 2 ? UINT32_MAX - EVENTS / 4 + i : i * UINT32_C(0x144cbc89) << 6;
}

static uint32_t mask_of(unsigned int i)
{
	uint32_t mask = 0, link;

	for (link = 0; link < LINKS; link++)
		mask |= (uint32_t) !!model.page[i][link] << link;
	return mask;
}

static void model_insert(struct roc_fragment_index *x, unsigned int i, unsigned int link,
			 uint32_t page, uint64_t now)
{
	uint32_t before = model.page[i][link];
	int ret = roc_fragment_index_insert(x, id(i), link, page, now, dropped);

	if (model.count == LIMIT && !before) {
		UNIT_EQ(ret, -ENOSPC);
		return;
	}
	UNIT_EQ(ret, !!before);
	if (before)
		UNIT_EQ(dropped[0], before);
	if (!mask_of(i)) {
		model.born[i] = now;
		model.events++;
	}
	model.count += !before;
	model.page[i][link] = page;
}

static void model_remove(struct roc_fragment_index *x, unsigned int i, uint32_t links)
{
	uint32_t there = mask_of(i) & links, link;

	UNIT_EQ(roc_fragment_index_remove(x, id(i), links, pages), there);
	for (link = 0; link < LINKS; link++) {
		if (!(there >> link & 1))
			continue;
		UNIT_EQ(pages[link], model.page[i][link]);
		model.page[i][link] = 0;
		model.count--;
	}
	if (there && !mask_of(i))
		model.events--;
}

static void compare(struct roc_fragment_index *x)
{
	unsigned int i, link, oldest = EVENTS;
	uint32_t events, event = 0;
	uint64_t stamp = 0;

	UNIT_EQ(roc_fragment_index_count(x, &events), model.count);
	UNIT_EQ(events, model.events);
	for (i = 0; i < EVENTS; i++) {
		UNIT_EQ(roc_fragment_index_find(x, id(i), pages), mask_of(i));
		for (link = 0; link < LINKS; link++)
			if (model.page[i][link])
				UNIT_EQ(pages[link], model.page[i][link]);
		if (mask_of(i) && (oldest == EVENTS || model.born[i] < model.born[oldest]))
			oldest = i;
	}
	UNIT_EQ(roc_fragment_index_oldest(x, &event, &stamp),
		oldest == EVENTS ? 0 : mask_of(oldest));
	if (oldest == EVENTS)
		return;
	UNIT_EQ(event, id(oldest));
	UNIT_EQ(stamp, model.born[oldest]);
}

static void as_the_model(void)
{
	struct roc_fragment_index *x = index_of(LIMIT, LINKS);
	unsigned int step, full = 0, empty = 0;
	bool fill = true;

	srandom(20261122);
	memset(&model, 0, sizeof(model));
	for (step = 1; step <= 60000; step++) {
		if (model.count == LIMIT && fill) {
			fill = false;
			full++;
		}
		if (!model.count && !fill) {
			fill = true;
			empty++;
		}
		if (random() % 100 < (fill ? 90 : 1))
			model_insert(x, random() % EVENTS, random() % LINKS, step, step);
		else
			model_remove(x, random() % EVENTS, random() & 0x3f);
		if (step % 16 == 0)
			compare(x);
	}
	CU_ASSERT_TRUE(full > 3);
	CU_ASSERT_TRUE(empty > 3);
	libroc_index_empty(x);
	memset(&model, 0, sizeof(model));
	compare(x);
	roc_fragment_index_free(x);
}

UNIT_MAIN("libroc_fragment_index", {"an event of some links", an_event_of_some_links},
	  {"limits of the index", limits},
	  {"the same event of the same link again", the_same_again},
	  {"event ids that have wrapped around", ids_wrap},
	  {"60000 operations agree with a plain table", as_the_model})
