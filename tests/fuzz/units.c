// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz the data that roc-send and roc-recv read from each other, and that roc-replay reads. The
 * first byte selects the rest: a hello, a welcome, records as they come over a connection, the
 * header of a unit, the header of an index, or an entry of it. No input may cause a read outside of
 * it; accepted input is within its limits, and encodes to the same bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "utils/network/network.h"
#include "utils/network/wire.h"
#include "utils/record/crc32c.h"
#include "utils/record/recording.h"
#include "utils/units/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
	if (!condition)
		abort();
}

/* Ends within @capacity, and contains no control characters. */
static void printable(const char *text, size_t capacity)
{
	size_t length = strnlen(text, capacity), i;

	must(length < capacity);
	for (i = 0; i < length; i++)
		must(text[i] >= ' ' && text[i] <= '~');
}

static void hello(const uint8_t *data)
{
	static struct wire_hello h, again;
	uint8_t text[WIRE_HELLO];

	if (wire_get_hello(data, &h) != WIRE_GOOD)
		return;
	must(h.connection < h.connections && h.connections <= NETWORK_CONNECTIONS);
	must(h.unit_max && h.name_bytes && h.name_bytes <= FABRIC_NAME);
	must(h.content < UNIT_CONTENTS && outside_page(h.content, h.page_bytes));
	printable(h.from, sizeof(h.from));
	printable(h.provider, sizeof(h.provider));
	wire_put_hello(text, &h);
	must(wire_get_hello(text, &again) == WIRE_GOOD && !memcmp(&h, &again, sizeof(h)));
}

static void welcome(const uint8_t *data)
{
	static struct wire_welcome w, again;
	uint8_t text[WIRE_WELCOME];

	if (wire_get_welcome(data, &w) != WIRE_GOOD)
		return;
	printable(w.reason, sizeof(w.reason));
	printable(w.provider, sizeof(w.provider));
	if (!w.status) {
		must(w.slots && w.slots <= WIRE_SLOTS_MAX);
		must(w.name_bytes && w.name_bytes <= FABRIC_NAME);
		must(w.slot_bytes <= w.stride && w.stride - w.slot_bytes >= WIRE_HEAD);
	}
	wire_put_welcome(text, &w);
	must(wire_get_welcome(text, &again) == WIRE_GOOD && !memcmp(&w, &again, sizeof(w)));
}

/* In two pieces: an incomplete record is not accepted. */
static void records(const uint8_t *data, size_t size)
{
	static struct control c;
	size_t first = size / 2, eaten = 0, before;
	struct wire_record r;
	uint8_t text[WIRE_RECORD];
	struct wire_record again;
	int ret;

	if (size > sizeof(c.in))
		return;
	c.in_bytes = first;
	memcpy(c.in, data, first);
	for (;;) {
		ret = control_record(&c, &r);
		if (ret < 0)
			return;
		if (!ret && c.in_bytes + eaten == size)
			return;
		if (!ret) {
			memcpy(c.in + c.in_bytes, data + first, size - first);
			c.in_bytes = size - eaten;
			continue;
		}
		must(r.type >= WIRE_BEAT && r.type <= WIRE_TOTALS);
		must(r.type == WIRE_CREDIT ? r.count && r.count <= WIRE_CREDITS : !r.count);
		wire_put_record(text, &r);
		must(wire_get_record(text, &again) && !memcmp(&r, &again, sizeof(r)));
		before = c.in_bytes;
		control_drop_record(&c, &r);
		must(c.in_bytes < before);
		eaten += before - c.in_bytes;
	}
}

static void unit_head(const uint8_t *data)
{
	struct wire_head head, again;
	uint8_t text[WIRE_HEAD];

	wire_get_head(data, &head);
	wire_put_head(text, &head);
	wire_get_head(text, &again);
	must(!memcmp(&head, &again, sizeof(head)));
}

/* The checksum detects damage, not input made with a valid checksum. */
static void set_crc(uint8_t *text, size_t at)
{
	uint32_t crc = crc32c(text, at);
	unsigned int i;

	for (i = 0; i < 4; i++)
		text[at + i] = (uint8_t)(crc >> 8 * i);
}

static void index_header(const uint8_t *data, size_t size)
{
	static struct recording_header h, again;
	uint8_t text[RECORDING_HEADER];

	if (recording_get_header(data, size, &h) != RECORDING_GOOD)
		return;
	must(size >= RECORDING_HEADER && outside_page(h.content, h.page_bytes));
	printable(h.from, sizeof(h.from));
	recording_put_header(text, &h);
	must(recording_get_header(text, sizeof(text), &again) == RECORDING_GOOD);
	/* Fields that the writer sets itself. */
	again.align = h.align;
	must(!memcmp(&h, &again, sizeof(h)));
}

static void index_entry(const uint8_t *data)
{
	static struct recording_entry e, again; /* static: their padding is 0 */
	uint8_t text[RECORDING_ENTRY];

	if (!recording_get_entry(data, &e))
		return;
	recording_put_entry(text, &e);
	must(recording_get_entry(text, &again) && !memcmp(&e, &again, sizeof(e)));
}

static void decode(unsigned int what, uint8_t *data, size_t size)
{
	switch (what) {
	case 0:
		if (size >= WIRE_HELLO)
			hello(data);
		break;
	case 1:
		if (size >= WIRE_WELCOME)
			welcome(data);
		break;
	case 2:
		records(data, size);
		break;
	case 3:
		if (size >= WIRE_HEAD)
			unit_head(data);
		break;
	case 4:
		index_header(data, size);
		if (size >= RECORDING_HEADER)
			set_crc(data, RECORDING_HEADER - 4);
		index_header(data, size);
		break;
	default:
		if (size < RECORDING_ENTRY)
			break;
		index_entry(data);
		set_crc(data, RECORDING_ENTRY - 4);
		index_entry(data);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *exact;

	if (!size)
		return 0;
	/* Of exactly its size: a sanitizer detects a read beyond it. */
	exact = malloc(size - 1 ? size - 1 : 1);
	if (!exact)
		return 0;
	memcpy(exact, data + 1, size - 1);
	decode(data[0] % 6, exact, size - 1);
	free(exact);
	return 0;
}
