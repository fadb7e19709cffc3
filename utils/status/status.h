/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-status shows what it read; roc-config has a status report in the same form.
 */
#ifndef ROC_UTILS_STATUS_H
#define ROC_UTILS_STATUS_H

#include <roc/crorc.h>
#include <roc/cru.h>

#include <stdbool.h>
#include <stdio.h>

#include "utils/common/card.h"
#include "utils/common/channels.h"

struct status_report {
	struct roc_card card;
	struct roc_cru_status cru;
	struct channels channels;
	uint64_t time; /* output_time() of the reading */
};

/* @verbose: packet counters of the links, and more of the channels. */
extern const struct output_forms status_forms;

/* The C-RORC. */
struct status_crorc {
	struct roc_card card;
	struct roc_crorc_status status;
	struct channels channels;
	uint64_t time;
};

extern const struct output_forms status_crorc_forms;

/* A whole reading of each card; see card_show_fn. */
int status_show_cru(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		    const struct card_request *request);
int status_show_crorc(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		      const struct card_request *request);

#endif
