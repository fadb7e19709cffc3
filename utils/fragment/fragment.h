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

#include "utils/channel/channel_tool.h"

#define FRAGMENT_SUBS_MAX 8
#define FRAGMENT_LINKS_MAX ROC_FRAGMENTS_LINKS_MAX /* of a sub-unit */

/* Before enum channel_action. */
enum fragment_action {
	FRAGMENT_RUN,
	FRAGMENT_ACTIONS
};

struct fragment_options {
	struct channel_options channel;

	struct given_number links;
	uint32_t percent;
	uint64_t events;
	uint32_t whole_within;
	uint64_t page, pages, host_page, memory, commands;
	uint32_t batch;

	struct given_number data_count, data_time, done_count, done_time;
};

/* What generated fragments of a sub-unit must be; a pure function of these. */
struct fragment_check {
	uint32_t source;     /* of the card */
	uint32_t first_link; /* of the sub-unit in the card */
	uint32_t page;	     /* bytes that a fragment has at most */
	bool known;	     /* the generators, and so the sizes */
	struct roc_robinnp_generator generator[FRAGMENT_LINKS_MAX];
	bool headers; /* no more than these */
	struct error_log *errors;
	uint64_t bytes; /* that were looked at */
};

void fragment_check_one(struct fragment_check *c, const struct roc_fragment_fetched *f);

/* What the card counts of a sub-unit. */
struct fragment_link {
	unsigned int number; /* in the card */
	struct roc_robinnp_link counts;
};

struct fragment_counters {
	struct roc_robinnp_sub sub;
	unsigned int links;
	struct fragment_link link[FRAGMENT_LINKS_MAX];
};

/* One run. Owned by fragment_run(). */
struct fragment_run {
	struct channel_run run;
	const struct fragment_options *opt;
	const struct fragment_registers *registers;
	struct roc_endpoint *ep;
	struct roc_fragments *f;
	struct roc_memory memory;
	struct fragment_check check;
	uint32_t links; /* mask of those that make an event whole */
	bool ended;
	uint64_t events, requested, incomplete;
	uint64_t bytes;	     /* fetched */
	uint64_t flushed_at; /* when a busy run last flushed its requests */
	uint64_t full;	     /* times that a request found no room */
	uint32_t kept_most;  /* fragments, at any time */
	uint64_t latency_ns; /* longest from a request to its data */
	struct fragment_counters before, after;
	bool counters_valid; /* both could be read */
	struct roc_fragments_counts counts;
	struct roc_fragments_damage damage;
	uint32_t lost; /* entries of the card's rings */
	struct roc_fr_info info;
};

/* Exit codes. */
int fragment_run(const void *options);

/* fragment_report.c */
void fragment_live(struct fragment_run *r, uint64_t now);
extern const struct values fragment_report;

/* Sub-units, each a struct fragment_unit. */
extern const struct channel_type fragment_channels;

struct fragment_unit {
	struct roc_fr_info info;
	struct fragment_counters counters;
};

/* fragment_stats.c */
/* The sub-unit has @links: are those of --links among them? Exit code, TOOL_USAGE if not. */
int fragment_links_check(const struct fragment_options *o, unsigned int links);
/* @links: of the sub-unit. 0 or a negative errno. */
int fragment_counters_read(struct roc_endpoint *ep, const struct fragment_registers *registers,
			   unsigned int sub, unsigned int links, struct fragment_counters *b);
/* See struct channel_type. */
extern const struct values fragment_stats;
int fragment_read(struct roc_endpoint *ep, const struct roc_card *card, unsigned int number,
		  void *unit);
void fragment_links_text(FILE *out, const void *units, unsigned int count, bool verbose,
			 bool colours);

/* fragment_set.c; see struct channel_type */
int fragment_driver_settings(const struct fragment_options *o, struct roc_fr_settings *s);
int fragment_set_card(struct roc_endpoint *ep, const struct roc_card *card, const void *options,
		      struct json *j, unsigned int *last);
int fragment_set_one(struct roc_endpoint *ep, const struct roc_card *card, unsigned int number,
		     const void *options, struct json *j);
void fragment_settings_text(FILE *out, const char *sub, const struct roc_fr_settings *s,
			    unsigned int links, const struct roc_robinnp_generator *g);
void fragment_settings_json(struct json *j, const struct roc_fr_settings *s, unsigned int links,
			    const struct roc_robinnp_generator *g);

#endif
