/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw data header: 64 bytes, little endian, at the start of every packet that is not from the
 * internal generator. Versions 5, 6 and 7 have these fields at the same offsets.
 */
#ifndef ROC_UTILS_RDH_H
#define ROC_UTILS_RDH_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define RDH_SIZE 64
#define RDH_VERSION_MIN 5
#define RDH_VERSION_MAX 7

#define RDH_TRIGGER_SOT (1u << 7)
#define RDH_TRIGGER_SOC (1u << 9)

/* Return 32-bit word @n. Packets of a firmware with dynamic offset may be unaligned. */
static inline uint32_t rdh_word(const void *rdh, unsigned int n)
{
	uint32_t w;

	memcpy(&w, (const char *)rdh + 4 * n, sizeof(w));
	return le32toh(w);
}

static inline unsigned int rdh_version(const void *rdh)
{
	return rdh_word(rdh, 0) & 0xff;
}

static inline unsigned int rdh_header_size(const void *rdh)
{
	return rdh_word(rdh, 0) >> 8 & 0xff;
}

/* Bytes from this header to the next. */
static inline unsigned int rdh_offset_next(const void *rdh)
{
	return rdh_word(rdh, 2) & 0xffff;
}

/* Bytes of header and payload. */
static inline unsigned int rdh_memory_size(const void *rdh)
{
	return rdh_word(rdh, 2) >> 16;
}

static inline unsigned int rdh_link(const void *rdh)
{
	return rdh_word(rdh, 3) & 0xff;
}

static inline unsigned int rdh_packet_counter(const void *rdh)
{
	return rdh_word(rdh, 3) >> 8 & 0xff;
}

static inline uint32_t rdh_orbit(const void *rdh)
{
	return rdh_word(rdh, 5);
}

static inline uint32_t rdh_trigger(const void *rdh)
{
	return rdh_word(rdh, 8);
}

#endif
