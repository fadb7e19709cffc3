/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-bar-stress: what a run counts, and how it is shown.
 */
#ifndef ROC_UTILS_BAR_STRESS_H
#define ROC_UTILS_BAR_STRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BAR_STRESS_PROCESSES_MAX 256

/* Of one kind of operation. */
struct bar_stress_ops {
	uint64_t count;
	uint64_t total_ns;
	uint64_t max_ns;
};

/* What one process did. Written by that process alone, read by the parent after its end. */
struct bar_stress_worker {
	struct bar_stress_ops reads;
	struct bar_stress_ops writes;
	uint64_t wrong;	   /* reads that did not deliver what was written, or what was first read */
	uint64_t at_first; /* operations when the first process was finished */
	uint64_t duration_ns; /* from the common start to its own end */
	bool failed;	      /* it died */
};

struct bar_stress_report {
	const char *pci_address;
	uint32_t bar;
	uint32_t address;
	bool write; /* cycles of a write and a read; else of a read */
	unsigned int processes;
	const struct bar_stress_worker *workers;
};

/* Jain's index of fairness: 1 if all have the same, 1/n if one has all; 0 without operations. */
double bar_stress_jain(const struct bar_stress_worker *workers, unsigned int count);

void bar_stress_text(FILE *out, const struct bar_stress_report *r);
void bar_stress_json(FILE *out, const struct bar_stress_report *r);

#endif
