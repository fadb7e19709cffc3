// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Evaluate and print the runs of --find-latency.
 */
#include "latency.h"

#include <inttypes.h>

#include "utils/common/histogram.h"
#include "utils/common/json.h"
#include "utils/common/output.h"

static bool enough(const struct latency_step *step)
{
	return !step->dropped;
}

/* The next depth: 1, 2, 3, 4, 6, 8, 12, 16 and so on, up to the depth of the FIFO. */
static unsigned int deeper(unsigned int depth)
{
	if (depth < 3)
		return depth + 1;
	return depth & (depth - 1) ? depth / 3 * 4 : depth / 2 * 3;
}

/* Increase the depth until it is sufficient. Then twice this depth must be sufficient, too. */
unsigned int latency_next(const struct latency *l)
{
	const struct latency_step *last = l->steps ? &l->step[l->steps - 1] : NULL;
	unsigned int depth;

	if (!last)
		return l->fifo ? 1 : 0;
	if (l->steps == LATENCY_STEPS || last->depth >= l->fifo)
		return 0;
	if (!enough(last))
		depth = deeper(last->depth);
	else if (l->steps > 1 && enough(last - 1) && last->depth == 2 * (last - 1)->depth)
		return 0;
	else
		depth = 2 * last->depth;
	return depth < l->fifo ? depth : l->fifo;
}

void latency_judge(const struct latency *l, struct latency_result *result)
{
	double period;
	size_t i;

	*result = (struct latency_result){.verdict = VERDICT_FAIL};
	for (i = 0; i < l->steps; i++) {
		const struct latency_step *s = &l->step[i];

		if (!enough(s)) {
			result->shallow = s->depth;
			result->needed = 0;
		} else if (!result->needed) {
			result->needed = s->depth;
		}
		if (s->seconds > 0 && (!enough(s) || result->needed == s->depth))
			result->rate = (double)s->bytes / s->seconds;
	}
	if (result->needed)
		result->verdict = 2 * result->needed <= l->fifo ? VERDICT_PASS : VERDICT_WARN;
	if (result->rate <= 0)
		return;
	/*
	 * One superpage is being filled and the others wait: a link continues for depth - 1 periods
	 * without a new one.
	 */
	period = (double)l->superpage * l->links / result->rate;
	result->least = result->shallow ? (result->shallow - 1) * period : 0;
	result->most = result->needed ? (result->needed - 1) * period : 0;
}

static void step_row(struct table *t, const struct latency_step *s)
{
	int p99 = gaps_bucket(s->gaps, 99), longest = gaps_bucket(s->gaps, 100);

	table_cell(t, NULL, "%u", s->depth);
	table_cell(t, NULL, "%.1f", s->seconds > 0 ? (double)s->bytes / s->seconds / 1e6 : 0);
	table_cell(t, NULL, "%" PRIu64, s->dropped);
	table_cell(t, NULL, "%" PRIu64, s->empty);
	table_cell(t, NULL,
		   p99 < 0		 ? "-"
		   : p99 == ROC_GAPS - 1 ? "longer"
					 : "< %u",
		   1u << (p99 & 31));
	table_cell(t, NULL,
		   longest < 0		     ? "-"
		   : longest == ROC_GAPS - 1 ? "longer"
					     : "< %u",
		   1u << (longest & 31));
}

void latency_text(FILE *out, const struct latency *l)
{
	static const char *const heads[] = {">Depth",	   ">MB/s",	  ">Dropped", ">FIFO empty",
					    ">Gap p99 us", ">Gap max us", NULL};
	struct latency_result r;
	struct table t;
	size_t i;

	table_start(&t, heads);
	for (i = 0; i < l->steps; i++)
		step_row(&t, &l->step[i]);
	table_print(&t, out, false);
	latency_judge(l, &r);
	fprintf(out, "\n%u links at %.1f MB/s in all, superpages of %u KiB, a FIFO of %u.\n",
		l->links, r.rate / 1e6, l->superpage >> 10, l->fifo);
	if (!r.needed)
		fprintf(out,
			"FAIL: packets are dropped even with a depth of %u. A finished superpage is not replaced within %.1f ms.\n",
			l->steps ? l->step[l->steps - 1].depth : 0, r.least * 1e3);
	else
		fprintf(out,
			"%s: a depth of %u is sufficient, %u is not; a finished superpage is replaced within %.1f to %.1f ms. The FIFO should have a depth of %u.\n",
			check_verdict(r.verdict), r.needed, r.shallow, r.least * 1e3, r.most * 1e3,
			2 * r.needed);
}

void latency_json(FILE *out, const struct latency *l)
{
	struct latency_result r;
	struct json j;
	size_t i;

	latency_judge(l, &r);
	json_start(&j, out);
	json_object(&j, NULL);
	json_text(&j, "pciAddress", l->address);
	json_text(&j, "verdict", check_verdict(r.verdict));
	json_unsigned(&j, "links", l->links);
	json_unsigned(&j, "superpageBytes", l->superpage);
	json_unsigned(&j, "fifoDepth", l->fifo);
	if (r.needed)
		json_unsigned(&j, "neededDepth", r.needed);
	else
		json_null(&j, "neededDepth");
	json_real(&j, "bytesPerSecond", r.rate);
	json_real(&j, "latencyLeast", r.least);
	if (r.needed)
		json_real(&j, "latencyMost", r.most);
	else
		json_null(&j, "latencyMost");
	json_array(&j, "runs");
	for (i = 0; i < l->steps; i++) {
		const struct latency_step *s = &l->step[i];

		json_object(&j, NULL);
		json_unsigned(&j, "depth", s->depth);
		json_real(&j, "seconds", s->seconds);
		json_unsigned(&j, "bytes", s->bytes);
		json_unsigned(&j, "dropped", s->dropped);
		json_unsigned(&j, "fifoEmpty", s->empty);
		gaps_json(&j, s->gaps);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
}
