// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output of roc-bench-dma: a live line on the terminal, and a table or JSON at the end.
 */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "utils/common/clock.h"
#include "utils/common/histogram.h"
#include "utils/common/json.h"
#include "utils/common/output.h"

static const char *const end_names[] = {
	[BENCH_END_BYTES] = "bytes", [BENCH_END_TIME] = "time",	  [BENCH_END_SIGNAL] = "signal",
	[BENCH_END_FULL] = "full",   [BENCH_END_STALL] = "stall", [BENCH_END_FAILED] = "failed",
};

static double seconds(const struct bench_counts *n)
{
	return (double)(n->end - n->start) / 1e9;
}

/* NAN for a run without duration. */
static double per(double amount, double count)
{
	return count > 0 ? amount / count : NAN;
}

void bench_temperature(struct bench *b)
{
	if (b->opt->no_temperature || !b->type->temperature ||
	    !(b->info.caps & ROC_CAP_TEMPERATURE))
		return;
	b->temperature = b->type->temperature(b->ep);
}

static void temperature_text(double celsius, char *text, size_t size)
{
	if (isnan(celsius))
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.1f", celsius);
}

/* Called once per tick. Reads the temperature for the report even without a live line. */
void bench_live(struct bench *b)
{
	static uint64_t last_bytes, last_time;
	const struct bench_counts *n = &b->counts;
	uint64_t now = now_ns(), run = (now - n->start) / 1000000000;
	double rate = per((double)(n->bytes - last_bytes) * 8,
			  (double)(now - (last_time ? last_time : n->start)));
	char celsius[16];

	bench_temperature(b);
	last_bytes = n->bytes;
	last_time = now;
	if (!b->live)
		return;
	temperature_text(b->temperature, celsius, sizeof(celsius));
	output_live(stdout,
		    "  %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "   Superpages %-10" PRIu64
		    "   %7.2f Gb/s   Errors %-6" PRIu64 "   %s \302\260C ",
		    run / 3600, run / 60 % 60, run % 60, n->superpages, rate, b->errors.count,
		    celsius);
}

void bench_live_end(struct bench *b)
{
	if (b->live)
		output_live(stdout, "%s", "");
}

static void row_count(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "  %-22s %" PRIu64 "\n", name, value);
}

static void row_real(FILE *out, const char *name, double value, const char *unit)
{
	if (isfinite(value))
		fprintf(out, "  %-22s %.6g%s\n", name, value, unit);
	else
		fprintf(out, "  %-22s -\n", name);
}

static void print_links(FILE *out, const struct bench *b)
{
	unsigned int i;

	for (i = 0; i < CHECK_LINKS; i++) {
		const struct bench_link *l = &b->counts.links[i];
		char name[24];

		if (!l->superpages)
			continue;
		snprintf(name, sizeof(name), "Link %u", i);
		fprintf(out, "  %-22s %" PRIu64 " superpages, ", name, l->superpages);
		if (check_counts_pages(&b->checker.config))
			fprintf(out, "%" PRIu64 " pages, ", l->pages);
		fprintf(out, "%" PRIu64 " bytes\n", l->bytes);
	}
}

static void print_hammer(FILE *out, const struct bench *b)
{
	if (!b->opt->bar_hammer)
		return;
	row_count(out, "BAR reads", b->hammer.reads);
	row_real(out, "BAR reads/s", per((double)b->hammer.reads, b->hammer.seconds), "");
}

void bench_report_text(FILE *out, const struct bench *b)
{
	const struct bench_counts *n = &b->counts;
	double s = seconds(n), bytes = (double)n->bytes;

	row_real(out, "Seconds", s, "");
	row_count(out, "Superpages", n->superpages);
	row_real(out, "Superpage latency", per(s * 1e6, (double)n->superpages), " us");
	if (check_counts_pages(&b->checker.config))
		row_count(out, "DMA pages", n->pages);
	else
		fprintf(out, "  %-22s not counted\n", "DMA pages");
	row_real(out, "DMA page latency", per(s * 1e6, (double)n->pages), " us");
	row_count(out, "Bytes", n->bytes);
	row_real(out, "GB", bytes / 1e9, "");
	row_real(out, "GB/s", per(bytes / 1e9, s), "");
	row_real(out, "Gb/s", per(bytes * 8 / 1e9, s), "");
	row_real(out, "GiB/s", per(bytes / (double)(1 << 30), s), "");
	if (b->opt->buffer_full_check)
		row_real(out, "Fill time", n->filled_ns ? (double)n->filled_ns / 1e9 : NAN, " s");
	row_count(out, "Dropped packets", n->dropped);
	row_count(out, "Superpages unused", n->reclaimed);
	row_count(out, "Superpages damaged", n->damaged);
	row_count(out, "Superpages short", n->short_);
	row_count(out, "Superpages lost", n->lost);
	row_count(out, "Pushes repeated", n->retries);
	gaps_text(out, n->gaps);
	print_hammer(out, b);
	if (b->opt->common.verbose) {
		print_links(out, b);
		row_count(out, "Waits", n->waits);
		row_count(out, "Kicks", n->kicks);
		row_count(out, "Polls", n->polls);
	}
	if (b->opt->no_errorcheck && !b->errors.count)
		fprintf(out, "  %-22s not checked\n", "Errors");
	else
		row_count(out, "Errors", b->errors.count);
}

static void json_pages(struct json *j, const struct bench *b, uint64_t pages)
{
	if (check_counts_pages(&b->checker.config))
		json_unsigned(j, "pages", pages);
	else
		json_null(j, "pages");
}

static void json_links(struct json *j, const struct bench *b)
{
	unsigned int i;

	json_array(j, "links");
	for (i = 0; i < CHECK_LINKS; i++) {
		const struct bench_link *l = &b->counts.links[i];

		if (!l->superpages)
			continue;
		json_object(j, NULL);
		json_unsigned(j, "link", i);
		json_unsigned(j, "superpages", l->superpages);
		json_unsigned(j, "bytes", l->bytes);
		json_pages(j, b, l->pages);
		json_object_end(j);
	}
	json_array_end(j);
}

static void json_setup(struct json *j, const struct bench *b)
{
	json_text(j, "type", roc_card_type_name((enum roc_card_type)b->info.card_type));
	json_text(j, "pciAddress", b->info.pci_address);
	output_number_json(j, "serial", b->info.serial);
	output_number_json(j, "endpoint", b->info.endpoint);
	json_signed(j, "sequence", b->card.sequence);
	output_number_json(j, "numa", b->info.numa_node);
	json_text(j, "firmwareHash", b->info.firmware);
	json_unsigned(j, "channel", b->opt->dma_channel);
	json_text(j, "source", bench_source_names[b->opt->source]);
	json_text(j, "mode", bench_mode_names[b->opt->mode]);
	json_unsigned(j, "superpageBytes", b->superpage);
	json_unsigned(j, "bufferSuperpages", b->count);
	json_unsigned(j, "memoryPageBytes", b->memory_page);
}

static void json_rates(struct json *j, const struct bench *b)
{
	const struct bench_counts *n = &b->counts;
	double s = seconds(n), bytes = (double)n->bytes;

	json_real(j, "gigabitsPerSecond", per(bytes * 8 / 1e9, s));
	json_real(j, "gibibytesPerSecond", per(bytes / (double)(1 << 30), s));
	json_real(j, "superpageLatencyUs", per(s * 1e6, (double)n->superpages));
	json_real(j, "pageLatencyUs", per(s * 1e6, (double)n->pages));
	if (b->opt->buffer_full_check)
		json_real(j, "fillSeconds", n->filled_ns ? (double)n->filled_ns / 1e9 : NAN);
	json_real(j, "temperature", b->temperature);
	if (b->opt->bar_hammer) {
		json_unsigned(j, "barReads", b->hammer.reads);
		json_real(j, "barReadsPerSecond", per((double)b->hammer.reads, b->hammer.seconds));
	}
}

void bench_report_json(FILE *out, const struct bench *b)
{
	const struct bench_counts *n = &b->counts;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	json_setup(&j, b);
	json_real(&j, "seconds", seconds(n));
	json_unsigned(&j, "superpages", n->superpages);
	json_unsigned(&j, "bytes", n->bytes);
	json_pages(&j, b, n->pages);
	json_unsigned(&j, "errors", b->errors.count);
	json_bool(&j, "checked", !b->opt->no_errorcheck);
	json_unsigned(&j, "dropped", n->dropped);
	json_unsigned(&j, "reclaimed", n->reclaimed);
	json_unsigned(&j, "refused", n->refused);
	json_unsigned(&j, "damaged", n->damaged);
	json_unsigned(&j, "short", n->short_);
	json_unsigned(&j, "lost", n->lost);
	json_unsigned(&j, "retries", n->retries);
	gaps_json(&j, n->gaps);
	json_rates(&j, b);
	json_unsigned(&j, "waits", n->waits);
	json_unsigned(&j, "kicks", n->kicks);
	json_unsigned(&j, "polls", n->polls);
	json_unsigned(&j, "looks", n->polls); /* deprecated */
	json_text(&j, "end", end_names[b->end]);
	json_text(&j, "failure", b->failure[0] ? b->failure : NULL);
	json_links(&j, b);
	json_object_end(&j);
}
