/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prometheus text for the textfile collector of node_exporter: one family after the other, each
 * with all its samples. Only one tool prints a given family, with one help text, so that the files
 * of several tools can coexist.
 *
 * The structures live on the caller's stack and own nothing.
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
	PROMETHEUS_INFO,    /* name_info, a gauge with value 1 whose labels carry the information */
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
 * As prometheus_start(), and add the label file="@path" to each sample, so that several processes
 * of one tool can keep their files in one folder. node_exporter uses the same label in its own
 * metrics of that file.
 */
void prometheus_start_file(struct prometheus *m, FILE *out, const char *path);
/*
 * As prometheus_start(), and print the family of the card. @clock: one of its labels; NULL: none.
 */
void prometheus_begin_card(struct prometheus *m, FILE *out, const struct roc_card *card,
			   const char *clock);
/* @name: without the suffix of the type */
void prometheus_family(struct prometheus *m, const char *name, enum prometheus_type type,
		       const char *help);
void prometheus_sample(struct prometheus *m, const struct prometheus_labels *labels, double value);

/*
 * Print the samples of a histogram. @counts: counts of each of the @buckets buckets, not
 * cumulative. @limits: upper limits of all buckets but the last. @sum: sum of all counted values.
 */
void prometheus_histogram(struct prometheus *m, const struct prometheus_labels *labels,
			  const double *limits, const uint64_t *counts, size_t buckets, double sum);
/*
 * Estimate the sum from the buckets: each value counts as the middle of its bucket, in the last
 * bucket as its lower limit.
 */
double prometheus_estimate_sum(const double *limits, const uint64_t *counts, size_t buckets);

void prometheus_label(struct prometheus_labels *labels, const char *key, const char *value);
/* Set the labels pci_address, serial, endpoint, and link unless it is negative. */
void prometheus_card(struct prometheus_labels *labels, const struct roc_card *card, int link);

/*
 * --metrics of a long-running tool (metrics_file.c): a Prometheus file that is replaced
 * periodically. A full disk or a missing folder does not end the run: the tool tries the next
 * replacement anyway and reports a failure once.
 */

#define METRICS_NOTE (PATH_MAX + 160) /* a path, and the reason of output_replace() */

/* Owned by the tool; zero except for @path. */
struct metrics_file {
	const char *path; /* NULL: no metrics file */
	bool broken;	  /* the last replacement failed */
	struct metrics_writer *writer;
	char note[METRICS_NOTE];
};

/*
 * Replace the file with the output of @print. Each sample has the label file with the absolute
 * path. A writer process (writer_process.h) writes the file. If the file system does not respond,
 * it delays the caller once, by 250 ms.
 *
 * Return a message, valid until the next call, when writing starts to fail and when it works again;
 * NULL otherwise.
 */
const char *metrics_file_write(struct metrics_file *m,
			       void (*print)(struct prometheus *p, void *what), void *what);

/*
 * Metrics server of a running program (scrape.c): HTTP on a Unix socket, for collectors (telegraf's
 * "unix://PATH", curl --unix-socket). Each connection gets one snapshot, taken at its request.
 *
 * A thread makes and sends the snapshots. A client that sends half a request, does not read or does
 * not disconnect uses one of a few slots for a limited time, and delays no other client.
 */

struct scrape;

/* True if @path fits in a socket address. */
bool scrape_path_fits(const char *path);

/*
 * Create the socket at @path, which everybody may connect to, and replace a socket without a
 * listener. The thread calls @print. Return NULL after a message.
 */
struct scrape *scrape_start(const char *path, void (*print)(struct prometheus *p, void *what),
			    void *what);
/* Close the connections in their current state and remove the socket. NULL is allowed. */
void scrape_stop(struct scrape *s);

#endif
