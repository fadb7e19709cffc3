// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the status of a C-RORC and its links, and their packet counters. */
#include <errno.h>
#include <stddef.h>

#include "libroc_crorc.h"

#define ALL 0xffffffff
#define TENTH_UW 0.1

#define C(m) offsetof(struct roc_crorc_status, m)
#define L(m) offsetof(struct link, m)

/* Register values of a link */
struct link {
	bool down, receiving, loopback;
	uint32_t power, orbit, rate, received;
};

static const struct libroc_value card[] = {
	LIBROC_VALUE("qsfp", LIBROC_CRORC_CARD, CRORC_LINK_STATUS, CRORC_LINK_STATUS_LASER,
		     C(laser), .kind = LIBROC_BOOL),
	LIBROC_VALUE("crorcId", LIBROC_CRORC_CARD, CRORC_CONFIG_A, CRORC_CONFIG_A_ID, C(crorc_id)),
	LIBROC_VALUE("dynamicOffset", LIBROC_CRORC_CARD, CRORC_CONFIG_A, CRORC_CONFIG_A_DYNAMIC,
		     C(dynamic_offset), .kind = LIBROC_BOOL),
	LIBROC_VALUE("timeFrameDetection", LIBROC_CRORC_CARD, CRORC_CONFIG_B, CRORC_CONFIG_B_DETECT,
		     C(time_frame_detection), .kind = LIBROC_BOOL),
	LIBROC_VALUE("timeFrameLength", LIBROC_CRORC_CARD, CRORC_CONFIG_B, CRORC_CONFIG_B_LENGTH,
		     C(time_frame_length)),
};

static const struct libroc_value links_table[] = {
	LIBROC_VALUE("status", LIBROC_CRORC_CHANNEL, CRORC_CHAN_CSR, CRORC_CHAN_CSR_LINK_DOWN,
		     L(down), .kind = LIBROC_BOOL),
	LIBROC_VALUE("receiving", LIBROC_CRORC_CHANNEL, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA,
		     L(receiving), .kind = LIBROC_BOOL),
	LIBROC_VALUE("loopback", LIBROC_CRORC_CHANNEL, CRORC_CHAN_CSR, CRORC_CHAN_CSR_LOOPBACK,
		     L(loopback), .kind = LIBROC_BOOL),
	LIBROC_VALUE("opticalPower", LIBROC_CRORC_POWER, 0, 0, L(power)),
	LIBROC_VALUE("orbitSor", LIBROC_CRORC_CHANNEL, CRORC_ORBIT_SOR, ALL, L(orbit)),
};

static const struct libroc_value packets_table[] = {
	LIBROC_VALUE("acquisitionRate", LIBROC_CRORC_CHANNEL, CRORC_RATE, ALL, L(rate)),
	LIBROC_VALUE("packetsReceived", LIBROC_CRORC_CHANNEL, CRORC_PACKETS, ALL, L(received)),
};

int roc_crorc_status_read(struct roc_endpoint *ep, uint32_t links, struct roc_crorc_status *status)
{
	struct roc_crorc_status now = {.link_mask = links};
	struct libroc_pass c;
	unsigned int l;
	int ret;

	if (links & ~ROC_CRORC_ALL_LINKS)
		return roc_fail(ERANGE, "%s: link %d does not exist: links are 0 to %d",
				roc_endpoint_name(ep), __builtin_ctz(links & ~ROC_CRORC_ALL_LINKS),
				ROC_CRORC_LINKS - 1);
	ret = libroc_crorc_begin(ep, &c, false);
	if (ret)
		return ret;
	libroc_values_read(&c, card, LIBROC_COUNT(card), 0, &now);
	for (l = 0; l < ROC_CRORC_LINKS; l++) {
		struct link link;

		if (!(links & 1u << l))
			continue;
		libroc_values_read(&c, links_table, LIBROC_COUNT(links_table), l, &link);
		now.links[l] = (struct roc_crorc_link_status){
			.up = !link.down,
			.receiving = link.receiving,
			.loopback = link.loopback,
			.optical_power = link.power * TENTH_UW,
			.orbit_sor = link.orbit,
		};
	}
	ret = libroc_pass_end(&c);
	if (!ret)
		*status = now;
	return ret;
}

int roc_crorc_packets_read(struct roc_endpoint *ep, struct roc_crorc_packets *packets)
{
	struct roc_crorc_packets now;
	struct libroc_pass c;
	unsigned int l;
	int ret;

	ret = libroc_crorc_begin(ep, &c, false);
	if (ret)
		return ret;
	for (l = 0; l < ROC_CRORC_LINKS; l++) {
		struct link link;

		libroc_values_read(&c, packets_table, LIBROC_COUNT(packets_table), l, &link);
		now.rate[l] = link.rate;
		now.received[l] = link.received;
	}
	ret = libroc_pass_end(&c);
	if (!ret)
		*packets = now;
	return ret;
}
