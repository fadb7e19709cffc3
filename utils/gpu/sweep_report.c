// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print the results of roc-gpu-src: the capacity of the link with its factors, then a row for each
 * point.
 */
#include "sweep.h"

#include <inttypes.h>
#include <math.h>

#include "utils/common/json.h"
#include "utils/common/output.h"

static double of_ceiling(const struct sweep *s, const struct sweep_point *p)
{
	return s->link.known ? p->mean / s->link.ceiling : NAN;
}

static void json_point(struct json *j, const struct sweep *s, const struct sweep_point *p)
{
	json_object(j, NULL);
	json_unsigned(j, "record", p->record);
	json_text(j, "memory", p->pinned ? "pinned" : "pageable");
	json_unsigned(j, "streams", p->streams);
	json_unsigned(j, "repeats", p->repeats);
	json_unsigned(j, "bytes", p->bytes);
	json_real(j, "gigabitsPerSecond", p->mean);
	json_real(j, "sigma", p->sigma);
	json_real(j, "least", p->least);
	json_real(j, "most", p->most);
	json_real(j, "ofCeiling", of_ceiling(s, p));
	json_real(j, "systemSecondsPerGibibyte", p->system);
	json_real(j, "userSecondsPerGibibyte", p->user);
	json_unsigned(j, "errors", p->errors);
	json_object_end(j);
}

static void print_json(const struct sweep *s)
{
	const struct gpu_link *l = &s->link;
	struct json j;
	unsigned int i;

	json_start(&j, stdout);
	json_object(&j, NULL);
	json_text(&j, "source", s->copier->ops->name);
	json_text(&j, "device", s->copier->device);
	json_text(&j, "pciAddress", s->copier->pci[0] ? s->copier->pci : NULL);
	if (l->known) {
		json_object(&j, "link");
		json_real(&j, "gigatransfersPerSecond", l->speed);
		json_unsigned(&j, "lanes", l->lanes);
		json_real(&j, "encoding", l->encoding);
		json_unsigned(&j, "payload", l->payload);
		json_bool(&j, "payloadAssumed", l->payload_assumed);
		json_real(&j, "payloadEfficiency", l->efficiency);
		json_real(&j, "ceilingGigabitsPerSecond", l->ceiling);
		json_object_end(&j);
	} else {
		json_null(&j, "link");
	}
	json_bool(&j, "checked", !s->opt->no_check);
	json_array(&j, "points");
	for (i = 0; i < s->count; i++)
		json_point(&j, s, &s->points[i]);
	json_array_end(&j);
	json_object_end(&j);
	printf("\n");
}

static void print_text(const struct sweep *s)
{
	static const char *const heads[] = {">Record", "Memory",   ">Streams",	    ">Gb/s",
					    ">Sigma",  ">Of link", ">System s/GiB", ">User s/GiB",
					    ">Errors", NULL};
	const struct gpu_link *l = &s->link;
	struct table t;
	unsigned int i;

	printf("From %s%s%s into host memory\n", s->copier->device, s->copier->pci[0] ? " at " : "",
	       s->copier->pci);
	if (l->known)
		printf("Link: %.1f GT/s x %u lanes x %.4f encoding x %.4f (%u of %.0f bytes of a packet%s) = %.1f Gb/s at most\n",
		       l->speed, l->lanes, l->encoding, l->efficiency, l->payload,
		       l->payload / l->efficiency,
		       l->payload_assumed ? ", which is assumed: only root may read it" : "",
		       l->ceiling);
	else
		printf("Link: unknown to the kernel, so there is no maximum to compare with\n");
	table_start(&t, heads);
	for (i = 0; i < s->count; i++) {
		const struct sweep_point *p = &s->points[i];

		table_cell(&t, NULL, "%" PRIu64, p->record);
		table_cell(&t, NULL, "%s", p->pinned ? "pinned" : "pageable");
		table_cell(&t, NULL, "%u", p->streams);
		table_cell(&t, NULL, "%.2f", p->mean);
		if (isnan(p->sigma))
			table_cell(&t, NULL, "-");
		else
			table_cell(&t, NULL, "%.2f", p->sigma);
		if (l->known)
			table_cell(&t, NULL, "%.1f %%", 100 * of_ceiling(s, p));
		else
			table_cell(&t, NULL, "-");
		table_cell(&t, NULL, "%.3f", p->system);
		table_cell(&t, NULL, "%.3f", p->user);
		table_cell(&t, NULL, "%" PRIu64, p->errors);
	}
	table_print(&t, stdout, false);
}

void sweep_report(const struct sweep *s)
{
	if (s->opt->json)
		print_json(s);
	else
		print_text(s);
}
