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
		return tool_usage("--soak sets the duration: omit --bytes and --time.");
	if (o->mode != ROC_MODE_TIMER || o->no_events || o->buffer_full_check || o->bar_hammer ||
	    o->random_pause || o->ascii_file || o->bin_file || o->print_sp_change ||
	    o->fast_check || o->stbrd)
		return tool_usage(
			"--soak only reads and checks data: omit --mode, --no-events, --fast-check, --stbrd, --buffer-full-check, --bar-hammer, --random-pause, --to-file-ascii, --to-file-bin and --print-sp-change.");
	if (o->dma_channel_given)
		return tool_usage("--soak reads all channels of a card: omit --dma-channel.");
	if (o->page_size_given || o->no_temperature)
		return tool_usage(
			"--soak uses the DMA page size and the temperature sensor of each card: omit --page-size and --no-temperature.");
	return TOOL_OK;
}

int bench_check_usage(const struct bench_options *o)
{
	if (!o->soak && !o->id)
		return tool_usage("--id is missing: select a card, or use --soak for all cards.");
	if (source_card_usage(o->buffer_size, o->superpage_size, NULL))
		return TOOL_USAGE;
	if (o->buffer_size / o->superpage_size > UINT32_MAX)
		return tool_usage("--buffer-size: the buffer has more than 2^32 - 1 superpages.");
	if (o->stbrd && o->source != ROC_SOURCE_FEE)
		return tool_usage("--stbrd is a front-end command and needs --data-source=FEE.");
	if (o->no_events && o->mode == ROC_MODE_EVENT)
		return tool_usage("--mode=event needs the events that --no-events disables.");
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
