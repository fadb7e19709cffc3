/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read and write little-endian numbers at any address, alone or as the members of a structure. One
 * table of fields serves both directions.
 */
#ifndef LIBROC_BYTES_H
#define LIBROC_BYTES_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t get16(const unsigned char *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return le16toh(v);
}

static inline uint32_t get32(const unsigned char *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return le32toh(v);
}

static inline uint64_t get64(const unsigned char *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return le64toh(v);
}

static inline void put16(unsigned char *at, uint16_t v)
{
	v = htole16(v);
	memcpy(at, &v, sizeof(v));
}

static inline void put32(unsigned char *at, uint32_t v)
{
	v = htole32(v);
	memcpy(at, &v, sizeof(v));
}

static inline void put64(unsigned char *at, uint64_t v)
{
	v = htole64(v);
	memcpy(at, &v, sizeof(v));
}

/* A number of 4 or 8 bytes: its offset in the bytes and in the structure. */
struct bytes_field {
	uint16_t at, of, size;
};

#define BYTES_FIELD(offset, type, member)                                                          \
	{                                                                                          \
		(offset), offsetof(type, member), BYTES_SIZE(((type *)NULL)->member)               \
	}
/* Fails to compile for any other size. */
#define BYTES_SIZE(number)                                                                         \
	(sizeof(number) + 0 * sizeof(char[sizeof(number) == 4 || sizeof(number) == 8 ? 1 : -1]))
/* Pass an array of fields with its length. */
#define BYTES_FIELDS(fields) (fields), sizeof(fields) / sizeof((fields)[0])

static inline void put_fields(unsigned char *to, const void *from, const struct bytes_field *f,
			      size_t count)
{
	const unsigned char *s = from;
	uint32_t half;
	uint64_t whole;

	for (; count; count--, f++) {
		if (f->size == sizeof(half)) {
			memcpy(&half, s + f->of, sizeof(half));
			put32(to + f->at, half);
		} else {
			memcpy(&whole, s + f->of, sizeof(whole));
			put64(to + f->at, whole);
		}
	}
}

static inline void get_fields(void *to, const unsigned char *from, const struct bytes_field *f,
			      size_t count)
{
	unsigned char *s = to;
	uint32_t half;
	uint64_t whole;

	for (; count; count--, f++) {
		if (f->size == sizeof(half)) {
			half = get32(from + f->at);
			memcpy(s + f->of, &half, sizeof(half));
		} else {
			whole = get64(from + f->at);
			memcpy(s + f->of, &whole, sizeof(whole));
		}
	}
}

#endif
