/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-fragment: what its parts share.
 *
 *	fragment.c		the table of options, and which part does what is asked for
 *	fragment_run.c		takes fragments in, fetches some and clears all
 *	fragment_check.c	is every byte right
 *	fragment_report.c	what a run was and what it cost: live line, table, JSON
 *	fragment_stats.c	how the sub-units and links of a card are, from outside
 *	fragment_set.c		settings
 */
#ifndef ROC_UTILS_FRAGMENT_H
#define ROC_UTILS_FRAGMENT_H

#include <roc/fragment.h>
#include <roc/robinnp.h>

#include <stdbool.h>
#include <stdio.h>

#include "utils/common/json.h"
#include "utils/common/options.h"
#include "utils/check/error_log.h"

#define FRAGMENT_CARD_LINKS (ROC_ROBINNP_SUBS * ROC_ROBINNP_LINKS)

enum fragment_action {
	FRAGMENT_RUN,
	FRAGMENT_STATS,
	FRAGMENT_SET,
	FRAGMENT_RESET_CARD,
};

struct fragment_options {
	struct common_options common;
	unsigned int action; /* enum fragment_action */
	const char *id;
	const char *sub;
	bool json;

	struct given_number links;
	uint32_t percent;
	uint64_t events;
	uint64_t time;
	uint32_t stall_limit;
	uint32_t whole_within;
	uint64_t page, pages, host_page, memory, commands;
	uint32_t batch;
	bool busy;
	bool no_errorcheck;
	bool no_display;

	struct given_number generator, rate;
	struct given_size size_min, size_max, first_event, limit;
	struct given_number data_count, data_time, done_count, done_time;

	unsigned int level;
};

/* What generated fragments of a sub-unit must be; a pure function of these. */
struct fragment_check {
	uint32_t source;     /* of the card */
	uint32_t first_link; /* of the sub-unit in the card */
	uint32_t page;	     /* bytes that a fragment has at most */
	bool known;	     /* the generators, and so the sizes */
	struct roc_robinnp_generator generator[ROC_ROBINNP_LINKS];
	bool headers; /* no more than these */
	struct error_log *errors;
	uint64_t bytes; /* that were looked at */
};

void fragment_check_one(struct fragment_check *c, const struct roc_fragment_fetched *f);

/* What the card counts of a sub-unit. */
struct fragment_books {
	struct roc_robinnp_sub sub;
	struct roc_robinnp_link link[ROC_ROBINNP_LINKS];
};

/* Why it ended. */
enum fragment_end {
	FRAGMENT_END_EVENTS,
	FRAGMENT_END_TIME,
	FRAGMENT_END_SIGNAL,
	FRAGMENT_END_STALL,
	FRAGMENT_END_FAILED,
};

/* One run. Owned by fragment_run(). */
struct fragment_run {
	const struct fragment_options *opt;
	struct roc_card card;
	struct roc_endpoint *ep;
	struct roc_fragments *f;
	struct roc_memory memory;
	struct fragment_check check;
	struct error_log errors;
	uint32_t links; /* mask of those that make an event whole */
	bool live;
	bool ended;
	enum fragment_end end;
	char failure[512];
	uint64_t start, finish; /* CLOCK_MONOTONIC ns */
	uint64_t progress;	/* when fragments or requests that are done came last */
	uint64_t events, requested, incomplete;
	uint64_t bytes;	     /* fetched */
	uint64_t told;	     /* when a busy run flushed requests last */
	uint64_t full;	     /* times that a request found no room */
	uint64_t waits;	     /* system calls */
	uint32_t kept_most;  /* fragments, at any time */
	uint64_t latency_ns; /* longest from a request to its data */
	struct fragment_books before, after;
	bool books; /* both could be read */
	struct roc_fragments_counts counts;
	struct roc_fragments_damage damage;
	uint32_t lost; /* entries of the card's rings */
	struct roc_fr_info info;
};

/* Exit codes. */
int fragment_run(const struct fragment_options *o);
int fragment_stats(const struct fragment_options *o);
int fragment_set(const struct fragment_options *o);

/* fragment_report.c */
void fragment_live(struct fragment_run *r, uint64_t now);
void fragment_live_end(struct fragment_run *r);
void fragment_report_text(FILE *out, const struct fragment_run *r);
void fragment_report_json(FILE *out, const struct fragment_run *r);

/* fragment_stats.c: all of a card, for other tools, too */
struct fragment_list {
	struct roc_card card;
	unsigned int count;
	struct roc_fr_info info[ROC_ROBINNP_SUBS];
	struct fragment_books books[ROC_ROBINNP_SUBS];
};

int fragment_books_read(struct roc_endpoint *ep, unsigned int sub, struct fragment_books *b);
int fragment_list_read(struct roc_endpoint *ep, const struct roc_card *card,
		       struct fragment_list *l);
void fragment_list_text(FILE *out, const struct fragment_list *l, bool verbose, bool colours);
void fragment_list_json(struct json *j, const struct fragment_list *l);

/* fragment_set.c */
void fragment_settings_text(FILE *out, const char *sub, const struct roc_fr_settings *s,
			    unsigned int links, const struct roc_robinnp_generator *g);
void fragment_settings_json(struct json *j, const struct roc_fr_settings *s, unsigned int links,
			    const struct roc_robinnp_generator *g);

#endif
