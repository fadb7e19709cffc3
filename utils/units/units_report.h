/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tools that move units print: a line on the terminal, a file for Prometheus, a table or
 * JSON at the end.
 */
#ifndef ROC_UTILS_UNITS_REPORT_H
#define ROC_UTILS_UNITS_REPORT_H

#include <stdio.h>

#include "pump.h"
#include "utils/common/metrics_file.h"

struct units_report {
	const char *tool;
	struct metrics_file metrics;
	bool live;
	uint64_t last_time, last_bytes;
};

/* Of a pump, its context being a struct units_report. */
void units_report_tick(struct pump *p, void *context);
void units_report_end(struct units_report *r); /* takes the line from the terminal */

/* @verbose: of each link, too. */
void units_report_text(FILE *out, const struct pump *p, bool verbose);
void units_report_json(FILE *out, const struct pump *p);
void units_report_prometheus(struct prometheus *m, const struct pump *p, const char *tool);

#endif
