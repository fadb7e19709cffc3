/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-pkt-monitor shows what it read.
 */
#ifndef ROC_UTILS_PKT_MONITOR_H
#define ROC_UTILS_PKT_MONITOR_H

#include <roc/cru.h>

#include <stdio.h>

struct packets_report {
	struct roc_card card;
	struct roc_cru_packets packets;
	uint64_t time; /* output_time() of the reading */
};

void packets_text(FILE *out, const struct packets_report *r, bool colours);
void packets_json(FILE *out, const struct packets_report *r);
void packets_influx(FILE *out, const struct packets_report *r);
void packets_openmetrics(FILE *out, const struct packets_report *r);

#endif
