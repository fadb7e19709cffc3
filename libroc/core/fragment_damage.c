// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Count fragments that are not what they should be: by the card's flags, and by what the card
 * should have flagged.
 */
#include "fragment.h"
#include "kmod/fragment/fragment_data.h"

void libroc_fragment_judge_kept(struct roc_fragments *f, const struct roc_fragment_kept *kept)
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

void libroc_fragment_judge_fetched(struct roc_fragments *f, const struct roc_fragment_fetched *out)
{
	f->damage.too_short += too_short(out);
	f->damage.sequence_errors += of_another_event(out);
}

void roc_fragments_damage(const struct roc_fragments *f, struct roc_fragments_damage *damage)
{
	*damage = f->damage;
}
