// SPDX-License-Identifier: GPL-2.0-or-later
/* Test status, metrics and counters of an emulated CRU, and the number of register accesses. */
#include <math.h>

#include "tests/emu/core/cru/cru.h"
#include "libroc_cru_card.h"

static struct roc_cru_status status;

#define NEAR(value, expected) CU_ASSERT_TRUE(fabs((value) - (expected)) < 1e-6)

static void card_values(void)
{
	cru_begin();
	poke(0x18, 0x0abc0001);
	poke(0x200000, 0x20002);
	poke(0x700000, 1u << 31 | 1 << 30 | 1 << 15 | 1 << 14 | 0x21);
	poke(0x700038, 1);
	poke(0x700034, 77);
	poke(0x7c0000, 1);
	poke(0x75e028, 4711);
	UNIT_EQ(roc_cru_status_read(&card.ep[1], 0, 0, &status), 0);
	UNIT_EQ(status.cru_id, 0xabc);
	UNIT_EQ(status.clock, ROC_CRU_CLOCK_LOCAL);
	CU_ASSERT_TRUE(status.run_enabled && status.dynamic_offset && status.user_logic);
	CU_ASSERT_TRUE(status.run_stats && status.user_and_common_logic && status.drop_bad_rdh);
	CU_ASSERT_TRUE(status.allow_rejection);
	UNIT_EQ(status.time_frame_length, 256);
	UNIT_EQ(status.trigger_window_size, 77);
	UNIT_EQ(status.downstream, ROC_CRU_DOWNSTREAM_MIDTRG);
	UNIT_EQ(status.ul_orbit_sor, 4711);
	UNIT_EQ(status.link_mask, 0);
	CU_ASSERT_FALSE(status.has_onu || status.has_fec || status.has_optical);
	/* Endpoint 0 is unchanged. */
	UNIT_EQ(roc_cru_status_read(&card.ep[0], 0, 0, &status), 0);
	CU_ASSERT_FALSE(status.dynamic_offset || status.user_logic || status.run_stats);
	UNIT_EQ(status.ul_orbit_sor, 0);
	card_end();
}

static void link_values(void)
{
	const struct roc_cru_link_status *l = &status.links[5];
	uint32_t gbt = 0x400000 + 0x20000 * 4 + 0x2000 * 3, dpl = 0x740000 + 0x2000 * 5;
	static const uint32_t counters[] = {0x14, 0x18, 0x20, 0x24, 0x28};
	size_t i;

	cru_begin();
	poke(0x200000, 1 << 16);
	poke(0x700000, 1 << 5);
	poke(gbt + 0x3c, 1 << 8);
	poke(gbt + 0x30, 1 << 4);
	poke(gbt + 0x44, 3);
	poke(gbt + 0x1c, 0xabcd1234); /* only 16 bits are valid */
	poke(dpl, 0x800001fc);
	poke(dpl + 4, 0x3d1105);
	for (i = 0; i < 5; i++)
		poke(dpl + counters[i], 100 + i);
	poke(dpl + 0x1c, 0x070042);
	UNIT_EQ(roc_cru_status_read(&card.ep[1], 0x021, 0, &status), 0);
	UNIT_EQ(status.link_mask, 0x021);
	CU_ASSERT_TRUE(status.links[0].present && !status.links[0].enabled);
	CU_ASSERT_FALSE(status.links[1].present);
	CU_ASSERT_TRUE(l->present && l->enabled && l->loopback);
	UNIT_EQ(l->tx_mode, ROC_CRU_GBT);
	UNIT_EQ(l->rx_mode, ROC_CRU_WB);
	UNIT_EQ(l->datapath_mode, ROC_CRU_PACKET);
	UNIT_EQ(l->rx_hz, 240474000);
	UNIT_EQ(l->tx_hz, 240474000);
	UNIT_EQ(l->glitches, 3);
	UNIT_EQ(l->fec_errors, 0x1234);
	UNIT_EQ(l->system_id, 0x3d);
	UNIT_EQ(l->fee_id, 0x1105);
	UNIT_EQ(l->processed, 100);
	UNIT_EQ(l->error_protocol, 101);
	UNIT_EQ(l->error_check1, 0x70042);
	UNIT_EQ(l->rdh_corrupted, 7);
	UNIT_EQ(l->error_check2, 102);
	UNIT_EQ(l->error_oversize, 103);
	UNIT_EQ(l->orbit_sor, 104);
	UNIT_EQ(roc_cru_status_read(&card.ep[1], 0x020, ROC_CRU_STATUS_NO_PACKETS, &status), 0);
	CU_ASSERT_TRUE(l->enabled && l->glitches == 3 && l->fee_id == 0x1105);
	CU_ASSERT_TRUE(!l->processed && !l->error_protocol && !l->error_check1);
	CU_ASSERT_TRUE(!l->error_check2 && !l->error_oversize && !l->orbit_sor);
	UNIT_STR(roc_cru_link_mux_text(l), "TTC:PATTERN");
	poke(0x1c + 8, 4 << 4); /* physical link 17 */
	UNIT_EQ(roc_cru_status_read(&card.ep[1], 0x020, 0, &status), 0);
	UNIT_STR(roc_cru_link_mux_text(l), "UL");
	poke(0x1c + 8, 9 << 4);
	UNIT_EQ(roc_cru_status_read(&card.ep[1], 0x020, 0, &status), 0);
	UNIT_EQ(l->mux, 9);
	UNIT_STR(roc_cru_link_mux_text(l), "N/A");
	UNIT_EQ(roc_cru_status_read(&card.ep[1], 0x1000, 0, &status), -ERANGE);
	ERROR_HAS("link 12 does not exist");
	UNIT_EQ(roc_cru_status_read(&card.ep[1], 1, 0x10, &status), -EINVAL);
	card_end();
}

/* A removed card is not reported as a broken clock generator. */
static void a_card_that_is_gone(void)
{
	struct roc_cru_config config;

	cru_begin();
	card.gone = true;
	UNIT_EQ(roc_cru_status_read(&card.ep[0], 0, 0, &status), -EIO);
	ERROR_HAS("answers all ones");
	UNIT_EQ(roc_cru_config_read(&card.ep[0], &config), -EIO);
	ERROR_HAS("answers all ones");
	card_end();
}

static enum roc_cru_link_state state(unsigned int l)
{
	UNIT_EQ(roc_cru_status_read(&card.ep[0], 1u << l, 0, &status), 0);
	return status.links[l].state;
}

static void links_go_down_and_come_back(void)
{
	cru_begin();
	UNIT_EQ(state(3), ROC_CRU_LINK_UP);
	key(0, "link-state", "3=down");
	UNIT_EQ(state(3), ROC_CRU_LINK_DOWN);
	UNIT_EQ(state(3), ROC_CRU_LINK_DOWN);
	UNIT_EQ(state(2), ROC_CRU_LINK_UP);
	key(0, "link-state", "3=up");
	UNIT_EQ(state(3), ROC_CRU_LINK_WAS_DOWN);
	UNIT_EQ(state(3), ROC_CRU_LINK_UP);
	UNIT_EQ(status.links[3].glitches, 1);
	card_end();
}

static void optical_power(void)
{
	unsigned int e, l;
	struct cru *model;

	cru_begin();
	model = host.card;
	key(0, "optical-power", "2=123.4,0=0.1");
	key(1, "optical-power", "11=6553.5");
	for (e = 0; e < CRU_ENDPOINTS; e++) {
		UNIT_EQ(roc_cru_status_read(&card.ep[e], ROC_CRU_ALL_LINKS, ROC_CRU_STATUS_OPTICAL,
					    &status),
			0);
		CU_ASSERT_TRUE(status.has_optical);
		for (l = 0; l < ROC_CRU_LINKS; l++)
			NEAR(status.links[l].optical_power, e && l == 11   ? 6553.5
							    : !e && l == 2 ? 123.4
							    : !e && !l	   ? 0.1
									   : 500.0);
	}
	UNIT_EQ(roc_cru_status_read(&card.ep[0], ROC_CRU_ALL_LINKS, 0, &status), 0);
	CU_ASSERT_FALSE(status.has_optical);
	/* A board with other addresses of its modules. */
	for (l = 0; l < CRU_CHIPS; l++)
		if (model->board.chip[l].core == CRU_I2C_MINIPOD)
			model->board.chip[l].addr += 0x20;
	UNIT_EQ(roc_cru_status_read(&card.ep[0], ROC_CRU_ALL_LINKS, ROC_CRU_STATUS_OPTICAL,
				    &status),
		0);
	CU_ASSERT_TRUE(status.has_optical);
	NEAR(status.links[2].optical_power, 123.4);
	NEAR(status.links[3].optical_power, 500);
	UNIT_EQ(roc_cru_status_read(&card.ep[0], ROC_CRU_ALL_LINKS, 0, &status), 0);
	NEAR(status.links[2].optical_power, 0);
	card_end();
}

static void onu_and_fec(void)
{
	cru_begin();
	poke(0x22a000, 42 << 1);
	poke(0x200020, 5);
	poke(0x22a004, 2);
	poke(0x22a020, 0x1a5);
	poke(0x22a028, 0x17);
	key(0, "pon-power", "100");
	UNIT_EQ(roc_cru_status_read(&card.ep[0], 0, ROC_CRU_STATUS_ONU | ROC_CRU_STATUS_FEC,
				    &status),
		0);
	CU_ASSERT_TRUE(status.has_onu && status.has_fec);
	UNIT_EQ(status.onu.status, 0xff);
	UNIT_EQ(status.onu.address, 42);
	UNIT_EQ(status.onu.glitches, 5);
	CU_ASSERT_TRUE(status.onu.upstream_up && status.onu.downstream_up);
	CU_ASSERT_TRUE(status.onu.rx40_locked && status.onu.mgt_rx_pll_locked);
	CU_ASSERT_TRUE(status.onu.pon_quality_good);
	CU_ASSERT_TRUE(status.onu.has_power);
	NEAR(status.onu.rx_power_uw, 100);
	NEAR(status.onu.rx_power_dbm, -10);
	CU_ASSERT_FALSE(status.fec.clear_errors);
	CU_ASSERT_TRUE(status.fec.latch_errors);
	UNIT_EQ(status.fec.single_errors, 0xa5);
	UNIT_EQ(status.fec.double_errors, 0x17);
	/* Sticky bits of a past failure, and of a present one. */
	key(0, "onu", "0xfb");
	key(0, "onu", "0xfe");
	key(0, "pon-power", "0");
	key(0, "pon-power", "0.1");
	key(0, "pon-error-rate", "1000");
	UNIT_EQ(roc_cru_status_read(&card.ep[0], 0, ROC_CRU_STATUS_ONU, &status), 0);
	UNIT_EQ(status.onu.status, 0xfe);
	CU_ASSERT_TRUE((status.onu.sticky_before & 4) && (status.onu.sticky_before & 1));
	UNIT_EQ(status.onu.sticky, 1);
	CU_ASSERT_TRUE(status.onu.upstream_up);
	CU_ASSERT_FALSE(status.onu.downstream_up);
	CU_ASSERT_FALSE(status.onu.rx40_locked);
	CU_ASSERT_FALSE(status.onu.pon_quality_good);
	NEAR(status.onu.rx_power_dbm, -40);
	UNIT_EQ(peek(0x200000) >> 28, 0);
	key(0, "pon-power", "0");
	UNIT_EQ(roc_cru_status_read(&card.ep[0], 0, ROC_CRU_STATUS_ONU, &status), 0);
	CU_ASSERT_TRUE(isinf(status.onu.rx_power_dbm));
	card_end();
}

static void metrics(void)
{
	struct roc_cru_metrics m;

	cru_begin();
	key(0, "temperature", "45");
	key(0, "clock-ctp", "240473000");
	key(0, "clock-local", "240475000");
	poke(0x70001c, 17);
	UNIT_EQ(roc_cru_metrics_read(&card.ep[1], &m), 0);
	UNIT_EQ(card.reads, ROC_CRU_METRICS_READS);
	UNIT_EQ(card.writes, 0);
	UNIT_EQ(card.locks, 0);
	CU_ASSERT_TRUE(m.has_temperature && fabs(m.temperature - 45) < 0.7);
	UNIT_EQ(m.dropped_packets, 17);
	UNIT_EQ(m.ctp_hz, 240473000);
	UNIT_EQ(m.local_hz, 240475000);
	poke(0x10008, 458);
	UNIT_EQ(roc_cru_metrics_read(&card.ep[0], &m), 0);
	CU_ASSERT_TRUE(fabs(m.temperature - 44.955078125) < 1e-9);
	UNIT_EQ(m.dropped_packets, 0);
	poke(0x10008, 0xffffffff);
	UNIT_EQ(roc_cru_metrics_read(&card.ep[0], &m), 0);
	CU_ASSERT_FALSE(m.has_temperature);
	key(0, "temperature", "none");
	UNIT_EQ(roc_cru_metrics_read(&card.ep[0], &m), 0);
	CU_ASSERT_FALSE(m.has_temperature);
	card.card_type = ROC_CARD_CRORC;
	UNIT_EQ(roc_cru_metrics_read(&card.ep[0], &m), -EOPNOTSUPP);
	card_end();
}

/* The numbers of accesses in Documentation/configuration.md. */
static void accesses_are_counted(void)
{
	static const struct {
		uint32_t links;
		unsigned int flags, reads, writes;
	} passes[] = {
		{0, 0, 10, 13},
		{0xfff, 0, 207, 13},
		{0xfff, ROC_CRU_STATUS_ONU, 218, 23},
		{0, ROC_CRU_STATUS_FEC, 13, 13},
		{0xfff, ROC_CRU_STATUS_OPTICAL, 233, 95},
		{0xfff, ROC_CRU_STATUS_OPTICAL | ROC_CRU_STATUS_NO_PACKETS, 161, 95},
	};
	struct roc_cru_packets packets;
	size_t i;

	cru_begin();
	for (i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
		card.reads = 0;
		card.writes = 0;
		card.slept_us = 0;
		UNIT_EQ(roc_cru_status_read(&card.ep[0], passes[i].links, passes[i].flags, &status),
			0);
		unit_note("links 0x%x, flags %u: %u reads, %u writes, %.1f ms of waiting",
			  passes[i].links, passes[i].flags, card.reads, card.writes,
			  card.slept_us / 1e3);
		UNIT_EQ(card.reads, passes[i].reads);
		UNIT_EQ(card.writes, passes[i].writes);
	}
	card.reads = 0;
	card.writes = 0;
	UNIT_EQ(roc_cru_packets_read(&card.ep[0], &packets), 0);
	UNIT_EQ(card.reads, 45);
	UNIT_EQ(card.writes, 0);
	card_end();
}

static void packets(void)
{
	struct roc_cru_packets p;
	unsigned int slot;

	cru_begin();
	for (slot = 0; slot < 16; slot++) {
		poke(0x740000 + 0x2000 * slot + 0x0c, 1000 + slot);
		poke(0x740000 + 0x2000 * slot + 0x08, 2000 + slot);
		poke(0x740000 + 0x2000 * slot + 0x10, 3000 + slot);
	}
	poke(0x70001c, 9);
	UNIT_EQ(roc_cru_packets_read(&card.ep[1], &p), 0);
	UNIT_EQ(p.slots, 0xcfff);
	for (slot = 0; slot < 16; slot++) {
		bool read = 0xcfff & 1 << slot;

		UNIT_EQ(p.accepted[slot], read ? 1000 + slot : 0);
		UNIT_EQ(p.rejected[slot], read ? 2000 + slot : 0);
		UNIT_EQ(p.forced[slot], read ? 3000 + slot : 0);
	}
	UNIT_EQ(p.dropped, 9);
	poke(0x700000, 1 << 15);
	UNIT_EQ(roc_cru_packets_read(&card.ep[1], &p), 0);
	UNIT_EQ(p.slots, 0xc000);
	poke(0x700000, 1 << 15 | 1 << 30);
	UNIT_EQ(roc_cru_packets_read(&card.ep[1], &p), 0);
	UNIT_EQ(p.slots, 0xcfff);
	UNIT_EQ(roc_cru_packets_read(&card.ep[0], &p), 0);
	UNIT_EQ(p.slots, 0xafff);
	card_end();
}

static void triggers(void)
{
	struct roc_cru_triggers a, b = {0};
	struct roc_cru_trigger_rates r;

	cru_begin();
	wr2(0x18, 1); /* run enable: the counters move */
	poke(0x20000c, 0x5a);
	UNIT_EQ(roc_cru_triggers_read(&card.ep[0], &a), 0);
	UNIT_EQ(card.reads, 4);
	UNIT_EQ(a.sox, 0xa);
	UNIT_EQ(a.eox, 0x5);
	host.now += 1000000000;
	UNIT_EQ(roc_cru_triggers_read(&card.ep[0], &b), 0);
	b.time = a.time + 1000000000;
	roc_cru_trigger_rates(&a, &b, &r);
	CU_ASSERT_TRUE(fabs(r.hb - 11.245) < 0.01);
	CU_ASSERT_TRUE(fabs(r.phy - 1) < 0.01);
	CU_ASSERT_TRUE(fabs(r.tof - 0.1) < 0.01);
	CU_ASSERT_TRUE(fabs(r.cal - 0.01) < 0.005);
	/* Counters wrap, each at its width. */
	a = (struct roc_cru_triggers){
		.time = 1, .hb = UINT32_MAX, .phy = 0xfffffff0, .cal = 0xffff, .tof = 0xfff0};
	b = (struct roc_cru_triggers){.time = 500000001, .hb = 4, .phy = 4, .cal = 4, .tof = 4};
	roc_cru_trigger_rates(&a, &b, &r);
	NEAR(r.hb, 0.01);
	NEAR(r.phy, 0.04);
	NEAR(r.cal, 0.01);
	NEAR(r.tof, 0.04);
	b.time = a.time;
	roc_cru_trigger_rates(&a, &b, &r);
	NEAR(r.hb, 0);
	card_end();
}

/* A card whose PLL does not answer, and a card without links. */
static void a_poorer_card(void)
{
	cru_begin();
	card.stuck = 0x30604; /* commands of the PLL's I2C core */
	UNIT_EQ(roc_cru_status_read(&card.ep[0], 0, 0, &status), -EIO);
	ERROR_HAS("Si5345 #2 does not answer");
	CU_ASSERT_TRUE(card.slept_us < 100000);
	card.stuck = 0;
	poke(0x400000, 0);
	UNIT_EQ(roc_cru_status_read(&card.ep[0], ROC_CRU_ALL_LINKS, 0, &status), 0);
	UNIT_EQ(status.link_mask, 0);
	card_end();
}

UNIT_MAIN("libroc_cru_status", {"a removed card", a_card_that_is_gone},
	  {"card values", card_values}, {"link values", link_values},
	  {"links go down and come back", links_go_down_and_come_back},
	  {"optical power", optical_power}, {"ONU and FEC", onu_and_fec}, {"metrics", metrics},
	  {"accesses are counted", accesses_are_counted}, {"packets", packets},
	  {"triggers", triggers}, {"a card without PLL or links", a_poorer_card})
