/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common parts of roc-fragment.
 *
 *	fragment.c		table of options, selection of the action
 *	fragment_run.c		reads fragment notifications, fetches some fragments and clears all
 *	fragment_check.c	checks every byte of a fragment
 *	fragment_report.c	results and cost of a run: live line, table, JSON
 *	fragment_stats.c	state of sub-units and links without opening a sub-unit
 *	fragment_set.c		settings
 */
#ifndef ROC_UTILS_FRAGMENT_H
#define ROC_UTILS_FRAGMENT_H

#include <roc/fragment.h>
#include <roc/robinnp.h>

#include "utils/channel/channel_tool.h"

#define FRAGMENT_SUBS_MAX 8
#define FRAGMENT_LINKS_MAX ROC_FRAGMENTS_LINKS_MAX /* per sub-unit */

/* Actions before enum channel_action. */
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

/* Expected contents of a sub-unit's generated fragments; a pure function of these members. */
struct fragment_check {
	uint32_t source;     /* source id of the card */
	uint32_t first_link; /* first link of the sub-unit, numbered per card */
	uint32_t page;	     /* largest size of a fragment in bytes */
	bool known;	     /* the generator settings, and so the sizes, are known */
	struct roc_robinnp_generator generator[FRAGMENT_LINKS_MAX];
	bool headers; /* check headers only */
	struct error_log *errors;
	uint64_t bytes; /* checked bytes */
};

void fragment_check_one(struct fragment_check *c, const struct roc_fragment_fetched *f);

/* Card counters of a link and of a sub-unit. */
struct fragment_link {
	unsigned int number; /* per card */
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
	uint32_t links; /* mask of the links that make an event complete */
	bool ended;
	uint64_t events, requested, incomplete;
	uint64_t bytes;	     /* fetched */
	uint64_t flushed_at; /* when a busy run last flushed its requests */
	uint64_t full;	     /* number of requests that found no space */
	uint32_t kept_most;  /* largest number of kept fragments */
	uint64_t latency_ns; /* longest time from a request to its data */
	struct fragment_counters before, after;
	bool counters_valid; /* both could be read */
	struct roc_fragments_counts counts;
	struct roc_fragments_damage damage;
	uint32_t lost; /* entries of the card's rings */
	struct roc_fr_info info;
};

/* Return an exit code. */
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
/*
 * Check that a sub-unit with @links links has all links of --links. Return an exit code, TOOL_USAGE
 * if not.
 */
int fragment_links_check(const struct fragment_options *o, unsigned int links);
/* @links: number of links of the sub-unit. Return 0 or a negative errno. */
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
