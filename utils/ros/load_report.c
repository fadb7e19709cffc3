// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports of roc-ros-load. */
#include <inttypes.h>
#include <math.h>

#include "load.h"
#include "utils/common/clock.h"
#include "utils/common/json.h"
#include "utils/common/output.h"

static const struct {
	const char *key;
	double percent;
} percentiles[] = {
	{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p999", 99.9}, {"p9999", 99.99}, {"max", 100},
};

#define PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

static double per(double amount, double count)
{
	return count > 0 ? amount / count : NAN;
}

static double seconds(const struct load *l)
{
	return (double)(l->ended - l->began) / 1e9;
}

static double us(const struct load *l, double percent)
{
	return l->times.total ? (double)histogram_percentile(&l->times, percent) / 1e3 : NAN;
}

/* Update the live line, with the rates since the last update. */
void load_live(struct load *l)
{
	static uint64_t replies, bytes, when;
	double s = (double)(l->now - (when ? when : l->began)) / 1e9;

	output_live(
		stdout,
		"  %6.1f s   %.0f replies/s   %.2f Gb/s   p50 %.0f us   p99 %.0f us   outstanding %" PRIu64
		"   incomplete %" PRIu64 "   errors %" PRIu64,
		(double)(l->now - l->began) / 1e9, (double)(l->counts.replies - replies) / s,
		(double)(l->counts.bytes - bytes) * 8 / 1e9 / s, us(l, 50), us(l, 99),
		l->counts.requests - l->counts.replies, l->counts.incomplete, l->errors.count);
	replies = l->counts.replies;
	bytes = l->counts.bytes;
	when = l->now;
}

void load_live_end(struct load *l)
{
	output_live(stdout, "%s", "");
}

static void row(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "  %-22s %" PRIu64 "\n", name, value);
}

static void row_real(FILE *out, const char *name, double value)
{
	if (isfinite(value))
		fprintf(out, "  %-22s %.6g\n", name, value);
	else
		fprintf(out, "  %-22s -\n", name);
}

void load_text(FILE *out, const struct load *l)
{
	const struct load_counts *c = &l->counts;
	double s = seconds(l);
	char name[32];
	unsigned int i;

	row_real(out, "Seconds", s);
	row(out, "Clients", l->welcomes);
	row(out, "Events", c->events);
	row(out, "Requests", c->requests);
	row(out, "Replies", c->replies);
	row(out, "Incomplete", c->incomplete);
	row(out, "Fragments", c->fragments);
	row(out, "Bytes of fragments", c->bytes);
	row_real(out, "Events/s", per((double)c->events, s));
	row_real(out, "Replies/s", per((double)c->replies, s));
	row_real(out, "Gb/s", per((double)c->bytes * 8 / 1e9, s));
	for (i = 0; i < PERCENTILES; i++) {
		snprintf(name, sizeof(name), "Latency %s us", percentiles[i].key);
		row_real(out, name, us(l, percentiles[i].percent));
	}
	row(out, "Events cleared", c->cleared_events);
	row(out, "Not there to clear", c->unknown_events);
	row(out, "Fragments cleared", c->cleared_fragments);
	row(out, "Delayed", c->delayed);
	if (l->opt->no_errorcheck && !l->errors.count)
		fprintf(out, "  %-22s not checked\n", "Errors");
	else
		row(out, "Errors", l->errors.count);
}

static void json_status(struct json *j, const struct load *l)
{
	static const char *const keys[ROS_STATUSES] = {
		[ROS_OK] = "ok",
		[ROS_NOT_THERE] = "notThere",
		[ROS_NO_LINK] = "noLink",
		[ROS_FAILED] = "failed",
		[ROS_GONE] = "gone",
		[ROS_BUSY] = "busy",
		[ROS_DRAINING] = "draining",
	};
	unsigned int i;

	json_object(j, "status");
	for (i = 0; i < ROS_STATUSES; i++)
		json_unsigned(j, keys[i], l->counts.status[i]);
	json_object_end(j);
}

void load_json(FILE *out, const struct load *l)
{
	const struct load_counts *c = &l->counts;
	double s = seconds(l);
	struct json j;
	unsigned int i;

	json_start(&j, out);
	json_object(&j, NULL);
	json_text(&j, "connect", l->opt->connect);
	json_unsigned(&j, "clients", l->welcomes);
	json_unsigned(&j, "outstanding", l->opt->outstanding);
	json_unsigned(&j, "links", (uint64_t)__builtin_popcountll(l->links));
	json_unsigned(&j, "fractionPercent", l->opt->fraction);
	json_unsigned(&j, "allLinksPercent", l->opt->all);
	json_unsigned(&j, "fewLinks", l->opt->few);
	json_real(&j, "seconds", s);
	json_unsigned(&j, "events", c->events);
	json_unsigned(&j, "requests", c->requests);
	json_unsigned(&j, "replies", c->replies);
	json_unsigned(&j, "incomplete", c->incomplete);
	json_unsigned(&j, "unknown", c->unknown);
	json_unsigned(&j, "fragments", c->fragments);
	json_unsigned(&j, "bytes", c->bytes);
	json_status(&j, l);
	json_unsigned(&j, "marked", c->marked);
	json_real(&j, "eventsPerSecond", per((double)c->events, s));
	json_real(&j, "repliesPerSecond", per((double)c->replies, s));
	json_real(&j, "gigabitsPerSecond", per((double)c->bytes * 8 / 1e9, s));
	json_object(&j, "latencyUs");
	json_real(&j, "mean", per(l->times.sum / 1e3, (double)l->times.total));
	for (i = 0; i < PERCENTILES; i++)
		json_real(&j, percentiles[i].key, us(l, percentiles[i].percent));
	json_object_end(&j);
	json_unsigned(&j, "clears", c->clears);
	json_unsigned(&j, "acknowledged", c->acknowledged);
	json_unsigned(&j, "clearedEvents", c->cleared_events);
	json_unsigned(&j, "unknownEvents", c->unknown_events);
	json_unsigned(&j, "clearedFragments", c->cleared_fragments);
	json_unsigned(&j, "delayed", c->delayed);
	json_unsigned(&j, "held", c->delayed); /* deprecated name */
	json_unsigned(&j, "receives", c->receives);
	json_unsigned(&j, "sends", c->sends);
	json_unsigned(&j, "errors", l->errors.count);
	json_bool(&j, "checked", !l->opt->no_errorcheck);
	json_text(&j, "end", l->end);
	json_text(&j, "failure", l->failure[0] ? l->failure : NULL);
	json_object_end(&j);
}
