// SPDX-License-Identifier: GPL-2.0-or-later
/* Run a tool that moves units: open, pump, report, exit code. */
#include "units_options.h"

#include <inttypes.h>
#include <unistd.h>

#include "sources.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

const char *const units_data_sources[] = {
	[ROC_SOURCE_INTERNAL] = "INTERNAL", [ROC_SOURCE_DDG] = "DDG", [ROC_SOURCE_FEE] = "FEE",
	[ROC_SOURCE_DIU] = "DIU",	    [ROC_SOURCE_SIU] = "SIU", NULL,
};

static int open_synthetic(const struct units_options *o, struct source **source)
{
	struct synthetic_options synthetic = {
		.unit = o->superpage_size,
		.total = o->buffer_size,
		.rate = o->rate,
		.links = o->links,
	};
	char reason[UNITS_REASON] = "";

	if (source_card_usage(o->buffer_size, o->superpage_size, NULL))
		return TOOL_USAGE;
	*source = source_synthetic(&synthetic, reason);
	return *source ? TOOL_OK : tool_fail("%s", reason);
}

int units_open_source(const struct units_options *o, struct source **source)
{
	struct source_card_options card = {
		.id = o->id,
		.dma_channel = o->dma_channel,
		.stream = o->stream,
		.sub = o->sub,
		.page = o->page,
		.data_source = o->data_source,
		.data_source_given = o->data_source_given,
		.links = o->links,
		.buffer = o->buffer_size,
		.unit = o->superpage_size,
		.plain_memory = o->plain_memory,
		.bypass_fw_check = o->bypass_fw_check,
	};

	if (o->synthetic)
		return open_synthetic(o, source);
	if (o->rate)
		return tool_usage(
			"--rate needs a source without a card: a card sends at its own rate.");
	return source_card(&card, source);
}

struct sink *units_open_check(const struct units_options *o, const struct source *source,
			      struct error_log *errors)
{
	const struct check_config config = {
		.enabled = true,
		.payload = true,
		.resync = true,
		.tf_check = !o->no_tf_check,
		.frequency = 1,
		.packet_modulo = 256,
		.tf_length = o->tf_length,
	};

	return o->no_errorcheck ? sink_count() : sink_check(&source->format, &config, errors);
}

static int verdict(const struct units_options *o, const struct pump *p,
		   const struct error_log *errors)
{
	if (p->end == PUMP_END_STALL)
		return tool_fail("No data arrived within %u s (--stall-limit).", o->stall_limit);
	if (p->reason[0])
		return tool_fail("%s", p->reason);
	/* After missing data the check can report errors that follow from the gap: report both. */
	if (p->source->incomplete)
		tool_fail("%s", p->source->note);
	if (p->n.damaged)
		tool_fail(
			"%" PRIu64 " of %" PRIu64
			" units are damaged: the card flagged them, or they do not match the checksums of their recording.",
			p->n.damaged, p->n.units);
	if (errors && errors->count)
		return error_log_verdict(errors);
	return p->source->incomplete || p->n.damaged ? TOOL_FAILED : TOOL_OK;
}

int units_run(const struct common_options *common, const struct units_options *o, const char *name,
	      struct source *source, struct sink *sink, struct error_log *errors)
{
	struct units_report report = {
		.tool = name,
		.metrics.path = o->metrics,
		.live = output_is_live(stdout) && !o->no_display && !o->json,
	};
	struct pump p = {
		.source = source,
		.sink = sink,
		.limits = {.bytes = o->bytes,
			   .units = o->units,
			   .time = o->time,
			   .stall = o->stall_limit,
			   .second_stop = true},
		.tick = units_report_tick,
		.context = &report,
		.doze.spin_ns = doze_spin(o->spin * UINT64_C(1000)),
	};
	int code;

	stop_on_signals();
	stop_not_by_readers();
	tool_queue_messages();
	pump_run(&p);
	tool_write_messages();
	units_report_end(&report);
	if (errors)
		error_log_close(errors);
	if (o->json)
		units_report_json(stdout, &p);
	else
		units_report_text(stdout, &p, common->verbose);
	code = verdict(o, &p, errors);
	sink_close(sink);
	source_close(source);
	return code;
}
