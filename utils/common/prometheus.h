/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for Prometheus, as node_exporter's textfile collector takes it: families one after the
 * other, each with all its samples. A family is printed by one tool only, with one help text, so
 * that the files of several tools can lie beside each other.
 *
 * The structures live on their user's stack and own nothing.
 */
#ifndef ROC_UTILS_PROMETHEUS_H
#define ROC_UTILS_PROMETHEUS_H

#include <roc/roc.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum prometheus_type {
	PROMETHEUS_GAUGE,
	PROMETHEUS_COUNTER, /* name_total */
	PROMETHEUS_INFO,    /* name_info, a gauge that is 1 and has labels to tell */
	PROMETHEUS_HISTOGRAM,
};

struct prometheus {
	FILE *out;
	const char *file; /* label of all samples; NULL: none */
	const char *name;
	enum prometheus_type type;
};

struct prometheus_labels {
	char text[512];
};

void prometheus_start(struct prometheus *m, FILE *out);
/*
 * With the label file="@path" on each sample: several processes of one tool can keep their files in
 * one folder. It is the label that node_exporter gives its own metrics of that file.
 */
void prometheus_start_file(struct prometheus *m, FILE *out, const char *path);
/* Begins with the family of the card. @clock: a label of it; NULL: none. */
void prometheus_begin_card(struct prometheus *m, FILE *out, const struct roc_card *card,
			   const char *clock);
/* @name: without the type's suffix */
void prometheus_family(struct prometheus *m, const char *name, enum prometheus_type type,
		       const char *help);
void prometheus_sample(struct prometheus *m, const struct prometheus_labels *labels, double value);

/*
 * The samples of a histogram: @counts of @buckets buckets, each for itself; @limits of all but the
 * last; @sum of all values that were counted.
 */
void prometheus_histogram(struct prometheus *m, const struct prometheus_labels *labels,
			  const double *limits, const uint64_t *counts, size_t buckets, double sum);
/*
 * The sum if only the buckets are known: each value counts as the middle of its bucket, those of
 * the last as its lower limit.
 */
double prometheus_estimate_sum(const double *limits, const uint64_t *counts, size_t buckets);

void prometheus_label(struct prometheus_labels *labels, const char *key, const char *value);
/* Labels pci_address, serial, endpoint, and link unless it is below 0. */
void prometheus_card(struct prometheus_labels *labels, const struct roc_card *card, int link);

/*
 * --metrics of a tool that runs for long (metrics_file.c): a file for Prometheus, replaced
 * periodically. A full disk or a missing folder ends no run: the next replacement is tried all the
 * same, and a failure is reported once.
 */

#define METRICS_NOTE (PATH_MAX + 160) /* a path, and the reason of output_replace() */

/* Owned by the tool; all 0 but the path. */
struct metrics_file {
	const char *path; /* NULL: none is asked for */
	bool broken;	  /* the last one could not be written */
	struct metrics_writer *writer;
	char note[METRICS_NOTE];
};

/*
 * Replace the file by what @print prints. Each sample gets the label file with the absolute path.
 * A writer process (writer_process.h) writes it: a file system that does not answer delays the
 * caller once, for a quarter of a second. A sentence when it begins to fail and when it is well
 * again, which is the file's until the next one; else NULL.
 */
const char *metrics_file_write(struct metrics_file *m,
			       void (*print)(struct prometheus *p, void *what), void *what);

/*
 * Figures of a running program, for collectors (scrape.c): on a Unix socket, by as much of HTTP
 * as a collector needs (telegraf's "unix://PATH", curl --unix-socket). Each connection gets one
 * snapshot, made when it asks.
 *
 * A thread of its own makes and sends them. A client that asks for half, does not read or
 * stays keeps one of few places for a short time, and delays no other.
 */

struct scrape;

/* Whether a socket can have that path. */
bool scrape_path_fits(const char *path);

/*
 * The socket at @path is made, and everybody may connect to it; one without a listener is taken
 * over. @print is called by the thread. NULL after a message.
 */
struct scrape *scrape_start(const char *path, void (*print)(struct prometheus *p, void *what),
			    void *what);
/* Connections end as they are, and the socket is taken away. NULL is nothing. */
void scrape_stop(struct scrape *s);

#endif
