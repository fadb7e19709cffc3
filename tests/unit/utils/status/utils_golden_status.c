// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the output of roc-status in every format, byte for byte.
 */
#include "unit.h"

#include "tests/unit/utils/golden.h"

#include <math.h>

#include "utils/status/status.h"

static struct status_report full(void)
{
	struct status_report r = {.card = golden_cards[1],
				  .channels = golden_channels(&golden_cards[1], 1),
				  .time = GOLDEN_TIME};
	struct roc_cru_status *s = &r.cru;

	s->cru_id = 0x1a2;
	s->clock = ROC_CRU_CLOCK_TTC;
	s->dynamic_offset = true;
	s->run_stats = true;
	s->time_frame_length = 128;
	s->run_enabled = true;
	s->trigger_window_size = 1000;
	s->allow_rejection = true;
	s->link_mask = 0x807;
	s->has_optical = true;
	s->links[0] = (struct roc_cru_link_status){
		.present = true,
		.enabled = true,
		.datapath_mode = ROC_CRU_PACKET,
		.rx_hz = 240474100,
		.tx_hz = 240473900,
		.state = ROC_CRU_LINK_UP,
		.optical_power = 512.34,
		.system_id = 0x20,
		.fee_id = 0xabcd,
		.processed = 4294967295u,
		.orbit_sor = 1234567,
	};
	s->links[1] = (struct roc_cru_link_status){
		.present = true,
		.rx_mode = ROC_CRU_WB,
		.loopback = true,
		.mux = ROC_CRU_MUX_DDG,
		.tx_hz = 240474000,
		.optical_power = 0,
	};
	s->links[2] = (struct roc_cru_link_status){
		.present = true,
		.enabled = true,
		.downstream = ROC_CRU_DOWNSTREAM_PATTERN,
		.rx_hz = 240000000,
		.tx_hz = 240474000,
		.state = ROC_CRU_LINK_WAS_DOWN,
		.optical_power = 77.5,
		.glitches = 3,
		.fec_errors = 65535,
		.processed = 17,
		.error_protocol = 1,
		.error_check1 = 0x50002,
		.error_check2 = 4,
		.error_oversize = 6,
		.rdh_corrupted = 5,
	};
	s->links[11] = s->links[0];
	s->links[11].mux = 9;
	s->has_onu = true;
	s->onu = (struct roc_cru_onu){
		.upstream_up = true,
		.downstream_up = true,
		.sticky = 0,
		.sticky_before = 0x2c,
		.address = 7,
		.status = 0xf7,
		.rx40_locked = true,
		.phase_good = true,
		.rx_locked = true,
		.mgt_tx_ready = true,
		.mgt_rx_ready = true,
		.mgt_tx_pll_locked = true,
		.mgt_rx_pll_locked = true,
		.glitches = 2,
		.pon_quality = 0x1234,
		.pon_quality_good = true,
		.has_power = true,
		.rx_power_uw = 25.5,
		.rx_power_dbm = -15.9345982,
	};
	s->has_fec = true;
	s->fec = (struct roc_cru_fec){
		.latch_errors = true, .single_errors = 255, .double_errors = 1};
	return r;
}

/* Only user logic, no optional value, no link, an unknown serial number. */
static struct status_report bare(void)
{
	struct status_report r = {.card = golden_cards[2], .time = GOLDEN_TIME};

	r.cru.clock = ROC_CRU_CLOCK_LOCAL;
	r.cru.time_frame_length = 256;
	r.cru.user_logic = true;
	r.cru.ul_orbit_sor = 99;
	return r;
}

/* The PON is dark, and optical power was not read. */
static struct status_report dark(void)
{
	struct status_report r = full();

	r.cru.link_mask = 1;
	r.cru.has_optical = false;
	r.cru.onu.rx_power_uw = 0;
	r.cru.onu.rx_power_dbm = -INFINITY;
	r.cru.has_fec = false;
	return r;
}

static void text(void)
{
	struct status_report r = full(), b = bare(), d = dark();
	FILE *out = golden_begin();

	status_forms.text(out, &r, true, false);
	golden_end(out, "status.txt");
	out = golden_begin();
	status_forms.text(out, &r, false, true);
	golden_end(out, "status-colours.txt");
	out = golden_begin();
	status_forms.text(out, &b, false, false);
	status_forms.text(out, &d, false, false);
	golden_end(out, "status-bare.txt");
}

static void json(void)
{
	struct status_report r = full(), b = bare(), d = dark();
	FILE *out = golden_begin();

	status_forms.json(out, &r);
	golden_end(out, "status.json");
	out = golden_begin();
	status_forms.json(out, &b);
	golden_end(out, "status-bare.json");
	out = golden_begin();
	status_forms.json(out, &d);
	golden_end(out, "status-dark.json");
}

static void monitoring(void)
{
	struct status_report r = full(), b = bare(), d = dark();
	FILE *out = golden_begin();

	status_forms.influx(out, &r);
	status_forms.influx(out, &b);
	status_forms.influx(out, &d);
	golden_end(out, "status.influx");
}

static void prometheus(void)
{
	struct status_report r = full(), b = bare();
	FILE *out = golden_begin();

	status_forms.prometheus(out, &r);
	golden_end(out, "status.prom");
	out = golden_begin();
	status_forms.prometheus(out, &b);
	golden_end(out, "status-bare.prom");
}

UNIT_MAIN("roc-status, byte for byte", {"text", text}, {"JSON", json},
	  {"InfluxDB lines", monitoring}, {"Prometheus", prometheus})
