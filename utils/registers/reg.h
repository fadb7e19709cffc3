/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic and text of the register tools, apart from the card so that it can be tested.
 */
#ifndef ROC_UTILS_REG_H
#define ROC_UTILS_REG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "utils/common/json.h"

/*
 * Bits [position, position + width) of a register and a value for them. False: they do not fit,
 * with a sentence in @why.
 */
bool reg_field(uint32_t position, uint32_t width, uint32_t value, uint32_t *mask, uint32_t *bits,
	       char *why, size_t why_size);

#define REG_LINE_MAX 96
/* Address, hexadecimal, binary and decimal of a register, in one line. */
void reg_line(uint32_t address, uint32_t value, char line[REG_LINE_MAX]);

/* One register: its value alone or, verbose, @title above its line; the same as an object. */
void reg_text(FILE *out, const char *title, uint32_t address, uint32_t value, bool verbose);
void reg_json(struct json *j, const char *key, uint32_t address, uint32_t value);

#endif
