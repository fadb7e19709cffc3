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

/*
 * Wait for so long, and read the card into @r->counts and @r->rates, which is the mean since
 * @before; then that is the last reading. Counters may run over meanwhile. 0, -EINTR the signal
 * came, -EIO roc_error() says why.
 */
int triggers_measure(struct roc_endpoint *ep, uint32_t seconds, struct roc_cru_triggers *before,
		     struct triggers_report *r);

void triggers_head(FILE *out, const struct triggers_report *r);
void triggers_text(FILE *out, const struct triggers_report *r); /* one line, without its end */
void triggers_json(struct json *j, const struct triggers_report *r);
void triggers_influx(FILE *out, const struct triggers_report *r);
void triggers_prometheus(FILE *out, const struct triggers_report *r);

#endif
