// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Validate UTF-8: shortest forms only, no surrogates, nothing above U+10FFFF.
 */
#include "utf8.h"

size_t utf8_length(const char *text)
{
	const unsigned char *b = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf; /* of the second byte, which decides */
	size_t len, i;

	if (b[0] < 0x80)
		return 1;
	if (b[0] < 0xc2 || b[0] > 0xf4)
		return 0;
	len = b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
	if (b[0] == 0xe0 || b[0] == 0xf0)
		low = b[0] == 0xe0 ? 0xa0 : 0x90;
	if (b[0] == 0xed || b[0] == 0xf4)
		high = b[0] == 0xed ? 0x9f : 0x8f;
	for (i = 1; i < len; i++) {
		if (b[i] < low || b[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return len;
}
