// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-trig-monitor: trigger counters of a card and their rates, once or periodically.
 */
#include "status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/common/card.h"
#include "utils/common/output.h"
#include "utils/common/prometheus.h"
#include "utils/common/tool.h"

/* Interval between two reads: a 16-bit counter with one trigger per orbit wraps after 5.8 s. */
#define SAMPLE_SECONDS 2

struct triggers_options {
	struct common_options common;
	const char *id;
	struct output_options output;
	bool updateable;
	bool force;
	uint32_t interval;
	uint32_t count;
};

static const struct option_spec options[] = {
	ID_OPTION(struct triggers_options),
	FLAG_OPTION(struct triggers_options, "updateable", updateable, "Repeat until SIGINT"),
	{.name = "interval",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct triggers_options, interval),
	 .arg = "SECONDS",
	 .fallback = "1",
	 .min = 1,
	 .max = 3600,
	 .help = "Set the time over which rates are measured"},
	{.name = "count",
	 .type = OPTION_NUMBER,
	 .offset = offsetof(struct triggers_options, count),
	 .arg = "N",
	 .fallback = "0",
	 .max = 1000000,
	 .help = "With --updateable: stop after this many readings, 0 = never"},
	FLAG_OPTION(struct triggers_options, "force-report", force,
		    "Report the card even without a valid serial number"),
	OUTPUT_OPTIONS(struct triggers_options),
};

void triggers_head(FILE *out, const struct triggers_report *r)
{
	char card[OUTPUT_CARD_MAX];

	fprintf(out, "CRU %s  %s  #%d\n\n", output_card(&r->card, card), r->card.pci_address,
		r->card.sequence);
	fprintf(out, "%10s %9s %10s %9s %6s %9s %6s %9s %4s %4s\n", "HB", "kHz", "PHY", "kHz",
		"CAL", "kHz", "TOF", "kHz", "SOX", "EOX");
}

void triggers_text(FILE *out, const struct triggers_report *r)
{
	const struct roc_cru_trigger_rates *k = &r->rates;
	const struct roc_cru_triggers *c = &r->counts;

	fprintf(out, "%10u %9.3f %10u %9.3f %6u %9.3f %6u %9.3f %4u %4u", c->hb, k->hb, c->phy,
		k->phy, c->cal, k->cal, c->tof, k->tof, c->sox, c->eox);
}

void triggers_json(struct json *j, const struct triggers_report *r)
{
	json_object(j, NULL);
	output_card_json(j, &r->card);
	json_unsigned(j, "hb", r->counts.hb);
	json_real(j, "hbRate", r->rates.hb);
	json_unsigned(j, "phy", r->counts.phy);
	json_real(j, "phyRate", r->rates.phy);
	json_unsigned(j, "cal", r->counts.cal);
	json_real(j, "calRate", r->rates.cal);
	json_unsigned(j, "tof", r->counts.tof);
	json_real(j, "tofRate", r->rates.tof);
	json_unsigned(j, "sox", r->counts.sox);
	json_unsigned(j, "eox", r->counts.eox);
	json_object_end(j);
}

void triggers_influx(FILE *out, const struct triggers_report *r)
{
	struct influx l;

	influx_start_card(&l, out, "trigger", &r->card, -1);
	influx_signed(&l, "hb", r->counts.hb);
	influx_real(&l, "hbRate", r->rates.hb);
	influx_signed(&l, "phy", r->counts.phy);
	influx_real(&l, "phyRate", r->rates.phy);
	influx_signed(&l, "cal", r->counts.cal);
	influx_real(&l, "calRate", r->rates.cal);
	influx_signed(&l, "tof", r->counts.tof);
	influx_real(&l, "tofRate", r->rates.tof);
	influx_signed(&l, "sox", r->counts.sox);
	influx_signed(&l, "eox", r->counts.eox);
	influx_end(&l, r->time);
}

static void sample(struct prometheus *m, const struct triggers_report *r, const char *trigger,
		   double value)
{
	struct prometheus_labels labels;

	prometheus_card(&labels, &r->card, -1);
	prometheus_label(&labels, "trigger", trigger);
	prometheus_sample(m, &labels, value);
}

void triggers_prometheus(FILE *out, const struct triggers_report *r)
{
	struct prometheus m;

	prometheus_start(&m, out);
	prometheus_family(&m, "roc_triggers", PROMETHEUS_COUNTER, "Triggers received.");
	sample(&m, r, "hb", r->counts.hb);
	sample(&m, r, "phy", r->counts.phy);
	/* These wrap between two scrapes, so a rate of them would be wrong. */
	prometheus_family(
		&m, "roc_triggers_counted", PROMETHEUS_GAUGE,
		"Triggers received; the counter has 16 bits (cal, tof) or 4 bits (sox, eox).");
	sample(&m, r, "cal", r->counts.cal);
	sample(&m, r, "tof", r->counts.tof);
	sample(&m, r, "sox", r->counts.sox);
	sample(&m, r, "eox", r->counts.eox);
	prometheus_family(&m, "roc_trigger_rate_hertz", PROMETHEUS_GAUGE, "Trigger rate.");
	sample(&m, r, "hb", r->rates.hb * 1e3);
	sample(&m, r, "phy", r->rates.phy * 1e3);
	sample(&m, r, "cal", r->rates.cal * 1e3);
	sample(&m, r, "tof", r->rates.tof * 1e3);
}

static void text_over(FILE *out, const struct triggers_report *r)
{
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);

	if (!memory)
		return;
	triggers_text(memory, r);
	if (!fclose(memory))
		output_live(out, "%s", text);
	free(text);
}

/* Print one report in the requested format. On a terminal the text overwrites the previous one. */
static void show(const struct triggers_report *r, struct output *o, struct json *j, bool overwrite)
{
	switch (o->format) {
	case OUTPUT_TEXT:
		if (overwrite) {
			text_over(o->out, r);
			break;
		}
		triggers_text(o->out, r);
		fputc('\n', o->out);
		break;
	case OUTPUT_JSON:
		triggers_json(j, r);
		break;
	case OUTPUT_MONITORING:
		triggers_influx(o->out, r);
		break;
	case OUTPUT_PROMETHEUS:
		triggers_prometheus(o->out, r);
		break;
	}
	fflush(o->out);
}

int triggers_measure(struct roc_endpoint *ep, uint32_t seconds, struct roc_cru_triggers *before,
		     struct triggers_report *r)
{
	struct roc_cru_trigger_rates sum = {0}, step;
	uint32_t left = seconds, nap;
	double ms, all = 0;

	for (; left; left -= nap) {
		nap = left < SAMPLE_SECONDS ? left : SAMPLE_SECONDS;
		if (stop_sleep(nap))
			return -EINTR;
		if (roc_cru_triggers_read(ep, &r->counts))
			return -EIO;
		roc_cru_trigger_rates(before, &r->counts, &step);
		ms = (r->counts.time - before->time) / 1e6;
		all += ms;
		sum.hb += step.hb * ms;
		sum.phy += step.phy * ms;
		sum.cal += step.cal * ms;
		sum.tof += step.tof * ms;
		*before = r->counts;
	}
	memset(&r->rates, 0, sizeof(r->rates));
	if (all > 0)
		r->rates = (struct roc_cru_trigger_rates){.hb = sum.hb / all,
							  .phy = sum.phy / all,
							  .cal = sum.cal / all,
							  .tof = sum.tof / all};
	return 0;
}

static int monitor(struct roc_endpoint *ep, const struct triggers_options *v, struct output *o,
		   struct triggers_report *r)
{
	bool array = o->format == OUTPUT_JSON && v->updateable;
	bool overwrite = v->updateable && output_is_live(o->out);
	struct roc_cru_triggers before;
	int code = TOOL_OK;
	struct json j;
	uint32_t n;
	int err;

	if (roc_cru_triggers_read(ep, &before))
		return tool_fail("%s", roc_error());
	stop_on_signals();
	json_start(&j, o->out);
	if (array)
		json_array(&j, NULL);
	for (n = 1;; n++) {
		err = triggers_measure(ep, v->interval, &before, r);
		if (err == -EINTR) {
			if (!v->updateable)
				code = tool_fail("Interrupted before the rates were measured.");
			break;
		}
		if (err) {
			code = tool_fail("%s", roc_error());
			break;
		}
		r->time = output_time();
		if (o->format == OUTPUT_TEXT && n == 1)
			triggers_head(o->out, r);
		show(r, o, &j, overwrite);
		if (!v->updateable || n == v->count)
			break;
	}
	if (array)
		json_array_end(&j);
	if (o->format == OUTPUT_TEXT && overwrite)
		fputc('\n', o->out);
	return code;
}

static int run(const void *p)
{
	struct triggers_report r = {.time = 0};
	const struct triggers_options *v = p;
	enum output_format format;
	struct roc_endpoint *ep;
	struct output output;
	int code;

	code = output_choose(&v->output, &format);
	if (code)
		return code;
	if (v->updateable && (format == OUTPUT_PROMETHEUS || v->output.file))
		return tool_usage("--updateable cannot be combined with --prometheus or --output.");
	if (v->count && !v->updateable)
		return tool_usage("--count is only valid with --updateable.");
	code = output_begin(&v->output, &output);
	if (code)
		return code;
	code = cru_open(v->id, &r.card, &ep);
	if (code)
		goto out;
	code = card_serial_check(&r.card, v->id, v->force);
	if (!code)
		code = monitor(ep, v, &output, &r);
	roc_close(ep);
out:
	return output_end(&output, code);
}

const struct tool tool_trig_monitor = {
	.name = "trig-monitor",
	.summary = "Show the trigger counters of a card and their rates",
	.example = "--id=3b:00.0 --updateable",
	TOOL_OPTIONS(options, struct triggers_options),
	.run = run,
};
