// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden files of roc-rosd with two sub-units, one of them failed. The metrics are also checked by
 * Debian's promtool and node_exporter with the other golden files (tests/vm/monitoring).
 */
#include "unit.h"

#include "tests/unit/utils/golden.h"
#include "utils/ros/rosd.h"

/* Set each counter of a structure to a different value. */
static void fill(void *counts, size_t size, uint64_t from)
{
	ros_count *c = counts;
	size_t i;

	for (i = 0; i < size / sizeof(*c); i++)
		ros_count_set(&c[i], from + i);
}

static void forms(void)
{
	static const struct rosd_options options = {.listen = "10.1.2.3:9870"};
	static struct ros_source sources[2] = {
		{.name = "0000:3b:00.0 sub0", .links = 0x3f, .pages = 4096},
		{.name = "0000:3b:00.0 sub1", .links = 0x3f, .pages = 4096},
	};
	static struct rosd d = {.opt = &options, .began = 5000000000, .ended = 65000000000};
	struct prometheus p;
	unsigned int i;
	FILE *out;

	d.server.units = 2;
	d.server.workers = d.workers;
	d.server.set.limits.links = 0xfff;
	fill(&d.server.counts, sizeof(d.server.counts), 1000);
	for (i = 0; i < 2; i++) {
		fill(&d.workers[i].counts, sizeof(d.workers[i].counts), 2000 + 100 * i);
		d.workers[i].source = &sources[i];
	}
	atomic_store(&d.workers[1].gone, true);
	strcpy(d.workers[1].failure, "The card is gone.");
	out = golden_metrics(&p, "rosd.prom");
	rosd_metrics(&p, &d);
	golden_end(out, "rosd.prom");
	out = golden_begin();
	rosd_text(out, &d);
	golden_end(out, "rosd.txt");
	out = golden_begin();
	rosd_json(out, &d);
	golden_end(out, "rosd.json");
}

UNIT_MAIN("golden files of roc-rosd", {"metrics, text, JSON", forms})
