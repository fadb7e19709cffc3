// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parse the DMI table. No library does this, and the output of dmidecode is not made for programs.
 * A structure of SMBIOS 2.1 and later has a header of four bytes (type, length, handle), fields
 * that depend on the type, and strings. Each string ends with a zero, and one more zero follows the
 * last one.
 */
#include "machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TYPE_PROCESSOR = 4,
	TYPE_ARRAY = 16,
	TYPE_DEVICE = 17,
	TYPE_END = 127,
};

#define HEADER 4
#define ARRAYS 64

/* One structure, which is completely within the table. */
struct entry {
	const uint8_t *data, *texts, *end;
	uint8_t type, length;
	uint16_t handle;
};

/* Memory arrays other than the main memory: flash, video. */
struct others {
	uint16_t handle[ARRAYS];
	size_t count;
};

static unsigned int byte(const struct entry *e, unsigned int at)
{
	return at < e->length ? e->data[at] : 0;
}

static unsigned int word(const struct entry *e, unsigned int at)
{
	return byte(e, at) | byte(e, at + 1) << 8;
}

static uint32_t dword(const struct entry *e, unsigned int at)
{
	return word(e, at) | (uint32_t)word(e, at + 2) << 16;
}

/*
 * Copy the string whose number is at @at; empty if there is none. '?' replaces characters that are
 * not printable.
 */
static void text(const struct entry *e, unsigned int at, char *out)
{
	unsigned int number = byte(e, at);
	const uint8_t *p = e->texts;
	size_t i;

	out[0] = '\0';
	if (!number)
		return;
	while (--number && p < e->end && *p)
		p += strnlen((const char *)p, (size_t)(e->end - p)) + 1;
	for (i = 0; i < DMI_TEXT_MAX - 1 && p + i < e->end && p[i]; i++)
		out[i] = p[i] < ' ' || p[i] > '~' ? '?' : (char)p[i];
	while (i && out[i - 1] == ' ')
		i--;
	out[i] = '\0';
}

/* Read the structure at *@at and advance *@at. False: no complete structure. */
static bool next(const uint8_t *table, size_t length, size_t *at, struct entry *e)
{
	size_t end;

	if (length - *at < HEADER)
		return false;
	e->data = table + *at;
	e->type = e->data[0];
	e->length = e->data[1];
	e->handle = (uint16_t)(e->data[2] | e->data[3] << 8);
	if (e->length < HEADER || e->length > length - *at)
		return false;
	e->texts = e->data + e->length;
	for (end = *at + e->length; end + 1 < length && (table[end] || table[end + 1]); end++)
		;
	if (end + 1 >= length)
		return false;
	e->end = table + end + 1;
	*at = end + 2;
	return true;
}

static void processor(const struct entry *e, struct dmi *dmi)
{
	enum {
		KIND = 5,
		STATUS = 0x18,
		CENTRAL = 3,
		POPULATED = 1 << 6
	};

	dmi->processors += byte(e, KIND) == CENTRAL && byte(e, STATUS) & POPULATED;
}

static void array(const struct entry *e, struct others *others)
{
	enum {
		USE = 5,
		SYSTEM_MEMORY = 3
	};

	if (byte(e, USE) != SYSTEM_MEMORY && others->count < ARRAYS)
		others->handle[others->count++] = e->handle;
}

static uint64_t module_bytes(const struct entry *e)
{
	enum {
		SIZE = 0x0c,
		EXTENDED = 0x1c,
		UNKNOWN = 0xffff,
		SEE_EXTENDED = 0x7fff
	};
	unsigned int size = word(e, SIZE);

	if (size == UNKNOWN)
		return DMI_SIZE_UNKNOWN;
	if (size == SEE_EXTENDED)
		return (uint64_t)(dword(e, EXTENDED) & 0x7fffffff) << 20;
	return size & 0x8000 ? (uint64_t)(size & 0x7fff) << 10 : (uint64_t)size << 20;
}

static int device(const struct entry *e, const struct others *others, struct dmi *dmi)
{
	enum {
		ARRAY = 4,
		LOCATOR = 0x10,
		BANK = 0x11,
		SPEED = 0x15,
		CONFIGURED = 0x20,
		TECHNOLOGY = 0x28,
		PERSISTENT = 7
	};
	struct dmi_module *m;
	size_t i;

	for (i = 0; i < others->count; i++)
		if (others->handle[i] == word(e, ARRAY))
			return 0;
	/* Persistent memory is in a slot of a channel, but is not part of the interleaving. */
	if (byte(e, TECHNOLOGY) == PERSISTENT)
		return 0;
	m = reallocarray(dmi->module, dmi->modules + 1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	dmi->module = m;
	m += dmi->modules++;
	m->bytes = module_bytes(e);
	m->speed = word(e, SPEED);
	m->configured = word(e, CONFIGURED);
	text(e, LOCATOR, m->locator);
	text(e, BANK, m->bank);
	return 0;
}

int dmi_parse(const uint8_t *table, size_t length, struct dmi *dmi)
{
	struct others others = {.count = 0};
	struct entry e;
	size_t at;
	int err;

	*dmi = (struct dmi){.module = NULL};
	/* An array may follow its devices, so arrays are read first. */
	for (at = 0; next(table, length, &at, &e) && e.type != TYPE_END;)
		if (e.type == TYPE_ARRAY)
			array(&e, &others);
	for (at = 0; at < length;) {
		if (!next(table, length, &at, &e)) {
			dmi->damaged = true;
			break;
		}
		if (e.type == TYPE_END)
			break;
		if (e.type == TYPE_PROCESSOR)
			processor(&e, dmi);
		err = e.type == TYPE_DEVICE ? device(&e, &others, dmi) : 0;
		if (err)
			return err;
	}
	return 0;
}

void dmi_free(struct dmi *dmi)
{
	free(dmi->module);
	dmi->module = NULL;
	dmi->modules = 0;
}
