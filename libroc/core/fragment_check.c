// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Check what a card delivers. Entries of the descriptor ring and the completion ring come in the
 * order of their counts, so one that is missing while a later one is there never comes: the card
 * left it out. Fragments that are not what they should be are counted: by the card's flags, and by
 * what the card should have flagged.
 */
#include <errno.h>

#include "fragment.h"
#include "libroc.h"
#include "kmod/fragment/fragment_data.h"

/* Entries that the card may have written and we have not taken: pages and commands that it has. */
static uint32_t due(const struct roc_fragments *f, enum libroc_fragment_lane lane)
{
	if (lane == LIBROC_LANE_DONE)
		return f->commanded_rung - f->done;
	return f->links * f->pages - f->pages_out - (f->freed - f->freed_rung);
}

static bool there(const struct roc_fragments *f, enum libroc_fragment_lane lane, uint32_t count)
{
	uint32_t word;

	if (lane == LIBROC_LANE_DONE)
		return libroc_fragment_there(f->completions, f->command_entries, count, f->start,
					     &word);
	return libroc_fragment_there(f->descriptors, f->descriptor_entries, count, f->start, &word);
}

int libroc_fail_skipped(const struct roc_fragments *f, enum libroc_fragment_lane lane,
			uint32_t later)
{
	return roc_fail(
		EBADMSG,
		"%s: %s %u is missing although number %u is there: the card left it out, and what comes from there on is lost: start again; if it comes back, load the card's firmware anew",
		f->c.name, lane == LIBROC_LANE_DONE ? "completion" : "descriptor",
		lane == LIBROC_LANE_DONE ? f->done : f->taken, later);
}

int libroc_fragment_check_skipped(struct roc_fragments *f, enum libroc_fragment_lane lane)
{
	uint32_t next = lane == LIBROC_LANE_DONE ? f->done : f->taken, most = due(f, lane), ahead;

	if (most < 2)
		return 0;
	ahead = f->probed[lane] % (most - 1) + 1;
	/* In this order: the next one may have come meanwhile, and the later one behind it. */
	if (there(f, lane, next + ahead) && !there(f, lane, next))
		return libroc_fail_skipped(f, lane, next + ahead);
	/* What was found stays: the next call finds it again. */
	f->probed[lane] = ahead;
	return 0;
}

void libroc_fragment_check_kept(struct roc_fragments *f, const struct roc_fragment_kept *kept)
{
	uint32_t link = UINT32_C(1) << kept->link;

	f->damage.damaged +=
		!!(kept->status & (ROC_FR_TRUNCATED | ROC_FR_LINK_ERROR | ROC_FR_FORMAT));
	f->damage.truncated += !!(kept->status & ROC_FR_TRUNCATED);
	f->damage.empty += !kept->size;
	f->damage.sequence_errors += kept->status & ROC_FR_SEQUENCE ||
				     (f->begun & link && kept->event != f->last[kept->link] + 1);
	f->begun |= link;
	f->last[kept->link] = kept->event;
}

/* The header of a fragment that has one of the kind that generators make. */
static const struct fragment_header *header(const struct roc_fragment_fetched *out)
{
	const struct fragment_header *h = out->data;

	return out->size >= sizeof(*h) && le32toh(h->magic) == FRAGMENT_MAGIC ? h : NULL;
}

static bool too_short(const struct roc_fragment_fetched *out)
{
	const struct fragment_header *h = header(out);

	if (out->size < sizeof(*h))
		return true;
	return h && le32toh(h->size) > out->size && !(out->status & ROC_FR_TRUNCATED);
}

static bool of_another_event(const struct roc_fragment_fetched *out)
{
	const struct fragment_header *h = header(out);

	return h && le32toh(h->event) != out->event;
}

bool libroc_fragment_is_damaged(const struct roc_fragment_fetched *out)
{
	return out->status & ~ROC_FR_SEQUENCE || too_short(out) || of_another_event(out);
}

void libroc_fragment_check_fetched(struct roc_fragments *f, const struct roc_fragment_fetched *out)
{
	f->damage.too_short += too_short(out);
	f->damage.sequence_errors += of_another_event(out);
}

void roc_fragments_damage(const struct roc_fragments *f, struct roc_fragments_damage *damage)
{
	*damage = f->damage;
}
