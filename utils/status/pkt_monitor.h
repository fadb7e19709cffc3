/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-pkt-monitor shows what it read.
 */
#ifndef ROC_UTILS_PKT_MONITOR_H
#define ROC_UTILS_PKT_MONITOR_H

#include <roc/crorc.h>
#include <roc/cru.h>

#include <stdio.h>

#include "utils/common/card.h"

struct packets_report {
	struct roc_card card;
	struct roc_cru_packets packets;
	uint64_t time; /* output_time() of the reading */
};

extern const struct output_forms packets_forms;

/* The C-RORC. */
struct packets_crorc {
	struct roc_card card;
	struct roc_crorc_packets packets;
	uint64_t time;
};

extern const struct output_forms packets_crorc_forms;

/* A whole reading of each card; see card_show_fn. */
int packets_show_cru(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		     const struct card_request *request);
int packets_show_crorc(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		       const struct card_request *request);

#endif
