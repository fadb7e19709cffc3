/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic and output of the register tools (roc-reg-*, roc-bar-stress), separate from card
 * access so that tests need no card.
 */
#ifndef ROC_UTILS_REGISTERS_H
#define ROC_UTILS_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "utils/common/json.h"

/*
 * Compute mask and bits for a value in bits [position, position + width) of a register. Return
 * false and a message in @reason if they do not fit.
 */
bool reg_field(uint32_t position, uint32_t width, uint32_t value, uint32_t *mask, uint32_t *bits,
	       char *reason, size_t reason_size);

#define REG_LINE_MAX 96
/* Format a register in one line: address, hexadecimal, binary and decimal value. */
void reg_line(uint32_t address, uint32_t value, char line[REG_LINE_MAX]);

/* Print one register: its value only or, with @verbose, @title and its line; or as an object. */
void reg_text(FILE *out, const char *title, uint32_t address, uint32_t value, bool verbose);
void reg_json(struct json *j, const char *key, uint32_t address, uint32_t value);

#define BAR_STRESS_PROCESSES_MAX 256

/* Counters of one operation. */
struct bar_stress_ops {
	uint64_t count;
	uint64_t total_ns;
	uint64_t max_ns;
};

/* Results of one process. Written only by that process, read by the parent after its end. */
struct bar_stress_worker {
	struct bar_stress_ops reads;
	struct bar_stress_ops writes;
	uint64_t wrong;	      /* reads that differ from the written or first value */
	uint64_t at_first;    /* operations when the first process finished */
	uint64_t duration_ns; /* from the common start to the end of the process */
	bool failed;	      /* the process was killed or failed */
};

struct bar_stress_report {
	const char *pci_address;
	uint32_t bar;
	uint32_t address;
	bool write; /* a cycle is a write and a read; else only a read */
	unsigned int processes;
	const struct bar_stress_worker *workers;
};

/*
 * Return Jain's fairness index: 1 if all processes have the same share, 1/n if one has all, 0
 * without operations.
 */
double bar_stress_jain(const struct bar_stress_worker *workers, unsigned int count);

void bar_stress_text(FILE *out, const struct bar_stress_report *r);
void bar_stress_json(FILE *out, const struct bar_stress_report *r);

#endif
