// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A card that skips entries of its rings, and damaged fragments: the reader must detect both by
 * polling and in waits, and count them.
 */
#include "fake_fragments.h"
#include "kmod/fragment/fragment_data.h"

static const uint32_t starts[] = {0, 0xffffffe0u};
static const uint32_t data_holes[] = {1, 2, 5, DESCRIPTORS / 2};
static const uint32_t done_holes[] = {1, 2, 5, COMMANDS / 2};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Count the next entry without writing it. */
static void skip_descriptor(void)
{
	struct roc_fr_descriptor before = fake.descriptors[fake.sent % DESCRIPTORS];
	uint32_t at = fake.sent % DESCRIPTORS, link;

	for (link = 0; link < LINKS && !card_sends(1000, link, 100, 0); link++)
		;
	UNIT_NEED(link < LINKS);
	fake.descriptors[at] = before;
}

static void skip_completion(void)
{
	struct roc_fr_completion before = fake.completions[fake.done % COMMANDS];
	uint32_t at = fake.done % COMMANDS;

	card_does();
	fake.completions[at] = before;
}

/* Polling without a system call must detect the gap. */
static void found_by_polling(struct roc_fragments *f, bool data, uint32_t most)
{
	struct roc_fragment_fetched got[4];
	unsigned int calls = node.calls;
	uint32_t pass;
	int ret = 0;

	for (pass = 0; pass < most && !ret; pass++)
		ret = data ? roc_fragments_take(f, NULL, 4) : roc_fragments_done(f, got, 4);
	UNIT_EQ(ret, -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(roc_error(), "is missing although number"));
	UNIT_EQ(node.calls, calls);
}

static void skipped_descriptors(void)
{
	size_t s, h;
	uint32_t i;

	for (s = 0; s < COUNT(starts); s++) {
		for (h = 0; h < COUNT(data_holes); h++) {
			struct roc_fragments *f = running(starts[s]);
			unsigned int calls = node.calls;

			card_sends(1, 0, 100, 0);
			card_sends(1, 1, 100, 0);
			UNIT_EQ(roc_fragments_take(f, NULL, 9), 2);
			for (i = 0; i < data_holes[h]; i++)
				skip_descriptor();
			/* No later entry is present, which may be correct. */
			for (i = 0; i < 2 * DESCRIPTORS; i++)
				UNIT_EQ(roc_fragments_take(f, NULL, 9), 0);
			UNIT_NEED(card_sends(2, 2, 100, 0));
			found_by_polling(f, true, ALL);
			UNIT_EQ(roc_fragments_take(f, NULL, 9), -EBADMSG);
			UNIT_EQ(fake.user->descriptors, starts[s] + 2);
			/* A wait must not report available entries. */
			FAILS(roc_fragments_wait(f, data_holes[h] + 1, 0, 1000), -EBADMSG,
			      "descriptor");
			UNIT_EQ(node.calls, calls);
			UNIT_EQ(roc_fragments_start(f), 0);
			card_sends(3, 0, 100, 0);
			UNIT_EQ(roc_fragments_take(f, NULL, 9), 1);
			finish(f);
		}
	}
}

static void skipped_completions(void)
{
	struct roc_fragment_fetched got[COMMANDS];
	size_t s, h;
	uint32_t i;

	for (s = 0; s < COUNT(starts); s++) {
		for (h = 0; h < COUNT(done_holes); h++) {
			struct roc_fragments *f = running(starts[s]);
			unsigned int calls = node.calls;
			uint32_t hole = done_holes[h];

			for (i = 0; i < 10; i++) {
				card_sends(i, 0, 100, 0);
				card_sends(i, 1, 100, 0);
			}
			UNIT_EQ(roc_fragments_take(f, NULL, 20), 20);
			for (i = 0; i < 10; i++)
				UNIT_EQ(roc_fragments_request(f, i, 3, i), 3);
			UNIT_EQ(roc_fragments_flush(f), 0);
			card_does();
			UNIT_EQ(roc_fragments_done(f, got, 9), 1);
			for (i = 0; i < hole; i++)
				skip_completion();
			for (i = 0; i < 2 * COMMANDS; i++)
				UNIT_EQ(roc_fragments_done(f, got, 9), 0);
			card_does();
			found_by_polling(f, false, COMMANDS);
			FAILS(roc_fragments_wait(f, 0, hole + 1, 1000), -EBADMSG, "completion");
			UNIT_EQ(node.calls, calls);
			/* The driver ends the run: all outstanding requests are cancelled. */
			fake.kernel->flags = ROC_FR_STOPPED | ROC_FR_FAILED;
			UNIT_EQ(roc_fragments_wait(f, 0, hole + 1, 1000), ROC_FRAGMENTS_DONE);
			UNIT_EQ(roc_fragments_done(f, got, COMMANDS), 19);
			for (i = 0; i < 19; i++)
				UNIT_EQ(got[i].error, -ECANCELED);
			UNIT_EQ(counts(f).failed, 19);
			UNIT_EQ(counts(f).outstanding, 0);
			finish(f);
		}
	}
}

/* Over many laps, a slow card must not be reported for skipped entries. */
static void no_skipped_entries(void)
{
	struct roc_fragments *f = running(0xffffff00u);
	struct roc_fragment_fetched got[4];
	uint32_t event, polls;

	for (event = 0; event < 5 * DESCRIPTORS; event++) {
		for (polls = 0; polls < event % 7; polls++) {
			UNIT_EQ(roc_fragments_take(f, NULL, 4), 0);
			UNIT_EQ(roc_fragments_done(f, got, 4), 0);
		}
		UNIT_NEED(card_sends(event, event % LINKS, 100, 0));
		UNIT_EQ(roc_fragments_take(f, NULL, 4), 1);
		UNIT_EQ(roc_fragments_request(f, event, ~0u, 0), 1 << event % LINKS);
		roc_fragments_clear(f, &event, 1);
		roc_fragments_flush(f);
		card_does();
		UNIT_EQ(roc_fragments_done(f, got, 4), 1);
		UNIT_EQ(roc_fragments_return(f, got[0].handle), 0);
		roc_fragments_flush(f);
	}
	finish(f);
}

static struct roc_fragments_damage damage(const struct roc_fragments *f)
{
	struct roc_fragments_damage d;

	roc_fragments_damage(f, &d);
	return d;
}

static void flagged_and_empty(void)
{
	struct roc_fragments *f = running(0);

	card_sends(1, 0, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 1);
	UNIT_EQ(damage(f).damaged | damage(f).sequence_errors | damage(f).empty, 0);
	card_sends(2, 0, 100, ROC_FR_LINK_ERROR | ROC_FR_TRUNCATED);
	card_sends(3, 0, 100, ROC_FR_FORMAT);
	card_sends(4, 0, 0, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 3);
	UNIT_EQ(damage(f).damaged, 2);
	UNIT_EQ(damage(f).truncated, 1);
	UNIT_EQ(damage(f).sequence_errors, 0);
	UNIT_EQ(damage(f).empty, 1);
	/* Another link may begin with any id. One gap is flagged, two are not. */
	card_sends(70, 1, 100, 0);
	card_sends(72, 1, 100, ROC_FR_SEQUENCE);
	card_sends(80, 1, 100, 0);
	card_sends(73, 1, 100, 0);
	card_sends(74, 1, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 5);
	UNIT_EQ(damage(f).sequence_errors, 3);
	UNIT_EQ(damage(f).damaged, 2);
	/* A new run may begin with any id; ids wrap. */
	UNIT_EQ(roc_fragments_stop(f, false), 0);
	UNIT_EQ(roc_fragments_start(f), 0);
	card_sends(0xffffffff, 1, 100, 0);
	card_sends(0, 1, 100, 0);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 2);
	UNIT_EQ(damage(f).sequence_errors, 3);
	finish(f);
}

/* Fetch a fragment whose header has @magic, @event and @size; it is event 7, of 100 bytes. */
static void fetch(struct roc_fragments *f, uint32_t flags, uint32_t bytes, uint32_t magic,
		  uint32_t event, uint32_t size)
{
	struct roc_fragment_fetched got;
	uint32_t seven = 7;
	struct fragment_header *h;

	card_sends(7, 0, bytes, flags);
	UNIT_EQ(roc_fragments_take(f, NULL, 9), 1);
	UNIT_EQ(roc_fragments_request(f, 7, 1, 0), 1);
	roc_fragments_flush(f);
	card_looks();
	h = (void *)(memory + le32toh(fake.commands[fake.waiting[0]].host_page) * PAGE);
	card_does();
	*h = (struct fragment_header){htole32(magic), htole32(event), 0, htole32(size)};
	UNIT_EQ(roc_fragments_done(f, &got, 1), 1);
	UNIT_EQ(roc_fragments_return(f, got.handle), 0);
	roc_fragments_clear(f, &seven, 1);
}

static void short_and_of_another_event(void)
{
	struct roc_fragments *f = running(0);
	uint64_t before;

	fetch(f, 0, 100, FRAGMENT_MAGIC, 7, 100);
	fetch(f, ROC_FR_TRUNCATED, 100, FRAGMENT_MAGIC, 7, 5000);
	fetch(f, 0, 100, 0x12345678, 9, 5000); /* not a header of the generators */
	UNIT_EQ(damage(f).too_short, 0);
	fetch(f, 0, 100, FRAGMENT_MAGIC, 7, 104);
	UNIT_EQ(damage(f).too_short, 1);
	fetch(f, 0, 12, FRAGMENT_MAGIC, 7, 12);
	UNIT_EQ(damage(f).too_short, 2);
	before = damage(f).sequence_errors;
	fetch(f, ROC_FR_SEQUENCE, 100, FRAGMENT_MAGIC, 8, 100);
	UNIT_EQ(damage(f).sequence_errors, before + 2);
	UNIT_EQ(damage(f).too_short, 2);
	finish(f);
}

UNIT_MAIN("libroc_fragment_hole", {"skipped descriptors", skipped_descriptors},
	  {"skipped completions", skipped_completions}, {"no skipped entries", no_skipped_entries},
	  {"fragments that are flagged or empty", flagged_and_empty},
	  {"short fragments, and one of another event", short_and_of_another_event})
