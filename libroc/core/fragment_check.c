// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Check the ring entries and fragments that a card delivers. The card writes the descriptor ring
 * and the completion ring in order, so an entry that is missing while a later one is present never
 * comes: the card skipped it. Damaged fragments are counted, both those that the card flagged and
 * those that it should have flagged.
 */
#include <errno.h>

#include "fragment.h"
#include "libroc.h"
#include "kmod/fragment/fragment_data.h"

/*
 * Number of entries that the card may have written and the library has not consumed: one per page
 * or command that the card owns
 */
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
		"%s: %s %u is missing although number %u is present, because the card skipped it, and later entries are lost: restart the run; if the error recurs, reload the card's firmware",
		f->c.name, lane == LIBROC_LANE_DONE ? "completion" : "descriptor",
		lane == LIBROC_LANE_DONE ? f->done : f->taken, later);
}

int libroc_fragment_check_skipped(struct roc_fragments *f, enum libroc_fragment_lane lane)
{
	uint32_t next = lane == LIBROC_LANE_DONE ? f->done : f->taken, most = due(f, lane), ahead;

	if (most < 2)
		return 0;
	ahead = f->probed[lane] % (most - 1) + 1;
	/*
	 * Check the later entry first: both may arrive in the meantime, the next one before the
	 * later one.
	 */
	if (there(f, lane, next + ahead) && !there(f, lane, next))
		return libroc_fail_skipped(f, lane, next + ahead);
	/* Advance only without an error: the next call must report the same gap again. */
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

/* Return the header of a fragment that a generator made; NULL if it has none. */
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
