// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compute CRC-32C. The crc32 instruction has a latency of three cycles and a throughput of one per
 * cycle. Three independent checksums of adjacent blocks keep it busy. They are combined with a
 * table of the effect of a block of zeros on a checksum.
 */
#include "crc32c.h"

#include <string.h>

#define POLYNOMIAL UINT32_C(0x82f63b78) /* bits reversed */
#define BLOCK 2048

static uint32_t bytes[256];
static uint32_t zeros[4][256]; /* effect of BLOCK zeros after each byte of a checksum */

static uint32_t by_table(uint32_t crc, const unsigned char *at, size_t length)
{
	while (length--)
		crc = crc >> 8 ^ bytes[(crc ^ *at++) & 0xff];
	return crc;
}

static void make_tables(void)
{
	static const unsigned char none[BLOCK];
	uint32_t i, k;

	for (i = 0; i < 256; i++) {
		bytes[i] = i;
		for (k = 0; k < 8; k++)
			bytes[i] = bytes[i] & 1 ? bytes[i] >> 1 ^ POLYNOMIAL : bytes[i] >> 1;
	}
	for (k = 0; k < 4; k++) {
		for (i = 1; i < 256; i <<= 1)
			zeros[k][i] = by_table(i << 8 * k, none, BLOCK);
		for (i = 1; i < 256; i++)
			zeros[k][i] = zeros[k][i & (i - 1)] ^ zeros[k][i & -i];
	}
}

static void prepare(void)
{
	if (!bytes[1])
		make_tables();
}

uint32_t crc32c_by_table(const void *data, size_t length)
{
	prepare();
	return ~by_table(UINT32_MAX, data, length);
}

#ifdef __x86_64__
static uint64_t word(const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t behind_zeros(uint64_t crc)
{
	return zeros[0][crc & 0xff] ^ zeros[1][crc >> 8 & 0xff] ^ zeros[2][crc >> 16 & 0xff] ^
	       zeros[3][crc >> 24 & 0xff];
}

__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint64_t crc, const unsigned char *at, size_t length)
{
	size_t i;

	for (; length >= 3 * BLOCK; length -= 3 * BLOCK, at += 3 * BLOCK) {
		uint64_t second = 0, third = 0;

		for (i = 0; i < BLOCK; i += 8) {
			crc = __builtin_ia32_crc32di(crc, word(at + i));
			second = __builtin_ia32_crc32di(second, word(at + i + BLOCK));
			third = __builtin_ia32_crc32di(third, word(at + i + 2 * BLOCK));
		}
		crc = behind_zeros(behind_zeros(crc) ^ second) ^ third;
	}
	for (; length >= 8; length -= 8, at += 8)
		crc = __builtin_ia32_crc32di(crc, word(at));
	for (; length; length--)
		crc = __builtin_ia32_crc32qi((uint32_t)crc, *at++);
	return (uint32_t)crc;
}

uint32_t crc32c(const void *data, size_t length)
{
	if (!__builtin_cpu_supports("sse4.2"))
		return crc32c_by_table(data, length);
	prepare();
	return ~by_instruction(UINT32_MAX, data, length);
}
#else
uint32_t crc32c(const void *data, size_t length)
{
	return crc32c_by_table(data, length);
}
#endif
