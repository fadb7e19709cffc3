/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handles of what is lent: a number, and behind it in so many bits its place in a book. The number
 * begins anew at 1 when it has run over, so no handle is ever 0. For units of a lender and for host
 * pages of fragments, which are lent without one.
 */
#ifndef LIBROC_HANDLE_H
#define LIBROC_HANDLE_H

#include <stdint.h>

/* Of what is lent as number @count, from 0. */
static inline uint64_t libroc_handle(uint64_t count, unsigned int shift, uint32_t place)
{
	return (count % (UINT64_MAX >> shift) + 1) << shift | place;
}

/* The last before @lent that had this handle's number, which is not 0. */
static inline uint64_t libroc_handle_count(uint64_t handle, unsigned int shift, uint64_t lent)
{
	uint64_t numbers = UINT64_MAX >> shift;
	uint64_t after = lent % numbers, count = (handle >> shift) - 1;

	return lent - (after > count ? after - count : after + (numbers - count));
}

#endif /* LIBROC_HANDLE_H */
