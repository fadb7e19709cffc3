// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reject invalid combinations of roc-bench-dma options; names of option values.
 */
#include <roc/roc.h>

#include "bench.h"
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

static int check_soak(const struct bench_options *o)
{
	if (!o->soak)
		return TOOL_OK;
	if (o->bytes || o->time)
		return tool_usage(
			"A soak lasts as long as --soak says: leave --bytes and --time away.");
	if (o->mode != ROC_MODE_TIMER || o->no_events || o->buffer_full_check || o->bar_hammer ||
	    o->random_pause || o->ascii_file || o->bin_file || o->print_sp_change ||
	    o->fast_check || o->stbrd)
		return tool_usage(
			"A soak takes and checks data, and nothing else: leave --mode, --no-events, --fast-check, --stbrd and what tries, prints or keeps data away.");
	if (o->dma_channel_given)
		return tool_usage("A soak takes all channels of a card: leave --dma-channel away.");
	if (o->page_size_given || o->no_temperature)
		return tool_usage(
			"A soak takes each card's own DMA pages, and looks at its thermometer: leave --page-size and --no-temperature away.");
	return TOOL_OK;
}

int bench_check_usage(const struct bench_options *o)
{
	if (!o->soak && !o->id)
		return tool_usage("Which card? Give --id, or --soak for all of them.");
	if (source_card_usage(o->buffer_size, o->superpage_size, NULL))
		return TOOL_USAGE;
	if (o->buffer_size / o->superpage_size > UINT32_MAX)
		return tool_usage(
			"The buffer (--buffer-size) has more superpages than can be counted.");
	if (o->stbrd && o->source != ROC_SOURCE_FEE)
		return tool_usage(
			"--stbrd is a command to the front end: it needs --data-source=FEE.");
	if (o->no_events && o->mode == ROC_MODE_EVENT)
		return tool_usage("--mode=event needs the events that --no-events does without.");
	return check_soak(o);
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
