// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check pages of the internal generator: a counter without headers. Each 256-bit word holds the
 * counter in all eight lanes. It increases by one per word, across the pages and superpages of a
 * link.
 *
 * The first page of a link defines the start value. After an error, two continuations are accepted:
 * that of a correct page (a bit flipped), and that of the bad page's last word (pages are missing).
 * One fault therefore counts as one error, and a loss directly after it is still detected.
 */
#include <endian.h>
#include <string.h>

#include "check.h"

/*
 * Half a 256-bit word: the vector size that every processor has; and the same type as it lies in
 * memory.
 */
typedef uint32_t lanes __attribute__((vector_size(16)));
typedef lanes memory_lanes __attribute__((aligned(1), may_alias));

#define WORD_BYTES 32
#define LANES 8
#define BLOCK_WORDS 16 /* compared without a branch */

static uint32_t lane(const void *data, uint32_t word, unsigned int n)
{
	uint32_t v;

	memcpy(&v, (const char *)data + WORD_BYTES * (size_t)word + 4 * n, sizeof(v));
	return le32toh(v);
}

static bool word_is(const void *data, uint32_t word, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < LANES; i++) {
		if (lane(data, word, i) != value)
			return false;
	}
	return true;
}

uint32_t check_counter_words(const void *data, uint32_t words, uint32_t first)
{
	uint32_t done = 0;

#if __BYTE_ORDER == __LITTLE_ENDIAN
	const memory_lanes *p = data;
	lanes expected = (lanes){0} + first;

	for (; words - done >= BLOCK_WORDS; done += BLOCK_WORDS) {
		lanes wrong = {0};
		unsigned int i;

		for (i = 0; i < BLOCK_WORDS; i++) {
			wrong |= (p[0] ^ expected) | (p[1] ^ expected);
			expected += 1;
			p += 2;
		}
		if (wrong[0] | wrong[1] | wrong[2] | wrong[3])
			break;
	}
#endif
	for (; done < words; done++) {
		if (!word_is(data, done, first + done))
			break;
	}
	return done;
}

static void report(struct checker *c, const struct check_superpage *sp, uint32_t offset,
		   uint32_t word, uint32_t expected)
{
	const char *page = (const char *)sp->data + offset;
	unsigned int i;

	for (i = 0; i < LANES - 1 && lane(page, word, i) == expected; i++)
		;
	error_log_add(c->errors, CHECK_AT "word %u lane %u is 0x%08x, expected 0x%08x",
		      CHECK_AT_ARGS(sp, offset / c->config.page_size, offset), word, i,
		      lane(page, word, i), expected);
}

/* Check a whole page of @words 256-bit words at @offset. */
static void check_page(struct checker *c, const struct check_superpage *sp, uint32_t offset,
		       uint32_t words)
{
	struct check_link *link = &c->links[sp->link];
	const char *page = (const char *)sp->data + offset;
	uint32_t start = lane(page, 0, 0), last, bad;

	if (!link->counter_known) {
		link->counter = start;
		link->counter_known = true;
	} else if (link->other_known && start == link->other) {
		link->counter = start;
	}
	link->other_known = false;
	bad = check_counter_words(page, words, link->counter);
	if (bad == words)
		return;
	report(c, sp, offset, bad, link->counter + bad);
	last = lane(page, words - 1, 0);
	if (c->config.resync && word_is(page, words - 1, last)) {
		link->other = last + 1;
		link->other_known = true;
	}
}

uint64_t check_internal(struct checker *c, const struct check_superpage *sp)
{
	struct check_link *link = &c->links[sp->link];
	uint32_t page_size = c->config.page_size, words = page_size / WORD_BYTES, offset;
	uint64_t pages = 0;

	if (!words) {
		error_log_add(c->errors, CHECK_AT "page size of %u bytes is less than one word",
			      CHECK_AT_ARGS(sp, pages, 0u), page_size);
		return 0;
	}
	for (offset = 0; sp->received - offset >= page_size; offset += page_size) {
		if (link->pages % c->config.frequency == 0)
			check_page(c, sp, offset, words);
		else
			link->other_known = false;
		link->counter += words;
		link->pages++;
		pages++;
	}
	if (offset != sp->received)
		error_log_add(c->errors, CHECK_AT "the page has only 0x%x bytes",
			      CHECK_AT_ARGS(sp, pages, offset), sp->received - offset);
	return pages;
}

void check_init(struct checker *c, const struct check_config *config, struct error_log *errors)
{
	*c = (struct checker){.config = *config, .errors = errors};
}

bool check_counts_pages(const struct check_config *config)
{
	return config->enabled || config->data == CHECK_INTERNAL;
}

uint64_t check_superpage(struct checker *c, const struct check_superpage *sp)
{
	if (sp->link >= CHECK_LINKS) {
		error_log_add(c->errors, "superpage %llu: invalid link %u",
			      (unsigned long long)sp->number, sp->link);
		return 0;
	}
	if (sp->received > sp->length) {
		error_log_add(
			c->errors,
			"link %u superpage %llu: 0x%x bytes received in a superpage of 0x%x bytes",
			sp->link, (unsigned long long)sp->number, sp->received, sp->length);
		return 0;
	}
	if (!c->config.enabled)
		return check_counts_pages(&c->config) ? sp->received / c->config.page_size : 0;
	if (c->config.data == CHECK_INTERNAL)
		return check_internal(c, sp);
	return check_rdh(c, sp);
}
