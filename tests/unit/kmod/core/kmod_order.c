// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Order of page allocations in kmod/core/order.h, with an allocator that runs out of large pieces
 * for a while.
 */
#include "kmod/core/order.h"
#include "unit.h"

#define MOST 10u

static struct roc_order order;
static unsigned int attempts;

/* Allocate one piece from an allocator whose largest order is @largest. Return its order. */
static unsigned int piece(unsigned int largest)
{
	for (attempts++; order.current_order > largest; attempts++)
		roc_order_failure(&order);
	largest = order.current_order;
	roc_order_success(&order);
	return largest;
}

static void begin(void)
{
	order = (struct roc_order){.current_order = MOST, .max = MOST};
	attempts = 0;
}

static void plenty(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 1000; i++)
		UNIT_EQ(piece(MOST), MOST);
	UNIT_EQ(attempts, 1000);
}

static void falls_at_once(void)
{
	begin();
	UNIT_EQ(piece(3), 3);
	UNIT_EQ(piece(0), 0);
}

/*
 * After a failure the order rises again; otherwise a ring of 64 GiB would consist of single pages.
 */
static void rises_again(void)
{
	unsigned int i;

	begin();
	UNIT_EQ(piece(0), 0);
	for (i = 0; i < MOST * ROC_ORDER_AGAIN && order.current_order < MOST; i++)
		piece(MOST);
	UNIT_EQ(order.current_order, MOST);
	UNIT_EQ(piece(MOST), MOST);
}

/* With fragmented memory, few attempts fail. */
static void attempts_are_rare(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 1600; i++)
		UNIT_EQ(piece(2), 2);
	CU_ASSERT(attempts <= 1600 + MOST + 1600 / ROC_ORDER_AGAIN);
	CU_ASSERT(attempts > 1600 + MOST - 2);
}

UNIT_MAIN("kmod_order", {"plenty", plenty}, {"falls at once", falls_at_once},
	  {"rises again", rises_again}, {"attempts are rare", attempts_are_rare})
