// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strict parsers for numbers on the command line. strtoull() accepts signs and leading blanks and
 * reports overflows only in errno.
 */
#include "numbers.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static int digit(char c, unsigned int base)
{
	int d = -1;

	if (c >= '0' && c <= '9')
		d = c - '0';
	else if (c >= 'a' && c <= 'f')
		d = c - 'a' + 10;
	else if (c >= 'A' && c <= 'F')
		d = c - 'A' + 10;
	return d < (int)base ? d : -1;
}

/* Parse digits from *text on and leave *text at the first other character. False: above @max. */
static bool parse_digits(const char **text, unsigned int base, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;
	int d;

	for (; (d = digit(**text, base)) >= 0; (*text)++) {
		if (v > (max - (unsigned int)d) / base)
			return false;
		v = v * base + (unsigned int)d;
	}
	*value = v;
	return true;
}

static bool has_0x(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

const char *number_hex32(const char *text, uint32_t *value)
{
	const char *start = has_0x(text) ? text + 2 : text, *p = start;
	uint64_t v;

	if (!parse_digits(&p, 16, UINT32_MAX, &v))
		return "does not fit in 32 bits";
	if (p == start || *p)
		return "is not a hexadecimal number";
	*value = (uint32_t)v;
	return NULL;
}

const char *number_value(const char *text, uint64_t *value)
{
	const char *start = has_0x(text) ? text + 2 : text, *p = start;
	uint64_t v;

	if (!parse_digits(&p, start == text ? 10 : 16, UINT64_MAX, &v))
		return "is too large";
	if (p == start || *p)
		return "is not a number (decimal, or hexadecimal with 0x)";
	*value = v;
	return NULL;
}

const char *number_value32(const char *text, uint32_t *value)
{
	const char *wrong;
	uint64_t v;

	wrong = number_value(text, &v);
	if (wrong)
		return wrong;
	if (v > UINT32_MAX)
		return "does not fit in 32 bits";
	*value = (uint32_t)v;
	return NULL;
}

const char *number_port(const char *text, uint16_t *value)
{
	uint64_t v;

	if (text[strspn(text, "0123456789")] || number_value(text, &v))
		return "is not a port number";
	if (v > UINT16_MAX)
		return "is not a port number: the maximum is 65535";
	*value = (uint16_t)v;
	return NULL;
}

const char *number_size(const char *text, uint64_t *value)
{
	static const char letters[] = "kMGTPE";
	const char *p = text, *letter;
	uint64_t v, unit = 1;
	long power;

	if (has_0x(text))
		return number_value(text, value);
	if (!parse_digits(&p, 10, UINT64_MAX, &v))
		return "is too large";
	if (p == text)
		return "is not a size (examples: 4096, 0x1000, 64k, 512Mi, 1Gi)";
	if (*p) {
		/* Ki is the binary unit and k the decimal one; K alone would be ambiguous. */
		letter = p[0] == 'K' && p[1] == 'i' ? letters : strchr(letters, *p);
		if (!letter)
			return "has an unknown unit (valid: k M G T P E and Ki Mi Gi Ti Pi Ei)";
		unit = p[1] == 'i' ? 1024 : 1000;
		if (p[1] == 'i' && p[0] == 'k')
			return "has an unknown unit (valid: k M G T P E and Ki Mi Gi Ti Pi Ei)";
		p += p[1] == 'i' ? 2 : 1;
		if (*p)
			return "has an unknown unit (valid: k M G T P E and Ki Mi Gi Ti Pi Ei)";
		for (power = letter - letters; power >= 0; power--) {
			if (__builtin_mul_overflow(v, unit, &v))
				return "is too large";
		}
	}
	*value = v;
	return NULL;
}

const char *number_time(const char *text, uint64_t *value)
{
	static const struct {
		char letter;
		unsigned int seconds;
	} units[] = {{'h', 3600}, {'m', 60}, {'s', 1}};
	static const char what[] = "is not a time (examples: 5h30m10s, 2h, 90s)";
	unsigned int seen = 0;
	uint64_t sum = 0, v;
	const char *p = text;
	size_t unit;

	if (!*p)
		return what;
	while (*p) {
		const char *start = p;

		if (!parse_digits(&p, 10, UINT32_MAX, &v))
			return "is too large";
		if (p == start)
			return what;
		/* Each unit at most once, in any order. */
		for (unit = 0; unit < 3 && units[unit].letter != *p; unit++)
			;
		if (unit == 3 || seen & 1u << unit)
			return what;
		seen |= 1u << unit;
		sum += v * units[unit].seconds;
		p++;
	}
	if (sum > UINT32_MAX)
		return "is too large";
	*value = sum;
	return NULL;
}

const char *number_links(const char *text, uint32_t *value)
{
	static const char what[] =
		"is not a list of links (examples: 0-11 or 0,2,4-6, or a mask like 0xfff)";
	const char *p = text;
	uint64_t from, to;
	uint32_t mask = 0;

	if (has_0x(text)) {
		if (number_hex32(text, &mask))
			return what;
		if (!mask)
			return "selects no link";
		*value = mask;
		return NULL;
	}
	for (;;) {
		const char *start = p;

		if (!parse_digits(&p, 10, UINT32_MAX, &from) || p == start)
			return what;
		to = from;
		if (*p == '-') {
			start = ++p;
			if (!parse_digits(&p, 10, UINT32_MAX, &to) || p == start)
				return what;
		}
		if (from > to)
			return "has a range with its end before its start";
		if (to > 31)
			return "has a link above 31";
		mask |= (uint32_t)((((uint64_t)1 << (to - from + 1)) - 1) << from);
		if (!*p)
			break;
		if (*p++ != ',')
			return what;
	}
	*value = mask;
	return NULL;
}
