// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generate and check the content of events. Both counters step by an odd number with many bits set,
 * so each byte of a word changes from word to word.
 */
#include "content.h"

#include <endian.h>
#include <string.h>

#define STEP UINT64_C(0x9e3779b97f4a7c15)
#define WORD 8

uint64_t content_mix(uint64_t a, uint64_t b)
{
	uint64_t x = a + STEP * (b + 1);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t content_source(const char *name)
{
	uint64_t source = 0;

	while (*name)
		source = content_mix(source, (unsigned char)*name++);
	return source;
}

struct content content_of(uint64_t source, uint64_t event, uint64_t bytes)
{
	return (struct content){
		.head = content_mix(content_mix(source, event), bytes),
		.body = source,
		.place = content_mix(source, ~event) % CONTENT_PLACES,
	};
}

/*
 * Return word @word of the content. *@until: the first word that does not continue the same
 * counter, because the head ends where the body begins.
 */
static uint64_t start(const struct content *c, uint64_t word, uint64_t *until)
{
	if (word < CONTENT_HEAD / WORD) {
		*until = CONTENT_HEAD / WORD;
		return c->head + word * STEP;
	}
	*until = UINT64_MAX;
	return c->body + (c->place + word) * STEP;
}

static void run(uint64_t value, char *to, size_t bytes)
{
	uint64_t word;

	for (; bytes >= WORD; bytes -= WORD, to += WORD, value += STEP) {
		word = htole64(value);
		memcpy(to, &word, WORD);
	}
	word = htole64(value);
	memcpy(to, &word, bytes);
}

void content_body(uint64_t source, uint64_t place, void *to, size_t bytes)
{
	run(source + place * STEP, to, bytes);
}

void content_write(const struct content *c, uint64_t from, void *to, size_t bytes)
{
	char *at = to;

	while (bytes) {
		uint64_t until, value = start(c, from / WORD, &until);
		size_t n = bytes;

		if (until != UINT64_MAX && n > until * WORD - from)
			n = until * WORD - from;
		run(value, at, n);
		at += n;
		from += n;
		bytes -= n;
	}
}

/*
 * Compare @data with a counter that starts at @value. Return: offset of the first byte that
 * differs, or -1.
 */
static int64_t compare(uint64_t value, const char *data, size_t bytes)
{
	uint64_t first = value, differs = 0, word;
	size_t i, words = bytes / WORD;

	/* The loop has no early exit, so that the compiler can vectorize it. */
	for (i = 0; i < words; i++) {
		memcpy(&word, data + i * WORD, WORD);
		differs |= le64toh(word) ^ value;
		value += STEP;
	}
	word = htole64(value);
	if (!differs && !memcmp(&word, data + words * WORD, bytes % WORD))
		return -1;
	for (i = 0; i < bytes; i++) {
		word = htole64(first + i / WORD * STEP);
		if (((const char *)&word)[i % WORD] != data[i])
			break;
	}
	return (int64_t)i;
}

int64_t content_check(const struct content *c, uint64_t from, const void *data, size_t bytes)
{
	const char *at = data;
	uint64_t until, value, word;
	int64_t wrong;
	size_t n;

	/* Check the bytes before the first whole word. */
	for (; bytes && from % WORD; from++, at++, bytes--) {
		word = htole64(start(c, from / WORD, &until));
		if (((const char *)&word)[from % WORD] != *at)
			return (int64_t)from;
	}
	while (bytes) {
		value = start(c, from / WORD, &until);
		n = bytes;
		if (until != UINT64_MAX && n > until * WORD - from)
			n = until * WORD - from;
		wrong = compare(value, at, n);
		if (wrong >= 0)
			return (int64_t)from + wrong;
		at += n;
		from += n;
		bytes -= n;
	}
	return -1;
}
