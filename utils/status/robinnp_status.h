/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-status shows a RobinNP.
 */
#ifndef ROC_UTILS_ROBINNP_STATUS_H
#define ROC_UTILS_ROBINNP_STATUS_H

#include <roc/robinnp.h>

#include <stdbool.h>
#include <stdio.h>

#include "utils/common/card.h"
#include "utils/fragment/fragment.h"

struct status_robinnp {
	struct roc_card card;
	struct roc_robinnp_status status;
	struct fragment_list subs;
	uint64_t time; /* output_time() of the reading */
};

void status_robinnp_text(FILE *out, const struct status_robinnp *r, bool verbose, bool colours);
void status_robinnp_json(FILE *out, const struct status_robinnp *r);
void status_robinnp_influx(FILE *out, const struct status_robinnp *r);
void status_robinnp_prometheus(FILE *out, const struct status_robinnp *r);

/* A whole reading; see card_show_fn. */
int status_show_robinnp(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
			const struct card_request *request);

#endif
