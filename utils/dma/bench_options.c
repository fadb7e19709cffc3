// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-bench-dma as a tool: its options.
 */
#include <roc/roc.h>

#include <stddef.h>

#include "bench.h"
#include "soak.h"
#include "utils/common/tool.h"
#include "utils/units/sources.h"

const char *const bench_source_names[] = {
	[ROC_SOURCE_INTERNAL] = "INTERNAL", [ROC_SOURCE_DDG] = "DDG", [ROC_SOURCE_FEE] = "FEE",
	[ROC_SOURCE_DIU] = "DIU",	    [ROC_SOURCE_SIU] = "SIU", NULL,
};

const char *const bench_mode_names[] = {
	[ROC_MODE_TIMER] = "timer",
	[ROC_MODE_BUSY] = "busy",
	[ROC_MODE_EVENT] = "event",
	NULL,
};

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct bench_options, member)
#define GIVEN(member) .given = offsetof(struct bench_options, member)
#define FLAG(option_name, member, text) FLAG_OPTION(struct bench_options, option_name, member, text)

static const struct option_spec options[] = {
	{AT("id", OPTION_TEXT, id), .arg = "ID", .help = "Card; of a soak: this one alone"},
	{AT("dma-channel", OPTION_NUMBER, dma_channel), .arg = "N", .fallback = "0", .max = 255,
	 GIVEN(dma_channel_given), .help = "DMA channel"},
	{AT("channel", OPTION_NUMBER, dma_channel), .arg = "N", .max = 255,
	 GIVEN(dma_channel_given), .help = "The same"},
	{AT("data-source", OPTION_CHOICE, source), .arg = "SOURCE", .fallback = "INTERNAL",
	 .choices = bench_source_names, .help = "Where the data come from"},
	{AT("links", OPTION_LINKS, links), .arg = "LINKS",
	 .help = "Links to read, as 0-11 or 0,2,4-6 or a mask like 0xfff (all enabled ones)"},
	{AT("mode", OPTION_CHOICE, mode), .arg = "MODE", .fallback = "timer",
	 .choices = bench_mode_names, .help = "Who looks for finished superpages"},
	FLAG("no-events", no_events, "Use a card with events as one without"),

	{AT("bytes", OPTION_SIZE, bytes), .arg = "SIZE", .fallback = "0",
	 .help = "Stop when so many bytes were received, 0 = never"},
	{AT("time", OPTION_TIME, time), .arg = "TIME",
	 .help = "Stop after this time, as in 5h30m10s (never)"},
	{AT("stall-limit", OPTION_NUMBER, stall_limit), .arg = "SECONDS", .fallback = "10",
	 .help = "Fail if no superpage arrives for so long, 0 = wait for ever"},

	{AT("soak", OPTION_TIME, soak), .arg = "TIME",
	 .help = "All channels of all cards at once for this time, as in 24h (exit status 3: "
		 "interrupted)"},
	{AT("verdict-every", OPTION_TIME, verdict_every), .with = "soak", .arg = "TIME",
	 .fallback = "60s", .min = 1, .max = 86400,
	 .help = "Soak: a verdict on each channel so often"},
	{AT("max-temperature", OPTION_NUMBER, max_temperature), .with = "soak", .arg = "DEGREES",
	 .fallback = "60", .max = 427, .help = "Soak: stop when a card is so warm"},
	{AT("max-errors", OPTION_SIZE, max_errors), .with = "soak", .arg = "N", .fallback = "0",
	 .help = "Soak: stop after more errors in the data of a channel"},
	{AT("max-dropped", OPTION_SIZE, max_dropped), .with = "soak", .arg = "N", .fallback = "0",
	 .help = "Soak: stop when a card dropped more from a channel"},
	{AT("log", OPTION_TEXT, log), .with = "soak", .arg = "FILE",
	 .help = "Soak: a line for each verdict; if there are some already, go on from there"},
	{AT("plot", OPTION_TEXT, plot), .with = "soak", .arg = "FILE",
	 .help = "Soak: write rate and temperature over time as SVG"},

	{AT("buffer-size", OPTION_SIZE, buffer_size), .arg = "SIZE", .fallback = "1Gi",
	 .help = "Size of the DMA buffer"},
	{AT("superpage-size", OPTION_SIZE, superpage_size), .arg = "SIZE", .fallback = "1Mi",
	 .help = "Size of a superpage, a multiple of 32 KiB"},
	{AT("page-size", OPTION_SIZE, page_size), .arg = "SIZE", .fallback = "8Ki", .min = 32,
	 .max = 1 << 20, GIVEN(page_size_given), .help = "Size of a DMA page"},
	FLAG("plain-memory", plain_memory, "Use 4 KiB pages instead of hugepages (needs an IOMMU)"),

	FLAG("no-errorcheck", no_errorcheck, "Do not check the data"),
	FLAG("fast-check", fast_check, "Check headers only, not what is behind them"),
	{AT("error-check-frequency", OPTION_NUMBER, frequency), .arg = "N", .fallback = "1",
	 .min = 1, .max = 255, .help = "Check the payload of every N-th page of a link"},
	FLAG("no-resync", no_resync, "After an error go on expecting the old counter"),
	{AT("max-rdh-packetcount", OPTION_NUMBER, max_packet), .arg = "N", .fallback = "255",
	 .min = 1, .max = 255, .help = "Largest value of the packet counter"},
	{AT("timeframe-length", OPTION_NUMBER, tf_length), .arg = "ORBITS", .fallback = "256",
	 .min = 1, .max = 4095, .help = "Length of a time frame"},
	FLAG("no-tf-check", no_tf_check, "Do not check time frames"),

	{AT("pause-push", OPTION_NUMBER, pause_push), .arg = "US", .fallback = "1", .max = 1000000,
	 .help = "Busy mode: pause in us when there is nothing to push"},
	{AT("pause-read", OPTION_NUMBER, pause_read), .arg = "US", .fallback = "10", .max = 1000000,
	 .help = "Busy mode: pause in us when there is nothing to read"},
	FLAG("random-pause", random_pause, "Pause reading at random times for random times"),
	FLAG("buffer-full-check", buffer_full_check,
	     "Do not read; measure how long the card takes to fill the buffer"),
	FLAG("bar-hammer", bar_hammer, "Read a register as fast as possible at the same time"),

	{AT("to-file-ascii", OPTION_TEXT, ascii_file), .arg = "FILE",
	 .help = "Write all data to a file, as text"},
	{AT("to-file-bin", OPTION_TEXT, bin_file), .arg = "FILE",
	 .help = "Write all data to a file, as received"},
	FLAG("print-sp-change", print_sp_change, "Print a line for each superpage"),
	FLAG("no-display", no_display, "No live line"),
	FLAG("no-temperature", no_temperature, "Do not read the card's temperature"),
	FLAG("json", json, "Print the result as JSON"),

	FLAG("bypass-fw-check", bypass_fw_check, "Accept any firmware"),
	FLAG("stbrd", stbrd, "Open the front end with STBRD, not RDYRX (C-RORC only)"),
	FLAG("no-rm-pages-file", no_rm_pages_file, "No effect: there is no pages file to remove"),
};

int bench_check_usage(const struct bench_options *o)
{
	if (!o->soak && !o->id)
		return tool_usage("Which card? Give --id, or --soak for all of them.");
	if (source_card_usage(o->buffer_size, o->superpage_size, NULL))
		return TOOL_USAGE;
	if (o->buffer_size / o->superpage_size > UINT32_MAX)
		return tool_usage("The buffer (--buffer-size) has more superpages than can be "
				  "counted.");
	if (o->stbrd && o->source != ROC_SOURCE_FEE)
		return tool_usage("--stbrd is a command to the front end: it needs "
				  "--data-source=FEE.");
	if (o->no_events && o->mode == ROC_MODE_EVENT)
		return tool_usage("--mode=event needs the events that --no-events does without.");
	return soak_check_usage(o);
}

struct check_config bench_check_config(const struct bench_options *o)
{
	return (struct check_config){
		.enabled = !o->no_errorcheck,
		.payload = !o->fast_check,
		.resync = !o->no_resync,
		.tf_check = !o->no_tf_check,
		.frequency = o->frequency,
		.packet_modulo = o->max_packet + 1,
		.tf_length = o->tf_length,
	};
}

const struct tool tool_bench_dma = {
	.name = "bench-dma",
	.summary = "Take data from a card, check all of it and measure the rate",
	.example = "--id=3b:00.0 --bytes=10Gi",
	TOOL_OPTIONS(options, struct bench_options),
	.run = bench_run,
};
