/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic and output of the register tools (roc-reg-*, roc-bar-stress), apart from the card so
 * that tests need none.
 */
#ifndef ROC_UTILS_REGISTERS_H
#define ROC_UTILS_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "utils/common/json.h"

/*
 * Bits [position, position + width) of a register and a value for them. False: they do not fit,
 * with a sentence in @reason.
 */
bool reg_field(uint32_t position, uint32_t width, uint32_t value, uint32_t *mask, uint32_t *bits,
	       char *reason, size_t reason_size);

#define REG_LINE_MAX 96
/* Address, hexadecimal, binary and decimal of a register, in one line. */
void reg_line(uint32_t address, uint32_t value, char line[REG_LINE_MAX]);

/* One register: its value alone or, verbose, @title above its line; the same as an object. */
void reg_text(FILE *out, const char *title, uint32_t address, uint32_t value, bool verbose);
void reg_json(struct json *j, const char *key, uint32_t address, uint32_t value);

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
