// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Status of a CRU in every format. InfluxDB lines have the names of existing dashboards.
 */
#include "status.h"

#include <math.h>

#include "utils/common/output.h"
#include "utils/common/values.h"

static const char *clock_name(const void *o)
{
	switch (((const struct roc_cru_status *)o)->clock) {
	case ROC_CRU_CLOCK_TTC:
		return "TTC";
	case ROC_CRU_CLOCK_LOCAL:
		return "Local";
	}
	return "N/A";
}

static const char *downstream(const void *o)
{
	return roc_cru_downstream_name(((const struct roc_cru_status *)o)->downstream);
}

static bool has_user_logic(const void *o)
{
	return ((const struct roc_cru_status *)o)->user_logic;
}

static bool has_onu(const void *o)
{
	return ((const struct roc_cru_status *)o)->has_onu;
}

static bool has_fec(const void *o)
{
	return ((const struct roc_cru_status *)o)->has_fec;
}

static double onu_watts(const void *o)
{
	const struct roc_cru_status *s = o;

	return s->has_onu && s->onu.has_power ? s->onu.rx_power_uw / 1e6 : NAN;
}

#define CRU(member) VALUE(struct roc_cru_status, member)
#define ENABLED .yes = "Enabled", .no = "Disabled"

/*
 * Counters with so few bits that they wrap between two scrapes are gauges, because a rate of them
 * would be wrong.
 */
static const struct value endpoint[] = {
	{CRU(cru_id), .name = "CRU ID", .key = "cruId", .hex = true},
	{.text = clock_name, .name = "Clock", .key = "clock"},
	{CRU(dynamic_offset), .name = "Offset", .key = "dynamicOffset", .yes = "Dynamic",
	 .no = "Fixed"},
	{CRU(time_frame_length), .name = "Time frame length", .unit = " orbits"},
	{CRU(trigger_window_size), .name = "Trigger window", .unit = " GBT words"},
	{.text = downstream, .name = "Downstream data"},
	{CRU(run_enabled), .name = "DMA", ENABLED},
	{CRU(user_logic), .name = "User logic", .key = "userLogic", ENABLED},
	{CRU(run_stats), .name = "Run statistics", .key = "runStats", ENABLED},
	{CRU(user_and_common_logic), .name = "User and common logic", .key = "userAndCommonLogic",
	 ENABLED},
	{CRU(time_frame_length), .key = "timeFrameLength"},
	{CRU(run_enabled), .key = "dmaStatus"},
	{CRU(drop_bad_rdh), .name = "Drop bad RDH", .key = "dropBadRdh", .no_influx = true,
	 ENABLED},
	{CRU(trigger_window_size), .key = "triggerWindowSize", .no_influx = true},
	{CRU(allow_rejection), .name = "Heartbeat rejection", .key = "allowRejection",
	 .no_influx = true, ENABLED},
	{.text = downstream, .key = "downstreamData", .no_influx = true},
	{CRU(ul_orbit_sor), .name = "User logic, start orbit", .key = "userLogicOrbitSor",
	 .no_influx = true, .present = has_user_logic},
	{CRU(run_enabled), .metric = "roc_run_enabled",
	 .help = "Whether the run enable of the card is set."},
	{CRU(time_frame_length), .metric = "roc_time_frame_orbits",
	 .help = "Length of a time frame in orbits."},
	{CRU(onu.upstream_up), .metric = "roc_onu_upstream_up",
	 .help = "Whether the upstream of the ONU is up.", .known = has_onu},
	{CRU(onu.downstream_up), .metric = "roc_onu_downstream_up",
	 .help = "Whether the downstream of the ONU is up.", .known = has_onu},
	{CRU(onu.operational), .metric = "roc_onu_operational",
	 .help = "Whether the ONU is operational.", .known = has_onu},
	{CRU(onu.status), .metric = "roc_onu_status", .help = "ONU status byte.", .known = has_onu},
	{CRU(onu.sticky), .metric = "roc_onu_sticky", .help = "ONU sticky error byte.",
	 .known = has_onu},
	{CRU(onu.pon_quality_good), .metric = "roc_onu_pon_quality_good",
	 .help = "Whether the PON has no errors.", .known = has_onu},
	{.real = onu_watts,
	 .metric = "roc_onu_rx_power_watts",
	 .help = "Received optical power of the PON."},
	{CRU(onu.glitches), .metric = "roc_onu_glitches", .metric_type = PROMETHEUS_COUNTER,
	 .help = "Glitches of the ONU.", .known = has_onu},
	{CRU(fec.single_errors), .metric = "roc_pon_fec_single_errors",
	 .help = "Corrected FEC errors of the PON; the counter has 8 bits.", .known = has_fec},
	{CRU(fec.double_errors), .metric = "roc_pon_fec_double_errors",
	 .help = "Uncorrectable FEC errors of the PON; the counter has 8 bits.", .known = has_fec},
};

static bool has_power(const void *o)
{
	return ((const struct roc_cru_onu *)o)->has_power;
}

static const char *power(const void *o)
{
	const struct roc_cru_onu *u = o;
	static char text[64];

	if (!u->has_power)
		return NULL;
	if (!isfinite(u->rx_power_dbm))
		return "none";
	snprintf(text, sizeof(text), "%.2f dBm (%.1f uW)", u->rx_power_dbm, u->rx_power_uw);
	return text;
}

#define ONU(member) VALUE(struct roc_cru_onu, member)
#define GOOD .good = true, .yes = "yes", .no = "no"

static const struct value onu[] = {
	{ONU(upstream_up), .name = "Upstream up", .key = "onuUpstreamStatus", GOOD},
	{ONU(downstream_up), .name = "Downstream up", .key = "onuDownstreamStatus", GOOD},
	{ONU(sticky), .name = "Sticky bits", .key = "onuStickyValue", .hex = true},
	{ONU(sticky_before), .name = "Sticky bits before", .key = "onuStickyValuePrev",
	 .no_influx = true, .hex = true},
	/* Misspelt since the first version; existing dashboards use this name. */
	{ONU(sticky_before), .key = "onuStickyVaulePrev", .no_json = true},
	{ONU(address), .name = "Address", .key = "onuAddress"},
	{ONU(status), .name = "Status", .hex = true},
	{ONU(rx40_locked), .name = "RX 40 MHz locked", .key = "rx40Locked", GOOD},
	{ONU(phase_good), .name = "Phase good", .key = "phaseGood", GOOD},
	{ONU(rx_locked), .name = "RX locked", .key = "rxLocked", GOOD},
	{ONU(operational), .name = "Operational", .key = "operational", GOOD},
	{ONU(mgt_tx_ready), .name = "MGT TX ready", .key = "mgtTxReady", GOOD},
	{ONU(mgt_rx_ready), .name = "MGT RX ready", .key = "mgtRxReady", GOOD},
	{ONU(mgt_tx_pll_locked), .name = "MGT TX PLL locked", .key = "mgtTxPllLocked", GOOD},
	{ONU(mgt_rx_pll_locked), .name = "MGT RX PLL locked", .key = "mgtRxPllLocked", GOOD},
	{ONU(pon_quality_good), .name = "PON quality good", .key = "ponQualityStatus", GOOD},
	{ONU(pon_quality), .name = "PON quality", .key = "ponQuality", .no_influx = true,
	 .hex = true},
	{ONU(rx_power_dbm), .key = "ponRxPower", .known = has_power},
	{ONU(glitches), .name = "Glitches", .key = "glitchCounter"},
	{.text = power, .name = "PON RX power"},
};

static uint64_t no_register(const void *o)
{
	return 0;
}

#define FEC(member) VALUE(struct roc_cru_fec, member)

static const struct value fec[] = {
	{FEC(clear_errors), .name = "Clear errors", .key = "clearFecCrcErrors", .yes = "on",
	 .no = "off"},
	{FEC(latch_errors), .name = "Latch errors", .key = "latchFecCrcErrors", .yes = "on",
	 .no = "off"},
	/* The card has no register for these two values, which have always been 0. */
	{.count = no_register, .key = "slowControlFramingLocked", .no_json = true},
	{FEC(single_errors), .name = "Single errors", .key = "fecSingleErrorCount"},
	{FEC(double_errors), .name = "Double errors", .key = "fecDoubleErrorCount"},
	{.count = no_register, .key = "crcErrorCount", .no_json = true},
};

struct link_row {
	unsigned int number;
	bool has_optical;
	struct roc_cru_link_status s;
};

static const struct roc_cru_link_status *link_of(const void *o)
{
	return &((const struct link_row *)o)->s;
}

static const char *gbt_mode(const void *o)
{
	static char text[16];

	snprintf(text, sizeof(text), "%s/%s", roc_cru_gbt_mode_name(link_of(o)->tx_mode),
		 roc_cru_gbt_mode_name(link_of(o)->rx_mode));
	return text;
}

static const char *mux(const void *o)
{
	return roc_cru_link_mux_text(link_of(o));
}

static const char *datapath_mode(const void *o)
{
	return link_of(o)->datapath_mode == ROC_CRU_PACKET ? "Packet" : "Streaming";
}

static const char *datapath(const void *o)
{
	static char text[32];

	snprintf(text, sizeof(text), "%s %s", datapath_mode(o),
		 link_of(o)->enabled ? "Enabled" : "Disabled");
	return text;
}

static double rx_mhz(const void *o)
{
	return link_of(o)->rx_hz / 1e6;
}

static double tx_mhz(const void *o)
{
	return link_of(o)->tx_hz / 1e6;
}

static void rx_cell(struct table *t, const void *o)
{
	table_cell(t, NULL, "%.2f", rx_mhz(o));
}

static void tx_cell(struct table *t, const void *o)
{
	table_cell(t, NULL, "%.2f", tx_mhz(o));
}

static uint64_t state(const void *o)
{
	return link_of(o)->state;
}

static uint64_t is_up(const void *o)
{
	return link_of(o)->state != ROC_CRU_LINK_DOWN;
}

static uint64_t was_down(const void *o)
{
	return link_of(o)->state == ROC_CRU_LINK_WAS_DOWN;
}

static const char *state_name(const void *o)
{
	static const char *const names[] = {"DOWN", "UP", "UP (was DOWN)"};

	return names[link_of(o)->state];
}

static const char *state_colour(const void *o)
{
	static const char *const colours[] = {COLOUR_BAD, COLOUR_GOOD, COLOUR_WARN};

	return colours[link_of(o)->state];
}

static bool has_optical(const void *o)
{
	return ((const struct link_row *)o)->has_optical;
}

static const char *hex(uint32_t value)
{
	static char text[16];

	snprintf(text, sizeof(text), "0x%x", value);
	return text;
}

static const char *system_id(const void *o)
{
	return hex(link_of(o)->system_id);
}

static const char *fee_id(const void *o)
{
	return hex(link_of(o)->fee_id);
}

#define LINK(member) VALUE(struct link_row, s.member)
#define NUMBER VALUE(struct link_row, number)
#define COUNTER .metric_type = PROMETHEUS_COUNTER

static const struct value links[] = {
	{NUMBER, .name = ">Link", .key = "link", .no_influx = true},
	{.text = gbt_mode, .name = "GBT Tx/Rx", .key = "gbtMode"},
	{LINK(loopback), .name = "Loopback", .key = "loopback", .yes = "Enabled", .no = "None"},
	{.text = mux, .name = "Mux", .key = "gbtMux"},
	{.text = datapath, .name = "Datapath"},
	{.text = datapath_mode, .key = "datapathMode"},
	{LINK(enabled), .key = "datapath", .metric = "roc_link_enabled",
	 .help = "Whether the link takes part in data taking."},
	{.count = is_up, .metric = "roc_link_up", .help = "Whether the link is up."},
	{.count = was_down,
	 .metric = "roc_link_was_down",
	 .help = "Whether the link is up but was down since the last reading."},
	{.real = rx_mhz, .cell = rx_cell, .name = ">RX MHz", .key = "rxFreq"},
	{.real = tx_mhz, .cell = tx_cell, .name = ">TX MHz", .key = "txFreq"},
	{LINK(rx_hz), .metric = "roc_link_rx_hertz", .help = "Frequency of the receiver clock."},
	{LINK(tx_hz), .metric = "roc_link_tx_hertz", .help = "Frequency of the transmitter clock."},
	{.count = state, .key = "status"},
	{.text = state_name,
	 .colour = state_colour,
	 .name = "Status",
	 .key = "statusText",
	 .no_influx = true},
	{LINK(glitches), .name = ">Glitches", .error = true},
	{LINK(fec_errors), .name = ">FEC err", .error = true},
	{LINK(optical_power), .name = ">Optical uW", .key = "opticalPower", .scale = 1e6,
	 .metric = "roc_link_optical_power_watts", .help = "Received optical power of the link.",
	 .known = has_optical},
	{LINK(system_id), .key = "systemId", .no_influx = true},
	{LINK(fee_id), .key = "feeId", .no_influx = true},
	{.text = system_id, .name = ">System ID", .key = "systemId", .no_json = true},
	{.text = fee_id, .name = ">FEE ID", .key = "feeId", .no_json = true},
	{LINK(glitches), .key = "glitchCounter", .metric = "roc_link_glitches", COUNTER,
	 .help = "Glitches of the link."},
	{LINK(fec_errors), .key = "fecCounter", .metric = "roc_link_fec_errors",
	 .help = "Corrected FEC errors; the counter has 16 bits."},
	{LINK(processed), .key = "pktProcessed", .metric = "roc_link_packets", COUNTER,
	 .help = "Packets processed."},
	{LINK(error_protocol), .key = "pktErrorProtocol", .metric = "roc_link_protocol_errors",
	 COUNTER, .help = "Protocol errors."},
	{LINK(error_check1), .key = "pktErrorCheck1"},
	{LINK(error_check2), .key = "pktErrorCheck2", .metric = "roc_link_check2_errors", COUNTER,
	 .help = "Errors of the second packet check."},
	{LINK(error_oversize), .key = "pktErrorOversize", .metric = "roc_link_oversize_errors",
	 COUNTER, .help = "Packets that are too long."},
	{LINK(orbit_sor), .key = "orbitSor"},
	{LINK(rdh_corrupted), .key = "rdhCorruptedDropped", .metric = "roc_link_rdh_dropped",
	 .help = "Packets with corrupt headers; the counter has 8 bits."},
};

/* A separate table, only with --verbose. */
static const struct value packets[] = {
	{NUMBER, .name = ">Link"},
	{LINK(processed), .name = ">Packets"},
	{LINK(error_protocol), .name = ">Protocol err", .error = true},
	{LINK(error_check1), .name = ">Check 1 err", .error = true},
	{LINK(error_check2), .name = ">Check 2 err", .error = true},
	{LINK(error_oversize), .name = ">Oversize", .error = true},
	{LINK(rdh_corrupted), .name = ">RDH dropped", .error = true},
	{LINK(orbit_sor), .name = ">Start orbit"},
};

static const struct values card_values = VALUES(endpoint, .width = 24);
static const struct values onu_values = VALUES(onu, .width = 24);
static const struct values fec_values = VALUES(fec, .width = 24);
static const struct values link_values = VALUES(links), packet_values = VALUES(packets);

/* Fill in the rows of the selected links. Return their number. */
static unsigned int rows(const struct roc_cru_status *s, struct link_row row[ROC_CRU_LINKS])
{
	unsigned int i, n = 0;

	for (i = 0; i < ROC_CRU_LINKS; i++)
		if (s->link_mask >> i & 1)
			row[n++] = (struct link_row){i, s->has_optical, s->links[i]};
	return n;
}

static void text(FILE *out, const void *report, bool verbose, bool colours)
{
	const struct status_report *r = report;
	struct link_row row[ROC_CRU_LINKS];
	unsigned int n = rows(&r->cru, row);
	char called[OUTPUT_CARD_MAX];

	fprintf(out, "CRU %s  %s  #%d\n", output_card(&r->card, called), r->card.pci_address,
		r->card.sequence);
	values_rows(out, &card_values, &r->cru, true, colours);
	if (n) {
		fputc('\n', out);
		values_list_text(out, &link_values, row, sizeof(row[0]), n, verbose, colours);
	}
	if (n && verbose) {
		fputc('\n', out);
		values_list_text(out, &packet_values, row, sizeof(row[0]), n, verbose, colours);
	}
	if (r->channels.count) {
		fputc('\n', out);
		channels_text(out, &r->channels, 1, verbose, colours);
	}
	if (r->cru.has_onu) {
		fprintf(out, "\nONU\n");
		values_rows(out, &onu_values, &r->cru.onu, true, colours);
	}
	if (r->cru.has_fec) {
		fprintf(out, "\nPON error correction\n");
		values_rows(out, &fec_values, &r->cru.fec, true, colours);
	}
}

static void json_part(struct json *j, const char *key, const struct values *v, const void *part)
{
	json_object(j, key);
	values_json(j, v, part);
	json_object_end(j);
}

static void json(FILE *out, const void *report)
{
	const struct status_report *r = report;
	struct link_row row[ROC_CRU_LINKS];
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	values_json(&j, &card_values, &r->cru);
	values_list_json(&j, "links", &link_values, row, sizeof(row[0]), rows(&r->cru, row));
	channels_json(&j, &r->channels);
	if (r->cru.has_onu)
		json_part(&j, "onu", &onu_values, &r->cru.onu);
	if (r->cru.has_fec)
		json_part(&j, "fec", &fec_values, &r->cru.fec);
	json_object_end(&j);
}

static void influx_line(FILE *out, const struct status_report *r, const char *measurement, int link,
			const struct values *v, const void *part)
{
	struct influx l;

	influx_start_card(&l, out, measurement, &r->card, link);
	values_influx(&l, v, part);
	influx_end(&l, r->time);
}

static void influx(FILE *out, const void *report)
{
	const struct status_report *r = report;
	struct link_row row[ROC_CRU_LINKS];
	unsigned int i, n = rows(&r->cru, row);
	struct influx l;

	influx_line(out, r, "CRU", -1, &card_values, &r->cru);
	if (r->cru.has_onu)
		influx_line(out, r, "onu", -1, &onu_values, &r->cru.onu);
	if (r->cru.has_fec)
		influx_line(out, r, "fec", -1, &fec_values, &r->cru.fec);
	for (i = 0; i < n; i++)
		influx_line(out, r, "link", (int)row[i].number, &link_values, &row[i]);
	if (r->cru.user_logic) {
		influx_start_card(&l, out, "link", &r->card, ROC_CRU_UL_SLOT);
		influx_signed(&l, "orbitSor", r->cru.ul_orbit_sor);
		influx_end(&l, r->time);
	}
	channels_influx(out, &r->channels);
}

static const void *card_row(const void *report, unsigned int i, struct prometheus_labels *labels)
{
	const struct status_report *r = report;

	prometheus_card(labels, &r->card, -1);
	return &r->cru;
}

static const void *link_row(const void *report, unsigned int i, struct prometheus_labels *labels)
{
	const struct status_report *r = report;
	static struct link_row row;

	if (!(r->cru.link_mask >> i & 1))
		return NULL;
	row = (struct link_row){i, r->cru.has_optical, r->cru.links[i]};
	prometheus_card(labels, &r->card, (int)i);
	return &row;
}

static void prometheus(FILE *out, const void *report)
{
	const struct status_report *r = report;
	struct prometheus m;

	prometheus_begin_card(&m, out, &r->card, clock_name(&r->cru));
	values_prometheus(&m, &card_values, card_row, r, 1);
	values_prometheus(&m, &link_values, link_row, r, ROC_CRU_LINKS);
}

const struct output_forms status_forms = {
	.text = text,
	.json = json,
	.influx = influx,
	.prometheus = prometheus,
};
