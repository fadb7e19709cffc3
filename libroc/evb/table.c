// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which builder gets a block, and the order in which a readout unit sends. Both are functions of
 * the table alone: nodes with the same table agree without any message per block.
 */
#include <roc/evb_manager.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WEIGHT_MAX 1000

static int wrong(char *reason, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int wrong(char *reason, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, ROC_EVB_REASON, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Hash in which each bit depends on all bits of @x (the finalizer of SplitMix64). */
static uint64_t mixed(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Return @n * @x / 2^64. */
static uint64_t share(uint64_t x, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)x * n) >> 64);
}

static unsigned int by_hash(const struct roc_evb_table *t, uint64_t block)
{
	return (unsigned int)share(mixed(mixed(t->seed) ^ block), t->bu_count);
}

/*
 * Multiples of the golden ratio fill an interval evenly from any start. So the share of each
 * builder in any sequence of blocks is its share of the weights, except for a few blocks.
 */
static unsigned int by_weight(const struct roc_evb_table *t, uint64_t block)
{
	uint64_t sum = 0, at;
	unsigned int i;

	for (i = 0; i < t->bu_count; i++)
		sum += t->bus[i].weight;
	if (!sum)
		return (unsigned int)(block % t->bu_count);
	at = share(block * UINT64_C(0x9e3779b97f4a7c15), sum);
	for (i = 0; at >= t->bus[i].weight; i++)
		at -= t->bus[i].weight;
	return i;
}

unsigned int roc_evb_builder(const struct roc_evb_table *t, uint64_t block)
{
	if (!t->bu_count)
		return 0;
	switch (t->policy) {
	case ROC_EVB_RANDOM:
		return by_hash(t, block);
	case ROC_EVB_LEAST_LOADED:
		return by_weight(t, block);
	default:
		return (unsigned int)(block % t->bu_count);
	}
}

uint64_t roc_evb_turn(const struct roc_evb_table *t, unsigned int ru, uint64_t step)
{
	uint64_t n = t->bu_count, cycle, base, builder;

	if (t->policy != ROC_EVB_BARREL_SHIFT || !n)
		return step;
	cycle = step / n;
	base = (t->from_block + cycle * n) % n;
	/*
	 * The builder of this turn, and its distance from the builder of the cycle's first block.
	 */
	builder = (ru + cycle % n + step % n) % n;
	return cycle * n + (builder + n - base) % n;
}

bool roc_evb_name_valid(const char *name)
{
	size_t length = strnlen(name, ROC_EVB_NAME), i;

	for (i = 0; i < length; i++) {
		char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      ((c == '.' || c == '_' || c == '-') && i)))
			return false;
	}
	return length && length < ROC_EVB_NAME;
}

static int check_name(const char *name, const char *what, unsigned int i, char *reason)
{
	return roc_evb_name_valid(name)
		       ? 0
		       : wrong(reason,
			       "the table's %s %u has no name of 1 to %u letters, digits and ._-",
			       what, i, ROC_EVB_NAME - 1);
}

int roc_evb_table_check(const struct roc_evb_table *t, char reason[ROC_EVB_REASON])
{
	unsigned int i, k;

	if (t->ru_count > ROC_EVB_NODES_MAX || t->bu_count > ROC_EVB_NODES_MAX)
		return wrong(
			reason,
			"the table has %u readout units and %u builders, at most %u of each are supported",
			t->ru_count, t->bu_count, ROC_EVB_NODES_MAX);
	if (t->policy >= ROC_EVB_POLICIES)
		return wrong(reason, "the table has policy %u, which this version does not support",
			     t->policy);
	if (!t->epoch)
		return wrong(reason, "the table has no epoch");
	for (i = 0; i < t->ru_count; i++) {
		if (check_name(t->rus[i].name, "readout unit", i, reason))
			return -EINVAL;
		for (k = 0; k < i; k++) {
			if (!strcmp(t->rus[i].name, t->rus[k].name))
				return wrong(reason, "the table names readout unit %s twice",
					     t->rus[i].name);
		}
	}
	for (i = 0; i < t->bu_count; i++) {
		if (check_name(t->bus[i].name, "builder", i, reason))
			return -EINVAL;
		if (!t->bus[i].weight || t->bus[i].weight > WEIGHT_MAX)
			return wrong(reason,
				     "the table has weight %u for builder %s, the range is 1 to %u",
				     t->bus[i].weight, t->bus[i].name, WEIGHT_MAX);
		for (k = 0; k < i; k++) {
			if (!strcmp(t->bus[i].name, t->bus[k].name))
				return wrong(reason, "the table names builder %s twice",
					     t->bus[i].name);
		}
	}
	return 0;
}
