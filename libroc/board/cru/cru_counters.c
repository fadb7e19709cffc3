// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read counters for monitoring: card metrics, packets of the datapath, triggers. */
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "libroc_cru.h"

#define M(m) offsetof(struct roc_cru_metrics, m)
#define T(m) offsetof(struct roc_cru_triggers, m)
#define ALL 0xffffffff

static const struct libroc_value metrics_table[] = {
	LIBROC_VALUE("droppedPackets", LIBROC_DATAPATH, CRU_DATAPATH_DROPPED_PACKETS, ALL,
		     M(dropped_packets)),
	LIBROC_VALUE("totalPacketsPerSecond", LIBROC_DATAPATH, CRU_DATAPATH_PACKET_RATE, ALL,
		     M(packets_per_second)),
	LIBROC_VALUE("ctpClock", LIBROC_CARD, CRU_CLOCK_CTP, ALL, M(ctp_hz)),
	LIBROC_VALUE("localClock", LIBROC_CARD, CRU_CLOCK_LOCAL, ALL, M(local_hz)),
};

static const struct libroc_value triggers_table[] = {
	LIBROC_VALUE("hb", LIBROC_CARD, CRU_TTC_HB, ALL, T(hb)),
	LIBROC_VALUE("phy", LIBROC_CARD, CRU_TTC_PHY, ALL, T(phy)),
	LIBROC_VALUE("sox", LIBROC_CARD, CRU_TTC_SOX_EOX, CRU_TTC_SOX, T(sox)),
	LIBROC_VALUE("eox", LIBROC_CARD, CRU_TTC_SOX_EOX, CRU_TTC_EOX, T(eox)),
	LIBROC_VALUE("tof", LIBROC_CARD, CRU_TTC_TOF_CAL, CRU_TTC_TOF, T(tof)),
	LIBROC_VALUE("cal", LIBROC_CARD, CRU_TTC_TOF_CAL, 0xffffu << CRU_TTC_CAL_SHIFT, T(cal)),
};

/* Register values of one slot */
struct slot {
	uint32_t accepted, rejected, forced;
};

static const struct libroc_value slot_table[] = {
	LIBROC_VALUE("accepted", LIBROC_DPL, CRU_DPL_ACCEPTED, ALL,
		     offsetof(struct slot, accepted)),
	LIBROC_VALUE("rejected", LIBROC_DPL, CRU_DPL_REJECTED, ALL,
		     offsetof(struct slot, rejected)),
	LIBROC_VALUE("forced", LIBROC_DPL, CRU_DPL_FORCED, ALL, offsetof(struct slot, forced)),
};

/* Convert linearly between the ends of the sensor's range; 0 and 1023 are its limits. */
static double to_celsius(uint32_t raw)
{
	return raw * (double)CRU_TEMPERATURE_RANGE / 1024 - CRU_TEMPERATURE_ZERO;
}

int roc_cru_metrics_read(struct roc_endpoint *ep, struct roc_cru_metrics *metrics)
{
	struct roc_cru_metrics now = {0};
	struct libroc_pass c;
	uint32_t word, raw;
	int ret;

	ret = libroc_cru_begin(ep, &c, false);
	if (ret)
		return ret;
	word = libroc_pass_read(&c, CRU_BAR_CARD, CRU_TEMPERATURE);
	raw = word == ALL ? 0 : word & CRU_TEMPERATURE_RAW;
	now.has_temperature = raw;
	now.temperature = raw ? to_celsius(raw) : 0;
	libroc_values_read(&c, metrics_table, LIBROC_COUNT(metrics_table), 0, &now);
	ret = libroc_pass_end(&c);
	if (!ret)
		*metrics = now;
	return ret;
}

static void read_slot(struct libroc_pass *c, unsigned int slot, struct roc_cru_packets *packets)
{
	struct slot s;

	libroc_values_read(c, slot_table, LIBROC_COUNT(slot_table), slot, &s);
	packets->accepted[slot] = s.accepted;
	packets->rejected[slot] = s.rejected;
	packets->forced[slot] = s.forced;
	packets->slots |= 1u << slot;
}

int roc_cru_packets_read(struct roc_endpoint *ep, struct roc_cru_packets *packets)
{
	struct roc_cru_packets now = {0};
	struct libroc_pass c;
	uint32_t enable, datapath;
	unsigned int l;
	int ret;

	ret = libroc_cru_begin(ep, &c, false);
	if (ret)
		return ret;
	datapath = CRU_DATAPATH(c.e);
	enable = libroc_pass_read(&c, CRU_BAR_CARD, datapath + CRU_DATAPATH_ENABLE);
	read_slot(&c, CRU_LINK_RUN_STATISTICS(c.e), &now);
	read_slot(&c, CRU_LINK_USER_LOGIC, &now);
	/* User logic without common logic replaces the links. */
	if (!(enable & 1u << CRU_LINK_USER_LOGIC) || enable & CRU_DATAPATH_USER_COMMON)
		for (l = 0; l < ROC_CRU_LINKS; l++)
			read_slot(&c, l, &now);
	now.dropped = libroc_pass_read(&c, CRU_BAR_CARD, datapath + CRU_DATAPATH_DROPPED_PACKETS);
	now.packets_per_second =
		libroc_pass_read(&c, CRU_BAR_CARD, datapath + CRU_DATAPATH_PACKET_RATE);
	ret = libroc_pass_end(&c);
	if (!ret)
		*packets = now;
	return ret;
}

int roc_cru_triggers_read(struct roc_endpoint *ep, struct roc_cru_triggers *triggers)
{
	struct roc_cru_triggers now = {0};
	struct libroc_pass c;
	struct timespec t;
	int ret;

	ret = libroc_cru_begin(ep, &c, false);
	if (ret)
		return ret;
	clock_gettime(CLOCK_MONOTONIC, &t);
	now.time = t.tv_sec * 1000000000ull + t.tv_nsec;
	libroc_values_read(&c, triggers_table, LIBROC_COUNT(triggers_table), 0, &now);
	ret = libroc_pass_end(&c);
	if (!ret)
		*triggers = now;
	return ret;
}

void roc_cru_trigger_rates(const struct roc_cru_triggers *before,
			   const struct roc_cru_triggers *after,
			   struct roc_cru_trigger_rates *rates)
{
	double ms = (after->time - before->time) / 1e6;

	memset(rates, 0, sizeof(*rates));
	if (after->time <= before->time)
		return;
	rates->hb = (after->hb - before->hb) / ms;
	rates->phy = (after->phy - before->phy) / ms;
	rates->cal = (uint16_t)(after->cal - before->cal) / ms;
	rates->tof = (uint16_t)(after->tof - before->tof) / ms;
}
