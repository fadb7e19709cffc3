// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choose the nodes of a table by the number of peers that each supports.
 *
 * If a builder has no memory for a readout unit, all of its blocks are incomplete. So a readout
 * unit that exceeds the limit of a builder is not admitted. A builder that supports fewer readout
 * units than there are is refused before any readout unit, because that costs no data.
 */
#include "manager.h"

static uint32_t capacity(const struct evb_fit *f)
{
	return f->peers ? f->peers : UINT32_MAX;
}

static unsigned int fitting(const struct evb_fit *f, unsigned int count)
{
	unsigned int i, n = 0;

	for (i = 0; i < count; i++)
		n += f[i].fits;
	return n;
}

/* Return the fitting node that supports the fewest peers; @count: none fits. */
static unsigned int smallest(const struct evb_fit *f, unsigned int count)
{
	unsigned int i, of = count;

	for (i = 0; i < count; i++) {
		if (f[i].fits && (of == count || capacity(&f[i]) < capacity(&f[of])))
			of = i;
	}
	return of;
}

static unsigned int largest(const struct evb_fit *f, unsigned int count)
{
	unsigned int i, of = 0;

	for (i = 1; i < count; i++)
		of = capacity(&f[i]) > capacity(&f[of]) ? i : of;
	return of;
}

/* Admit as many of @f as their own limits permit, and that of node @limit of the other role. */
static void admit(struct evb_fit *f, unsigned int count, const struct evb_fit *other,
		  unsigned int other_count, unsigned int limit)
{
	unsigned int i, in = fitting(f, count), others = fitting(other, other_count);

	for (i = 0; i < count; i++) {
		if (f[i].fits)
			continue;
		f[i].limit = capacity(&f[i]) < others ? EVB_FIT_ITSELF : limit;
		f[i].fits = capacity(&f[i]) >= others &&
			    (limit == other_count || in < capacity(&other[limit]));
		in += f[i].fits;
	}
}

void evb_fit(struct evb_fit *rus, unsigned int ru_count, struct evb_fit *bus, unsigned int bu_count)
{
	unsigned int i, limit;

	for (i = 0; i < ru_count; i++)
		rus[i].fits = rus[i].in_table;
	for (i = 0; i < bu_count; i++)
		bus[i].fits = bus[i].in_table;
	limit = smallest(bus, bu_count);
	if (limit == bu_count && bu_count)
		limit = largest(bus, bu_count);
	admit(rus, ru_count, bus, bu_count, limit);
	admit(bus, bu_count, rus, ru_count, smallest(rus, ru_count));
}
