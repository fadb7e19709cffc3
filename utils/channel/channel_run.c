// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run of a channel: its end conditions, the live line, and the values that every report has.
 */
#include "channel_tool.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "utils/common/clock.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

static const char *const end_names[] = {
	[CHANNEL_END_NONE] = "none",	   [CHANNEL_END_BYTES] = "bytes",
	[CHANNEL_END_PACKETS] = "packets", [CHANNEL_END_EVENTS] = "events",
	[CHANNEL_END_TIME] = "time",	   [CHANNEL_END_SIGNAL] = "signal",
	[CHANNEL_END_STALL] = "stall",	   [CHANNEL_END_FAILED] = "failed",
};

void channel_fail(struct channel_run *r, const char *fmt, ...)
{
	va_list ap;

	if (r->failure[0])
		return;
	va_start(ap, fmt);
	vsnprintf(r->failure, sizeof(r->failure), fmt, ap);
	va_end(ap);
}

void channel_explain(struct channel_run *r, const char *called, uint32_t state, uint32_t reason)
{
	if (state == ROC_CH_FAILED)
		channel_fail(r, "%s failed: %s", called, roc_reason_text(reason));
	else if (state != ROC_CH_RUNNING)
		channel_fail(r, "%s was stopped, but not by this tool.", called);
}

int channel_run_prepare(struct channel_run *r, const struct channel_options *o, bool shown)
{
	int err = roc_find(o->id, &r->card);

	if (err)
		return tool_fail_card(err);
	r->errors.path = ERROR_LOG_FILE;
	r->errors.card = r->card.pci_address;
	r->live = shown && output_is_live(stdout) && !o->no_display && !o->json;
	return TOOL_OK;
}

void channel_run_begin(struct channel_run *r, uint64_t now)
{
	r->start = r->progress = now;
	r->tick = now + NS_PER_S;
}

bool channel_run_finished(struct channel_run *r, uint64_t now, enum channel_end reached)
{
	const struct channel_options *o = r->opt;

	if (r->failure[0])
		r->end = CHANNEL_END_FAILED;
	else if (stop_requested())
		r->end = CHANNEL_END_SIGNAL;
	else if (reached)
		r->end = reached;
	else if (o->time && now - r->start >= o->time * NS_PER_S)
		r->end = CHANNEL_END_TIME;
	else if (o->stall_limit && now - r->progress >= o->stall_limit * NS_PER_S)
		r->end = CHANNEL_END_STALL;
	else
		return false;
	return true;
}

bool channel_run_tick(struct channel_run *r, uint64_t now)
{
	if (now < r->tick)
		return false;
	r->tick = now + NS_PER_S;
	return true;
}

double channel_live_rate(struct channel_run *r, uint64_t now, uint64_t amount, char time[32])
{
	uint64_t run = (now - r->start) / NS_PER_S;
	double ns = (double)(now - (r->shown.time ? r->shown.time : r->start));
	double rate = channel_per((double)(amount - r->shown.amount) * 1e9, ns);

	r->shown.amount = amount;
	r->shown.time = now;
	snprintf(time, 32, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, run / 3600, run / 60 % 60,
		 run % 60);
	return rate;
}

void channel_live_end(struct channel_run *r)
{
	if (r->live)
		output_live(stdout, "%s", "");
}

double channel_per(double amount, double count)
{
	return count > 0 ? amount / count : NAN;
}

double channel_seconds(const void *o)
{
	const struct channel_run *r = o;

	return (double)(r->finish - r->start) / 1e9;
}

double channel_rate(const void *o, double amount)
{
	return channel_per(amount, channel_seconds(o));
}

/* A run that failed to start, or failed after its end, reports "failed" as its end. */
const char *channel_end_name(const void *o)
{
	const struct channel_run *r = o;

	return end_names[r->failure[0] && r->end != CHANNEL_END_STALL ? CHANNEL_END_FAILED
								      : r->end];
}

const char *channel_failure(const void *o)
{
	const struct channel_run *r = o;

	return r->failure[0] ? r->failure : NULL;
}

const char *channel_errors(const void *o)
{
	const struct channel_run *r = o;
	static char text[24];

	if (r->opt->no_errorcheck && !r->errors.count)
		return "not checked";
	snprintf(text, sizeof(text), "%" PRIu64, r->errors.count);
	return text;
}

void channel_checked_json(struct json *j, const void *o)
{
	json_bool(j, "checked", !((const struct channel_run *)o)->opt->no_errorcheck);
}

void channel_report_text(FILE *out, const struct values *report, const struct channel_run *r)
{
	values_rows(out, report, r, r->opt->common.verbose, false);
}

void channel_report_json(FILE *out, const struct values *report, const struct channel_run *r)
{
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	values_json(&j, report, r);
	json_object_end(&j);
}

int channel_run(struct channel_run *r, const struct channel_options *o,
		const struct channel_run_ops *ops, const struct values *report)
{
	int code;

	r->opt = o;
	stop_on_first_signals();
	if (report)
		stop_not_by_readers();
	code = ops->prepare(r);
	if (!code) {
		ops->take(r);
		error_log_close(&r->errors);
		if (report && o->json)
			channel_report_json(stdout, report, r);
		else if (report)
			channel_report_text(stdout, report, r);
		code = ops->verdict(r);
	}
	ops->close(r);
	return code;
}
