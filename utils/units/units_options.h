/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options, reports and the main loop that the tools which move units share. */
#ifndef ROC_UTILS_UNITS_OPTIONS_H
#define ROC_UTILS_UNITS_OPTIONS_H

#include <roc/fragment.h>

#include <stdio.h>

#include "pump.h"
#include "utils/check/check.h"
#include "utils/common/options.h"
#include "utils/common/prometheus.h"

/* Member "units" of a tool's values. */
struct units_options {
	/* for a source that is a card */
	const char *id;
	uint32_t dma_channel;
	const char *stream, *sub;
	unsigned int data_source;
	bool data_source_given;
	uint32_t links;
	uint64_t buffer_size, superpage_size, page;
	bool plain_memory, bypass_fw_check;
	bool synthetic;
	uint64_t rate;

	/* for all runs */
	uint64_t bytes, units, time;
	uint32_t stall_limit;
	bool json, no_display;
	const char *metrics;
	uint32_t spin; /* us; for tools that use a network */

	/* for tools that check data */
	bool no_errorcheck, no_tf_check;
	uint32_t tf_length;
};

extern const char *const units_data_sources[];

#define UNITS_AT(values, option_name, option_type, member)                                         \
	.name = (option_name), .type = (option_type), .offset = offsetof(values, units.member)

#define UNITS_SOURCE_OPTIONS(values)                                                               \
	{UNITS_AT(values, "id", OPTION_TEXT, id), .arg = "ID", .help = "Select the card"},         \
		{UNITS_AT(values, "dma-channel", OPTION_NUMBER, dma_channel), .arg = "N",          \
		 .fallback = "0", .max = 255, .help = "Select the DMA channel"},                   \
		{UNITS_AT(values, "stream", OPTION_TEXT, stream), .arg = "NAME",                   \
		 .help = "Select the stream of a card with streams, as main or 0 (default main)"}, \
		{UNITS_AT(values, "sub", OPTION_TEXT, sub), .arg = "NAME",                         \
		 .help = "Select the sub-unit of a card with sub-units, as sub1 (default sub0)"},  \
		{UNITS_AT(values, "page", OPTION_SIZE, page),                                      \
		 .arg = "SIZE",                                                                    \
		 .fallback = "2Ki",                                                                \
		 .power = true,                                                                    \
		 .min = ROC_FR_PAGE_MIN,                                                           \
		 .max = ROC_FR_PAGE_MAX,                                                           \
		 .help = "Sub-unit: set the page size; longer fragments are truncated"},           \
		{UNITS_AT(values, "data-source", OPTION_CHOICE, data_source),                      \
		 .arg = "SOURCE",                                                                  \
		 .fallback = "INTERNAL",                                                           \
		 .choices = units_data_sources,                                                    \
		 .given = offsetof(values, units.data_source_given),                               \
		 .help = "Select the data source of the card"},                                    \
		{UNITS_AT(values, "links", OPTION_LINKS, links), .arg = "LINKS",                   \
		 .help = "Select the links, as 0-11 or 0,2,4-6 or 0xfff (default: all enabled)"},  \
		{UNITS_AT(values, "buffer-size", OPTION_SIZE, buffer_size), .arg = "SIZE",         \
		 .fallback = "1Gi",                                                                \
		 .help = "Set the size of the buffer, the ring or the host pages of a sub-unit"},  \
		{UNITS_AT(values, "superpage-size", OPTION_SIZE, superpage_size), .arg = "SIZE",   \
		 .fallback = "1Mi",                                                                \
		 .help = "Set the size of a superpage or of the window of a stream"},              \
		FLAG_OPTION(values, "plain-memory", units.plain_memory,                            \
			    "Use 4 KiB pages instead of hugepages; requires an IOMMU"),            \
		FLAG_OPTION(values, "bypass-fw-check", units.bypass_fw_check,                      \
			    "Accept any firmware"),                                                \
		FLAG_OPTION(values, "synthetic", units.synthetic,                                  \
			    "Generate superpages in memory instead of using a card"),              \
	{                                                                                          \
		UNITS_AT(values, "rate", OPTION_SIZE, rate),                                       \
			.arg = "SIZE", .fallback = "0",                                            \
			.help = "Without a card: set the bytes per second, 0 = unlimited"          \
	}

#define UNITS_RUN_OPTIONS(values, stall)                                                           \
	{UNITS_AT(values, "bytes", OPTION_SIZE, bytes), .arg = "SIZE", .fallback = "0",            \
	 .help = "Stop after this many bytes, 0 = never"},                                         \
		{UNITS_AT(values, "units", OPTION_SIZE, units), .arg = "N", .fallback = "0",       \
		 .help = "Stop after this many superpages, windows or fragments, 0 = never"},      \
		{UNITS_AT(values, "time", OPTION_TIME, time), .arg = "TIME",                       \
		 .help = "Stop after this time, as in 5h30m10s (default: never)"},                 \
		{UNITS_AT(values, "stall-limit", OPTION_NUMBER, stall_limit), .arg = "SECONDS",    \
		 .fallback = (stall),                                                              \
		 .help = "Fail if no data arrive within this time, 0 = never"},                    \
		FLAG_OPTION(values, "json", units.json, "Print the result as JSON"),               \
		FLAG_OPTION(values, "no-display", units.no_display, "Do not show the live line"),  \
	{                                                                                          \
		UNITS_AT(values, "metrics", OPTION_TEXT, metrics),                                 \
			.arg = "FILE", .help = "Write Prometheus text to a file every second"      \
	}

#define UNITS_CHECK_OPTIONS(values)                                                                \
	FLAG_OPTION(values, "no-errorcheck", units.no_errorcheck,                                  \
		    "Count the units without checking them"),                                      \
		{UNITS_AT(values, "timeframe-length", OPTION_NUMBER, tf_length),                   \
		 .arg = "ORBITS",                                                                  \
		 .fallback = "256",                                                                \
		 .min = 1,                                                                         \
		 .max = 4095,                                                                      \
		 .help = "Set the length of a time frame"},                                        \
		FLAG_OPTION(values, "no-tf-check", units.no_tf_check, "Do not check time frames")

#define UNITS_SPIN_OPTION(values)                                                                  \
	{                                                                                          \
		UNITS_AT(values, "spin", OPTION_NUMBER, spin),                                     \
			.arg = "US", .fallback = DOZE_SPIN_TEXT, .max = DOZE_SPIN_MOST_US,         \
			.help = "Poll this long before a sleep, 0 = sleep at once"                 \
	}

/*
 * Open the selected source: a card, or a synthetic one. Return: exit code; an error is already
 * reported.
 */
int units_open_source(const struct units_options *o, struct source **source);

/*
 * Open the selected sink, which checks or counts. Return: NULL: out of memory. @errors: as in
 * sink_check().
 */
struct sink *units_open_check(const struct units_options *o, const struct source *source,
			      struct error_log *errors);

/*
 * Move units from @source to @sink until the end, and report. Closes both, @sink first. @name: of
 * the tool. @errors: errors that the check found, or NULL. Return: exit code.
 */
int units_run(const struct common_options *common, const struct units_options *o, const char *name,
	      struct source *source, struct sink *sink, struct error_log *errors);

/*
 * Reports of the tools that move units: a line on the terminal, a file for Prometheus, a table or
 * JSON at the end.
 */

struct units_report {
	const char *tool;
	struct metrics_file metrics;
	bool live;
	uint64_t last_time, last_bytes;
};

/* Callback of a pump whose context is a struct units_report. */
void units_report_tick(struct pump *p, void *context);
void units_report_end(struct units_report *r); /* clears the line on the terminal */

/* @verbose: print each link, too. */
void units_report_text(FILE *out, const struct pump *p, bool verbose);
void units_report_json(FILE *out, const struct pump *p);
void units_report_prometheus(struct prometheus *m, const struct pump *p, const char *tool);

#endif
