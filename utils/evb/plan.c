// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The action plan: calculate loads, queues and memory of a system from its nodes, links and
 * fragments.
 */
#include <stdlib.h>

#include "coordinator.h"
#include "evb_options.h"
#include "plan_model.h"
#include "utils/common/json.h"
#include "utils/common/tool.h"

#define SEGMENT (256 << 10)

static int parse_real(const char *name, const char *text, double min, double max, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !(*value > min && *value <= max))
		return tool_usage("--%s: \"%s\" is not a number above %g, up to %g.", name, text,
				  min, max);
	return TOOL_OK;
}

static int parse_options(const struct evb_options *o, struct plan *p)
{
	double gbps;

	*p = (struct plan){
		.readouts = o->nodes ? o->nodes : o->readouts,
		.builders = o->nodes ? o->nodes : o->builders,
		.both = o->nodes,
		.policy = o->policy,
		.seed = o->seed,
		.events = o->events,
		.fragment = (double)o->fragment,
		.spread = (double)o->spread,
		.event_rate = o->event_rate,
		.hold = o->hold / 1e3,
		.stale = o->stale / 1e3,
		.simulated = o->simulate,
		.segment = (double)(o->segment ? o->segment : SEGMENT),
	};
	if (!p->readouts || !p->builders || (o->nodes && (o->readouts || o->builders)))
		return tool_usage("Set either --nodes, or --readouts and --builders.");
	if (!o->fragment)
		return tool_usage("--fragment is missing: set the mean size of a fragment.");
	if (p->segment <= 64)
		return tool_usage(
			"--segment: a segment must be larger than its header of 64 bytes.");
	if (parse_real("link-rate", o->link_rate, 0, 1e6, &gbps) ||
	    parse_real("share", o->share, 0, 1, &p->share))
		return TOOL_USAGE;
	p->link = gbps * 1e9 / 8;
	return TOOL_OK;
}

static void show_json(const struct plan *p, const struct plan_result *r, bool carries)
{
	struct json j;

	json_start(&j, stdout);
	json_object(&j, NULL);
	json_unsigned(&j, "readoutUnits", p->readouts);
	json_unsigned(&j, "builderUnits", p->builders);
	json_text(&j, "policy", evb_policies[p->policy]);
	json_bool(&j, "carries", carries);
	json_real(&j, "eventRate", r->event_rate);
	json_real(&j, "maxEventRate", r->max_event_rate);
	json_real(&j, "blockRate", r->block_rate);
	json_real(&j, "mfpBytes", r->mfp);
	json_real(&j, "overhead", r->overhead);
	json_real(&j, "sendBytesPerSecond", r->send);
	json_real(&j, "receiveBytesPerSecond", r->receive);
	json_real(&j, "sendShare", r->send_share);
	json_real(&j, "receiveShare", r->receive_share);
	json_unsigned(&j, "sendersAtOnce", r->at_once);
	json_object(&j, "blocksOfACycle");
	json_real(&j, "twoOrMore", r->cycle.two);
	json_unsigned(&j, "p50", r->cycle.p50);
	json_unsigned(&j, "p99", r->cycle.p99);
	json_unsigned(&j, "p999", r->cycle.p999);
	json_real(&j, "worstMean", r->cycle.worst);
	json_unsigned(&j, "worst", r->cycle.worst_ever);
	json_object_end(&j);
	json_object(&j, "queue");
	json_real(&j, "mean", carries ? r->queue.mean : 1.0 / 0.0);
	json_unsigned(&j, "p50", r->queue.p50);
	json_unsigned(&j, "p99", r->queue.p99);
	json_unsigned(&j, "p999", r->queue.p999);
	json_unsigned(&j, "max", r->queue.max);
	json_object_end(&j);
	json_real(&j, "builderMemory", r->builder_memory);
	json_real(&j, "builderMemoryStale", r->builder_stale);
	json_real(&j, "readoutMemory", r->readout_memory);
	json_object_end(&j);
}

static void show_text(const struct plan *p, const struct plan_result *r, bool carries)
{
	printf("%u readout units, %u builders, %s, blocks of %u events\n", p->readouts, p->builders,
	       evb_policies[p->policy], p->events);
	printf("  %-33s%.6g per second (at most %.6g), in %.6g blocks\n", "Events", r->event_rate,
	       r->max_event_rate, r->block_rate);
	printf("  %-33s%.0f bytes, %.2f %% of them overhead\n", "MFP", r->mfp, 100 * r->overhead);
	printf("  %-33s%.3f Gb/s, %.1f %%\n", "Link of a readout unit", 8 * r->send / 1e9,
	       100 * r->send_share);
	printf("  %-33s%.3f Gb/s, %.1f %%\n", "Link of a builder", 8 * r->receive / 1e9,
	       100 * r->receive_share);
	printf("  %-33s%u\n", "Senders to one builder at once", r->at_once);
	if (!carries)
		return;
	printf("  %-33sup to %u in 50 %% of the cycles, %u in 99 %%, %u in 99.9 %%\n",
	       "Blocks of a cycle for a builder", r->cycle.p50, r->cycle.p99, r->cycle.p999);
	printf("  %-33s%.4f; the worst builder has a mean of %.2f, at most %u\n",
	       "  two or more: probability", r->cycle.two, r->cycle.worst, r->cycle.worst_ever);
	printf("  %-33smean %.2f, 99 %% up to %u, 99.9 %% up to %u, at most %u\n",
	       "Blocks in transfer to a builder", r->queue.mean, r->queue.p99, r->queue.p999,
	       r->queue.max);
	printf("  %-33s%.1f MiB, and %.1f MiB while one readout unit is missing\n",
	       "Memory of a builder", r->builder_memory / (1 << 20), r->builder_stale / (1 << 20));
	printf("  %-33s%.1f MiB while one builder is missing\n", "Memory of a readout unit",
	       r->readout_memory / (1 << 20));
}

int evb_plan(const struct evb_options *o)
{
	struct plan_result r;
	struct plan p;
	bool carries;
	int code = parse_options(o, &p);

	if (code)
		return code;
	carries = plan_solve(&p, &r);
	(o->json ? show_json : show_text)(&p, &r, carries);
	if (carries)
		return TOOL_OK;
	return tool_fail("The links cannot carry the load: their limit is %.6g events per second.",
			 r.max_event_rate);
}
