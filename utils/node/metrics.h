/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-metrics shows what it read.
 */
#ifndef ROC_UTILS_METRICS_H
#define ROC_UTILS_METRICS_H

#include <roc/telemetry.h>

#include <stddef.h>
#include <stdio.h>

#include "utils/common/channels.h"

/* Two arrays of @count; the cards are named in the second. */
struct metrics {
	struct roc_card_telemetry *cards;
	struct channels *channels;
	size_t count;
};

void metrics_text(FILE *out, const struct metrics *m, bool verbose, bool colours);
void metrics_json(FILE *out, const struct metrics *m);
void metrics_influx(FILE *out, const struct metrics *m);
void metrics_prometheus(FILE *out, const struct metrics *m);

#endif
