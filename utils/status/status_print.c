// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The status of a CRU as text and as JSON.
 */
#include "status.h"

#include <math.h>
#include <string.h>

#include "utils/common/output.h"

const char *status_clock(const struct status_report *r)
{
	switch (r->cru.clock) {
	case ROC_CRU_CLOCK_TTC:
		return "TTC";
	case ROC_CRU_CLOCK_LOCAL:
		return "Local";
	}
	return "N/A";
}

void status_gbt_mode(const struct roc_cru_link_status *link, char text[16])
{
	snprintf(text, 16, "%s/%s", roc_cru_gbt_mode_name(link->tx_mode),
		 roc_cru_gbt_mode_name(link->rx_mode));
}

static void row(FILE *out, const char *name, const char *value)
{
	fprintf(out, "  %-24s %s\n", name, value);
}

static void row_number(FILE *out, const char *name, uint32_t value, const char *unit)
{
	fprintf(out, "  %-24s %u%s\n", name, value, unit);
}

static void row_hex(FILE *out, const char *name, uint32_t value)
{
	fprintf(out, "  %-24s 0x%x\n", name, value);
}

static const char *enabled(bool on)
{
	return on ? "Enabled" : "Disabled";
}

static void text_endpoint(FILE *out, const struct status_report *r)
{
	const struct roc_cru_status *s = &r->cru;
	char card[OUTPUT_CARD_MAX];

	fprintf(out, "CRU %s  %s  #%d\n", output_card(&r->card, card), r->card.pci_address,
		r->card.sequence);
	row_hex(out, "CRU ID", s->cru_id);
	row(out, "Clock", status_clock(r));
	row(out, "Offset", s->dynamic_offset ? "Dynamic" : "Fixed");
	row_number(out, "Time frame length", s->time_frame_length, " orbits");
	row_number(out, "Trigger window", s->trigger_window_size, " GBT words");
	row(out, "Downstream data", roc_cru_downstream_name(s->downstream));
	row(out, "DMA", enabled(s->run_enabled));
	row(out, "User logic", enabled(s->user_logic));
	row(out, "Run statistics", enabled(s->run_stats));
	row(out, "User and common logic", enabled(s->user_and_common_logic));
	row(out, "Drop bad RDH", enabled(s->drop_bad_rdh));
	row(out, "Heartbeat rejection", enabled(s->allow_rejection));
	if (s->user_logic)
		row_number(out, "User logic, start orbit", s->ul_orbit_sor, "");
}

static void state_cell(struct table *t, enum roc_cru_link_state state)
{
	switch (state) {
	case ROC_CRU_LINK_DOWN:
		table_cell(t, COLOUR_BAD, "DOWN");
		break;
	case ROC_CRU_LINK_UP:
		table_cell(t, COLOUR_GOOD, "UP");
		break;
	case ROC_CRU_LINK_WAS_DOWN:
		table_cell(t, COLOUR_WARN, "UP (was DOWN)");
		break;
	}
}

/* An error counter: nothing to see at 0. */
static void error_cell(struct table *t, uint32_t count)
{
	table_cell(t, count ? COLOUR_BAD : NULL, "%u", count);
}

static void text_links(FILE *out, const struct roc_cru_status *s, bool colours)
{
	static const char *const heads[] = {
		">Link",       "GBT Tx/Rx",  "Loopback", "Mux",	      "Datapath",
		">RX MHz",     ">TX MHz",    "Status",	 ">Glitches", ">FEC err",
		">Optical uW", ">System ID", ">FEE ID",	 NULL,
	};
	struct table t;
	char mode[16];
	unsigned int i;

	table_start(&t, heads);
	for (i = 0; i < ROC_CRU_LINKS; i++) {
		const struct roc_cru_link_status *l = &s->links[i];

		if (!(s->link_mask >> i & 1))
			continue;
		status_gbt_mode(l, mode);
		table_cell(&t, NULL, "%u", i);
		table_cell(&t, NULL, "%s", mode);
		table_cell(&t, NULL, "%s", l->loopback ? "Enabled" : "None");
		table_cell(&t, NULL, "%s", roc_cru_link_mux_text(l));
		table_cell(&t, NULL, "%s %s",
			   l->datapath_mode == ROC_CRU_PACKET ? "Packet" : "Streaming",
			   enabled(l->enabled));
		table_cell(&t, NULL, "%.2f", l->rx_hz / 1e6);
		table_cell(&t, NULL, "%.2f", l->tx_hz / 1e6);
		state_cell(&t, l->state);
		error_cell(&t, l->glitches);
		error_cell(&t, l->fec_errors);
		if (s->has_optical)
			table_cell(&t, NULL, "%.1f", l->optical_power);
		else
			table_cell(&t, NULL, "-");
		table_cell(&t, NULL, "0x%x", l->system_id);
		table_cell(&t, NULL, "0x%x", l->fee_id);
	}
	fputc('\n', out);
	table_print(&t, out, colours);
}

static void text_packets(FILE *out, const struct roc_cru_status *s, bool colours)
{
	static const char *const heads[] = {
		">Link",     ">Packets",     ">Protocol err", ">Check 1 err", ">Check 2 err",
		">Oversize", ">RDH dropped", ">Start orbit",  NULL,
	};
	struct table t;
	unsigned int i;

	table_start(&t, heads);
	for (i = 0; i < ROC_CRU_LINKS; i++) {
		const struct roc_cru_link_status *l = &s->links[i];

		if (!(s->link_mask >> i & 1))
			continue;
		table_cell(&t, NULL, "%u", i);
		table_cell(&t, NULL, "%u", l->processed);
		error_cell(&t, l->error_protocol);
		error_cell(&t, l->error_check1);
		error_cell(&t, l->error_check2);
		error_cell(&t, l->error_oversize);
		error_cell(&t, l->rdh_corrupted);
		table_cell(&t, NULL, "%u", l->orbit_sor);
	}
	fputc('\n', out);
	table_print(&t, out, colours);
}

static void row_good(FILE *out, const char *name, bool good, bool colours)
{
	fprintf(out, "  %-24s %s%s%s\n", name,
		!colours ? ""
		: good	 ? COLOUR_GOOD
			 : COLOUR_BAD,
		good ? "yes" : "no", colours ? COLOUR_END : "");
}

static void text_onu(FILE *out, const struct roc_cru_onu *o, bool colours)
{
	fprintf(out, "\nONU\n");
	row_good(out, "Upstream up", o->upstream_up, colours);
	row_good(out, "Downstream up", o->downstream_up, colours);
	row_hex(out, "Sticky bits", o->sticky);
	row_hex(out, "Sticky bits before", o->sticky_before);
	row_number(out, "Address", o->address, "");
	row_hex(out, "Status", o->status);
	row_good(out, "RX 40 MHz locked", o->rx40_locked, colours);
	row_good(out, "Phase good", o->phase_good, colours);
	row_good(out, "RX locked", o->rx_locked, colours);
	row_good(out, "Operational", o->operational, colours);
	row_good(out, "MGT TX ready", o->mgt_tx_ready, colours);
	row_good(out, "MGT RX ready", o->mgt_rx_ready, colours);
	row_good(out, "MGT TX PLL locked", o->mgt_tx_pll_locked, colours);
	row_good(out, "MGT RX PLL locked", o->mgt_rx_pll_locked, colours);
	row_good(out, "PON quality good", o->pon_quality_good, colours);
	row_hex(out, "PON quality", o->pon_quality);
	row_number(out, "Glitches", o->glitches, "");
	if (!o->has_power)
		row(out, "PON RX power", "-");
	else if (isfinite(o->rx_power_dbm))
		fprintf(out, "  %-24s %.2f dBm (%.1f uW)\n", "PON RX power", o->rx_power_dbm,
			o->rx_power_uw);
	else
		row(out, "PON RX power", "none");
}

static void text_fec(FILE *out, const struct roc_cru_fec *f)
{
	fprintf(out, "\nPON error correction\n");
	row(out, "Clear errors", f->clear_errors ? "on" : "off");
	row(out, "Latch errors", f->latch_errors ? "on" : "off");
	row_number(out, "Single errors", f->single_errors, "");
	row_number(out, "Double errors", f->double_errors, "");
}

void status_text(FILE *out, const struct status_report *r, bool verbose, bool colours)
{
	const struct roc_cru_status *s = &r->cru;

	text_endpoint(out, r);
	if (s->link_mask) {
		text_links(out, s, colours);
		if (verbose)
			text_packets(out, s, colours);
	}
	if (r->channels.count) {
		fputc('\n', out);
		channels_text(out, &r->channels, 1, verbose, colours);
	}
	if (s->has_onu)
		text_onu(out, &s->onu, colours);
	if (s->has_fec)
		text_fec(out, &s->fec);
}

static void json_link(struct json *j, const struct roc_cru_status *s, unsigned int number)
{
	const struct roc_cru_link_status *l = &s->links[number];
	static const char *const states[] = {"DOWN", "UP", "UP (was DOWN)"};
	char mode[16];

	status_gbt_mode(l, mode);
	json_object(j, NULL);
	json_unsigned(j, "link", number);
	json_text(j, "gbtMode", mode);
	json_bool(j, "loopback", l->loopback);
	json_text(j, "gbtMux", roc_cru_link_mux_text(l));
	json_text(j, "datapathMode", l->datapath_mode == ROC_CRU_PACKET ? "Packet" : "Streaming");
	json_bool(j, "datapath", l->enabled);
	json_real(j, "rxFreq", l->rx_hz / 1e6);
	json_real(j, "txFreq", l->tx_hz / 1e6);
	json_unsigned(j, "status", l->state);
	json_text(j, "statusText", states[l->state]);
	json_real(j, "opticalPower", s->has_optical ? l->optical_power : NAN);
	json_unsigned(j, "systemId", l->system_id);
	json_unsigned(j, "feeId", l->fee_id);
	json_unsigned(j, "glitchCounter", l->glitches);
	json_unsigned(j, "fecCounter", l->fec_errors);
	json_unsigned(j, "pktProcessed", l->processed);
	json_unsigned(j, "pktErrorProtocol", l->error_protocol);
	json_unsigned(j, "pktErrorCheck1", l->error_check1);
	json_unsigned(j, "pktErrorCheck2", l->error_check2);
	json_unsigned(j, "pktErrorOversize", l->error_oversize);
	json_unsigned(j, "orbitSor", l->orbit_sor);
	json_unsigned(j, "rdhCorruptedDropped", l->rdh_corrupted);
	json_object_end(j);
}

static void json_onu(struct json *j, const struct roc_cru_onu *o)
{
	json_object(j, "onu");
	json_bool(j, "onuUpstreamStatus", o->upstream_up);
	json_bool(j, "onuDownstreamStatus", o->downstream_up);
	json_unsigned(j, "onuStickyValue", o->sticky);
	json_unsigned(j, "onuStickyValuePrev", o->sticky_before);
	json_unsigned(j, "onuAddress", o->address);
	json_bool(j, "rx40Locked", o->rx40_locked);
	json_bool(j, "phaseGood", o->phase_good);
	json_bool(j, "rxLocked", o->rx_locked);
	json_bool(j, "operational", o->operational);
	json_bool(j, "mgtTxReady", o->mgt_tx_ready);
	json_bool(j, "mgtRxReady", o->mgt_rx_ready);
	json_bool(j, "mgtTxPllLocked", o->mgt_tx_pll_locked);
	json_bool(j, "mgtRxPllLocked", o->mgt_rx_pll_locked);
	json_bool(j, "ponQualityStatus", o->pon_quality_good);
	json_unsigned(j, "ponQuality", o->pon_quality);
	json_real(j, "ponRxPower", o->has_power ? o->rx_power_dbm : NAN);
	json_unsigned(j, "glitchCounter", o->glitches);
	json_object_end(j);
}

static void json_fec(struct json *j, const struct roc_cru_fec *f)
{
	json_object(j, "fec");
	json_bool(j, "clearFecCrcErrors", f->clear_errors);
	json_bool(j, "latchFecCrcErrors", f->latch_errors);
	json_unsigned(j, "fecSingleErrorCount", f->single_errors);
	json_unsigned(j, "fecDoubleErrorCount", f->double_errors);
	json_object_end(j);
}

void status_json(FILE *out, const struct status_report *r)
{
	const struct roc_cru_status *s = &r->cru;
	unsigned int i;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	json_unsigned(&j, "cruId", s->cru_id);
	json_text(&j, "clock", status_clock(r));
	json_bool(&j, "dynamicOffset", s->dynamic_offset);
	json_bool(&j, "userLogic", s->user_logic);
	json_bool(&j, "runStats", s->run_stats);
	json_bool(&j, "userAndCommonLogic", s->user_and_common_logic);
	json_unsigned(&j, "timeFrameLength", s->time_frame_length);
	json_bool(&j, "dmaStatus", s->run_enabled);
	json_bool(&j, "dropBadRdh", s->drop_bad_rdh);
	json_unsigned(&j, "triggerWindowSize", s->trigger_window_size);
	json_bool(&j, "allowRejection", s->allow_rejection);
	json_text(&j, "downstreamData", roc_cru_downstream_name(s->downstream));
	if (s->user_logic)
		json_unsigned(&j, "userLogicOrbitSor", s->ul_orbit_sor);
	json_array(&j, "links");
	for (i = 0; i < ROC_CRU_LINKS; i++) {
		if (s->link_mask >> i & 1)
			json_link(&j, s, i);
	}
	json_array_end(&j);
	channels_json(&j, &r->channels);
	if (s->has_onu)
		json_onu(&j, &s->onu);
	if (s->has_fec)
		json_fec(&j, &s->fec);
	json_object_end(&j);
}
