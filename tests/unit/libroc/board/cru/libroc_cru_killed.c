// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kill a configuration pass after each of its register writes and run another pass. Afterwards the
 * registers, PLLs and calibrations of the whole card must be as on a card whose pass was not
 * killed.
 */
#include <sys/stat.h>

#include "tests/emu/core/cru/cru.h"
#include "libroc_cru_card.h"

#define WORDS (1u << 20)

/* State that passes change; @compared except for skipped(). */
static const struct {
	uint32_t from, to;
	bool compared;
} ranges[] = {
	{0x000000, 0x000100, true},  {0x030000, 0x031000, false}, {0x100000, 0x100100, true},
	{0x200000, 0x200004, true},  {0x200004, 0x200100, false}, {0x220000, 0x22b000, true},
	{0x240000, 0x240010, false}, {0x240010, 0x240014, true},  {0x240014, 0x240100, false},
	{0x248000, 0x24a000, true},  {0x400000, 0x4a0000, true},  {0x600000, 0x600100, true},
	{0x640000, 0x660000, true},  {0x6c0000, 0x6c0010, true},  {0x700000, 0x700100, true},
	{0x740000, 0x760000, true},  {0x7c0000, 0x7c0010, true},
};

struct snapshot {
	struct cru_board board;
	uint32_t words[WORDS];
};

static struct snapshot before, never, complete;

static struct cru *model(void)
{
	return host.card;
}

static void take(struct snapshot *s)
{
	size_t i, n = 0;

	s->board = model()->board;
	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		uint32_t size = ranges[i].to - ranges[i].from;

		UNIT_NEED(n + size / 4 <= WORDS);
		memcpy(&s->words[n], cru_bar2_word(model(), ranges[i].from), size);
		n += size / 4;
	}
}

static void give(const struct snapshot *s)
{
	size_t i, n = 0;

	model()->board = s->board;
	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		uint32_t size = ranges[i].to - ranges[i].from;

		memcpy(cru_bar2_word(model(), ranges[i].from), &s->words[n], size);
		n += size / 4;
	}
}

/*
 * Check for counters, sticky status bits, strobes, and registers without meaning unless ponUpstream
 * is set.
 */
static bool skipped(uint32_t at, bool pon)
{
	uint32_t in_link = (at - 0x400000) % 0x2000;

	if (at >= 0x400000 && at < 0x4a0000)
		return in_link == CRU_GBT_STATUS || in_link == CRU_GBT_GLITCHES ||
		       in_link == CRU_WRAPPER_CLOCK;
	return at == CRU_ONU_STATUS || (!pon && at == CRU_ONU_CONTROL);
}

/* Check that each register is as if the killed pass had never begun, or had been completed. */
static bool as_one_of_them(bool pon)
{
	struct cru_board *b = &model()->board;
	size_t i, n = 0;
	bool same = true;
	unsigned int e, l;
	uint32_t at;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		for (at = ranges[i].from; at < ranges[i].to; at += 4, n++) {
			uint32_t word = *cru_bar2_word(model(), at);

			if (!ranges[i].compared || word == never.words[n] ||
			    word == complete.words[n] || skipped(at, pon))
				continue;
			unit_note("0x%x is 0x%x, expected 0x%x or 0x%x", at, word, never.words[n],
				  complete.words[n]);
			same = false;
		}
	}
	for (i = 0; i < CRU_CHIPS; i++)
		for (n = 0; n < sizeof(b->chip[i].reg); n++)
			same &= !b->chip[i].paged ||
				b->chip[i].reg[n] == never.board.chip[i].reg[n] ||
				b->chip[i].reg[n] == complete.board.chip[i].reg[n];
	for (e = 0; e < CRU_ENDPOINTS; e++)
		for (l = 0; l < CRU_GBT_LINKS; l++)
			same &= b->gbt[e][l].up == complete.board.gbt[e][l].up;
	if (pon)
		same &= b->phase == never.board.phase || b->phase == complete.board.phase;
	return same && cru_gbt_calibrated(model());
}

static struct roc_cru_config config;
static struct roc_config_result result;

static int configure(unsigned int e, unsigned int flags)
{
	return roc_cru_configure(&card.ep[e], &config, flags | ROC_CONFIG_ANY_FIRMWARE, &result);
}

/* A configuration of both endpoints. @address: of the ONU; 0: without ponUpstream. */
struct step {
	enum roc_cru_clock clock;
	unsigned int flags, address, registers;
};

static void wants(const struct step *s)
{
	unsigned int l;

	roc_cru_config_default(&config);
	config.clock = s->clock;
	config.pon_upstream = s->address;
	config.onu_address = s->address;
	config.cru_id = 0x100 + s->registers;
	config.trigger_window_size = 1000 + s->registers;
	config.dynamic_offset = s->registers & 1;
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		config.links[l].enabled = l % 4 != s->registers;
		config.links[l].fee_id = 0x1000 * s->registers + l;
	}
}

static void configures(const struct step *s)
{
	wants(s);
	UNIT_EQ(configure(0, s->flags), 0);
	UNIT_EQ(configure(1, s->flags & ~ROC_CONFIG_FORCE), 0);
}

static const char *site_tables; /* directory of the PLL tables; NULL: none */

/* Kill a pass to @begun on endpoint 0, then configure @wanted. */
static void killed(const struct step *had, const struct step *begun, const struct step *wanted)
{
	unsigned int step, writes, bad = 0;
	struct roc_cru_config status;

	cru_begin();
	if (site_tables)
		libroc_pll_directory = site_tables;
	configures(had);
	take(&before);
	configures(wanted);
	take(&never);
	give(&before);
	card.writes = 0;
	wants(begun);
	UNIT_EQ(configure(0, begun->flags), 0);
	writes = card.writes;
	configures(wanted);
	take(&complete);
	CU_ASSERT_TRUE(as_one_of_them(wanted->address));
	for (step = 1; step < writes && bad < 3; step++) {
		give(&before);
		card.writes = 0;
		card.killed_after = step;
		wants(begun);
		CU_ASSERT_TRUE(configure(0, begun->flags) < 0);
		card.killed_after = 0;
		card.gone = false;
		/* A status read in between must not hide the interrupted pass. */
		if (step % 2)
			UNIT_EQ(roc_cru_config_read(&card.ep[0], &status), 0);
		configures(wanted);
		if (!as_one_of_them(wanted->address)) {
			unit_note("killed after write %u of %u", step, writes);
			bad++;
		}
		card.writes = 0;
		UNIT_EQ(configure(0, 0), 0);
		UNIT_EQ(result.count, 0);
		UNIT_EQ(card.writes, 0);
	}
	UNIT_EQ(bad, 0);
	unit_note("killed after each of %u writes", writes - 1);
	card_end();
}

#define LOCAL ROC_CRU_CLOCK_LOCAL
#define TTC ROC_CRU_CLOCK_TTC
#define FORCE ROC_CONFIG_FORCE

static const struct step local = {LOCAL, FORCE, 0, 1}, ttc = {TTC, FORCE, 0, 1},
			 begun_local = {LOCAL, 0, 0, 2}, begun_ttc = {TTC, 0, 0, 2},
			 then_local = {LOCAL, 0, 0, 1}, then_ttc = {TTC, 0, 0, 1},
			 pon = {TTC, FORCE, 33, 1}, begun_pon = {TTC, 0, 34, 2},
			 then_pon = {TTC, 0, 33, 1}, forced = {LOCAL, FORCE, 0, 1},
			 forced_pon = {TTC, FORCE, 33, 1};

static void from_local_to_ttc(void)
{
	killed(&local, &begun_ttc, &then_local);
	killed(&local, &begun_ttc, &then_ttc);
}

static void from_ttc_to_local(void)
{
	killed(&ttc, &begun_local, &then_local);
	killed(&ttc, &begun_local, &then_ttc);
}

/* No value differs, so only the resets show that the pass was killed. */
static void the_same_clock_again(void)
{
	killed(&local, &forced, &then_local);
	killed(&pon, &forced_pon, &then_pon);
}

static void registers_and_pon(void)
{
	killed(&local, &begun_local, &then_local);
	killed(&pon, &begun_pon, &then_pon);
	killed(&ttc, &begun_pon, &then_ttc);
}

static char directory[] = "/tmp/roc-unit-XXXXXX";

static void write_table(const char *name, const char *clock, unsigned int value, bool input)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s-%s.csv", directory, name, clock);
	f = fopen(path, "we");
	UNIT_NEED(f);
	fprintf(f, "0x0540,0x01\n0x0009,0x%02x\n0x0302,0x%02x\n", value, value + 1);
	if (input)
		fprintf(f, "0x052A,0x%02x\n", strcmp(clock, "ttc") ? 1 : 3);
	fprintf(f, "0x0540,0x00\n");
	fclose(f);
}

static void tables_of_a_site(void)
{
	static const char *const names[] = {"si5345-1", "si5345-2", "si5344"};
	static const char *const clocks[] = {"local", "ttc"};
	static const struct step *const to[] = {&then_local, &then_ttc};
	char path[96];
	size_t i, k;

	UNIT_NEED(mkdtemp(directory));
	for (i = 0; i < 3; i++)
		for (k = 0; k < 2; k++)
			write_table(names[i], clocks[k], 0x10 * (i + 1) + 2 * k, i == 1);
	for (k = 0; k < 2; k++) {
		site_tables = directory;
		killed(&local, &begun_ttc, to[k]);
	}
	site_tables = NULL;
	for (i = 0; i < 3; i++)
		for (k = 0; k < 2; k++) {
			snprintf(path, sizeof(path), "%s/%s-%s.csv", directory, names[i],
				 clocks[k]);
			unlink(path);
		}
	UNIT_EQ(rmdir(directory), 0);
}

UNIT_MAIN("libroc_cru_killed", {"from LOCAL to TTC", from_local_to_ttc},
	  {"from TTC to LOCAL", from_ttc_to_local}, {"the same clock again", the_same_clock_again},
	  {"registers and PON", registers_and_pon}, {"tables of a site", tables_of_a_site})
