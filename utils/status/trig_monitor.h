/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-trig-monitor shows what it read.
 */
#ifndef ROC_UTILS_TRIG_MONITOR_H
#define ROC_UTILS_TRIG_MONITOR_H

#include <roc/cru.h>

#include <stdio.h>

#include "utils/common/json.h"

struct triggers_report {
	struct roc_card card;
	struct roc_cru_triggers counts;
	struct roc_cru_trigger_rates rates;
	uint64_t time; /* output_time() of the later reading */
};

void triggers_head(FILE *out, const struct triggers_report *r);
void triggers_text(FILE *out, const struct triggers_report *r); /* one line, without its end */
void triggers_json(struct json *j, const struct triggers_report *r);
void triggers_influx(FILE *out, const struct triggers_report *r);
void triggers_prometheus(FILE *out, const struct triggers_report *r);

#endif
