// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read, check and write registers by tables of their fields. */
#include <errno.h>
#include <string.h>

#include "libroc_pass.h"

uint32_t libroc_value_get(const struct libroc_value *v, const void *from)
{
	const char *p = (const char *)from + v->member;

	return v->kind == LIBROC_BOOL ? *(const bool *)p : *(const uint32_t *)p;
}

void libroc_value_put(const struct libroc_value *v, void *to, uint32_t value)
{
	char *p = (char *)to + v->member;

	if (v->kind == LIBROC_BOOL)
		*(bool *)p = value;
	else
		*(uint32_t *)p = value;
}

uint32_t libroc_value_max(const struct libroc_value *v)
{
	return v->last ? v->last : libroc_from_mask(v->mask, ~0u);
}

void libroc_values_read(struct libroc_pass *c, const struct libroc_value *table, size_t n,
			unsigned int link, void *to)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct libroc_where w = c->where(c, &table[i], link);
		uint32_t word = libroc_pass_read_once(c, w.bar, w.offset);

		libroc_value_put(&table[i], to, libroc_from_mask(w.mask, word));
	}
}

int libroc_values_check(const char *what, const struct libroc_value *table, size_t n,
			const void *from)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct libroc_value *v = &table[i];
		uint32_t value = libroc_value_get(v, from);

		if (v->kind == LIBROC_BOOL)
			continue;
		if (value > libroc_value_max(v) || value < v->first)
			return roc_fail(ERANGE, "%s: %s is %u, but must be from %u to %u", what,
					v->name, value, v->first, libroc_value_max(v));
	}
	return 0;
}

void libroc_values_write(struct libroc_pass *c, const char *what, const struct libroc_value *table,
			 size_t n, const void *from)
{
	size_t i, j;

	for (i = 0; i < n; i = j) {
		struct libroc_where first = c->where(c, &table[i], 0);
		uint32_t mask = 0, word = 0, got;

		for (j = i; j < n; j++) {
			struct libroc_where w = c->where(c, &table[j], 0);

			if (w.bar != first.bar || w.offset != first.offset)
				break;
			mask |= w.mask;
			word |= libroc_to_mask(w.mask, libroc_value_get(&table[j], from));
		}
		libroc_pass_write(c, first.bar, first.offset, word);
		got = libroc_pass_read(c, first.bar, first.offset);
		if (!c->err && (got & mask) != word)
			libroc_pass_fail(
				c,
				roc_fail(
					EBADMSG,
					"%s: %s: register 0x%x of BAR %u (%s) was written 0x%x and reads 0x%x",
					roc_endpoint_name(c->ep), what, first.offset, first.bar,
					table[i].name, word, got & mask));
	}
}
