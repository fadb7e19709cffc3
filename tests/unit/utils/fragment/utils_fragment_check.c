// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-fragment's check: fragments as the documented generator makes them are right, and every word
 * that is changed is found.
 */
#include "unit.h"

#include <endian.h>

#include "kmod/fragment/fragment_data.h"
#include "utils/fragment/fragment.h"

#define SOURCE 0x0a70
#define PAGE 2048

static uint32_t words[PAGE / 4];
static struct error_log errors;
static struct fragment_check check;

static void begin(uint32_t min, uint32_t max)
{
	unsigned int i;

	memset(&errors, 0, sizeof(errors));
	check = (struct fragment_check){
		.source = SOURCE, .first_link = 6, .page = PAGE, .known = true, .errors = &errors};
	for (i = 0; i < ROC_ROBINNP_LINKS; i++)
		check.generator[i] = (struct roc_robinnp_generator){
			.size_min = min, .size_max = max, .distributed = max > min};
}

/* As link 6 + @link of the card makes it. */
static struct roc_fragment_fetched fragment(uint32_t event, uint32_t link)
{
	const struct roc_robinnp_generator *g = &check.generator[link];
	uint32_t source = fragment_source(SOURCE, 6 + link), size = g->size_min, i;
	struct roc_fragment_fetched f = {.data = words, .event = event, .link = link};

	if (g->distributed)
		size = fragment_size(source, event, g->size_min, g->size_max);
	f.size = size < PAGE ? size : PAGE;
	f.status = size > PAGE ? ROC_FR_TRUNCATED : 0;
	words[0] = htole32(FRAGMENT_MAGIC);
	words[1] = htole32(event);
	words[2] = htole32(source);
	words[3] = htole32(size);
	for (i = 4; i < f.size / 4; i++)
		words[i] = htole32(fragment_pattern(source, event) + i - 4);
	return f;
}

static void expect_errors(struct roc_fragment_fetched f, uint64_t wrong)
{
	errors.count = 0;
	fragment_check_one(&check, &f);
	UNIT_EQ(errors.count, wrong);
}

static void good_data(void)
{
	uint32_t event;

	begin(16, 4000);
	for (event = UINT32_MAX - 200; event != 200; event++)
		expect_errors(fragment(event, event % 6), 0);
	begin(400, 400);
	expect_errors(fragment(5, 2), 0);
	UNIT_EQ(check.bytes, 400);
	begin(PAGE, PAGE);
	expect_errors(fragment(5, 2), 0);
	begin(PAGE + 4, PAGE + 4);
	expect_errors(fragment(5, 2), 0);
}

static void every_word_counts(void)
{
	struct roc_fragment_fetched f;
	uint32_t i;

	begin(256, 256);
	for (i = 0; i < 64; i++) {
		f = fragment(77, 3);
		words[i] ^= htole32(1u << i % 32);
		/* The size stands in the header and is what the generator was told. */
		expect_errors(f, i == 3 ? 2 : 1);
	}
	check.headers = true;
	f = fragment(77, 3);
	words[20]++;
	expect_errors(f, 0);
	words[1]++;
	expect_errors(f, 1);
}

static void descriptions_that_do_not_fit(void)
{
	struct roc_fragment_fetched f;

	begin(256, 256);
	f = fragment(77, 3);
	f.event++;
	expect_errors(f, 1);
	f = fragment(77, 3);
	f.link++;
	expect_errors(f, 1);
	f = fragment(77, 3);
	f.size -= 4;
	expect_errors(f, 1);
	f = fragment(77, 3);
	f.status = ROC_FR_TRUNCATED;
	expect_errors(f, 1);
	f = fragment(77, 3);
	f.size = 12;
	expect_errors(f, 1);
	f = fragment(77, 3);
	check.generator[3].size_min = 260;
	expect_errors(f, 1);
	check.known = false;
	expect_errors(f, 0);
	begin(PAGE + 4, PAGE + 4);
	f = fragment(77, 3);
	f.status = 0;
	expect_errors(f, 1);
}

UNIT_MAIN("roc-fragment's check", {"data as generators make them", good_data},
	  {"every word that is changed", every_word_counts},
	  {"descriptions that do not fit", descriptions_that_do_not_fit})
