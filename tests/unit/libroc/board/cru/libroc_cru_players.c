// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the CRU's test blocks: loopback patterns, pattern player, CTP emulator, user logic. */
#include "tests/emu/core/cru/cru.h"
#include "libroc_cru_card.h"

#define GBT(l) (0x400000 + 0x20000 * ((l) % 2 + 1) + 0x2000 * ((l) / 2 + 1))

static void loopback(void)
{
	struct roc_cru_loopback_link results[ROC_CRU_LINKS];
	struct roc_cru_loopback_saved saved;
	struct roc_cru_loopback test;

	cru_begin();
	poke(GBT(2) + 0x30, 1 << 4);
	poke(GBT(2) + 0x20, 0x11);
	poke(GBT(2) + 0x28, 0x33);
	roc_cru_loopback_default(&test);
	UNIT_EQ(test.links, 0xfff);
	test.links = 1 << 2 | 1 << 7;
	test.static_pattern = true;
	test.counter_8bit = true;
	test.mask_high = 0xaaaaaaaa;
	test.mask_low = 0xcccccccc;
	key(0, "link-state", "7=bad");
	key(0, "error-rate", "100");
	UNIT_EQ(roc_cru_loopback_start(&card.ep[0], &test, &saved), 0);
	UNIT_EQ(peek(GBT(2) + 0x30), 0x36);
	UNIT_EQ(peek(GBT(7) + 0x30), 0x26);
	UNIT_EQ(peek(GBT(3) + 0x30), 0);
	UNIT_EQ(peek(GBT(2) + 0x20), 0xaaaaaaaa);
	UNIT_EQ(peek(GBT(2) + 0x24), 0xffffffff);
	UNIT_EQ(peek(GBT(2) + 0x28), 0xcccccccc);
	UNIT_EQ(peek(0x400008), 1 << 7);
	host.now += 1000000000;
	UNIT_EQ(roc_cru_loopback_read(&card.ep[0], test.links, results), 0);
	CU_ASSERT_TRUE(results[2].pll_locked && results[2].rx_locked);
	CU_ASSERT_TRUE(results[2].data_layer_up && results[2].gbt_phy_up);
	UNIT_EQ(results[2].rx_errors, 0);
	CU_ASSERT_TRUE(results[7].rx_errors >= 100);
	CU_ASSERT_TRUE(results[7].fec_errors >= 100);
	UNIT_EQ(roc_cru_loopback_clear(&card.ep[0], test.links), 0);
	UNIT_EQ(roc_cru_loopback_read(&card.ep[0], test.links, results), 0);
	UNIT_EQ(results[7].rx_errors, 0);
	UNIT_EQ(roc_cru_loopback_stop(&card.ep[0], &saved), 0);
	UNIT_EQ(peek(GBT(2) + 0x30), 1 << 4);
	UNIT_EQ(peek(GBT(2) + 0x20), 0x11);
	UNIT_EQ(peek(GBT(2) + 0x28), 0x33);
	UNIT_EQ(peek(GBT(7) + 0x30), 0);
	UNIT_EQ(peek(0x400008), 0);
	test.links = 0x1000;
	UNIT_EQ(roc_cru_loopback_start(&card.ep[0], &test, &saved), -ERANGE);
	UNIT_EQ(roc_cru_loopback_read(&card.ep[0], 0, results), -ERANGE);
	card.running = true;
	test.links = 1;
	card.writes = 0;
	UNIT_EQ(roc_cru_loopback_start(&card.ep[0], &test, &saved), -EBUSY);
	UNIT_EQ(card.writes, 0);
	card.running = false;
	poke(0x400000, 0);
	UNIT_EQ(roc_cru_loopback_start(&card.ep[0], &test, &saved), -ENOLINK);
	UNIT_EQ(card.writes, 0);
	card_end();
}

/* No test pattern stays enabled, whichever write fails. */
static void loopback_that_fails(void)
{
	const unsigned int modifies = 1 + 2; /* one of the wrapper, two of each link */
	struct roc_cru_loopback_saved saved;
	struct roc_cru_loopback test;
	unsigned int i, l;

	for (i = 1; i <= modifies; i++) {
		cru_begin();
		poke(GBT(2) + 0x30, 1 << 4 | 1 << 5);
		poke(GBT(2) + 0x20, 0x11);
		poke(GBT(2) + 0x28, 0x33);
		roc_cru_loopback_default(&test);
		test.links = 1 << 2 | 1 << 7;
		test.counter_8bit = true;
		test.mask_high = 0xaaaaaaaa;
		card.modify_fails = i;
		UNIT_EQ(roc_cru_loopback_start(&card.ep[0], &test, &saved), -EIO);
		UNIT_EQ(card.modify_fails, 0);
		ERROR_HAS("the links were restored");
		UNIT_EQ(peek(0x400008), 0);
		UNIT_EQ(peek(GBT(2) + 0x30), 1 << 4 | 1 << 5);
		UNIT_EQ(peek(GBT(2) + 0x20), 0x11);
		UNIT_EQ(peek(GBT(2) + 0x28), 0x33);
		UNIT_EQ(peek(GBT(7) + 0x30), 0);
		for (l = 0; l < 3; l++)
			UNIT_EQ(peek(GBT(7) + 0x20 + 4 * l), 0);
		/* A failed restore is reported, too. */
		card.gone = true;
		CU_ASSERT_TRUE(roc_cru_loopback_start(&card.ep[0], &test, &saved) < 0);
		card.gone = false;
		card_end();
	}
}

static void pattern_texts(void)
{
	struct roc_cru_pattern p = {{9, 9, 9}};

	UNIT_EQ(roc_cru_pattern_parse("0x0123456789abcdefABCD", &p), 0);
	UNIT_EQ(p.word[0], 0xcdefabcd);
	UNIT_EQ(p.word[1], 0x456789ab);
	UNIT_EQ(p.word[2], 0x0123);
	UNIT_EQ(roc_cru_pattern_parse("10", &p), 0);
	UNIT_EQ(p.word[0], 10);
	UNIT_EQ(p.word[2], 0);
	UNIT_EQ(roc_cru_pattern_parse("1208925819614629174706175", &p), 0); /* 2^80 - 1 */
	UNIT_EQ(p.word[0], 0xffffffff);
	UNIT_EQ(p.word[1], 0xffffffff);
	UNIT_EQ(p.word[2], 0xffff);
	UNIT_EQ(roc_cru_pattern_parse("0x00000000000000000000000f", &p), 0);
	UNIT_EQ(p.word[0], 0xf);
	UNIT_EQ(p.word[2], 0);
	UNIT_EQ(roc_cru_pattern_parse("1208925819614629174706176", &p), -ERANGE);
	UNIT_EQ(roc_cru_pattern_parse("0x1ffffffffffffffffffff", &p), -ERANGE);
	ERROR_HAS("80 bits");
	UNIT_EQ(roc_cru_pattern_parse("99999999999999999999999999999999999999", &p), -ERANGE);
	UNIT_EQ(roc_cru_pattern_parse("0x", &p), -EINVAL);
	UNIT_EQ(roc_cru_pattern_parse("ff", &p), -EINVAL);
	UNIT_EQ(roc_cru_pattern_parse("12g", &p), -EINVAL);
	UNIT_EQ(p.word[0], 0xf);
}

static void pattern_player(void)
{
	struct roc_cru_patterns p, back;
	unsigned int i;

	cru_begin();
	roc_cru_patterns_default(&p);
	for (i = 0; i < 4; i++) {
		p.pat[i].word[0] = 0x10101010 * (i + 1);
		p.pat[i].word[1] = 0x01010101 * (i + 1);
		p.pat[i].word[2] = 0xff00 + i;
	}
	p.pat1_length = 100;
	p.pat1_delay = 11;
	p.pat2_length = 12;
	p.pat3_length = 13;
	p.pat3_trigger = 31;
	p.pat2_trigger_tf = 0xfff;
	p.pat2_trigger_orbit = 0xab;
	p.pat2_trigger_bc = 0x123;
	p.pat1_at_start = true;
	UNIT_EQ(roc_cru_patterns_set(&card.ep[0], &p, ROC_CRU_PAT1_NOW | ROC_CRU_PAT2_NOW), 0);
	UNIT_EQ(peek(0x200000), 1 << 16);
	UNIT_EQ(peek(0x260000), 1 << 12);
	UNIT_EQ(peek(0x260004), 0x10101010);
	UNIT_EQ(peek(0x26000c), 0xff00);
	UNIT_EQ(peek(0x260010), 0x20202020);
	UNIT_EQ(peek(0x260050), 0xff03);
	UNIT_EQ(peek(0x260028), 111);
	UNIT_EQ(peek(0x26002c), 11);
	UNIT_EQ(peek(0x260030), 12);
	UNIT_EQ(peek(0x260034), 29);
	UNIT_EQ(peek(0x26003c), 31);
	UNIT_EQ(peek(0x260040), 0xfffab123);
	UNIT_EQ(peek(0x260044), 13);
	UNIT_EQ(roc_cru_patterns_read(&card.ep[0], &back), 0);
	CU_ASSERT_FALSE(memcmp(&p, &back, sizeof(p)));
	card.writes = 0;
	p.pat2_trigger_orbit = 256;
	UNIT_EQ(roc_cru_patterns_set(&card.ep[0], &p, 0), -ERANGE);
	ERROR_HAS("orbits");
	p.pat2_trigger_orbit = 0;
	p.pat1_trigger = 32;
	UNIT_EQ(roc_cru_patterns_set(&card.ep[0], &p, 0), -ERANGE);
	ERROR_HAS("pat1 trigger is 32");
	p.pat1_trigger = 1;
	p.pat[3].word[2] = 0x10000;
	UNIT_EQ(roc_cru_patterns_set(&card.ep[0], &p, 0), -ERANGE);
	ERROR_HAS("pat3 bits 79 to 64");
	p.pat[3].word[2] = 0;
	p.pat1_length = UINT32_MAX;
	UNIT_EQ(roc_cru_patterns_set(&card.ep[0], &p, 0), -ERANGE);
	ERROR_HAS("length");
	UNIT_EQ(card.writes, 0);
	p.pat1_length = 1;
	card.stuck = 0x260030;
	p.pat2_length = 99;
	UNIT_EQ(roc_cru_patterns_set(&card.ep[0], &p, 0), -EBADMSG);
	ERROR_HAS("0x260030");
	ERROR_HAS("pat2 length");
	/* The player is not left in edit mode, nor the links with its patterns. */
	poke(0x200000, 2 << 16);
	UNIT_EQ(roc_cru_patterns_set(&card.ep[0], &p, 0), -EBADMSG);
	ERROR_HAS("pat2 length");
	UNIT_EQ(peek(0x260000) & 1, 0);
	UNIT_EQ(peek(0x200000), 2 << 16);
	card.stuck = 0;
	card.modify_fails = 1;
	UNIT_EQ(roc_cru_patterns_set(&card.ep[0], &p, 0), -EIO);
	UNIT_EQ(peek(0x200000), 2 << 16);
	card.stuck = 0x260030;
	p.pat2_length++;
	/* The error text of the first failure is kept if the unlock fails, too. */
	card.unlock_errno = ENODEV;
	UNIT_EQ(roc_cru_patterns_set(&card.ep[0], &p, 0), -EBADMSG);
	ERROR_HAS("pat2 length");
	card.stuck = 0;
	UNIT_EQ(roc_cru_patterns_set(&card.ep[0], &p, 0), -ENODEV);
	ERROR_HAS("cannot unlock");
	card_end();
}

static void ctp_emulator(void)
{
	struct roc_cru_ctp ctp;
	struct roc_cru_triggers before, after;
	bool running = false;

	cru_begin();
	roc_cru_ctp_default(&ctp);
	ctp.init_orbit = 0xabcd;
	ctp.hb_keep = 3;
	ctp.hb_drop = 2;
	ctp.divider = 1000;
	UNIT_EQ(roc_cru_ctp_start(&card.ep[0], &ctp), 0);
	UNIT_EQ(peek(0x280000), 0);
	UNIT_EQ(peek(0x280004), 3563);
	UNIT_EQ(peek(0x280008), 255);
	UNIT_EQ(peek(0x28000c), 2 << 16 | 3);
	UNIT_EQ(peek(0x280010), 1);
	UNIT_EQ(peek(0x280014), 1000);
	UNIT_EQ(peek(0x280018), 5);
	UNIT_EQ(peek(0x280020), 5);
	UNIT_EQ(peek(0x280028), 0xabcd);
	UNIT_EQ(roc_cru_ctp_running(&card.ep[0], &running), 0);
	CU_ASSERT_TRUE(running);
	UNIT_EQ(roc_cru_ctp_trigger(&card.ep[0]), -EINVAL);
	ERROR_HAS("manual");
	UNIT_EQ(roc_cru_ctp_stop(&card.ep[0]), 0);
	UNIT_EQ(peek(0x280010) & 3, 3);
	UNIT_EQ(roc_cru_ctp_running(&card.ep[0], &running), 0);
	CU_ASSERT_FALSE(running);
	ctp.mode = ROC_CRU_CTP_CAL;
	UNIT_EQ(roc_cru_ctp_start(&card.ep[0], &ctp), 0);
	UNIT_EQ(peek(0x280014), 5);
	UNIT_EQ(peek(0x280020), 1000);
	ctp.mode = ROC_CRU_CTP_HC;
	UNIT_EQ(roc_cru_ctp_start(&card.ep[0], &ctp), 0);
	UNIT_EQ(peek(0x280018), 1000);
	UNIT_EQ(peek(0x280020), 5);
	/* In manual mode each call is one trigger, if the card's own triggers are selected. */
	wr2(0x200000, 2);
	wr2(0x18, 1);
	ctp.mode = ROC_CRU_CTP_MANUAL;
	UNIT_EQ(roc_cru_ctp_start(&card.ep[0], &ctp), 0);
	UNIT_EQ(peek(0x280010) & 3, 0);
	UNIT_EQ(roc_cru_triggers_read(&card.ep[0], &before), 0);
	UNIT_EQ(roc_cru_ctp_trigger(&card.ep[0]), 0);
	UNIT_EQ(roc_cru_ctp_trigger(&card.ep[0]), 0);
	UNIT_EQ(roc_cru_triggers_read(&card.ep[0], &after), 0);
	UNIT_EQ(after.phy - before.phy, 2);
	/* After a failed set-up the emulator does not run, and is not left in reset. */
	card.stuck = 0x280004;
	ctp.bcmax--;
	UNIT_EQ(roc_cru_ctp_start(&card.ep[0], &ctp), -EBADMSG);
	ERROR_HAS("bcmax");
	UNIT_EQ(peek(0x280000) >> 31, 0);
	UNIT_EQ(peek(0x280010) & 3, 3);
	card_end();
}

/* The card triggers two crossings after the slot value, with any orbit length. */
static void fixed_crossings(void)
{
	static const uint32_t lasts[] = {3563, 99, 3};
	static const uint32_t bc[9] = {1, 3};
	struct roc_cru_triggers before, after;
	struct roc_cru_ctp ctp;
	unsigned int i, n;
	struct cru *c;

	for (n = 0; n < 3; n++) {
		cru_begin();
		c = host.card;
		roc_cru_ctp_default(&ctp);
		ctp.mode = ROC_CRU_CTP_FIXED;
		ctp.bcmax = lasts[n];
		memcpy(ctp.fixed_bc, bc, sizeof(bc));
		ctp.fixed_bc[8] = lasts[n];
		UNIT_EQ(roc_cru_ctp_start(&card.ep[0], &ctp), 0);
		for (i = 0; i < 9; i++) {
			uint32_t value = c->board.fixed[i];

			CU_ASSERT_TRUE(value <= lasts[n]);
			UNIT_EQ(value ? (value + 2) % (lasts[n] + 1) : 0, ctp.fixed_bc[i]);
		}
		UNIT_EQ(peek(0x280010) & 3, 1);
		/* Each of the three triggers occurs once per orbit. */
		wr2(0x200000, 2);
		wr2(0x18, 1);
		UNIT_EQ(roc_cru_triggers_read(&card.ep[0], &before), 0);
		host.now += 1000000000;
		UNIT_EQ(roc_cru_triggers_read(&card.ep[0], &after), 0);
		CU_ASSERT_TRUE(after.hb - before.hb > 1000);
		CU_ASSERT_TRUE(after.phy - before.phy + 3 >= 3 * (after.hb - before.hb));
		card_end();
	}
}

static void ctp_limits(void)
{
	struct roc_cru_ctp good, ctp;

	roc_cru_ctp_default(&good);
	UNIT_EQ(roc_cru_ctp_check(&good), 0);
#define REFUSED(member, value, text)                                                               \
	do {                                                                                       \
		ctp = good;                                                                        \
		ctp.member = value;                                                                \
		UNIT_EQ(roc_cru_ctp_check(&ctp), -ERANGE);                                         \
		ERROR_HAS(text);                                                                   \
	} while (0)
	REFUSED(bcmax, 3564, "bcmax");
	REFUSED(hbmax, 65536, "hbmax");
	REFUSED(hb_keep, 1, "hb-keep is 1");
	REFUSED(hb_keep, 65536, "hb-keep");
	REFUSED(hb_drop, 0, "from 2 to 65535");
	REFUSED(divider, 7, "from 8");
	REFUSED(divider, 1 << 28, "divider");
	REFUSED(mode, 6, "mode 6");
	REFUSED(fixed_bc[8], 3564, "3564");
	good.mode = ROC_CRU_CTP_FIXED;
	good.bcmax = 99;
	REFUSED(fixed_bc[8], 100, "bunch crossing 100 does not exist: the last is 99");
	REFUSED(fixed_bc[3], 2, "bunch crossing 2 cannot be fixed");
	good.bcmax = 3563;
	good.mode = ROC_CRU_CTP_HC;
	REFUSED(divider, 10, "from 11");
	good.mode = ROC_CRU_CTP_CAL;
	REFUSED(divider, 18, "from 19");
	good.mode = ROC_CRU_CTP_CONTINUOUS;
	ctp = good;
	ctp.divider = 0;
	UNIT_EQ(roc_cru_ctp_check(&ctp), 0);
	UNIT_STR(roc_cru_ctp_mode_name(ROC_CRU_CTP_FIXED), "fixed");
	UNIT_STR(roc_cru_ctp_mode_name(17), "N/A");
}

static void user_logic(void)
{
	struct roc_cru_ul ul, back;
	unsigned int i;

	cru_begin();
	roc_cru_ul_default(&ul);
	for (i = 0; i < 3; i++) { /* off, on, on: the register toggles */
		ul.random_size = i;
		ul.event_size = 1000 + i;
		UNIT_EQ(roc_cru_ul_set(&card.ep[0], &ul), 0);
		UNIT_EQ(peek(0xc80004), 1000 + i);
		UNIT_EQ(peek(0xc80008), !!i);
		UNIT_EQ(peek(0xc8000c), 0xff);
		UNIT_EQ(peek(0xc80010), 0xf);
		UNIT_EQ(roc_cru_ul_read(&card.ep[0], &back), 0);
		CU_ASSERT_FALSE(memcmp(&ul, &back, sizeof(ul)));
	}
	card.writes = 0;
	ul.link_id = 256;
	UNIT_EQ(roc_cru_ul_set(&card.ep[0], &ul), -ERANGE);
	ERROR_HAS("link id");
	UNIT_EQ(card.writes, 0);
	ul.link_id = 1;
	card.stuck = 0xc80008;
	UNIT_EQ(roc_cru_ul_set(&card.ep[0], &ul), -EBADMSG);
	ERROR_HAS("does not toggle");
	card_end();
}

UNIT_MAIN("libroc_cru_players", {"loopback", loopback},
	  {"loopback that fails", loopback_that_fails}, {"pattern texts", pattern_texts},
	  {"pattern player", pattern_player}, {"CTP emulator", ctp_emulator},
	  {"fixed crossings", fixed_crossings}, {"CTP limits", ctp_limits},
	  {"user logic", user_logic})
