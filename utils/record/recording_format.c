// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Encode and decode the index of a recording: little endian on all machines, with a checksum for
 * each piece. Documentation/recording.md has the layout.
 */
#include "recording.h"

#include <string.h>

#include "crc32c.h"
#include "libroc/core/bytes.h"
#include "utils/units/units.h"

#define HEADER_CRC (RECORDING_HEADER - 4)
#define ENTRY_CRC (RECORDING_ENTRY - 4)

const char *const recording_durabilities[] = {
	[RECORDING_DURABLE_NONE] = "none",
	[RECORDING_DURABLE_INDEX] = "index",
	[RECORDING_DURABLE_DISK] = "disk",
	NULL,
};

#define HEADER(offset, member) BYTES_FIELD(offset, struct recording_header, member)
static const struct bytes_field header_numbers[] = {
	HEADER(28, flags),   HEADER(32, content), HEADER(36, page_bytes),
	HEADER(40, number),  HEADER(48, run),	  HEADER(56, time),
	HEADER(64, entries), HEADER(72, bytes),	  HEADER(80, unit_max)};

#define ENTRY(offset, member) BYTES_FIELD(offset, struct recording_entry, member)
static const struct bytes_field entry_numbers[] = {
	ENTRY(0, offset), ENTRY(8, bytes),  ENTRY(16, first), ENTRY(24, sequence), ENTRY(32, time),
	ENTRY(40, link),  ENTRY(44, flags), ENTRY(48, run),   ENTRY(56, data_crc)};

void recording_put_header(unsigned char *to, const struct recording_header *h)
{
	memset(to, 0, RECORDING_HEADER);
	memcpy(to, RECORDING_MAGIC, 8);
	put32(to + 8, RECORDING_ORDER);
	put32(to + 12, RECORDING_VERSION);
	put32(to + 16, RECORDING_HEADER);
	put32(to + 20, RECORDING_ENTRY);
	put32(to + 24, RECORDING_ALIGN);
	put_fields(to, h, BYTES_FIELDS(header_numbers));
	memcpy(to + 96, h->from, sizeof(h->from));
	put32(to + HEADER_CRC, crc32c(to, HEADER_CRC));
}

enum recording_wrong recording_get_header(const unsigned char *from, size_t length,
					  struct recording_header *h)
{
	if (length < 16)
		return RECORDING_SHORT;
	if (memcmp(from, RECORDING_MAGIC, 8))
		return RECORDING_NO_INDEX;
	if (get32(from + 8) == __builtin_bswap32(RECORDING_ORDER))
		return RECORDING_FOREIGN;
	if (get32(from + 8) != RECORDING_ORDER)
		return RECORDING_CORRUPT;
	h->version = get32(from + 12);
	if (h->version != RECORDING_VERSION)
		return RECORDING_NEWER;
	if (length < RECORDING_HEADER)
		return RECORDING_SHORT;
	if (get32(from + HEADER_CRC) != crc32c(from, HEADER_CRC))
		return RECORDING_CORRUPT;
	h->header = get32(from + 16);
	h->entry = get32(from + 20);
	h->align = get32(from + 24);
	get_fields(h, from, BYTES_FIELDS(header_numbers));
	outside_text(h->from, from + 96, sizeof(h->from));
	if (h->header != RECORDING_HEADER || h->entry != RECORDING_ENTRY)
		return RECORDING_CORRUPT;
	if (!outside_page(h->content, h->page_bytes))
		return RECORDING_PAGES;
	return RECORDING_GOOD;
}

void recording_put_entry(unsigned char *to, const struct recording_entry *e)
{
	memset(to, 0, RECORDING_ENTRY);
	put_fields(to, e, BYTES_FIELDS(entry_numbers));
	put32(to + ENTRY_CRC, crc32c(to, ENTRY_CRC));
}

bool recording_get_entry(const unsigned char *from, struct recording_entry *e)
{
	if (get32(from + ENTRY_CRC) != crc32c(from, ENTRY_CRC))
		return false;
	get_fields(e, from, BYTES_FIELDS(entry_numbers));
	return true;
}
