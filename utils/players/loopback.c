// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-loopback: send test patterns over links in loopback, count errors until SIGINT, and restore
 * the settings of the links.
 *
 * The card is locked all the time. Otherwise the second of two tests would restore the patterns of
 * the first one, and a test that cannot get the lock at its end could not restore the settings.
 */
#include "players.h"

#include <unistd.h>

#include "utils/common/card.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	const char *id;
	bool json;
	bool skip_reset;
	bool expert;
	uint32_t interval;
	uint32_t count;
	uint32_t links;
	unsigned int mode;
	unsigned int counter;
	uint32_t high, medium, low;
};

#define LOCK_MS 15000 /* same limit as in the library */

static const char *const modes[] = {"counter", "static", NULL};
static const char *const counters[] = {"30bit", "8bit", NULL};

static const struct option_spec options[] = {
	FULL_ID_OPTION(struct values),
	{.name = "interval",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, interval),
	 .arg = "SECONDS",
	 .fallback = "1",
	 .min = 1,
	 .max = 3600,
	 .help = "Set the time between two rounds"},
	{.name = "count",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct values, count),
	 .arg = "N",
	 .fallback = "0",
	 .max = 1000000,
	 .help = "Stop after this many rounds, 0 = at SIGINT"},
	{.name = "links",
	 .full = true,
	 .type = OPTION_LINKS,
	 .offset = offsetof(struct values, links),
	 .arg = "LIST",
	 .max = ROC_CRU_LINKS - 1,
	 .fallback = "0-11",
	 .help = "Select the links to test"},
	FULL_FLAG_OPTION(struct values, "skip-reset", skip_reset,
			 "Do not clear the error counters first"),
	{.name = "pattern-mode",
	 .full = true,
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct values, mode),
	 .arg = "MODE",
	 .fallback = "counter",
	 .choices = modes,
	 .help = "Select the pattern to send"},
	{.name = "counter-type",
	 .full = true,
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct values, counter),
	 .arg = "TYPE",
	 .fallback = "30bit",
	 .choices = counters,
	 .help = "Select the width of the counter"},
	{.name = "high-mask",
	 .full = true,
	 .type = OPTION_HEX,
	 .offset = offsetof(struct values, high),
	 .arg = "HEX",
	 .fallback = "0xffffffff",
	 .help = "Set the mask of compared high bits"},
	{.name = "med-mask",
	 .full = true,
	 .type = OPTION_HEX,
	 .offset = offsetof(struct values, medium),
	 .arg = "HEX",
	 .fallback = "0xffffffff",
	 .help = "Set the mask of compared medium bits"},
	{.name = "low-mask",
	 .full = true,
	 .type = OPTION_HEX,
	 .offset = offsetof(struct values, low),
	 .arg = "HEX",
	 .fallback = "0xffffffff",
	 .help = "Set the mask of compared low bits"},
	FLAG_OPTION(struct values, "expert-view", expert, "Show the state of every layer"),
	JSON_OPTION(struct values),
};

bool loopback_good(const struct roc_cru_loopback_link *link)
{
	return link->pll_locked && link->rx_locked && link->data_layer_up && link->gbt_phy_up &&
	       !link->rx_errors && !link->fec_errors;
}

static void state_cell(struct table *t, bool good, const char *yes, const char *no)
{
	table_cell(t, good ? COLOUR_GOOD : COLOUR_BAD, "%s", good ? yes : no);
}

static void error_cell(struct table *t, uint32_t count)
{
	table_cell(t, count ? COLOUR_BAD : NULL, "%u", count);
}

void loopback_text(FILE *out, const struct loopback_round *r, bool expert, bool colours)
{
	static const char *const heads[] = {">Link", "GBT PHY", ">RX errors", ">FEC errors", NULL};
	static const char *const expert_heads[] = {
		">Link",   "PLL lock",	 "Locked to data", "Data layer",
		"GBT PHY", ">RX errors", ">FEC errors",	   NULL,
	};
	struct table t;
	unsigned int i;

	fprintf(out, "Round %u\n", r->number);
	table_start(&t, expert ? expert_heads : heads);
	for (i = 0; i < ROC_CRU_LINKS; i++) {
		const struct roc_cru_loopback_link *l = &r->results[i];

		if (!(r->links >> i & 1))
			continue;
		table_cell(&t, NULL, "%u", i);
		if (expert) {
			state_cell(&t, l->pll_locked, "YES", "NO");
			state_cell(&t, l->rx_locked, "YES", "NO");
			state_cell(&t, l->data_layer_up, "UP", "DOWN");
		}
		state_cell(&t, l->gbt_phy_up, "UP", "DOWN");
		error_cell(&t, l->rx_errors);
		error_cell(&t, l->fec_errors);
	}
	table_print(&t, out, colours);
}

void loopback_json(struct json *j, const struct loopback_round *r)
{
	unsigned int i;

	json_object(j, NULL);
	json_unsigned(j, "round", r->number);
	json_array(j, "links");
	for (i = 0; i < ROC_CRU_LINKS; i++) {
		const struct roc_cru_loopback_link *l = &r->results[i];

		if (!(r->links >> i & 1))
			continue;
		json_object(j, NULL);
		json_unsigned(j, "link", i);
		json_bool(j, "pllLocked", l->pll_locked);
		json_bool(j, "lockedToData", l->rx_locked);
		json_bool(j, "dataLayerUp", l->data_layer_up);
		json_bool(j, "gbtPhyUp", l->gbt_phy_up);
		json_unsigned(j, "rxErrors", l->rx_errors);
		json_unsigned(j, "fecErrors", l->fec_errors);
		json_bool(j, "good", loopback_good(l));
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

/*
 * Return the links with errors in the last round. The counters are cumulative, so this covers all
 * rounds.
 */
static uint32_t bad_links(const struct loopback_round *r)
{
	uint32_t bad = 0;
	unsigned int i;

	for (i = 0; i < ROC_CRU_LINKS; i++) {
		if (r->links >> i & 1 && !loopback_good(&r->results[i]))
			bad |= 1u << i;
	}
	return bad;
}

static int rounds(struct roc_endpoint *ep, const struct values *v)
{
	struct loopback_round r = {.links = v->links};
	bool colours = output_colours(stdout);
	uint32_t bad = 0;
	int code = TOOL_OK;
	struct json j;

	if (!v->skip_reset && roc_cru_loopback_clear(ep, v->links))
		return tool_fail("%s", roc_error());
	json_start(&j, stdout);
	if (v->json)
		json_array(&j, NULL);
	while (!stop_sleep(v->interval)) {
		if (roc_cru_loopback_read(ep, v->links, r.results)) {
			code = tool_fail("%s", roc_error());
			break;
		}
		r.number++;
		bad |= bad_links(&r);
		if (v->json)
			loopback_json(&j, &r);
		else
			loopback_text(stdout, &r, v->expert, colours);
		code = tool_finish();
		if (code || r.number == v->count)
			break;
	}
	if (v->json)
		json_array_end(&j);
	if (!code && !r.number)
		code = tool_fail("Interrupted before the first round.");
	if (!code && bad)
		code = tool_fail("%d of %d links had errors or were down.", __builtin_popcount(bad),
				 __builtin_popcount(v->links));
	return code;
}

/* Called with the card locked. */
static int test_links(struct roc_endpoint *ep, const struct roc_cru_loopback *test,
		      const struct values *v)
{
	struct roc_cru_loopback_saved saved;
	int code;

	if (roc_cru_loopback_start(ep, test, &saved))
		return tool_fail("%s", roc_error());
	code = rounds(ep, v);
	if (roc_cru_loopback_stop(ep, &saved))
		code = tool_fail("%s", roc_error());
	return code;
}

static int run(const void *p)
{
	struct roc_cru_loopback test;
	const struct values *v = p;
	struct roc_endpoint *ep;
	struct roc_card card;
	int code;

	code = cru_open(v->id, &card, &ep);
	if (code)
		return code;
	roc_cru_loopback_default(&test);
	test.links = v->links;
	test.static_pattern = v->mode == 1;
	test.counter_8bit = v->counter == 1;
	test.mask_high = v->high;
	test.mask_medium = v->medium;
	test.mask_low = v->low;
	/*
	 * Catch signals before the links are changed, so that their settings are always restored.
	 */
	stop_in_order();
	if (roc_card_lock(ep, LOCK_MS)) {
		code = tool_fail("%s", roc_error());
	} else {
		code = test_links(ep, &test, v);
		roc_card_unlock(ep);
	}
	roc_close(ep);
	return code;
}

const struct tool tool_loopback = {
	.name = "loopback",
	.summary = "Test links in loopback",
	.example = "--id=3b:00.0 --links=0,1 --count=10",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
