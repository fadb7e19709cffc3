/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Little-endian numbers at any address.
 */
#ifndef ROC_UTILS_ROS_BYTES_H
#define ROC_UTILS_ROS_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t get16(const uint8_t *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return le16toh(v);
}

static inline uint32_t get32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return le32toh(v);
}

static inline uint64_t get64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return le64toh(v);
}

static inline void put16(uint8_t *at, uint16_t v)
{
	v = htole16(v);
	memcpy(at, &v, sizeof(v));
}

static inline void put32(uint8_t *at, uint32_t v)
{
	v = htole32(v);
	memcpy(at, &v, sizeof(v));
}

static inline void put64(uint8_t *at, uint64_t v)
{
	v = htole64(v);
	memcpy(at, &v, sizeof(v));
}

#endif
