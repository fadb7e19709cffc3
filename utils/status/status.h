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
void status_text(FILE *out, const struct status_report *r, bool verbose, bool colours);
void status_json(FILE *out, const struct status_report *r);
void status_influx(FILE *out, const struct status_report *r);
void status_prometheus(FILE *out, const struct status_report *r);

/* The C-RORC. */
struct status_crorc {
	struct roc_card card;
	struct roc_crorc_status status;
	struct channels channels;
	uint64_t time;
};

void status_crorc_text(FILE *out, const struct status_crorc *r, bool verbose, bool colours);
void status_crorc_json(FILE *out, const struct status_crorc *r);
void status_crorc_influx(FILE *out, const struct status_crorc *r);
void status_crorc_prometheus(FILE *out, const struct status_crorc *r);

/* A whole reading of each card; see card_show_fn. */
int status_show_cru(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		    const struct card_request *request);
int status_show_crorc(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		      const struct card_request *request);

/* Texts that several forms use. */
const char *status_clock(const struct status_report *r);
void status_gbt_mode(const struct roc_cru_link_status *link, char text[16]);

#endif
