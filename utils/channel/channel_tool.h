/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What roc-stream and roc-fragment share: options, runs, and the actions stats, set and reset. What
 * differs between the types of channel is in struct channel_type.
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

/* Actions of a tool: its own ones, which take data, then these. */
enum channel_action {
	CHANNEL_STATS,
	CHANNEL_SET,
	CHANNEL_RESET,
};

#define CHANNEL_ACTION_NAMES "stats", "set", "reset", NULL
/* Bit of an action in struct option_spec.only, behind @own others. */
#define CHANNEL_FOR(own, action) (1u << ((own) + (action)))

/* First member of a tool's options. */
struct channel_options {
	struct common_options common;
	unsigned int action;
	const char *id;
	const char *name; /* of the channel; NULL: the first one, or all */
	bool json;
	bool live; /* stats: a line of rates each second */

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

extern const char *const channel_generators[];

/* Of a tool's table of options; @actions: bits of those that take the option. */
#define CHANNEL_AT(values, option_name, option_type, member)                                       \
	.name = (option_name), .type = (option_type), .offset = offsetof(values, member)
/* A member with .given and .value that changes the card. */
#define CHANNEL_SETTING(values, actions, option_name, option_type, member, argument, text)         \
	CHANNEL_AT(values, option_name, option_type, member.value),                                \
		.given = offsetof(values, member.given), .arg = (argument), .only = (actions),     \
		.full = true, .help = (text)

/* Members of struct channel_options. */
#define CHANNEL_OPTION(option_name, option_type, member)                                           \
	CHANNEL_AT(struct channel_options, option_name, option_type, member)
#define CHANNEL_FLAG(actions, option_name, member, text)                                           \
	{                                                                                          \
		CHANNEL_OPTION(option_name, OPTION_FLAG, member), .only = (actions),               \
								  .help = (text)                   \
	}
#define CHANNEL_GENERATOR(actions, option_name, option_type, member, argument, text)               \
	{                                                                                          \
		CHANNEL_SETTING(struct channel_options, actions, option_name, option_type, member, \
				argument, text)                                                    \
	}

/* The first entries: action, card, channel. */
#define CHANNEL_OPTIONS(names, channel_name, channel_help)                                         \
	{CHANNEL_OPTION("ACTION", OPTION_CHOICE, action), .word = true, .required = true,          \
	 .choices = (names), .help = "What to do"},                                                \
		{CHANNEL_OPTION("id", OPTION_TEXT, id), .arg = "ID", .required = true,             \
		 .full = true, .help = "Card"},                                                    \
		{CHANNEL_OPTION(channel_name, OPTION_TEXT, name), .arg = "NAME", .full = true,     \
		 .help = (channel_help)},                                                          \
		FLAG_OPTION(struct channel_options, "json", json, "Print the result as JSON")
#define CHANNEL_TIME_OPTIONS(runs, actions, more)                                                  \
	{CHANNEL_OPTION("time", OPTION_TIME, time), .arg = "TIME", .only = (actions),              \
	 .help = "stop after this time, as in 5h30m10s (never)" more},                             \
	{                                                                                          \
		CHANNEL_OPTION("stall-limit", OPTION_NUMBER, stall_limit),                         \
			.arg = "SECONDS", .fallback = "10", .only = (runs),                        \
			.help = "fail if nothing comes for so long, 0 = wait for ever"             \
	}
#define CHANNEL_RUN_OPTIONS(runs, shown)                                                           \
	CHANNEL_FLAG(runs, "busy", busy, "poll continuously, never sleep"),                        \
		CHANNEL_FLAG(runs, "no-errorcheck", no_errorcheck,                                 \
			     "check headers and sizes only"),                                      \
		CHANNEL_FLAG(shown, "no-display", no_display, "no live line")
/* @what it makes, their @sizes, and its @rate if that is 0. */
#define CHANNEL_GENERATOR_OPTIONS(actions, what, sizes, at_rate_0)                                 \
	{CHANNEL_SETTING(struct channel_options, actions, "generator", OPTION_CHOICE, generator,   \
			 "MODE", "makes " what " without a detector"),                             \
	 .choices = channel_generators},                                                           \
		CHANNEL_GENERATOR(actions, "fragment-min", OPTION_SIZE, size_min, "SIZE",          \
				  "bytes of its fragments, " sizes),                               \
		CHANNEL_GENERATOR(actions, "fragment-max", OPTION_SIZE, size_max, "SIZE",          \
				  "of the largest, if they are distributed"),                      \
		CHANNEL_GENERATOR(actions, "event-rate", OPTION_NUMBER, rate, "N",                 \
				  "its events per second, 0 = as fast as " at_rate_0)
#define CHANNEL_EVENT_OPTIONS(actions, more)                                                       \
	CHANNEL_GENERATOR(actions, "first-event", OPTION_SIZE, first_event, "N",                   \
			  "its first event id" more),                                              \
		CHANNEL_GENERATOR(actions, "event-limit", OPTION_SIZE, limit, "N",                 \
				  "it stops after so many events, 0 = never")
#define CHANNEL_LEVEL_OPTION(actions, names)                                                       \
	{                                                                                          \
		CHANNEL_OPTION("level", OPTION_CHOICE, level),                                     \
			.arg = "LEVEL", .fallback = "counters", .choices = (names),                \
			.only = (actions), .full = true, .help = "how much"                        \
	}

/*
 * A type of channel. @options: the tool's, which begin with struct channel_options. Functions
 * return an exit code after a message, if no other is named.
 */
struct channel_type {
	unsigned int own; /* actions of the tool, before enum channel_action */
	int (*take)(const void *options);

	int (*find)(struct roc_endpoint *ep, const char *name, unsigned int *number);
	const char *const *levels;
	int (*reset)(struct roc_endpoint *ep, unsigned int number, unsigned int level); /* errno */

	/* stats: a channel is a structure of @size bytes; a card has @most. */
	unsigned int most;
	size_t size;
	const struct values *values;
	const char *array; /* key of the channels in JSON */
	/* -ENOENT, without a message: there is none with this number. */
	int (*read)(struct roc_endpoint *ep, const struct roc_card *card, unsigned int number,
		    void *channel);
	/* A second table behind that of the channels; NULL: there is none. */
	void (*parts_text)(FILE *out, const void *channels, unsigned int count, bool verbose,
			   bool colours);
	/* stats --live: rates since the call @seconds before; those of the first are not shown. */
	int (*live_line)(struct roc_endpoint *ep, unsigned int number, double seconds, char *line,
			 size_t size);

	/* set: do the options go together? It is asked before a card is opened. */
	int (*set_check)(const void *options);
	/*
	 * Then of the card. It counts the channels in @last and begins the output, in @j or, if
	 * that is NULL, as text. Then of each channel.
	 */
	int (*set_card)(struct roc_endpoint *ep, const struct roc_card *card, const void *options,
			struct json *j, unsigned int *last);
	int (*set)(struct roc_endpoint *ep, const struct roc_card *card, unsigned int number,
		   const void *options, struct json *j);
};

/* Values of stats. @INFO: VALUE() of a member of struct roc_st_info or struct roc_fr_info. */
#define CHANNEL_STATE_VALUES(INFO)                                                                 \
	{INFO(state), .name = "State", .key = "state", .name_of = channel_state_name,              \
	 .colour_of = channel_state_colour},                                                       \
	{                                                                                          \
		INFO(owner), .name = "Owner", .key = "ownerPid", .no_0 = true                      \
	}
#define CHANNEL_DRIVER_VALUES(INFO)                                                                \
	{INFO(missed_interrupts), .name = ">Missed", .key = "missedInterrupts", .verbose = true,   \
	 .error = true},                                                                           \
		{INFO(spurious_interrupts), .key = "spuriousInterrupts"},                          \
		{INFO(arms), .name = ">Arms", .key = "arms", .verbose = true},                     \
		{INFO(doorbells), .name = ">Doorbells", .key = "doorbells", .verbose = true},      \
		{INFO(wakes), .key = "wakes"},                                                     \
		{INFO(mmio_reads), .name = ">Reads", .key = "mmioReads", .verbose = true},         \
		{INFO(mmio_writes), .key = "mmioWrites"},                                          \
	{                                                                                          \
		INFO(bad_index), .name = ">Bad index", .key = "badIndex", .verbose = true,         \
				 .error = true                                                     \
	}

/* Do what @o asks for. Exit code. */
int channel_tool(const struct channel_options *o, const struct channel_type *type);

/*
 * Read channel @only, or all for CHANNEL_ALL. @channels: type->most of type->size bytes. Exit code;
 * after a failure the message is out.
 */
int channel_list_read(const struct channel_type *type, struct roc_endpoint *ep,
		      const struct roc_card *card, unsigned int only, void *channels,
		      unsigned int *count);
void channel_list_text(FILE *out, const struct channel_type *type, const void *channels,
		       unsigned int count, bool verbose, bool colours);
void channel_list_json(struct json *j, const struct channel_type *type, const void *channels,
		       unsigned int count);

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
double channel_rate(const void *o, double amount); /* per second of the run */
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
