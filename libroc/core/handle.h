/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handles of loans: the number of the loan, and in the low @shift bits its slot in a table. After
 * the highest number the next is 1, so no handle is 0. Used for the units of a lender and for host
 * pages of fragments.
 */
#ifndef LIBROC_HANDLE_H
#define LIBROC_HANDLE_H

#include <stdint.h>

/* Handle of loan number @count, counted from 0. */
static inline uint64_t libroc_handle(uint64_t count, unsigned int shift, uint32_t place)
{
	return (count % (UINT64_MAX >> shift) + 1) << shift | place;
}

/* Number of the latest of @lent loans that had this handle, which is not 0. */
static inline uint64_t libroc_handle_count(uint64_t handle, unsigned int shift, uint64_t lent)
{
	uint64_t numbers = UINT64_MAX >> shift;
	uint64_t after = lent % numbers, count = (handle >> shift) - 1;

	return lent - (after > count ? after - count : after + (numbers - count));
}

#endif /* LIBROC_HANDLE_H */
