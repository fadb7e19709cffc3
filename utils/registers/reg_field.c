// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bit fields of registers, and their output.
 */
#include "registers.h"

#include <stdio.h>

bool reg_field(uint32_t position, uint32_t width, uint32_t value, uint32_t *mask, uint32_t *bits,
	       char *reason, size_t reason_size)
{
	uint32_t field;

	if (!width || width > 32) {
		snprintf(reason, reason_size, "--width: %u is outside 1..32.", width);
		return false;
	}
	if (position > 31 || position + width > 32) {
		snprintf(reason, reason_size,
			 "--width and --position: %u bits from bit %u on exceed a 32-bit register.",
			 width, position);
		return false;
	}
	/* 1 << 32 is undefined. */
	field = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
	if (value > field) {
		snprintf(
			reason, reason_size,
			"--value: 0x%x does not fit in %u bit%s: set a larger --width or a smaller value.",
			value, width, width == 1 ? "" : "s");
		return false;
	}
	*mask = field << position;
	*bits = value << position;
	return true;
}

void reg_line(uint32_t address, uint32_t value, char line[REG_LINE_MAX])
{
	char binary[40];
	int i, n = 0;

	for (i = 31; i >= 0; i--) {
		binary[n++] = value >> i & 1 ? '1' : '0';
		if (i && i % 4 == 0)
			binary[n++] = '.';
	}
	binary[n] = '\0';
	snprintf(line, REG_LINE_MAX, "  0x%03x  =>  0x%04x.%04x  =  0b%s  =  %u", address,
		 value >> 16, value & 0xffff, binary, value);
}

void reg_text(FILE *out, const char *title, uint32_t address, uint32_t value, bool verbose)
{
	char line[REG_LINE_MAX];

	if (!verbose) {
		fprintf(out, "0x%x\n", value);
		return;
	}
	reg_line(address, value, line);
	fprintf(out, "%s%s%s\n", title, *title ? "\n" : "", line);
}

void reg_json(struct json *j, const char *key, uint32_t address, uint32_t value)
{
	char hex[16];

	json_object(j, key);
	json_unsigned(j, "address", address);
	json_unsigned(j, "value", value);
	snprintf(hex, sizeof(hex), "0x%x", value);
	json_text(j, "hex", hex);
	json_object_end(j);
}
