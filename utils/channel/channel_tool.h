/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common parts of roc-stream and roc-fragment: options, runs, and the actions stats, set and reset.
 * struct channel_type has the differences between channel types.
 *
 *	channel_tool.c	stats, set and reset of all channels of a card, or of one
 *	channel_run.c	one run: end conditions, live line, values of the report
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

#define CHANNEL_ALL UINT32_MAX /* same value as ROC_ST_ALL and ROC_FR_ALL */

/* Actions of a tool: its own data-taking actions come first, then these. */
enum channel_action {
	CHANNEL_STATS,
	CHANNEL_SET,
	CHANNEL_RESET,
};

#define CHANNEL_ACTION_NAMES "stats", "set", "reset", NULL
/* Bit of an action in struct option_spec.only; the tool has @own actions before these. */
#define CHANNEL_FOR(own, action) (1u << ((own) + (action)))

/* First member of a tool's options. */
struct channel_options {
	struct common_options common;
	unsigned int action;
	const char *id;
	const char *name; /* of the channel; NULL: the first one, or all */
	bool json;
	bool live; /* stats: print a line of rates every second */

	uint64_t time;
	uint32_t stall_limit;
	bool busy;
	bool no_errorcheck;
	bool no_display;

	/* Generator settings. */
	struct given_number generator, rate;
	struct given_size size_min, size_max, first_event, limit;

	unsigned int level; /* reset level */
};

extern const char *const channel_generators[];

/* Option table entries. @actions: bits of the actions that accept the option. */
#define CHANNEL_AT(values, option_name, option_type, member)                                       \
	.name = (option_name), .type = (option_type), .offset = offsetof(values, member)
/* A member with .given and .value; the option changes the card. */
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
	 .choices = (names), .help = "Select the action"},                                         \
		{CHANNEL_OPTION("id", OPTION_TEXT, id), .arg = "ID", .required = true,             \
		 .full = true, .help = "Select the card"},                                         \
		{CHANNEL_OPTION(channel_name, OPTION_TEXT, name), .arg = "NAME", .full = true,     \
		 .help = (channel_help)},                                                          \
		FLAG_OPTION(struct channel_options, "json", json, "Print the result as JSON")
#define CHANNEL_TIME_OPTIONS(runs, actions, more)                                                  \
	{CHANNEL_OPTION("time", OPTION_TIME, time), .arg = "TIME", .only = (actions),              \
	 .help = "stop after this time, as in 5h30m10s (default: never)" more},                    \
	{                                                                                          \
		CHANNEL_OPTION("stall-limit", OPTION_NUMBER, stall_limit),                         \
			.arg = "SECONDS", .fallback = "10", .only = (runs),                        \
			.help = "fail if no data arrive within this time, 0 = never"               \
	}
#define CHANNEL_RUN_OPTIONS(runs, shown)                                                           \
	CHANNEL_FLAG(runs, "busy", busy, "poll continuously instead of sleeping"),                 \
		CHANNEL_FLAG(runs, "no-errorcheck", no_errorcheck,                                 \
			     "check only headers and sizes"),                                      \
		CHANNEL_FLAG(shown, "no-display", no_display, "do not show the live line")
/* @what: generated objects, @sizes: their sizes, @at_rate_0: what limits the rate if it is 0. */
#define CHANNEL_GENERATOR_OPTIONS(actions, what, sizes, at_rate_0)                                 \
	{CHANNEL_SETTING(struct channel_options, actions, "generator", OPTION_CHOICE, generator,   \
			 "MODE", "generate " what " without a detector"),                          \
	 .choices = channel_generators},                                                           \
		CHANNEL_GENERATOR(actions, "fragment-min", OPTION_SIZE, size_min, "SIZE",          \
				  "set the fragment size of the generator, " sizes),               \
		CHANNEL_GENERATOR(actions, "fragment-max", OPTION_SIZE, size_max, "SIZE",          \
				  "set the largest fragment size for --generator=distributed"),    \
		CHANNEL_GENERATOR(                                                                 \
			actions, "event-rate", OPTION_NUMBER, rate, "N",                           \
			"set the events per second of the generator, 0 = as fast as " at_rate_0)
#define CHANNEL_EVENT_OPTIONS(actions, more)                                                       \
	CHANNEL_GENERATOR(actions, "first-event", OPTION_SIZE, first_event, "N",                   \
			  "set the first event id of the generator" more),                         \
		CHANNEL_GENERATOR(actions, "event-limit", OPTION_SIZE, limit, "N",                 \
				  "stop the generator after this many events, 0 = never")
#define CHANNEL_LEVEL_OPTION(actions, names)                                                       \
	{                                                                                          \
		CHANNEL_OPTION("level", OPTION_CHOICE, level),                                     \
			.arg = "LEVEL", .fallback = "counters", .choices = (names),                \
			.only = (actions), .full = true, .help = "select the reset level"          \
	}

/*
 * A channel type. @options: the tool's options, which begin with struct channel_options. Unless
 * documented otherwise, functions return an exit code and report their failures.
 */
struct channel_type {
	unsigned int own; /* number of the tool's own actions, before enum channel_action */
	int (*take)(const void *options);

	int (*find)(struct roc_endpoint *ep, const char *name, unsigned int *number);
	const char *const *levels;
	int (*reset)(struct roc_endpoint *ep, unsigned int number, unsigned int level); /* -errno */

	/* stats: a channel is a structure of @size bytes; a card has at most @most. */
	unsigned int most;
	size_t size;
	const struct values *values;
	const char *array; /* JSON key of the channels */
	/* Return -ENOENT without a message if the card has no channel @number. */
	int (*read)(struct roc_endpoint *ep, const struct roc_card *card, unsigned int number,
		    void *channel);
	/* Print a second table after that of the channels; NULL: none. */
	void (*parts_text)(FILE *out, const void *channels, unsigned int count, bool verbose,
			   bool colours);
	/*
	 * stats --live: format the rates since the previous call, @seconds ago. The first call only
	 * records the counters.
	 */
	int (*live_line)(struct roc_endpoint *ep, unsigned int number, double seconds, char *line,
			 size_t size);

	/* set: check whether the options can be combined, before a card is opened. */
	int (*set_check)(const void *options);
	/*
	 * set: apply the settings of the card, then of each channel. @set_card stores the number of
	 * channels in @last and starts the output, in @j or, if that is NULL, as text.
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

/* Run the action in @o. Return an exit code. */
int channel_tool(const struct channel_options *o, const struct channel_type *type);

/*
 * Read channel @only, or all for CHANNEL_ALL. @channels: type->most structures of type->size bytes.
 * Return an exit code; a failure has been reported.
 */
int channel_list_read(const struct channel_type *type, struct roc_endpoint *ep,
		      const struct roc_card *card, unsigned int only, void *channels,
		      unsigned int *count);
void channel_list_text(FILE *out, const struct channel_type *type, const void *channels,
		       unsigned int count, bool verbose, bool colours);
void channel_list_json(struct json *j, const struct channel_type *type, const void *channels,
		       unsigned int count);

/* Start the JSON object of a card. */
void channel_json_begin(struct json *j, const struct roc_card *card);

/* Offset of an option with .given and .value, and of its value in a structure of settings. */
struct channel_setting {
	size_t from, to;
	uint32_t bit;
	const char *name; /* of the option, a struct given_size; NULL: a struct given_number */
	bool wide;	  /* the setting has 64 bits */
};

/*
 * Copy the options that were given and add their bits to @set. Return TOOL_USAGE after a message.
 */
int channel_settings(const struct channel_setting *settings, size_t count, const void *options,
		     void *to, uint32_t *set);

/* Generator settings that every card has. */
struct channel_generator {
	bool *running, *distributed;
	uint32_t *size_min, *size_max, *rate;
	uint64_t *limit;
};

bool channel_changes_generator(const struct channel_options *o);
void channel_change_generator(const struct channel_options *o, const struct channel_generator *g);
const char *channel_generator_name(bool running, bool distributed);
/*
 * Return @size, or @now if it was not given. A value above UINT32_MAX becomes UINT32_MAX, which the
 * card rejects with a message.
 */
uint32_t channel_value32(const struct given_size *size, uint32_t now);

const char *channel_state_name(uint32_t state);
const char *channel_state_colour(uint32_t state);

/* Reason for the end of a run. */
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
	uint64_t progress;	/* time of the last data */
	uint64_t waits;		/* system calls */
	uint64_t tick;		/* when the next live line is due */
	struct {
		uint64_t amount, time;
	} shown; /* state at the last live line */
};

/* Record a failure; the first one is kept. */
void channel_fail(struct channel_run *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Record why a channel delivers no more data. @called: "The stream". */
void channel_explain(struct channel_run *r, const char *called, uint32_t state, uint32_t reason);
/* Find the card; prepare the error log and the live line. Return an exit code. */
int channel_run_prepare(struct channel_run *r, const struct channel_options *o, bool shown);
void channel_run_begin(struct channel_run *r, uint64_t now);
/*
 * Check the end conditions and set r->end. @reached: limit that the tool itself found reached, else
 * CHANNEL_END_NONE.
 */
bool channel_run_finished(struct channel_run *r, uint64_t now, enum channel_end reached);
/* Return true once per second, when a live line is due. */
bool channel_run_tick(struct channel_run *r, uint64_t now);
/* Return @amount per second since the previous line; format the time of the run. */
double channel_live_rate(struct channel_run *r, uint64_t now, uint64_t amount, char time[32]);
void channel_live_end(struct channel_run *r);

/* Values of a report; @o is a struct channel_run. */
double channel_per(double amount, double count); /* NAN if @count is 0 */
double channel_seconds(const void *o);
double channel_rate(const void *o, double amount); /* per second of the run */
const char *channel_end_name(const void *o);
const char *channel_failure(const void *o);
const char *channel_errors(const void *o); /* number of errors, or "not checked" */
void channel_checked_json(struct json *j, const void *o);
/* Print a report of @r, which begins with a struct channel_run. */
void channel_report_text(FILE *out, const struct values *report, const struct channel_run *r);
void channel_report_json(FILE *out, const struct values *report, const struct channel_run *r);

/* Parts of a run. They return exit codes and report their failures. */
struct channel_run_ops {
	int (*prepare)(struct channel_run *r);
	void (*take)(struct channel_run *r);
	int (*verdict)(struct channel_run *r);
	void (*close)(struct channel_run *r);
};

/* Run a channel. @report: NULL: print no report, and let SIGPIPE end the run. */
int channel_run(struct channel_run *r, const struct channel_options *o,
		const struct channel_run_ops *ops, const struct values *report);

#endif
