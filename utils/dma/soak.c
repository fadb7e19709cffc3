// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a soak. The main thread polls the temperatures and the counters of the lanes several times
 * per second, so that an exceeded limit ends the soak at once. Once per period it makes a verdict
 * on each lane.
 */
#include "soak.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/output.h"
#include "utils/common/tool.h"

#define POLL_S 0.2

__attribute__((format(printf, 2, 3))) static void fail(struct soak *s, const char *fmt, ...)
{
	va_list ap;

	if (s->reason[0])
		return;
	va_start(ap, fmt);
	vsnprintf(s->reason, sizeof(s->reason), fmt, ap);
	va_end(ap);
}

static struct soak_counts counts_of(struct soak_lane *l, struct soak *s)
{
	struct soak_counts c;

	pthread_mutex_lock(&l->lock);
	c = l->now;
	if (l->over && l->reason[0])
		fail(s, "%s", l->reason);
	else if (l->over && !stop_requested())
		fail(s, "%s ended unexpectedly.", l->name);
	pthread_mutex_unlock(&l->lock);
	return c;
}

/*
 * Check the limits with the totals of all calls, and whether a lane has ended. The first failure is
 * kept.
 */
static void poll_lanes(struct soak *s)
{
	char reason[SOAK_REASON];
	unsigned int i;

	for (i = 0; i < s->count; i++) {
		struct soak_lane *l = &s->lanes[i];
		struct soak_counts c = counts_of(l, s);

		soak_lane_poll(l);
		c.errors = l->errors_before + c.errors - l->last.errors;
		c.dropped = l->dropped_before + c.dropped - l->last.dropped;
		if (soak_broken(&s->limits, l->name, l->temperature, &c, reason))
			fail(s, "%s", reason);
	}
}

/* Add the period since the last verdict; skip a lane that has published nothing since. */
static int add_period(struct soak *s, unsigned int i, double at)
{
	struct soak_lane *l = &s->lanes[i];
	struct soak_counts c = counts_of(l, s), *b = &l->last;
	struct soak_period p = {
		.lane = i,
		.at = at,
		.seconds = (double)(c.time - b->time) / 1e9,
		.units = c.units - b->units,
		.bytes = c.bytes - b->bytes,
		.errors = c.errors - b->errors,
		.dropped = c.dropped - b->dropped,
		.temperature = l->hottest,
	};

	if (c.time == b->time)
		return 0;
	p.gap = soak_lane_gap(l);
	p.verdict = soak_judge(&s->limits, &p);
	l->last = c;
	l->errors_before += p.errors;
	l->dropped_before += p.dropped;
	l->hottest = NAN;
	return soak_history_add(&s->history, &p);
}

static void make_verdicts(struct soak *s, double at)
{
	size_t first = s->history.count;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->count; i++)
		ret = add_period(s, i, at) ? -ENOMEM : ret;
	if (ret)
		fail(s, "Cannot allocate a verdict.");
	if (s->log) {
		ret = soak_log_write(s->log, &s->history, first);
		if (ret)
			fail(s, "Cannot write %s: %s.", s->opt->log, strerror(-ret));
	}
	if (!s->opt->json)
		soak_report_lines(stdout, s, first, output_colours(stdout));
	fflush(stdout);
}

static void wait_for_lanes(struct soak *s)
{
	unsigned int i;

	stop_request();
	for (i = 0; i < s->count; i++)
		soak_lane_join(&s->lanes[i]);
}

/* Watch the running lanes until the end of the soak. */
static void watch(struct soak *s)
{
	const struct bench_options *o = s->opt;
	unsigned int i;
	double at = s->earlier, every = (double)o->verdict_every, next = at + every;

	while (!s->reason[0]) {
		s->interrupted = stop_sleep(fmin(POLL_S, fmax(next - at, 0.001)));
		at = s->earlier + (double)(units_now() - s->begin) / 1e9;
		poll_lanes(s);
		if (s->interrupted || at >= (double)o->soak)
			break;
		if (at >= next && !s->reason[0]) {
			make_verdicts(s, at);
			next += every;
		}
	}
	wait_for_lanes(s);
	/* Account for the data since the last verdict, including those of the end. */
	poll_lanes(s);
	make_verdicts(s, at);
	for (i = 0; i < s->count && !s->interrupted; i++) {
		struct soak_sum sum;

		/* Include earlier calls, because this one may have been short. */
		soak_add_up(&s->history, i, &sum);
		if (!sum.units)
			fail(s,
			     "%s: no data arrived: check the trigger, the links and the data source.",
			     s->lanes[i].name);
	}
}

/* Write the failure to the log, so that a failed soak is not continued. */
static void keep_failure(struct soak *s)
{
	if (s->log && s->reason[0] && soak_log_fail(s->log, s->reason))
		tool_note("Cannot write %s: it does not record that the soak failed.", s->opt->log);
}

static void start(struct soak *s)
{
	struct soak_sum sum;
	unsigned int i;
	int err;

	s->begin = units_now();
	for (i = 0; i < s->count; i++) {
		soak_add_up(&s->history, i, &sum);
		s->lanes[i].errors_before = sum.errors;
		s->lanes[i].dropped_before = sum.dropped;
		s->lanes[i].pump.limits.stall = s->opt->stall_limit;
		err = soak_lane_start(&s->lanes[i]);
		if (err) {
			fail(s, "Cannot start the thread of a channel: %s.", strerror(-err));
			return;
		}
	}
}

static int result(struct soak *s)
{
	int code = TOOL_OK;

	if (s->opt->json)
		soak_report_json(stdout, s);
	else
		soak_report_text(stdout, s, output_colours(stdout));
	if (s->opt->plot)
		code = soak_plot_write(s->opt->plot, s);
	if (s->reason[0])
		return tool_fail("%s", s->reason);
	if (s->interrupted) {
		tool_note("Interrupted after %.0f of %" PRIu64 " s: %s.", s->history.seconds,
			  s->opt->soak,
			  s->opt->log ? "the same command continues the soak"
				      : "use --log to be able to continue a soak");
		return TOOL_UNFINISHED;
	}
	return code;
}

/* Run with what soak_run() has opened. */
static int run(struct soak *s)
{
	unsigned int i;
	int code;

	if (s->history.failed[0])
		fail(s, "The soak in %s has already failed (%s): use another --log for a new soak.",
		     s->opt->log, s->history.failed);
	else if (soak_report_verdict(s) == SOAK_FAIL)
		fail(s,
		     "The soak in %s already has the verdict FAIL: use another --log for a new soak.",
		     s->opt->log);
	if (s->reason[0])
		return result(s);
	if (s->history.seconds >= (double)s->opt->soak)
		return result(s);
	for (i = 0; i < s->count; i++) {
		code = soak_lane_open(&s->lanes[i], s->opt);
		if (code)
			return code;
		s->lanes[i].errors.keep = s->history.count;
	}
	stop_on_signals();
	stop_not_by_readers();
	start(s);
	watch(s);
	keep_failure(s);
	return result(s);
}

int soak_run(const struct bench_options *o)
{
	struct soak s = {.opt = o,
			 .limits = {.temperature = o->max_temperature,
				    .errors = o->max_errors,
				    .dropped = o->max_dropped}};
	char reason[SOAK_REASON] = "";
	unsigned int i;
	int code;

	code = soak_lanes_find(o, &s.lanes, &s.count);
	if (code)
		return code;
	for (i = 0; i < s.count; i++)
		s.names[i] = s.lanes[i].name;
	if (o->log) {
		s.log = soak_log_open(o->log, s.names, s.count, &s.history, reason);
		if (!s.log)
			code = tool_fail("%s", reason);
	}
	s.earlier = s.history.seconds;
	if (!code)
		code = run(&s);
	for (i = 0; i < s.count; i++)
		soak_lane_close(&s.lanes[i]);
	soak_log_close(s.log);
	free(s.history.period);
	free(s.lanes);
	return code;
}
