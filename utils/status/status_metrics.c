// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The status of a CRU for monitoring: InfluxDB lines with the names that sites' dashboards know,
 * and Prometheus families from tables.
 */
#include "status.h"

#include <math.h>

#include "utils/common/output.h"
#include "utils/common/prometheus.h"

static void influx_endpoint(FILE *out, const struct status_report *r)
{
	const struct roc_cru_status *s = &r->cru;
	struct influx l;

	influx_start_card(&l, out, "CRU", &r->card, -1);
	influx_signed(&l, "cruId", s->cru_id);
	influx_text(&l, "clock", status_clock(r));
	influx_signed(&l, "dynamicOffset", s->dynamic_offset);
	influx_signed(&l, "userLogic", s->user_logic);
	influx_signed(&l, "runStats", s->run_stats);
	influx_signed(&l, "userAndCommonLogic", s->user_and_common_logic);
	influx_signed(&l, "timeFrameLength", s->time_frame_length);
	influx_signed(&l, "dmaStatus", s->run_enabled);
	influx_end(&l, r->time);
}

static void influx_onu(FILE *out, const struct status_report *r)
{
	const struct roc_cru_onu *o = &r->cru.onu;
	struct influx l;

	influx_start_card(&l, out, "onu", &r->card, -1);
	influx_signed(&l, "onuUpstreamStatus", o->upstream_up);
	influx_signed(&l, "onuDownstreamStatus", o->downstream_up);
	influx_signed(&l, "onuStickyValue", o->sticky);
	/* So misspelt since the first version; dashboards have it. */
	influx_signed(&l, "onuStickyVaulePrev", o->sticky_before);
	influx_signed(&l, "onuAddress", o->address);
	influx_signed(&l, "rx40Locked", o->rx40_locked);
	influx_signed(&l, "phaseGood", o->phase_good);
	influx_signed(&l, "rxLocked", o->rx_locked);
	influx_signed(&l, "operational", o->operational);
	influx_signed(&l, "mgtTxReady", o->mgt_tx_ready);
	influx_signed(&l, "mgtRxReady", o->mgt_rx_ready);
	influx_signed(&l, "mgtTxPllLocked", o->mgt_tx_pll_locked);
	influx_signed(&l, "mgtRxPllLocked", o->mgt_rx_pll_locked);
	influx_signed(&l, "ponQualityStatus", o->pon_quality_good);
	influx_real(&l, "ponRxPower", o->has_power ? o->rx_power_dbm : NAN);
	influx_signed(&l, "glitchCounter", o->glitches);
	influx_end(&l, r->time);
}

static void influx_fec(FILE *out, const struct status_report *r)
{
	const struct roc_cru_fec *f = &r->cru.fec;
	struct influx l;

	influx_start_card(&l, out, "fec", &r->card, -1);
	influx_signed(&l, "clearFecCrcErrors", f->clear_errors);
	influx_signed(&l, "latchFecCrcErrors", f->latch_errors);
	/* The card has no register for these two; they were always 0. */
	influx_signed(&l, "slowControlFramingLocked", 0);
	influx_signed(&l, "fecSingleErrorCount", f->single_errors);
	influx_signed(&l, "fecDoubleErrorCount", f->double_errors);
	influx_signed(&l, "crcErrorCount", 0);
	influx_end(&l, r->time);
}

static void influx_hex(struct influx *l, const char *key, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%x", value);
	influx_text(l, key, text);
}

static void influx_link(FILE *out, const struct status_report *r, int number)
{
	const struct roc_cru_link_status *link = &r->cru.links[number];
	struct influx l;
	char mode[16];

	status_gbt_mode(link, mode);
	influx_start_card(&l, out, "link", &r->card, number);
	influx_text(&l, "gbtMode", mode);
	influx_signed(&l, "loopback", link->loopback);
	influx_text(&l, "gbtMux", roc_cru_link_mux_text(link));
	influx_text(&l, "datapathMode",
		    link->datapath_mode == ROC_CRU_PACKET ? "Packet" : "Streaming");
	influx_signed(&l, "datapath", link->enabled);
	influx_real(&l, "rxFreq", link->rx_hz / 1e6);
	influx_real(&l, "txFreq", link->tx_hz / 1e6);
	influx_signed(&l, "status", link->state);
	influx_real(&l, "opticalPower", r->cru.has_optical ? link->optical_power : NAN);
	influx_hex(&l, "systemId", link->system_id);
	influx_hex(&l, "feeId", link->fee_id);
	influx_signed(&l, "glitchCounter", link->glitches);
	influx_signed(&l, "fecCounter", link->fec_errors);
	influx_signed(&l, "pktProcessed", link->processed);
	influx_signed(&l, "pktErrorProtocol", link->error_protocol);
	influx_signed(&l, "pktErrorCheck1", link->error_check1);
	influx_signed(&l, "pktErrorCheck2", link->error_check2);
	influx_signed(&l, "pktErrorOversize", link->error_oversize);
	influx_signed(&l, "orbitSor", link->orbit_sor);
	influx_signed(&l, "rdhCorruptedDropped", link->rdh_corrupted);
	influx_end(&l, r->time);
}

void status_influx(FILE *out, const struct status_report *r)
{
	struct influx l;
	int i;

	influx_endpoint(out, r);
	if (r->cru.has_onu)
		influx_onu(out, r);
	if (r->cru.has_fec)
		influx_fec(out, r);
	for (i = 0; i < ROC_CRU_LINKS; i++) {
		if (r->cru.link_mask >> i & 1)
			influx_link(out, r, i);
	}
	if (r->cru.user_logic) {
		influx_start_card(&l, out, "link", &r->card, ROC_CRU_UL_SLOT);
		influx_signed(&l, "orbitSor", r->cru.ul_orbit_sor);
		influx_end(&l, r->time);
	}
	channels_influx(out, &r->channels);
}

/* A family whose samples are read from the status; NAN: no sample. */
struct card_family {
	const char *name;
	enum prometheus_type type;
	const char *help;
	double (*value)(const struct roc_cru_status *s);
};

struct link_family {
	const char *name;
	enum prometheus_type type;
	const char *help;
	double (*value)(const struct roc_cru_status *s, const struct roc_cru_link_status *l);
};

#define CARD_VALUE(function, expression)                                                           \
	static double function(const struct roc_cru_status *s)                                     \
	{                                                                                          \
		return expression;                                                                 \
	}
#define LINK_VALUE(function, expression)                                                           \
	static double function(const struct roc_cru_status *s,                                     \
			       const struct roc_cru_link_status *l)                                \
	{                                                                                          \
		return expression;                                                                 \
	}
#define COUNT(s) (sizeof(s) / sizeof((s)[0]))

CARD_VALUE(card_run, s->run_enabled)
CARD_VALUE(card_tf, s->time_frame_length)
CARD_VALUE(onu_up, s->has_onu ? s->onu.upstream_up : NAN)
CARD_VALUE(onu_down, s->has_onu ? s->onu.downstream_up : NAN)
CARD_VALUE(onu_operational, s->has_onu ? s->onu.operational : NAN)
CARD_VALUE(onu_status, s->has_onu ? s->onu.status : NAN)
CARD_VALUE(onu_sticky, s->has_onu ? s->onu.sticky : NAN)
CARD_VALUE(onu_quality, s->has_onu ? s->onu.pon_quality_good : NAN)
CARD_VALUE(onu_power, s->has_onu && s->onu.has_power ? s->onu.rx_power_uw / 1e6 : NAN)
CARD_VALUE(onu_glitches, s->has_onu ? s->onu.glitches : NAN)
CARD_VALUE(fec_single, s->has_fec ? s->fec.single_errors : NAN)
CARD_VALUE(fec_double, s->has_fec ? s->fec.double_errors : NAN)
LINK_VALUE(link_enabled, l->enabled)
LINK_VALUE(link_up, l->state != ROC_CRU_LINK_DOWN)
LINK_VALUE(link_was_down, l->state == ROC_CRU_LINK_WAS_DOWN)
LINK_VALUE(link_rx, l->rx_hz)
LINK_VALUE(link_tx, l->tx_hz)
LINK_VALUE(link_power, s->has_optical ? l->optical_power / 1e6 : NAN)
LINK_VALUE(link_glitches, l->glitches)
LINK_VALUE(link_fec, l->fec_errors)
LINK_VALUE(link_packets, l->processed)
LINK_VALUE(link_protocol, l->error_protocol)
LINK_VALUE(link_check2, l->error_check2)
LINK_VALUE(link_oversize, l->error_oversize)
LINK_VALUE(link_rdh, l->rdh_corrupted)

/* What has so few bits that it runs over between two scrapes is a gauge: no rate of it is right. */
static const struct card_family card_families[] = {
	{"roc_run_enabled", PROMETHEUS_GAUGE, "Whether data may flow.", card_run},
	{"roc_time_frame_orbits", PROMETHEUS_GAUGE, "Length of a time frame.", card_tf},
	{"roc_onu_upstream_up", PROMETHEUS_GAUGE, "ONU upstream.", onu_up},
	{"roc_onu_downstream_up", PROMETHEUS_GAUGE, "ONU downstream.", onu_down},
	{"roc_onu_operational", PROMETHEUS_GAUGE, "ONU operational.", onu_operational},
	{"roc_onu_status", PROMETHEUS_GAUGE, "ONU status byte.", onu_status},
	{"roc_onu_sticky", PROMETHEUS_GAUGE, "ONU sticky error byte.", onu_sticky},
	{"roc_onu_pon_quality_good", PROMETHEUS_GAUGE, "PON without errors.", onu_quality},
	{"roc_onu_rx_power_watts", PROMETHEUS_GAUGE, "Optical power of the PON.", onu_power},
	{"roc_onu_glitches", PROMETHEUS_COUNTER, "ONU glitches.", onu_glitches},
	{"roc_pon_fec_single_errors", PROMETHEUS_GAUGE, "Corrected errors, 8 bits.", fec_single},
	{"roc_pon_fec_double_errors", PROMETHEUS_GAUGE, "Detected errors, 8 bits.", fec_double},
};

static const struct link_family link_families[] = {
	{"roc_link_enabled", PROMETHEUS_GAUGE, "Link takes part in data taking.", link_enabled},
	{"roc_link_up", PROMETHEUS_GAUGE, "Link is up now.", link_up},
	{"roc_link_was_down", PROMETHEUS_GAUGE, "Link is up but was down.", link_was_down},
	{"roc_link_rx_hertz", PROMETHEUS_GAUGE, "Receiver clock.", link_rx},
	{"roc_link_tx_hertz", PROMETHEUS_GAUGE, "Transmitter clock.", link_tx},
	{"roc_link_optical_power_watts", PROMETHEUS_GAUGE, "Optical power.", link_power},
	{"roc_link_glitches", PROMETHEUS_COUNTER, "Glitches.", link_glitches},
	{"roc_link_fec_errors", PROMETHEUS_GAUGE, "Corrected errors, 16 bits.", link_fec},
	{"roc_link_packets", PROMETHEUS_COUNTER, "Packets processed.", link_packets},
	{"roc_link_protocol_errors", PROMETHEUS_COUNTER, "Protocol errors.", link_protocol},
	{"roc_link_check2_errors", PROMETHEUS_COUNTER, "Second-check errors.", link_check2},
	{"roc_link_oversize_errors", PROMETHEUS_COUNTER, "Packets too long.", link_oversize},
	{"roc_link_rdh_dropped", PROMETHEUS_GAUGE, "Packets with corrupt headers, 8 bits.",
	 link_rdh},
};

void status_prometheus(FILE *out, const struct status_report *r)
{
	const struct roc_cru_status *s = &r->cru;
	struct prometheus_labels labels;
	struct prometheus m;
	double value;
	size_t i;
	int link;

	prometheus_start(&m, out);
	prometheus_family(&m, "roc_card", PROMETHEUS_INFO, "Card endpoint.");
	prometheus_card(&labels, &r->card, -1);
	prometheus_label(&labels, "clock", status_clock(r));
	prometheus_label(&labels, "firmware", r->card.firmware);
	prometheus_sample(&m, &labels, 1);
	prometheus_card(&labels, &r->card, -1);
	for (i = 0; i < COUNT(card_families); i++) {
		const struct card_family *f = &card_families[i];

		value = f->value(s);
		if (isnan(value))
			continue;
		prometheus_family(&m, f->name, f->type, f->help);
		prometheus_sample(&m, &labels, value);
	}
	for (i = 0; i < COUNT(link_families) && s->link_mask; i++) {
		const struct link_family *f = &link_families[i];
		bool first = true;

		for (link = 0; link < ROC_CRU_LINKS; link++) {
			if (!(s->link_mask >> link & 1))
				continue;
			value = f->value(s, &s->links[link]);
			if (isnan(value))
				continue;
			if (first)
				prometheus_family(&m, f->name, f->type, f->help);
			first = false;
			prometheus_card(&labels, &r->card, link);
			prometheus_sample(&m, &labels, value);
		}
	}
}
