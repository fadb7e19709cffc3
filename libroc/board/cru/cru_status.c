// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the status of an endpoint and its links. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "libroc_cru.h"

#define C(m) offsetof(struct roc_cru_status, m)
#define L(m) offsetof(struct roc_cru_link_status, m)
#define F(m) offsetof(struct roc_cru_fec, m)

static const struct libroc_value card[] = {
	LIBROC_VALUE("cruId", LIBROC_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_CRU_ID, C(cru_id)),
	LIBROC_VALUE("dmaStatus", LIBROC_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_RUN,
		     C(run_enabled), .kind = LIBROC_BOOL),
	LIBROC_VALUE("downstreamData", LIBROC_CARD, CRU_TTC_DATA, CRU_TTC_DATA_DOWNSTREAM,
		     C(downstream)),
	LIBROC_VALUE("dynamicOffset", LIBROC_DATAPATH, CRU_DATAPATH_ENABLE,
		     CRU_DATAPATH_DYNAMIC_OFFSET, C(dynamic_offset), .kind = LIBROC_BOOL),
	LIBROC_VALUE("userLogic", LIBROC_DATAPATH, CRU_DATAPATH_ENABLE, 1u << CRU_LINK_USER_LOGIC,
		     C(user_logic), .kind = LIBROC_BOOL),
	LIBROC_VALUE("runStats", LIBROC_DATAPATH_EP, CRU_DATAPATH_ENABLE,
		     1u << CRU_LINK_RUN_STATISTICS(0), C(run_stats), .kind = LIBROC_BOOL),
	LIBROC_VALUE("userAndCommonLogic", LIBROC_DATAPATH, CRU_DATAPATH_ENABLE,
		     CRU_DATAPATH_USER_COMMON, C(user_and_common_logic), .kind = LIBROC_BOOL),
	LIBROC_VALUE("timeFrameLength", LIBROC_DMA, CRU_TIME_FRAME,
		     0xfffu << CRU_TIME_FRAME_LENGTH_SHIFT, C(time_frame_length)),
	LIBROC_VALUE("dropBadRdh", LIBROC_DATAPATH, CRU_DATAPATH_DROP_BAD_RDH, 0xffffffff,
		     C(drop_bad_rdh), .kind = LIBROC_BOOL),
	LIBROC_VALUE("triggerWindowSize", LIBROC_DATAPATH, CRU_DATAPATH_TRIGGER_WINDOW,
		     CRU_DATAPATH_TRIGGER_WINDOW_MAX, C(trigger_window_size)),
	LIBROC_VALUE("allowRejection", LIBROC_DATAPATH, CRU_DATAPATH_FLOW_CONTROL,
		     CRU_DATAPATH_FLOW_CONTROL_REJECT, C(allow_rejection), .kind = LIBROC_BOOL),
};

static const struct libroc_value user_logic[] = {
	LIBROC_VALUE("orbitSor", LIBROC_DPL_UL, CRU_DPL_ORBIT_SOR, 0xffffffff, C(ul_orbit_sor)),
};

static const struct libroc_value links_table[] = {
	LIBROC_VALUE("datapath", LIBROC_DATAPATH_LINK, CRU_DATAPATH_ENABLE, 1, L(enabled),
		     .kind = LIBROC_BOOL),
	LIBROC_VALUE("gbtTxMode", LIBROC_GBT, CRU_GBT_TX_CONTROL, CRU_GBT_WIDE_BUS, L(tx_mode)),
	LIBROC_VALUE("gbtRxMode", LIBROC_GBT, CRU_GBT_RX_CONTROL, CRU_GBT_WIDE_BUS, L(rx_mode)),
	LIBROC_VALUE("loopback", LIBROC_GBT, CRU_GBT_SOURCE, CRU_GBT_SOURCE_LOOPBACK, L(loopback),
		     .kind = LIBROC_BOOL),
	LIBROC_VALUE("gbtMux", LIBROC_MUX, 0, CRU_MUX_MASK, L(mux)),
	LIBROC_VALUE("datapathMode", LIBROC_DPL, CRU_DPL_CONTROL, CRU_DPL_CONTROL_PACKET,
		     L(datapath_mode)),
	LIBROC_VALUE("rxFreq", LIBROC_GBT, CRU_GBT_RX_CLOCK, 0xffffffff, L(rx_hz)),
	LIBROC_VALUE("txFreq", LIBROC_GBT, CRU_GBT_TX_CLOCK, 0xffffffff, L(tx_hz)),
	LIBROC_VALUE("systemId", LIBROC_DPL, CRU_DPL_IDS, CRU_DPL_IDS_SYSTEM, L(system_id)),
	LIBROC_VALUE("feeId", LIBROC_DPL, CRU_DPL_IDS, CRU_DPL_IDS_FEE, L(fee_id)),
	LIBROC_VALUE("glitchCounter", LIBROC_GBT, CRU_GBT_GLITCHES, 0xffffffff, L(glitches)),
	LIBROC_VALUE("fecCounter", LIBROC_GBT, CRU_GBT_FEC_ERRORS, CRU_GBT_FEC_ERRORS_MASK,
		     L(fec_errors)),
};

static const struct libroc_value packets_table[] = {
	LIBROC_VALUE("pktProcessed", LIBROC_DPL, CRU_DPL_PROCESSED, 0xffffffff, L(processed)),
	LIBROC_VALUE("pktErrorProtocol", LIBROC_DPL, CRU_DPL_ERROR_PROTOCOL, 0xffffffff,
		     L(error_protocol)),
	LIBROC_VALUE("pktErrorCheck1", LIBROC_DPL, CRU_DPL_ERROR_CHECK1, 0xffffffff,
		     L(error_check1)),
	LIBROC_VALUE("rdhCorruptedDropped", LIBROC_DPL, CRU_DPL_ERROR_CHECK1,
		     0xffu << CRU_DPL_ERROR_CHECK1_RDH_SHIFT, L(rdh_corrupted)),
	LIBROC_VALUE("pktErrorCheck2", LIBROC_DPL, CRU_DPL_ERROR_CHECK2, 0xffffffff,
		     L(error_check2)),
	LIBROC_VALUE("pktErrorOversize", LIBROC_DPL, CRU_DPL_ERROR_OVERSIZE, 0xffffffff,
		     L(error_oversize)),
	LIBROC_VALUE("orbitSor", LIBROC_DPL, CRU_DPL_ORBIT_SOR, 0xffffffff, L(orbit_sor)),
};

static const struct libroc_value fec_table[] = {
	LIBROC_VALUE("clearFecCrcErrors", LIBROC_CARD, CRU_ONU_FEC_STATUS, CRU_ONU_FEC_CLEAR,
		     F(clear_errors), .kind = LIBROC_BOOL),
	LIBROC_VALUE("latchFecCrcErrors", LIBROC_CARD, CRU_ONU_FEC_STATUS, CRU_ONU_FEC_LATCH,
		     F(latch_errors), .kind = LIBROC_BOOL),
	LIBROC_VALUE("fecSingleErrorCount", LIBROC_CARD, CRU_ONU_FEC_SINGLE, CRU_ONU_FEC_COUNT,
		     F(single_errors)),
	LIBROC_VALUE("fecDoubleErrorCount", LIBROC_CARD, CRU_ONU_FEC_DOUBLE, CRU_ONU_FEC_COUNT,
		     F(double_errors)),
};

#define STICKY (CRU_GBT_PHY_WAS_DOWN | CRU_GBT_DATA_WAS_DOWN)

/* If a sticky bit cannot be cleared, the link is down now. */
static enum roc_cru_link_state link_state(struct libroc_pass *c, unsigned int l)
{
	uint32_t at = c->base[l] + CRU_GBT_STATUS;

	if (!(libroc_pass_read(c, CRU_BAR_CARD, at) & STICKY))
		return ROC_CRU_LINK_UP;
	libroc_pass_write(c, CRU_BAR_CARD, c->base[l] + CRU_GBT_CLEAR_STICKY, 0);
	return libroc_pass_read(c, CRU_BAR_CARD, at) & STICKY ? ROC_CRU_LINK_DOWN
							      : ROC_CRU_LINK_WAS_DOWN;
}

const char *roc_cru_link_mux_text(const struct roc_cru_link_status *link)
{
	if (link->mux != ROC_CRU_MUX_TTC)
		return roc_cru_mux_name(link->mux);
	switch (link->downstream) {
	case ROC_CRU_DOWNSTREAM_CTP:
		return "TTC:CTP";
	case ROC_CRU_DOWNSTREAM_PATTERN:
		return "TTC:PATTERN";
	case ROC_CRU_DOWNSTREAM_MIDTRG:
		return "TTC:MIDTRG";
	default:
		return "N/A";
	}
}

static void read_links(struct libroc_pass *c, bool packets, struct roc_cru_status *status)
{
	unsigned int l;

	for (l = 0; l < ROC_CRU_LINKS; l++) {
		struct roc_cru_link_status *link = &status->links[l];

		if (!(status->link_mask & 1u << l))
			continue;
		link->present = true;
		link->downstream = status->downstream;
		libroc_values_read(c, links_table, LIBROC_COUNT(links_table), l, link);
		if (packets)
			libroc_values_read(c, packets_table, LIBROC_COUNT(packets_table), l, link);
		link->state = link_state(c, l);
	}
}

static void read_optical(struct libroc_pass *c, struct roc_cru_status *status)
{
	double power[ROC_CRU_LINKS];
	unsigned int l;

	status->has_optical = libroc_optical_power(c, power);
	for (l = 0; l < ROC_CRU_LINKS; l++)
		if (status->has_optical && status->links[l].present)
			status->links[l].optical_power = power[l];
}

int roc_cru_status_read(struct roc_endpoint *ep, uint32_t links, unsigned int flags,
			struct roc_cru_status *status)
{
	struct roc_cru_status now = {0};
	struct libroc_pass c;
	int ret;

	if (links & ~ROC_CRU_ALL_LINKS)
		return roc_fail(ERANGE, "%s: link %d does not exist: links are 0 to %d",
				roc_endpoint_name(ep), __builtin_ctz(links & ~ROC_CRU_ALL_LINKS),
				ROC_CRU_LINKS - 1);
	if (flags & ~(ROC_CRU_STATUS_OPTICAL | ROC_CRU_STATUS_ONU | ROC_CRU_STATUS_FEC |
		      ROC_CRU_STATUS_NO_PACKETS))
		return roc_fail(EINVAL, "%s: unknown flags 0x%x for a status",
				roc_endpoint_name(ep), flags);
	ret = libroc_cru_begin(ep, &c, true);
	if (ret)
		return ret;
	if (links)
		libroc_cru_find_links(&c, 0, NULL);
	now.link_mask = links & c.links;
	libroc_values_read(&c, card, LIBROC_COUNT(card), 0, &now);
	now.clock = libroc_clock_read(&c, NULL);
	if (now.user_logic)
		libroc_values_read(&c, user_logic, LIBROC_COUNT(user_logic), 0, &now);
	read_links(&c, !(flags & ROC_CRU_STATUS_NO_PACKETS), &now);
	if (flags & ROC_CRU_STATUS_OPTICAL)
		read_optical(&c, &now);
	if (flags & ROC_CRU_STATUS_ONU) {
		libroc_onu_status(&c, &now.onu);
		now.has_onu = true;
	}
	if (flags & ROC_CRU_STATUS_FEC) {
		libroc_values_read(&c, fec_table, LIBROC_COUNT(fec_table), 0, &now.fec);
		now.has_fec = true;
	}
	ret = libroc_pass_end(&c);
	if (!ret)
		*status = now;
	return ret;
}
