// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check every byte of a generated fragment against Documentation/hardware/fragment-interface.md.
 */
#include "fragment.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "kmod/fragment/fragment_data.h"

#define AT "event %" PRIu32 " of link %" PRIu32 ": "
#define AT_ARGS(f) (f)->event, (f)->link

static void check_size(struct fragment_check *c, const struct roc_fragment_fetched *f,
		       uint32_t full, uint32_t source)
{
	const struct roc_robinnp_generator *g = &c->generator[f->link];
	uint32_t made = g->size_min;

	if (f->size != (full < c->page ? full : c->page) ||
	    !(f->status & ROC_FR_TRUNCATED) != (full <= c->page))
		error_log_add(c->errors, AT "%" PRIu32 " bytes received of %" PRIu32 "%s",
			      AT_ARGS(f), f->size, full,
			      f->status & ROC_FR_TRUNCATED ? " (truncated)" : "");
	if (!c->known)
		return;
	if (g->distributed)
		made = fragment_size(source, f->event, g->size_min, g->size_max);
	if (full != made)
		error_log_add(c->errors, AT "%" PRIu32 " bytes, expected %" PRIu32, AT_ARGS(f),
			      full, made);
}

void fragment_check_one(struct fragment_check *c, const struct roc_fragment_fetched *f)
{
	uint32_t source = fragment_source(c->source, c->first_link + f->link), pattern, i;
	const struct fragment_header *h = f->data;
	const uint32_t *word = f->data;

	if (f->size < sizeof(*h) || f->size % 4) {
		error_log_add(c->errors, AT "invalid size of %" PRIu32 " bytes", AT_ARGS(f),
			      f->size);
		return;
	}
	c->bytes += f->size;
	if (le32toh(h->magic) != FRAGMENT_MAGIC || le32toh(h->event) != f->event ||
	    le32toh(h->source) != source) {
		error_log_add(c->errors,
			      AT "wrong header: magic 0x%08" PRIx32 " event %" PRIu32
				 " source 0x%" PRIx32,
			      AT_ARGS(f), le32toh(h->magic), le32toh(h->event), le32toh(h->source));
		return;
	}
	check_size(c, f, le32toh(h->size), source);
	pattern = fragment_pattern(source, f->event);
	for (i = sizeof(*h) / 4; i < f->size / 4 && !c->headers; i++) {
		if (le32toh(word[i]) == pattern + i - (uint32_t)(sizeof(*h) / 4))
			continue;
		error_log_add(c->errors, AT "wrong data at byte %" PRIu32 ": 0x%08" PRIx32,
			      AT_ARGS(f), 4 * i, le32toh(word[i]));
		return;
	}
}
