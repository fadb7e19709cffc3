/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-metrics shows what it read.
 */
#ifndef ROC_UTILS_METRICS_H
#define ROC_UTILS_METRICS_H

#include <roc/cru.h>

#include <stddef.h>
#include <stdio.h>

struct metrics_report {
	struct roc_card card;
	struct roc_cru_metrics metrics;
	uint64_t time; /* output_time() of the reading */
};

void metrics_text(FILE *out, const struct metrics_report *r, size_t count, bool colours);
void metrics_json(FILE *out, const struct metrics_report *r, size_t count);
void metrics_influx(FILE *out, const struct metrics_report *r, size_t count);
void metrics_prometheus(FILE *out, const struct metrics_report *r, size_t count);

#endif
