/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-status of a card whose channels are streams or sub-units.
 */
#ifndef ROC_UTILS_CHANNEL_STATUS_H
#define ROC_UTILS_CHANNEL_STATUS_H

#include <roc/p40.h>
#include <roc/robinnp.h>

#include "utils/common/card.h"
#include "utils/fragment/fragment.h"
#include "utils/stream/stream.h"

struct status_streams {
	struct roc_card card;
	struct roc_p40_status status;
	unsigned int streams;
	struct roc_st_info stream[STREAMS_MAX];
	uint64_t time; /* output_time() of the reading */
};

struct status_fragments {
	struct roc_card card;
	struct roc_robinnp_status status;
	unsigned int subs;
	struct fragment_unit sub[FRAGMENT_SUBS_MAX];
	uint64_t time;
};

extern const struct output_forms status_streams_forms, status_fragments_forms;

/* A whole reading; see card_show_fn. */
int status_show_streams(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
			const struct card_request *request);
int status_show_fragments(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
			  const struct card_request *request);

#endif
