// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of fragments as a source, with a simulated card whose counters are reset from outside.
 */
#include "unit.h"

#include <roc/fragment.h>
#include <roc/lend.h>
#include <roc/robinnp.h>

#include <errno.h>

#include "utils/common/card.h"
#include "utils/units/sources.h"

#define LINKS 2
#define BYTES 1000 /* of a fragment */

/* Counters of each link; transfers are of all links. */
static struct {
	uint64_t announced, discarded, waiting, sent;
	bool running;
	bool fails;	    /* stops during the run; before that, ... */
	unsigned int ready; /* ... this many fragments are completed */
	struct roc_fragments_damage damage;
} card;

static struct source *source;

static int sub_read(struct roc_endpoint *ep, unsigned int sub, struct roc_robinnp_sub *s)
{
	*s = (struct roc_robinnp_sub){.transfers = card.sent, .bytes = card.sent * BYTES};
	return 0;
}

static int link_read(struct roc_endpoint *ep, unsigned int link, struct roc_robinnp_link *l)
{
	UNIT_NEED(link < LINKS);
	*l = (struct roc_robinnp_link){.offered = card.announced + card.discarded + card.waiting,
				       .fragments = card.announced,
				       .discarded = card.discarded,
				       .waiting = card.waiting};
	return 0;
}

static int generator_read(struct roc_endpoint *ep, unsigned int link,
			  struct roc_robinnp_generator *g)
{
	memset(g, 0, sizeof(*g));
	return 0;
}

static const struct fragment_registers registers = {
	.sub_read = sub_read,
	.link_read = link_read,
	.generator_read = generator_read,
};

static const struct card_type card_type = {.fragments = &registers};

int card_open(const char *id, struct roc_card *c, struct roc_endpoint **ep,
	      const struct card_type **kind)
{
	*c = (struct roc_card){.type = ROC_CARD_ROBINNP, .numa_node = -1};
	*ep = NULL;
	*kind = &card_type;
	return 0;
}

int card_fail_unknown(const struct roc_card *c, const char *id)
{
	return 1;
}

int roc_fragments_open_card(const struct roc_card *c, const char *id, const char *sub,
			    struct roc_fragments **f)
{
	*f = (struct roc_fragments *)&card;
	return 0;
}

void roc_fragments_close(struct roc_fragments *f)
{
}

unsigned int roc_fragments_number(const struct roc_fragments *f)
{
	return 0;
}

unsigned int roc_fragments_links(const struct roc_fragments *f)
{
	return LINKS;
}

const char *roc_fragments_name(const struct roc_fragments *f)
{
	return "sub0";
}

int roc_fragments_fd(const struct roc_fragments *f)
{
	return -1;
}

int roc_fragments_rings(struct roc_fragments *f, uint32_t page, uint32_t pages, uint32_t host_page,
			uint32_t commands)
{
	return 0;
}

int roc_fragments_info(struct roc_fragments *f, struct roc_fr_info *info)
{
	*info = (struct roc_fr_info){.host_pages_max = 64, .page_size = 2048};
	return 0;
}

int roc_fragments_add(struct roc_fragments *f, void *addr, size_t length)
{
	return 0;
}

int roc_fragments_start(struct roc_fragments *f)
{
	card.running = true;
	return 0;
}

int roc_fragments_stop(struct roc_fragments *f, bool now)
{
	card.running = false;
	return 0;
}

bool roc_fragments_running(const struct roc_fragments *f)
{
	if (card.fails && card.running) {
		card.running = false;
		card.ready = 2;
	}
	return card.running;
}

void roc_fragments_counts(const struct roc_fragments *f, struct roc_fragments_counts *c)
{
	memset(c, 0, sizeof(*c));
}

void roc_fragments_damage(const struct roc_fragments *f, struct roc_fragments_damage *d)
{
	*d = card.damage;
}

int roc_fragments_take(struct roc_fragments *f, struct roc_fragment_kept *kept, unsigned int n)
{
	return 0;
}

uint32_t roc_fragments_oldest(const struct roc_fragments *f, uint32_t *event, uint64_t *age_ns)
{
	return 0;
}

int roc_fragments_request(struct roc_fragments *f, uint32_t event, uint32_t links, uint64_t tag)
{
	return 0;
}

unsigned int roc_fragments_clear(struct roc_fragments *f, const uint32_t *events, unsigned int n)
{
	return n;
}

int roc_fragments_flush(struct roc_fragments *f)
{
	return 0;
}

int roc_lender_fragments(struct roc_fragments *f, unsigned int most, struct roc_lender **lender)
{
	*lender = (struct roc_lender *)&card;
	return 0;
}

int roc_lender_take(struct roc_lender *l, struct roc_unit *unit)
{
	*unit = (struct roc_unit){.length = BYTES};
	return card.ready ? card.ready--, 1 : 0;
}

int roc_lender_return(struct roc_lender *l, uint64_t handle)
{
	return 0;
}

int roc_lender_close(struct roc_lender *l)
{
	return 0;
}

/* On each link, @fragments arrive, and all but those that wait afterwards are sent. */
static void arrives(uint64_t fragments, uint64_t waiting)
{
	uint64_t announced = card.waiting + fragments - waiting;

	card.announced += announced;
	card.sent += announced * LINKS;
	card.waiting = waiting;
}

/* The waiting fragments are counted as offered again. */
static void counters_reset(void)
{
	card.announced = card.discarded = card.sent = 0;
}

static struct unit_counters counters(void)
{
	struct unit_counters b;

	source->ops->counters(source, &b);
	UNIT_EQ(b.known, true);
	UNIT_EQ(b.bytes, b.units * BYTES);
	return b;
}

static void begin(void)
{
	struct source_fragment_options o = {.id = "#0", .page = 2048, .buffer = 64 << 10};

	memset(&card, 0, sizeof(card));
	/* Counters of an earlier run. */
	arrives(5000, 0);
	card.discarded = 70;
	UNIT_NEED(!source_fragment(&o, &source));
	UNIT_EQ(source->ops->start(source), 0);
	UNIT_EQ(counters().units, 0);
	UNIT_EQ(counters().dropped, 0);
}

/* After the end, the fragments that the card keeps are lost. */
static void end(uint64_t units, uint64_t dropped)
{
	struct unit unit;

	UNIT_EQ(source->ops->stop(source), 0);
	UNIT_EQ(source->ops->take(source, &unit), -ENODATA);
	card.discarded += card.waiting;
	card.waiting = 0;
	UNIT_EQ(counters().units, units * LINKS);
	UNIT_EQ(counters().dropped, dropped * LINKS);
	source->ops->close(source);
}

static void without_a_reset(void)
{
	begin();
	arrives(100, 30);
	UNIT_EQ(counters().units, 70 * LINKS);
	UNIT_EQ(counters().dropped, 0);
	arrives(50, 20);
	end(130, 20);
}

static void with_a_reset(void)
{
	begin();
	arrives(100, 30);
	UNIT_EQ(counters().units, 70 * LINKS);
	counters_reset();
	UNIT_EQ(counters().units, 70 * LINKS);
	UNIT_EQ(counters().dropped, 0);
	arrives(50, 0);
	end(150, 0);
}

/* Losses before a reset are kept, and fragments that wait at the end are added. */
static void losses(void)
{
	begin();
	arrives(100, 30);
	card.discarded += 9;
	UNIT_EQ(counters().dropped, 9 * LINKS);
	counters_reset();
	arrives(50, 7);
	UNIT_EQ(counters().dropped, 9 * LINKS);
	end(143, 16);
}

/* Damage without a flag in a unit is reported at the end and is a failure. */
static void damage(void)
{
	static const struct roc_fragments_damage kinds[] = {
		{.sequence_errors = 4}, {.too_short = 4}, {.empty = 4}};
	struct unit unit;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		begin();
		card.damage = kinds[i];
		UNIT_EQ(source->ops->stop(source), 0);
		CU_ASSERT_FALSE(source->incomplete);
		UNIT_EQ(source->ops->take(source, &unit), -ENODATA);
		CU_ASSERT_TRUE(source->incomplete);
		CU_ASSERT_PTR_NOT_NULL(strstr(source->note, "4 "));
		source->ops->close(source);
	}
	begin();
	card.damage.damaged = 4;
	UNIT_EQ(source->ops->stop(source), 0);
	UNIT_EQ(source->ops->take(source, &unit), -ENODATA);
	CU_ASSERT_FALSE(source->incomplete);
	source->ops->close(source);
}

/* Fragments between an empty take and the stop of the sub-unit are returned before the failure. */
static void stopped_by_itself(void)
{
	struct units_sleep sleep = {0};
	struct unit unit;

	begin();
	card.fails = true;
	UNIT_EQ(source->ops->take(source, &unit), 0);
	source->ops->sleep(source, &sleep);
	UNIT_EQ(source->ops->take(source, &unit), 1);
	UNIT_EQ(source->ops->take(source, &unit), 1);
	UNIT_EQ(unit.bytes, BYTES);
	UNIT_EQ(source->ops->take(source, &unit), 0);
	source->ops->sleep(source, &sleep);
	UNIT_EQ(source->ops->take(source, &unit), -EIO);
	UNIT_STR(source->reason, "The sub-unit was stopped, but not by this tool.");
	source->ops->close(source);
}

UNIT_MAIN("counters of fragments", {"fragments that wait at the end are lost", without_a_reset},
	  {"counters are reset while fragments wait", with_a_reset},
	  {"losses before a reset are kept", losses}, {"damage", damage},
	  {"completed just before the sub-unit stops", stopped_by_itself})
