// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test how roc-bench-dma evaluates the driver's counters, and the data sources of each card.
 */
#include "unit.h"

#include "utils/common/histogram.h"
#include "utils/dma/bench.h"

static void gaps(void)
{
	uint64_t g[ROC_GAPS] = {0};

	UNIT_EQ(gaps_bucket(g, 50), -1);
	UNIT_EQ(gaps_bucket(g, 100), -1);
	g[4] = 1;
	UNIT_EQ(gaps_bucket(g, 50), 4);
	UNIT_EQ(gaps_bucket(g, 100), 4);
	g[4] = 99;
	g[9] = 1;
	UNIT_EQ(gaps_bucket(g, 50), 4);
	UNIT_EQ(gaps_bucket(g, 99), 4);
	UNIT_EQ(gaps_bucket(g, 100), 9);
	g[9] = 2;
	UNIT_EQ(gaps_bucket(g, 99), 9);
	g[0] = 101;
	UNIT_EQ(gaps_bucket(g, 50), 0);
	g[4] = 100;
	UNIT_EQ(gaps_bucket(g, 50), 4);
	g[ROC_GAPS - 1] = 1;
	UNIT_EQ(gaps_bucket(g, 100), ROC_GAPS - 1);
	/* Products of counts do not overflow. */
	g[4] = UINT64_MAX / 2;
	UNIT_EQ(gaps_bucket(g, 99), 4);
	UNIT_EQ(gaps_bucket(g, 100), ROC_GAPS - 1);
}

static void cards(void)
{
	const struct card_type *cru = card_type_find(ROC_CARD_CRU),
			       *crorc = card_type_find(ROC_CARD_CRORC);

	CU_ASSERT_PTR_NULL(card_type_find(0));
	CU_ASSERT_PTR_NULL(card_type_find(99));
	UNIT_NEED(cru && crorc);
	UNIT_EQ(cru->data[ROC_SOURCE_INTERNAL], CHECK_INTERNAL);
	UNIT_EQ(cru->data[ROC_SOURCE_DDG], CHECK_DDG);
	UNIT_EQ(cru->data[ROC_SOURCE_FEE], CHECK_HEADERS);
	UNIT_EQ(cru->data[ROC_SOURCE_DIU], CHECK_NONE);
	UNIT_EQ(cru->data[ROC_SOURCE_SIU], CHECK_NONE);
	UNIT_EQ(crorc->data[ROC_SOURCE_INTERNAL], CHECK_RUNNING);
	UNIT_EQ(crorc->data[ROC_SOURCE_DDG], CHECK_NONE);
	UNIT_EQ(crorc->data[ROC_SOURCE_FEE], CHECK_HEADERS);
	UNIT_EQ(crorc->data[ROC_SOURCE_DIU], CHECK_RUNNING);
	UNIT_EQ(crorc->data[ROC_SOURCE_SIU], CHECK_RUNNING);
	CU_ASSERT_TRUE(crorc->any_link);
	CU_ASSERT_FALSE(cru->any_link);
}

UNIT_MAIN("utils bench", {"distribution of gaps", gaps}, {"sources of each card", cards})
