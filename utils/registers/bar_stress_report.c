// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output of roc-bar-stress.
 */
#include "registers.h"

#include <inttypes.h>

#include "utils/common/json.h"
#include "utils/common/output.h"

double bar_stress_jain(const struct bar_stress_worker *workers, unsigned int count)
{
	double sum = 0, squares = 0;
	unsigned int i;

	for (i = 0; i < count; i++) {
		double n = (double)workers[i].at_first;

		sum += n;
		squares += n * n;
	}
	return squares > 0 ? sum * sum / (count * squares) : 0;
}

struct totals {
	struct bar_stress_ops reads, writes;
	uint64_t wrong, duration_ns, at_first;
};

static void add_ops(struct bar_stress_ops *sum, const struct bar_stress_ops *ops)
{
	sum->count += ops->count;
	sum->total_ns += ops->total_ns;
	if (ops->max_ns > sum->max_ns)
		sum->max_ns = ops->max_ns;
}

static struct totals add(const struct bar_stress_report *r)
{
	struct totals t = {.wrong = 0};
	unsigned int i;

	for (i = 0; i < r->processes; i++) {
		const struct bar_stress_worker *w = &r->workers[i];

		add_ops(&t.reads, &w->reads);
		add_ops(&t.writes, &w->writes);
		t.wrong += w->wrong;
		t.at_first += w->at_first;
		if (w->duration_ns > t.duration_ns)
			t.duration_ns = w->duration_ns;
	}
	return t;
}

static double per(double amount, double count)
{
	return count > 0 ? amount / count : 0;
}

static double rate(uint64_t ops, uint64_t ns)
{
	return per((double)ops * 1e9, (double)ns);
}

static double mean_us(const struct bar_stress_ops *ops)
{
	return per((double)ops->total_ns / 1e3, (double)ops->count);
}

static double share(const struct bar_stress_worker *w, const struct totals *t)
{
	return per((double)w->at_first, (double)t->at_first);
}

static void text_ops(FILE *out, const char *name, const struct bar_stress_ops *ops)
{
	if (ops->count)
		fprintf(out, "  %-14s %" PRIu64 ", mean %.3f us, longest %.3f us\n", name,
			ops->count, mean_us(ops), (double)ops->max_ns / 1e3);
}

void bar_stress_text(FILE *out, const struct bar_stress_report *r)
{
	static const char *const heads[] = {">Process",	     ">Operations",    ">Ops/s", ">Share",
					    ">Mean read us", ">Mean write us", NULL};
	struct totals t = add(r);
	uint64_t ops = t.reads.count + t.writes.count;
	struct table table;
	unsigned int i;

	fprintf(out, "%s BAR %u, register 0x%x\n", r->pci_address, r->bar, r->address);
	text_ops(out, "Reads", &t.reads);
	text_ops(out, "Writes", &t.writes);
	fprintf(out, "  %-14s %" PRIu64 "\n", "Wrong", t.wrong);
	fprintf(out, "  %-14s %.6f s\n", "Time", (double)t.duration_ns / 1e9);
	fprintf(out, "  %-14s %.1f ops/s, %.3f Mb/s\n", "Rate", rate(ops, t.duration_ns),
		rate(ops, t.duration_ns) * 32 / 1e6);
	if (r->processes == 1)
		return;
	fprintf(out, "  %-14s %.4f\n\n", "Jain index", bar_stress_jain(r->workers, r->processes));
	table_start(&table, heads);
	for (i = 0; i < r->processes; i++) {
		const struct bar_stress_worker *w = &r->workers[i];
		uint64_t n = w->reads.count + w->writes.count;

		table_cell(&table, NULL, "%u", i);
		table_cell(&table, NULL, "%" PRIu64, n);
		table_cell(&table, NULL, "%.1f", rate(n, w->duration_ns));
		table_cell(&table, NULL, "%.1f%%", 100 * share(w, &t));
		table_cell(&table, NULL, "%.3f", mean_us(&w->reads));
		table_cell(&table, NULL, "%.3f", mean_us(&w->writes));
	}
	table_print(&table, out, false);
}

static void json_ops(struct json *j, const char *key, const struct bar_stress_ops *ops)
{
	json_object(j, key);
	json_unsigned(j, "count", ops->count);
	json_real(j, "meanUs", mean_us(ops));
	json_real(j, "maxUs", (double)ops->max_ns / 1e3);
	json_object_end(j);
}

void bar_stress_json(FILE *out, const struct bar_stress_report *r)
{
	struct totals t = add(r);
	uint64_t ops = t.reads.count + t.writes.count;
	unsigned int i;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	json_text(&j, "pciAddress", r->pci_address);
	json_unsigned(&j, "bar", r->bar);
	json_unsigned(&j, "address", r->address);
	json_ops(&j, "reads", &t.reads);
	json_ops(&j, "writes", &t.writes);
	json_unsigned(&j, "wrong", t.wrong);
	json_real(&j, "seconds", (double)t.duration_ns / 1e9);
	json_real(&j, "opsPerSecond", rate(ops, t.duration_ns));
	json_real(&j, "megabitsPerSecond", rate(ops, t.duration_ns) * 32 / 1e6);
	json_real(&j, "jainIndex", bar_stress_jain(r->workers, r->processes));
	json_array(&j, "processes");
	for (i = 0; i < r->processes; i++) {
		const struct bar_stress_worker *w = &r->workers[i];

		json_object(&j, NULL);
		json_ops(&j, "reads", &w->reads);
		json_ops(&j, "writes", &w->writes);
		json_unsigned(&j, "wrong", w->wrong);
		json_real(&j, "seconds", (double)w->duration_ns / 1e9);
		json_real(&j, "share", share(w, &t));
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
}
