/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What roc-stream and roc-fragment share: options, runs, and the actions stats, set and reset.
 *
 *	channel_tool.c	stats, set and reset of all channels of a card, or of one
 *	channel_run.c	one run: why and when it ends, its live line, values of its report
 */
#ifndef ROC_UTILS_CHANNEL_TOOL_H
#define ROC_UTILS_CHANNEL_TOOL_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "utils/check/check.h"
#include "utils/common/card.h"
#include "utils/common/json.h"
#include "utils/common/options.h"
#include "utils/common/values.h"

#define CHANNEL_ALL UINT32_MAX /* as ROC_ST_ALL and ROC_FR_ALL */

/* First member of a tool's options. */
struct channel_options {
	struct common_options common;
	unsigned int action;
	const char *id;
	const char *name; /* of the channel; NULL: the first one, or all */
	bool json;

	uint64_t time;
	uint32_t stall_limit;
	bool busy;
	bool no_errorcheck;
	bool no_display;

	/* Of the generator. */
	struct given_number generator, rate;
	struct given_size size_min, size_max, first_event, limit;

	unsigned int level; /* of a reset */
};

#define CHANNEL_AT(values, option_name, option_type, member)                                       \
	.name = (option_name), .type = (option_type), .offset = offsetof(values, member)
/* A member with .given and .value that changes the card. */
#define CHANNEL_SETTING(values, actions, option_name, option_type, member, argument, text)         \
	CHANNEL_AT(values, option_name, option_type, member.value),                                \
		.given = offsetof(values, member.given), .arg = (argument), .only = (actions),     \
		.full = true, .help = (text)
#define CHANNEL_FLAG(values, actions, option_name, member, text)                                   \
	{                                                                                          \
		CHANNEL_AT(values, option_name, OPTION_FLAG, member), .only = (actions),           \
								      .help = (text)               \
	}
/* Entries of both tables. @values: the tool's structure, with a struct channel_options channel. */
#define CHANNEL_ACTION_OPTION(values, names)                                                       \
	{                                                                                          \
		CHANNEL_AT(values, "ACTION", OPTION_CHOICE, channel.action),                       \
			.word = true, .required = true, .choices = (names), .help = "What to do"   \
	}
#define CHANNEL_ID_OPTION(values)                                                                  \
	{                                                                                          \
		CHANNEL_AT(values, "id", OPTION_TEXT, channel.id), .arg = "ID", .required = true,  \
								   .full = true, .help = "Card"    \
	}
#define CHANNEL_STALL_OPTION(values, actions)                                                      \
	{                                                                                          \
		CHANNEL_AT(values, "stall-limit", OPTION_NUMBER, channel.stall_limit),             \
			.arg = "SECONDS", .fallback = "10", .only = (actions),                     \
			.help = "fail if nothing comes for so long, 0 = wait for ever"             \
	}
#define CHANNEL_BUSY_OPTIONS(values, actions)                                                      \
	CHANNEL_FLAG(values, actions, "busy", channel.busy,                                        \
		     "look again and again, and never sleep"),                                     \
		CHANNEL_FLAG(values, actions, "no-errorcheck", channel.no_errorcheck,              \
			     "check headers and sizes only")
#define CHANNEL_LEVEL_OPTION(values, actions, names)                                               \
	{                                                                                          \
		CHANNEL_AT(values, "level", OPTION_CHOICE, channel.level),                         \
			.arg = "LEVEL", .fallback = "counters", .choices = (names),                \
			.only = (actions), .full = true, .help = "how much"                        \
	}

/* A type of channel, as stats, set and reset need it. Each returns an exit code, or an errno. */
struct channel_type {
	const char *const *levels;
	int (*find)(struct roc_endpoint *ep, const char *name, unsigned int *number);
	int (*reset)(struct roc_endpoint *ep, unsigned int number, unsigned int level);

	/* stats: reads channel @only, or all for CHANNEL_ALL, then prints @list. */
	int (*list_read)(struct roc_endpoint *ep, const struct roc_card *card, unsigned int only,
			 void *list);
	void (*list_text)(FILE *out, const void *list, bool verbose, bool colours);
	void (*list_json)(struct json *j, const void *list);
	/* stats --live: rates since the call @seconds before; those of the first are not shown. */
	int (*live_line)(struct roc_endpoint *ep, unsigned int number, double seconds, char *line,
			 size_t size);

	/*
	 * set: first of the card. It counts the channels in @last and begins the output, in @j
	 * or, if that is NULL, as text. Then of each channel.
	 */
	int (*set_card)(struct roc_endpoint *ep, const struct roc_card *card, const void *options,
			struct json *j, unsigned int *last);
	int (*set)(struct roc_endpoint *ep, const struct roc_card *card, unsigned int number,
		   const void *options, struct json *j);
	const char *array; /* key of the channels in JSON */
};

/* Exit codes. @options: begin with struct channel_options. */
int channel_stats(const struct channel_options *o, const struct channel_type *type, void *list);
int channel_live(const struct channel_options *o, const struct channel_type *type);
int channel_set(const struct channel_options *o, const struct channel_type *type);
int channel_reset(const struct channel_options *o, const struct channel_type *type);

/* The object of a card. */
void channel_json_begin(struct json *j, const struct roc_card *card);

/* An option with .given and .value and where it goes in a structure of settings. */
struct channel_setting {
	size_t from, to;
	uint32_t bit;
	const char *name; /* of the option, a struct given_size; NULL: a struct given_number */
	bool wide;	  /* it goes into 64 bits */
};

/* Copy what was given, add its bits to @set. TOOL_USAGE after a message. */
int channel_settings(const struct channel_setting *settings, size_t count, const void *options,
		     void *to, uint32_t *set);

/* The generator's members that every card has. */
struct channel_generator {
	bool *running, *distributed;
	uint32_t *size_min, *size_max, *rate;
	uint64_t *limit;
};

bool channel_changes_generator(const struct channel_options *o);
void channel_change_generator(const struct channel_options *o, const struct channel_generator *g);
const char *channel_generator_name(bool running, bool distributed);
/* @size, or @now if it was not given. The card refuses what does not fit, with a message. */
uint32_t channel_word(const struct given_size *size, uint32_t now);

const char *channel_state_name(uint32_t state);
const char *channel_state_colour(uint32_t state);

/* Why a run ended. */
enum channel_end {
	CHANNEL_END_NONE,
	CHANNEL_END_BYTES,
	CHANNEL_END_PACKETS,
	CHANNEL_END_EVENTS,
	CHANNEL_END_TIME,
	CHANNEL_END_SIGNAL,
	CHANNEL_END_STALL,
	CHANNEL_END_FAILED,
};

/* First member of a tool's run. */
struct channel_run {
	const struct channel_options *opt;
	struct roc_card card;
	struct error_log errors;
	bool live;
	enum channel_end end;
	char failure[512];
	uint64_t start, finish; /* CLOCK_MONOTONIC ns */
	uint64_t progress;	/* when data came last */
	uint64_t waits;		/* system calls */
	uint64_t tick;		/* when the next live line is due */
	struct {
		uint64_t amount, time;
	} shown; /* by the last live line */
};

/* The first failure is the one that counts. */
void channel_fail(struct channel_run *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A channel does not deliver data any more. @called: "The stream". */
void channel_explain(struct channel_run *r, const char *called, uint32_t state, uint32_t reason);
/* Find the card and prepare the error log and the live line. Exit code. */
int channel_run_prepare(struct channel_run *r, const struct channel_options *o, bool shown);
void channel_run_begin(struct channel_run *r, uint64_t now);
/* @reached: a limit of the tool itself, else CHANNEL_END_NONE. Sets r->end. */
bool channel_run_finished(struct channel_run *r, uint64_t now, enum channel_end reached);
/* Is a live line due? Once a second. */
bool channel_run_tick(struct channel_run *r, uint64_t now);
/* Time of the run, and @amount per second since the line before. */
double channel_live_rate(struct channel_run *r, uint64_t now, uint64_t amount, char time[32]);
void channel_live_end(struct channel_run *r);

/* Values of a report; @o is a struct channel_run. */
double channel_per(double amount, double count); /* NAN: of nothing */
double channel_seconds(const void *o);
const char *channel_end_name(const void *o);
const char *channel_failure(const void *o);
const char *channel_errors(const void *o); /* their number, "not checked" */
void channel_checked_json(struct json *j, const void *o);
/* A report of @r, which begins with a struct channel_run. */
void channel_report_text(FILE *out, const struct values *report, const struct channel_run *r);
void channel_report_json(FILE *out, const struct values *report, const struct channel_run *r);

/* Parts of a run. Exit codes; after a failure the message is out. */
struct channel_run_ops {
	int (*prepare)(struct channel_run *r);
	void (*take)(struct channel_run *r);
	int (*verdict)(struct channel_run *r);
	void (*close)(struct channel_run *r);
};

/* @report: NULL: there is none, and the run ends with the program that reads its output. */
int channel_run(struct channel_run *r, const struct channel_options *o,
		const struct channel_run_ops *ops, const struct values *report);

#endif
