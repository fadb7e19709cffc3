// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Configure an emulated CRU: check the resulting registers in the model, that nothing is written
 * when nothing differs, and that everything is restored after an error.
 */
#include <sys/prctl.h>
#include <sys/stat.h>

#include "tests/emu/core/cru/cru.h"
#include "libroc_cru_card.h"

static struct roc_cru_config config;
static struct roc_config_result result;

static int configure(unsigned int e, unsigned int flags)
{
	return roc_cru_configure(&card.ep[e], &config, flags | ROC_CONFIG_ANY_FIRMWARE, &result);
}

/* A configuration that differs from the card's power-on state and the defaults in every value. */
static void unusual(void)
{
	unsigned int l;

	roc_cru_config_default(&config);
	config.allow_rejection = true;
	config.cru_id = 0xabc;
	config.datapath_mode = ROC_CRU_STREAMING;
	config.loopback = true;
	config.gbt_mode = ROC_CRU_WB;
	config.downstream_data = ROC_CRU_DOWNSTREAM_MIDTRG;
	config.dynamic_offset = true;
	config.trigger_window_size = 4321;
	config.user_logic = true;
	config.run_stats = true;
	config.user_and_common_logic = true;
	config.system_id = 0x3d;
	config.time_frame_length = 77;
	config.drop_bad_rdh = true;
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		config.links[l].enabled = l % 3 != 1;
		config.links[l].mux = l % 5;
		config.links[l].fee_id = 0x1100 + l;
	}
}

/*
 * The numbers are from the card's documentation, not from the library's tables. @source: expected
 * trigger source. Selecting the clock sets it, and a new card has no clock selected.
 */
static void check_unusual(unsigned int e, uint32_t source)
{
	uint32_t d = CRU_DATAPATH(e);
	unsigned int l;

	UNIT_EQ(peek(0x200000), 2 << 16 | source);
	UNIT_EQ(peek(0x18) >> 16, 0xabc);
	UNIT_EQ(peek(0x100014), 0x3d0000);
	UNIT_EQ(peek(d), 1u << 31 | 1 << 30 | 1 << 15 | 1 << (13 + e) | 0xb6d);
	UNIT_EQ(peek(d + 0x34), 4321);
	UNIT_EQ(peek(d + 0x38), 1);
	UNIT_EQ(peek(d + 0xc0000), 1);
	UNIT_EQ(peek(d + 0x5e000), 0x1fc);
	UNIT_EQ(cru_card.peek(host.card, e, CRU_BAR_DMA, 0xc00) >> 20, 77);
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		unsigned int n = l + 12 * e;
		uint32_t gbt = 0x400000 + 0x20000 * (2 * e + l % 2 + 1) + 0x2000 * (l / 2 + 1);
		uint32_t dpl = d + 0x40000 + 0x2000 * l;

		UNIT_EQ(peek(gbt + 0x30) & 0x16, l % 3 != 1 ? 0x10 : 0);
		UNIT_EQ(peek(dpl + 4), 0x3d0000 | (0x1100 + l));
		if (l % 3 == 1)
			continue;
		UNIT_EQ(peek(gbt + 0x2c) & 0x100, 0);
		UNIT_EQ(peek(gbt + 0x3c) & 0x100, 0x100);
		UNIT_EQ(peek(0x1c + 4 * (n / 8)) >> 4 * (n % 8) & 0xf, l % 5);
		UNIT_EQ(peek(dpl), 0x1fc);
	}
}

static void all_parameters_are_written(void)
{
	struct roc_cru_config back;
	unsigned int e;

	cru_begin();
	unusual();
	for (e = 0; e < CRU_ENDPOINTS; e++) {
		UNIT_EQ(configure(e, 0), 0);
		CU_ASSERT_TRUE(result.reconfigured);
		check_unusual(e, 0);
		CU_ASSERT_TRUE(has_difference(&result, "link2.feeId", "0x1102", "0x0"));
		UNIT_EQ(roc_cru_config_read(&card.ep[e], &back), 0);
		UNIT_EQ(roc_cru_config_diff(&config, &back, NULL), 0);
	}
	CU_ASSERT_TRUE(has_difference(&result, "cru.timeFrameLength", "77", "256"));
	UNIT_EQ(result.reads + 0ull > 100, 1);
	UNIT_EQ(card.locks, 4);
	card_end();
}

static void the_other_endpoint_stays(void)
{
	uint32_t before[64];
	unsigned int i;

	cru_begin();
	for (i = 0; i < 64; i++)
		before[i] = peek(CRU_DATAPATH(1) + 4 * i);
	unusual();
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), 0);
	for (i = 0; i < 64; i++)
		if (i != 9 && i != 10) /* core clock counters */
			UNIT_EQ(peek(CRU_DATAPATH(1) + 4 * i), before[i]);
	UNIT_EQ(peek(CRU_MUX(23)), 0);
	card_end();
}

static void twice_writes_nothing(void)
{
	unsigned int clock;

	for (clock = 0; clock < 2; clock++) {
		cru_begin();
		unusual();
		config.clock = clock ? ROC_CRU_CLOCK_TTC : ROC_CRU_CLOCK_LOCAL;
		config.pon_upstream = clock;
		config.onu_address = 33;
		UNIT_EQ(configure(0, ROC_CONFIG_FORCE), 0);
		UNIT_NEED(result.reconfigured);
		card.writes = 0;
		card.reads = 0;
		UNIT_EQ(configure(0, 0), 0);
		CU_ASSERT_FALSE(result.reconfigured);
		UNIT_EQ(result.count, 0);
		UNIT_EQ(card.writes, 0);
		UNIT_EQ(result.writes, 0);
		UNIT_EQ(result.reads, card.reads);
		unit_note("%u register reads to find that nothing differs", card.reads);
		config.links[0].fee_id++;
		UNIT_EQ(configure(0, ROC_CONFIG_COMPARE_ONLY), 0);
		UNIT_EQ(result.count, 1);
		CU_ASSERT_TRUE(has_difference(&result, "link0.feeId", "0x1101", "0x1100"));
		UNIT_EQ(card.writes, 0);
		CU_ASSERT_FALSE(result.reconfigured);
		UNIT_EQ(configure(0, 0), 0);
		/* One word, and the pulse that resets the datapath generator. */
		UNIT_EQ(card.writes, 3);
		CU_ASSERT_FALSE(result.clock_programmed);
		card_end();
	}
}

/*
 * If a card has the target clock since power-on, its trigger source is not changed, as by existing
 * software. The first pass reads the PLL with commands of its I2C core, and the second pass uses
 * the answer.
 */
static void power_on_clock(void)
{
	unsigned int i;

	cru_begin();
	unusual();
	for (i = 0; i < 2; i++) {
		card.writes = 0;
		UNIT_EQ(configure(0, 0), 0);
		UNIT_EQ(result.reconfigured, !i);
		CU_ASSERT_FALSE(result.clock_programmed);
		UNIT_EQ(peek(0x200000), 2 << 16);
	}
	UNIT_EQ(card.writes, 0);
	/* Each software accepts the configuration of the other. */
	poke(0x200000, 2 << 16 | 2);
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_FALSE(result.reconfigured);
	card_end();
}

#define CONTROL(l) (0x640000 + 0x2000 * (l))
#define IDS(l) (CONTROL(l) + 4)

/*
 * As with existing software, a link that is disabled gets the mode, and after any change all
 * disabled links get the ids.
 */
static void links_that_are_off(void)
{
	cru_begin();
	unusual();
	UNIT_EQ(configure(0, 0), 0);
	poke(CONTROL(1), 0x80000111);
	poke(IDS(1), 0x12345);
	config.trigger_window_size++;
	UNIT_EQ(configure(0, 0), 0);
	UNIT_EQ(peek(IDS(1)), 0x12345);
	config.links[0].enabled = false;
	config.links[0].fee_id = 0x77;
	config.links[1].fee_id = 0x78;
	config.datapath_mode = ROC_CRU_PACKET;
	config.system_id = 0x4e;
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_TRUE(has_difference(&result, "link0.enabled", "false", "true"));
	CU_ASSERT_FALSE(has_difference(&result, "link0.feeId", "0x77", "0x1100"));
	UNIT_EQ(peek(0x600000) & 3, 0);
	UNIT_EQ(peek(CONTROL(0)), 0x800001fc);
	UNIT_EQ(peek(IDS(0)), 0x4e0077);
	UNIT_EQ(peek(CONTROL(1)), 0x80000111);
	UNIT_EQ(peek(IDS(1)), 0x4e0078);
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_FALSE(result.reconfigured);
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), 0);
	UNIT_EQ(peek(CONTROL(1)), 0x800001fc);
	/* If GBT is disabled altogether, the links keep their values. */
	config.gbt_enabled = false;
	config.datapath_mode = ROC_CRU_STREAMING;
	config.system_id = 0x5f;
	UNIT_EQ(configure(0, 0), 0);
	UNIT_EQ(peek(CONTROL(2)), 0x800001fc);
	UNIT_EQ(peek(IDS(2)), 0x4e1102);
	card_end();
}

/* A change by other software is detected in each place. */
static void every_change_is_detected(void)
{
	static const struct {
		uint32_t offset, flip;
		const char *name;
	} changes[] = {
		{0x18, 1 << 16, "cru.cruId"},
		{0x200000, 1 << 16, "cru.downstreamData"},
		{0x100014, 1 << 16, "cru.systemId (virtual links)"},
		{0x600000, 1u << 31, "cru.dynamicOffset"},
		{0x600000, 1 << 15, "cru.userLogicEnabled"},
		{0x600000, 1 << 0, "link0.enabled"},
		{0x600000, 1 << 1, "link1.enabled"},
		{0x600004, 1 << 1, "cru.datapathGenerator"},
		{0x600034, 1, "cru.triggerWindowSize"},
		{0x600038, 1, "cru.dropBadRdhEnabled"},
		{0x6c0000, 1, "cru.allowRejection"},
		{0x640000, 1u << 31, "link0.datapathMode"},
		{0x640000, 1, "link0.wordLength"},
		{0x640004, 1, "link0.feeId"},
		{0x640004, 1 << 16, "link0.systemId"},
		{0x422030, 1 << 4, "link0.loopback"},
		{0x422030, 6, "link0.testGenerator"},
		{0x42202c, 1 << 8, "link0.gbtTxMode"},
		{0x42203c, 1 << 8, "link0.gbtMode"},
		{0x1c, 1, "link0.gbtMux"},
		{0x1c, 1 << 8, "link2.gbtMux"},
		{0x65e000, 1u << 31, "cru.datapathMode (user logic)"},
	};
	size_t i;

	cru_begin();
	unusual();
	UNIT_EQ(configure(0, 0), 0);
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		uint32_t good = peek(changes[i].offset);

		poke(changes[i].offset, good ^ changes[i].flip);
		UNIT_EQ(configure(0, 0), 0);
		CU_ASSERT_TRUE(result.reconfigured);
		UNIT_EQ(result.count, 1);
		UNIT_STR(result.diffs[0].name, changes[i].name);
		UNIT_EQ(peek(changes[i].offset), good);
	}
	/* Values of a disabled link do not matter. */
	poke(0x642004, 0x12345);
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_FALSE(result.reconfigured);
	card_end();
}

/* Save the registers that a configuration can change, except for counters. */
static size_t snapshot(uint32_t *words, size_t max)
{
	static const uint32_t ranges[][2] = {
		{0x00, 0x100},	      {0x100000, 0x100100}, {0x200000, 0x200004},
		{0x22a000, 0x22a010}, {0x240010, 0x240020}, {0x400000, 0x40000c},
		{0x420000, 0x4a0000}, {0x600000, 0x600024}, {0x60002c, 0x600100},
		{0x640000, 0x660000}, {0x6c0000, 0x6c0100}, {0x700000, 0x700024},
	};
	size_t i, n = 0;
	uint32_t o;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		for (o = ranges[i][0]; o < ranges[i][1]; o += 4) {
			UNIT_NEED(n < max);
			words[n++] = peek(o);
		}
	}
	return n;
}

static void a_register_that_does_not_read_back(void)
{
	static uint32_t before[262144], after[262144];
	static const uint32_t stuck[] = {0x600000, 0x600034, 0x640000 + 0x2000 * 11 + 4, 0x100014};
	size_t i, n;

	for (i = 0; i < 4; i++) {
		cru_begin();
		unusual();
		card.stuck = stuck[i];
		n = snapshot(before, 262144);
		UNIT_EQ(configure(0, 0), -EBADMSG);
		ERROR_HAS("restored");
		UNIT_EQ(result.bar, CRU_BAR_CARD);
		UNIT_EQ(result.offset, stuck[i]);
		CU_ASSERT_TRUE(result.register_name[0]);
		CU_ASSERT_PTR_NOT_NULL(strstr(roc_error(), result.register_name));
		CU_ASSERT_TRUE(result.wanted != result.got);
		CU_ASSERT_TRUE(result.restored);
		CU_ASSERT_TRUE(card.writes > 20);
		UNIT_EQ(snapshot(after, 262144), n);
		CU_ASSERT_FALSE(memcmp(before, after, n * sizeof(before[0])));
		card_end();
	}
}

/* The card answers all ones for a moment, so the previous value of the register is unknown. */
static void a_register_that_cannot_be_modified(void)
{
	static uint32_t before[262144], after[262144];
	unsigned int i, fails = 0;
	size_t n;

	cru_begin();
	unusual();
	UNIT_EQ(configure(0, 0), 0);
	n = snapshot(before, 262144);
	config.trigger_window_size++;
	config.drop_bad_rdh = false;
	config.links[2].fee_id++;
	config.links[11].fee_id++;
	/* The first two writes are the pulse that resets the datapath generator. */
	for (i = 3; i < 7; i++) {
		card.modify_fails = i;
		fails += configure(0, 0) == -EIO;
		UNIT_EQ(card.modify_fails, 0);
		CU_ASSERT_TRUE(result.restored);
		ERROR_HAS("restored");
		UNIT_EQ(snapshot(after, 262144), n);
		CU_ASSERT_FALSE(memcmp(before, after, n * sizeof(before[0])));
	}
	UNIT_EQ(fails, 4);
	UNIT_EQ(configure(0, 0), 0);
	UNIT_EQ(peek(0x600034), 4322);
	card_end();
}

static void all_is_checked_before_the_first_write(void)
{
	cru_begin();
	unusual();
	config.cru_id = 0x1000;
	UNIT_EQ(configure(0, 0), -ERANGE);
	ERROR_HAS("cru.cruId");
	unusual();
	config.user_logic = false;
	UNIT_EQ(configure(0, 0), -EINVAL);
	UNIT_EQ(roc_cru_configure(&card.ep[0], &config, 0x80, NULL), -EINVAL);
	UNIT_EQ(card.reads + card.writes, 0);
	unusual();
	card.card_type = ROC_CARD_CRORC;
	UNIT_EQ(configure(0, 0), -EOPNOTSUPP);
	ERROR_HAS("only a CRU");
	card.card_type = ROC_CARD_CRU;
	UNIT_EQ(card.reads + card.writes, 0);
	card.lock_errno = EBUSY;
	UNIT_EQ(configure(0, 0), -EBUSY);
	ERROR_HAS("by a process in another container");
	card.lock_owner = getpid();
	UNIT_EQ(configure(0, 0), -EBUSY);
	ERROR_HAS("(libroc_cru_conf)");
	/* A program can set its name to any bytes. */
	UNIT_NEED(!prctl(PR_SET_NAME, "\033[2Jr\xc3"));
	UNIT_EQ(configure(0, 0), -EBUSY);
	ERROR_HAS("(?[2Jr?)");
	UNIT_NEED(!prctl(PR_SET_NAME, "libroc_cru_config"));
	card.lock_errno = EINTR;
	UNIT_EQ(configure(0, 0), -EINTR);
	UNIT_EQ(card.reads + card.writes, 0);
	card.lock_errno = 0;
	poke(0x400000, 0x55550); /* banks of 5 links */
	config.links[10].enabled = true;
	UNIT_EQ(configure(0, 0), -ENOLINK);
	ERROR_HAS("link 10 does not exist");
	poke(0x400000, 0x66660);
	UNIT_EQ(card.writes, 0);
	card_end();
}

static void not_while_it_runs(void)
{
	cru_begin();
	unusual();
	roc_cru_config_read(&card.ep[0], &config); /* the answer of the PLL remains valid */
	card.writes = 0;
	unusual();
	card.running = true;
	UNIT_EQ(configure(0, 0), -EBUSY);
	ERROR_HAS("channel of the card runs");
	CU_ASSERT_FALSE(result.reconfigured);
	CU_ASSERT_TRUE(result.count > 10);
	UNIT_EQ(peek(0x600034), 0);
	/* A pass without changes succeeds while a channel runs. */
	card.running = false;
	UNIT_EQ(configure(0, 0), 0);
	card.running = true;
	UNIT_EQ(configure(0, 0), 0);
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EBUSY);
	card_end();
}

static void start_when_settling(unsigned int us)
{
	card.running |= us == 2000000;
}

static void started_meanwhile(void)
{
	cru_begin();
	unusual();
	config.clock = ROC_CRU_CLOCK_TTC;
	config.pon_upstream = true;
	config.onu_address = 33;
	card.asleep = start_when_settling;
	UNIT_EQ(configure(0, 0), -EBUSY);
	ERROR_HAS("readout was started while the card was configured");
	CU_ASSERT_TRUE(result.reconfigured);
	CU_ASSERT_FALSE(result.restored);
	UNIT_EQ(peek(0x600034), 0);
	/*
	 * The remedy of the error text works: stop and configure again. Then start readout at the
	 * end of the pass.
	 */
	card.running = false;
	card.asleep = NULL;
	UNIT_EQ(configure(0, 0), 0);
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_FALSE(result.reconfigured);
	config.trigger_window_size++;
	card.starts = 0x600034;
	UNIT_EQ(configure(0, 0), -EBUSY);
	ERROR_HAS("readout was started while the card was configured");
	card_end();
}

static unsigned int pll_input(void)
{
	return cru_pll_input(host.card);
}

/*
 * If readout starts after the clock was programmed, a later failure must not program the clock
 * again during the run.
 */
static void started_before_it_is_put_back(void)
{
	static const struct {
		uint32_t starts, stuck;
		int err;
	} fails[] = {{0x600034, 0x600034, -EBADMSG}, {0x240018, 0, -ETIME}};
	unsigned int i;

	for (i = 0; i < 2; i++) {
		cru_begin();
		unusual();
		UNIT_EQ(configure(0, 0), 0);
		config.clock = ROC_CRU_CLOCK_TTC;
		config.trigger_window_size++;
		config.pon_upstream = !fails[i].stuck;
		config.onu_address = 1;
		if (config.pon_upstream)
			key(0, "onu", "0xfd");
		card.starts = fails[i].starts;
		card.stuck = fails[i].stuck;
		UNIT_EQ(configure(0, 0), fails[i].err);
		ERROR_HAS("(nothing was restored, because readout was started meanwhile: stop it");
		CU_ASSERT_FALSE(result.restored);
		UNIT_EQ(pll_input(), CRU_PLL_INPUT_TTC);
		card_end();
	}
}

/* Run enable is set, left by other software that crashed. */
static void a_stale_run_enable_is_cleared(void)
{
	cru_begin();
	unusual();
	poke(0x18, 1);
	UNIT_EQ(configure(0, 0), 0);
	UNIT_EQ(peek(0x18), 0xabc0000);
	card_end();
}

static void a_lock_held_already_is_kept(void)
{
	cru_begin();
	unusual();
	UNIT_EQ(roc_card_lock(&card.ep[0], 0), 0);
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_TRUE(card.locked);
	UNIT_EQ(roc_card_unlock(&card.ep[0]), 0);
	UNIT_EQ(roc_card_unlock(&card.ep[0]), -EPERM);
	UNIT_EQ(roc_card_lock(&card.ep[0], -1), -EINVAL);
	card_end();
}

static void firmware_is_checked(void)
{
	cru_begin();
	unusual();
	key(0, "firmware", "e4a5a46e");
	UNIT_EQ(roc_cru_configure(&card.ep[0], &config, 0, &result), -EPERM);
	ERROR_HAS("e4a5a46e");
	UNIT_EQ(card.writes, 0);
	UNIT_EQ(roc_cru_configure(&card.ep[0], &config, ROC_CONFIG_ANY_FIRMWARE, &result), 0);
	card_end();
}

static void gbt_off_switches_links_off(void)
{
	cru_begin();
	unusual();
	UNIT_EQ(configure(0, 0), 0);
	config.gbt_enabled = false;
	UNIT_EQ(configure(0, 0), 0);
	UNIT_EQ(peek(0x600000), 1u << 31 | 1 << 30 | 1 << 15 | 1 << 13);
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_FALSE(result.reconfigured);
	card_end();
}

static void force_writes_all(void)
{
	cru_begin();
	unusual();
	UNIT_EQ(configure(0, 0), 0);
	card.writes = 0;
	card.slept_us = 0;
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), 0);
	UNIT_EQ(result.count, 0);
	CU_ASSERT_TRUE(result.reconfigured && result.clock_programmed);
	CU_ASSERT_TRUE(card.writes > 250);
	CU_ASSERT_TRUE(card.slept_us > 4000000); /* the pauses of the PLLs */
	check_unusual(0, 2);
	unit_note("forced: %u reads, %u writes, %.1f s of waiting", card.reads, card.writes,
		  card.slept_us / 1e6);
	card_end();
}

static void ttc_clock_and_pon(void)
{
	cru_begin();
	unusual();
	config.clock = ROC_CRU_CLOCK_TTC;
	config.pon_upstream = true;
	config.onu_address = 0xa5;
	poke(0x248000 + 4 * 0x118, 0x77);
	poke(0x248000 + 4 * 0x11e, 0x78);
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_TRUE(result.clock_programmed);
	CU_ASSERT_TRUE(has_difference(&result, "cru.clock", "TTC", "LOCAL"));
	UNIT_EQ(peek(0x200000) & 3, 0);
	UNIT_EQ(peek(0x22a000), 0xa5 << 1);
	UNIT_EQ(peek(0x224448), peek(0x22444c));
	/*
	 * Reference 1 of the ONU's fPLL and reference 2 of the links' CDR, from the lookup
	 * registers.
	 */
	UNIT_EQ(peek(0x248000 + 4 * 0x114), 0x77);
	UNIT_EQ(peek(0x248000 + 4 * 0x11c), 0x78);
	UNIT_EQ(peek(0x423000 + 4 * 0x141), peek(0x423000 + 4 * 0x16c));
	CU_ASSERT_TRUE(peek(0x423000 + 4 * 0x141) > 0);
	UNIT_EQ(peek(0x18), 0xabc0000);
	config.onu_address = 0xa6;
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_TRUE(has_difference(&result, "cru.ponUpstream", "up at 166", "no"));
	CU_ASSERT_FALSE(result.clock_programmed);
	UNIT_EQ(peek(0x22a000), 0xa6 << 1);
	/* Back to the local clock */
	config.clock = ROC_CRU_CLOCK_LOCAL;
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_TRUE(result.clock_programmed);
	CU_ASSERT_TRUE(has_difference(&result, "cru.clock", "LOCAL", "TTC"));
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_FALSE(result.reconfigured);
	card_end();
}

/* A pass was killed after it set the PLLs, so nothing after them is set up. */
static void a_clock_half_selected(void)
{
	struct libroc_pass c;

	cru_begin();
	unusual();
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), 0);
	UNIT_EQ(peek(0x200000) & 3, 2);
	UNIT_EQ(libroc_cru_begin(&card.ep[0], &c, true), 0);
	CU_ASSERT_TRUE(libroc_i2c_write(&c, CRU_I2C_SI5345_2, CRU_I2C_CHIP_PLL, CRU_PLL_PAGE,
					CRU_PLL_INPUT >> 8));
	CU_ASSERT_TRUE(libroc_i2c_write(&c, CRU_I2C_SI5345_2, CRU_I2C_CHIP_PLL,
					CRU_PLL_INPUT & 0xff,
					CRU_PLL_INPUT_TTC << CRU_PLL_INPUT_SHIFT | 1));
	UNIT_EQ(libroc_pass_end(&c), 0);
	config.clock = ROC_CRU_CLOCK_TTC;
	UNIT_EQ(configure(0, ROC_CONFIG_COMPARE_ONLY), 0);
	UNIT_EQ(result.count, 1);
	CU_ASSERT_TRUE(has_difference(&result, "cru.clock (source of triggers)", "TTC", "LOCAL"));
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_TRUE(result.clock_programmed);
	UNIT_EQ(peek(0x200000) & 3, 0);
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_FALSE(result.reconfigured);
	card_end();
}

/* Without light the clock cannot lock, and the previous clock is restored. */
static void a_clock_that_does_not_lock(void)
{
	struct roc_cru_config back;

	cru_begin();
	unusual();
	UNIT_EQ(configure(0, 0), 0);
	key(0, "onu", "down");
	config.clock = ROC_CRU_CLOCK_TTC;
	config.cru_id = 0x123;
	UNIT_EQ(configure(0, 0), -ETIME);
	ERROR_HAS("PON RX calibration failed");
	ERROR_HAS("0x50");
	ERROR_HAS("RX40 locked, RX locked, MGT RX ready");
	CU_ASSERT_TRUE(result.restored);
	CU_ASSERT_FALSE(result.clock_programmed);
	check_unusual(0, 0);
	UNIT_EQ(roc_cru_config_read(&card.ep[0], &back), 0);
	UNIT_EQ(back.clock, ROC_CRU_CLOCK_LOCAL);
	/* Everything is up except for the phase: no step of the scan finds a good one. */
	key(0, "onu", "0xfd");
	config.pon_upstream = true;
	config.onu_address = 1;
	UNIT_EQ(configure(0, 0), -ETIME);
	ERROR_HAS("phase scan found no good phase");
	ERROR_HAS("0xfd");
	CU_ASSERT_TRUE(result.restored);
	UNIT_EQ(peek(0x22a000), 0);
	check_unusual(0, 0);
	/* Selecting the current clock leaves no trace either. */
	config.clock = ROC_CRU_CLOCK_LOCAL;
	config.pon_upstream = false;
	config.cru_id = 0xabc;
	card.stuck = 0x600034;
	config.trigger_window_size++;
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EBADMSG);
	CU_ASSERT_TRUE(result.restored);
	card.stuck = 0;
	check_unusual(0, 0);
	card_end();
}

static void break_pll(unsigned int us)
{
	struct cru *model = host.card;
	unsigned int i;

	for (i = 0; i < CRU_CHIPS && us == 1000000; i++)
		if (model->board.chip[i].core == CRU_I2C_SI5345_2)
			model->board.chip[i].addr = 0x7f;
}

/* The PLLs were written again before the ONU failed, so the links must be calibrated again. */
static void a_clock_that_locks_no_more(void)
{
	cru_begin();
	unusual();
	config.clock = ROC_CRU_CLOCK_TTC;
	UNIT_EQ(configure(0, 0), 0);
	poke(0x423000 + 4 * 0x141, 0);
	key(0, "onu", "down");
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -ETIME);
	ERROR_HAS("PON RX calibration failed");
	CU_ASSERT_TRUE(result.restored);
	CU_ASSERT_TRUE(peek(0x423000 + 4 * 0x141) > 0);
	UNIT_EQ(peek(0x423000 + 4 * 0x141), peek(0x423000 + 4 * 0x16c));
	/* A partly written PLL is not restored. */
	card.asleep = break_pll;
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EIO);
	CU_ASSERT_FALSE(result.restored);
	card_end();
}

/* A refused pass must not write to the clock, which would disturb the running readout. */
static void a_pass_refused_before_the_clock(void)
{
	static const unsigned int flags[] = {0, ROC_CONFIG_FORCE};
	unsigned int i;

	for (i = 0; i < 2; i++) {
		cru_begin();
		unusual();
		UNIT_EQ(configure(0, 0), 0);
		poke(0x18, 0xabc0001);
		config.clock = i ? ROC_CRU_CLOCK_LOCAL : ROC_CRU_CLOCK_TTC;
		config.pon_upstream = true;
		UNIT_EQ(configure(0, flags[i] | ROC_CONFIG_COMPARE_ONLY), 0);
		card.writes = 0;
		card.slept_us = 0;
		card.modify_fails = 1;
		UNIT_EQ(configure(0, flags[i]), -EIO);
		UNIT_EQ(card.modify_fails, 0);
		ERROR_HAS("(nothing was written)");
		CU_ASSERT_TRUE(result.restored);
		/* Reading the clock takes a few commands of the I2C core and no pause. */
		CU_ASSERT_TRUE(card.writes <= 13);
		CU_ASSERT_TRUE(card.slept_us < 1000000);
		UNIT_EQ(peek(0x18), 0xabc0001);
		card_end();
	}
}

static struct cru_chip *pll(uint32_t core)
{
	struct cru *model = host.card;
	unsigned int i;

	for (i = 0; i < CRU_CHIPS && model->board.chip[i].core != core; i++)
		;
	UNIT_NEED(i < CRU_CHIPS);
	return &model->board.chip[i];
}

/*
 * Other software left a PLL in the middle of its table, so the links' wrapper has no clock. One
 * pass starts the clock and also configures the links.
 */
static void a_clock_that_stands_still(void)
{
	struct roc_cru_loopback_saved saved;
	struct roc_cru_loopback test;

	cru_begin();
	unusual();
	UNIT_EQ(configure(0, 0), 0);
	pll(CRU_I2C_SI5345_2)->reg[CRU_PLL_PREAMBLE] = 1;
	UNIT_EQ(cru_clock_selected(host.card), 0);
	roc_cru_loopback_default(&test);
	UNIT_EQ(roc_cru_loopback_start(&card.ep[0], &test, &saved), -ENOLINK);
	ERROR_HAS("the clock of the GBT links has stopped: select the clock with roc-config");
	config.links[2].fee_id++;
	config.cru_id++;
	UNIT_EQ(configure(0, ROC_CONFIG_COMPARE_ONLY), 0);
	CU_ASSERT_TRUE(has_difference(&result, "cru.clock", "LOCAL", "stands still"));
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_TRUE(result.clock_programmed);
	UNIT_EQ(result.count, 3);
	CU_ASSERT_TRUE(has_difference(&result, "cru.clock", "LOCAL", "stands still"));
	CU_ASSERT_TRUE(has_difference(&result, "link2.feeId", "0x1103", "0x1102"));
	CU_ASSERT_TRUE(has_difference(&result, "cru.cruId", "0xabd", "0xabc"));
	CU_ASSERT_TRUE(cru_gbt_calibrated(host.card));
	UNIT_EQ(configure(0, 0), 0);
	CU_ASSERT_FALSE(result.reconfigured);
	/* Missing links are reported before the first write. */
	pll(CRU_I2C_SI5345_2)->reg[CRU_PLL_PREAMBLE] = 1;
	poke(0x400000, 0x55550);
	card.writes = 0;
	UNIT_EQ(configure(0, 0), -ENOLINK);
	ERROR_HAS("link 11 does not exist");
	UNIT_EQ(card.writes, 0);
	card_end();
}

/*
 * All links of the card are calibrated to a new clock: those of both endpoints, and disabled ones.
 */
static void links_follow_the_clock(void)
{
	const struct cru *model;
	unsigned int e, l, gbt;

	for (gbt = 0; gbt < 2; gbt++) {
		cru_begin();
		model = host.card;
		unusual();
		UNIT_EQ(configure(1, 0), 0);
		config.gbt_enabled = gbt;
		config.clock = ROC_CRU_CLOCK_TTC;
		UNIT_EQ(configure(0, 0), 0);
		CU_ASSERT_TRUE(cru_gbt_calibrated(host.card));
		for (e = 0; e < CRU_ENDPOINTS; e++)
			for (l = 0; l < CRU_GBT_LINKS; l++)
				CU_ASSERT_TRUE(model->board.gbt[e][l].up);
		config.gbt_enabled = true;
		UNIT_EQ(configure(1, 0), 0);
		CU_ASSERT_FALSE(result.reconfigured);
		card_end();
	}
}

static void leave(unsigned int us)
{
	card.gone |= us == 1000000;
}

/* The card is removed during a pause of a PLL, so that the next access to its bus fails. */
static void a_removed_card(void)
{
	cru_begin();
	unusual();
	card.asleep = leave;
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EIO);
	ERROR_HAS("answers all ones");
	CU_ASSERT_FALSE(result.restored);
	card_end();
}

static char directory[] = "/tmp/roc-unit-XXXXXX";

static void write_table(const char *name, const char *text)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "we");
	UNIT_NEED(f);
	fputs(text, f);
	fclose(f);
}

static void put_zero(const char *name, long at)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "r+e");
	UNIT_NEED(f);
	UNIT_EQ(fseek(f, at, SEEK_SET), 0);
	fputc('\0', f);
	fclose(f);
}

/* A site's table is written unchanged, with the page selects. */
static void pll_tables_of_a_site(void)
{
	static const char *const names[] = {"si5344-local.csv", "si5345-1-local.csv",
					    "si5345-2-local.csv"};
	char path[96], ttc[96], text[256];
	uint64_t asking;
	size_t i;

	UNIT_NEED(mkdtemp(directory));
	cru_begin();
	libroc_pll_directory = directory;
	write_table(names[0], "# made up\nAddress,Data\n0x0302,0x17\n0x0B24,0xC0\n");
	/* No part of a long comment is read as an entry. */
	snprintf(text, sizeof(text), "#%126s0x0009,0x77\r\n%s", "",
		 "0x0540,0x01\r\n0x0009,0x5a\r\n0x0540,0x00\r\n");
	write_table(names[1], text);
	unusual();
	errno = 77;
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), 0);
	UNIT_EQ(errno, 77); /* although a table is missing */
	UNIT_EQ(roc_fail(1, "marker"), -1);
	{
		struct libroc_pass c;
		uint8_t value = 0;

		UNIT_EQ(libroc_cru_begin(&card.ep[0], &c, true), 0);
		CU_ASSERT_TRUE(libroc_i2c_write(&c, 0x30400, 0x68, 1, 3));
		CU_ASSERT_TRUE(libroc_i2c_read(&c, 0x30400, 0x68, 0x02, &value));
		UNIT_EQ(value, 0x17);
		libroc_i2c_write(&c, 0x30400, 0x68, 1, 0xb);
		libroc_i2c_read(&c, 0x30400, 0x68, 0x24, &value);
		UNIT_EQ(value, 0xc0);
		libroc_i2c_write(&c, 0x30500, 0x68, 1, 0);
		libroc_i2c_read(&c, 0x30500, 0x68, 0x09, &value);
		UNIT_EQ(value, 0x5a);
		CU_ASSERT_FALSE(libroc_i2c_read(&c, 0x30500, 0x42, 0x09, &value));
		UNIT_EQ(libroc_pass_end(&c), 0);
	}
	/* A table that selects the other clock is detected. */
	write_table(names[2], "0x0540,0x01\n0x052A,0x03\n0x0540,0x00\n");
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EBADMSG);
	ERROR_HAS("did not switch to input LOCAL");
	/* An invalid file is reported before the first write except for reading the PLL. */
	card.writes = 0;
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE | ROC_CONFIG_COMPARE_ONLY), 0);
	asking = card.writes;
	write_table(names[2], "0x0540,0x01\n0x052A,0x101\n");
	card.writes = 0;
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EINVAL);
	ERROR_HAS("si5345-2-local.csv:2:");
	UNIT_EQ(card.writes, asking);
	CU_ASSERT_FALSE(result.reconfigured);
	write_table(names[2], "nothing\n");
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EINVAL);
	ERROR_HAS("no entry");
	snprintf(text, sizeof(text), "0x0540,0x01%130s5\n", "");
	write_table(names[2], text);
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EINVAL);
	ERROR_HAS("si5345-2-local.csv:1:");
	write_table(names[2], "0x0540,0x01\n0x052A,0x01\n0x00E3,0xC7\n0x0540,0x00\n");
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EINVAL);
	ERROR_HAS("si5345-2-local.csv:3: register 0x00e3 programs");
	UNIT_EQ(card.writes, 4 * asking);
	/* A line with a zero byte is rejected instead of losing its rest or the next line. */
	write_table(names[2], "0x0540,0x01 \n0x052A,0x01\n0x0540,0x00\n");
	put_zero(names[2], 11);
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EINVAL);
	ERROR_HAS("si5345-2-local.csv:1:");
	/* The last line may be long and lack a line end. */
	snprintf(text, sizeof(text), "0x0540,0x01\n0x052A,0x01\n0x0540,0x00%116s", "");
	write_table(names[2], text);
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), 0);
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	/* A read error is not treated as the end of the file. */
	UNIT_NEED(!mkdir(path, 0700));
	card.writes = 0;
	errno = 77;
	UNIT_EQ(configure(0, ROC_CONFIG_FORCE), -EISDIR);
	ERROR_HAS("si5345-2-local.csv: Is a directory");
	UNIT_EQ(errno, 77);
	/*
	 * If a file changes after the check, the pass also fails before the reference is switched.
	 */
	{
		struct libroc_pass c;
		bool begun = false;

		UNIT_EQ(libroc_cru_begin(&card.ep[0], &c, true), 0);
		card.writes = 0;
		snprintf(ttc, sizeof(ttc), "%s/si5345-2-ttc.csv", directory);
		UNIT_EQ(rename(path, ttc), 0);
		UNIT_EQ(libroc_clock_select(&c, ROC_CRU_CLOCK_TTC, &begun), -EISDIR);
		CU_ASSERT_FALSE(begun);
		UNIT_EQ(card.writes, 0);
		UNIT_EQ(libroc_pass_end(&c), -EISDIR);
	}
	UNIT_EQ(rmdir(ttc), 0);
	UNIT_EQ(rmdir(directory), 0);
	card_end();
}

UNIT_MAIN("libroc_cru_config", {"all parameters are written", all_parameters_are_written},
	  {"the other endpoint is unchanged", the_other_endpoint_stays},
	  {"a second pass writes nothing", twice_writes_nothing},
	  {"power-on clock", power_on_clock}, {"disabled links", links_that_are_off},
	  {"every change is detected", every_change_is_detected},
	  {"a register that does not read back", a_register_that_does_not_read_back},
	  {"a register that cannot be modified", a_register_that_cannot_be_modified},
	  {"all is checked before the first write", all_is_checked_before_the_first_write},
	  {"not while it runs", not_while_it_runs}, {"started meanwhile", started_meanwhile},
	  {"started before the restore", started_before_it_is_put_back},
	  {"a stale run enable is cleared", a_stale_run_enable_is_cleared},
	  {"a lock of the caller is kept", a_lock_held_already_is_kept},
	  {"firmware is checked", firmware_is_checked},
	  {"disabling GBT disables the links", gbt_off_switches_links_off},
	  {"force writes everything", force_writes_all}, {"TTC clock and PON", ttc_clock_and_pon},
	  {"a half selected clock", a_clock_half_selected},
	  {"a clock that does not lock", a_clock_that_does_not_lock},
	  {"a clock that loses its lock", a_clock_that_locks_no_more},
	  {"a stopped clock", a_clock_that_stands_still},
	  {"links follow the clock", links_follow_the_clock},
	  {"a pass refused before the clock", a_pass_refused_before_the_clock},
	  {"a removed card", a_removed_card}, {"PLL tables of a site", pll_tables_of_a_site})
