/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-status shows a PCIe40.
 */
#ifndef ROC_UTILS_P40_STATUS_H
#define ROC_UTILS_P40_STATUS_H

#include <roc/p40.h>

#include <stdbool.h>
#include <stdio.h>

#include "utils/common/card.h"
#include "utils/stream/stream.h"

struct status_p40 {
	struct roc_card card;
	struct roc_p40_status status;
	struct stream_list streams;
	uint64_t time; /* output_time() of the reading */
};

void status_p40_text(FILE *out, const struct status_p40 *r, bool verbose, bool colours);
void status_p40_json(FILE *out, const struct status_p40 *r);
void status_p40_influx(FILE *out, const struct status_p40 *r);
void status_p40_prometheus(FILE *out, const struct status_p40 *r);

/* A whole reading; see card_show_fn. */
int status_show_p40(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		    const struct card_request *request);

#endif
