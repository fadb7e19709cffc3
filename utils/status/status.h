/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports of the tools that show the state of a card, and their printers.
 */
#ifndef ROC_UTILS_STATUS_H
#define ROC_UTILS_STATUS_H

#include <roc/crorc.h>
#include <roc/cru.h>
#include <roc/p40.h>
#include <roc/robinnp.h>

#include <stdbool.h>
#include <stdio.h>

#include "utils/common/card.h"
#include "utils/common/channels.h"
#include "utils/common/json.h"
#include "utils/fragment/fragment.h"
#include "utils/stream/stream.h"

/* roc-status, and the status report of roc-config */
struct status_report {
	struct roc_card card;
	struct roc_cru_status cru;
	struct channels channels;
	uint64_t time; /* output_time() when it was read */
};

/* @verbose: also the packet counters of links, and more counters of channels. */
extern const struct output_forms status_forms;

/* roc-status of a C-RORC */
struct status_crorc {
	struct roc_card card;
	struct roc_crorc_status status;
	struct channels channels;
	uint64_t time;
};

extern const struct output_forms status_crorc_forms;

/* Read and print the complete status of a card; see card_show_fn. */
int status_show_cru(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		    const struct card_request *request);
int status_show_crorc(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		      const struct card_request *request);

/* roc-status of a card with streams or sub-units */
struct status_streams {
	struct roc_card card;
	struct roc_p40_status status;
	unsigned int streams;
	struct roc_st_info stream[STREAMS_MAX];
	uint64_t time; /* output_time() when it was read */
};

struct status_fragments {
	struct roc_card card;
	struct roc_robinnp_status status;
	unsigned int subs;
	struct fragment_unit sub[FRAGMENT_SUBS_MAX];
	uint64_t time;
};

extern const struct output_forms status_streams_forms, status_fragments_forms;

/* Read and print the complete status; see card_show_fn. */
int status_show_streams(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
			const struct card_request *request);
int status_show_fragments(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
			  const struct card_request *request);

/* roc-pkt-monitor */
struct packets_report {
	struct roc_card card;
	struct roc_cru_packets packets;
	uint64_t time; /* output_time() when it was read */
};

extern const struct output_forms packets_forms;

/* roc-pkt-monitor of a C-RORC */
struct packets_crorc {
	struct roc_card card;
	struct roc_crorc_packets packets;
	uint64_t time;
};

extern const struct output_forms packets_crorc_forms;

/* Read and print all packet counters of a card; see card_show_fn. */
int packets_show_cru(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		     const struct card_request *request);
int packets_show_crorc(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		       const struct card_request *request);

/* roc-siu-status */
struct siu_report {
	struct roc_card card;
	unsigned int channel;
	struct roc_crorc_siu siu;
	const char *failure; /* why the status is incomplete; NULL: it is complete */
};

void siu_text(FILE *out, const struct siu_report *r);
void siu_json(FILE *out, const struct siu_report *r);

/* roc-trig-monitor */
struct triggers_report {
	struct roc_card card;
	struct roc_cru_triggers counts;
	struct roc_cru_trigger_rates rates;
	uint64_t time; /* output_time() of the later reading */
};

/*
 * Sleep for @seconds, then fill in @r->counts and @r->rates, the mean rates since @before. @before
 * becomes the last reading. Counters may wrap in between. Return 0, -EINTR after a signal, or -EIO
 * with the message in roc_error().
 */
int triggers_measure(struct roc_endpoint *ep, uint32_t seconds, struct roc_cru_triggers *before,
		     struct triggers_report *r);

void triggers_head(FILE *out, const struct triggers_report *r);
void triggers_text(FILE *out, const struct triggers_report *r); /* one line without its end */
void triggers_json(struct json *j, const struct triggers_report *r);
void triggers_influx(FILE *out, const struct triggers_report *r);
void triggers_prometheus(FILE *out, const struct triggers_report *r);

#endif
