// SPDX-License-Identifier: GPL-2.0-or-later
/* Generate and check the content of generated fragments. */
#include "fragment_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "kmod/fragment/fragment_data.h"
#include "libroc/core/bytes.h"

uint32_t ros_source_id(uint32_t card, uint32_t link)
{
	return fragment_source(card, link);
}

uint32_t ros_fragment_size(uint32_t source, uint32_t event, uint32_t min, uint32_t max)
{
	return fragment_size(source, event, min, max);
}

void ros_fragment_fill(void *at, uint32_t source, uint32_t event, uint32_t size)
{
	uint32_t word = fragment_pattern(source, event), offset;
	uint8_t *bytes = at;

	put32(bytes, FRAGMENT_MAGIC);
	put32(bytes + 4, event);
	put32(bytes + 8, source);
	put32(bytes + 12, size);
	for (offset = ROS_FRAGMENT_MIN; offset < size; offset += 4)
		put32(bytes + offset, word++);
}

static __thread char wrong[128];

static const char *differs(const char *what, uint32_t got, uint32_t expected)
{
	snprintf(wrong, sizeof(wrong), "%s is 0x%" PRIx32 ", not 0x%" PRIx32, what, got, expected);
	return wrong;
}

const char *ros_fragment_check(const void *at, uint32_t kept, uint32_t event, uint32_t link,
			       uint32_t *card)
{
	const uint8_t *bytes = at;
	uint32_t word, offset, source;

	if (kept < ROS_FRAGMENT_MIN || kept % 4)
		return differs("its size", kept, ROS_FRAGMENT_MIN);
	if (get32(bytes) != FRAGMENT_MAGIC)
		return differs("the magic word", get32(bytes), FRAGMENT_MAGIC);
	if (get32(bytes + 4) != event)
		return differs("the event id in it", get32(bytes + 4), event);
	source = get32(bytes + 8);
	*card = source >> 4;
	if (source != fragment_source(*card, link))
		return differs("its source id", source, fragment_source(*card, link));
	if (get32(bytes + 12) < kept)
		return differs("the size in it", get32(bytes + 12), kept);
	word = fragment_pattern(source, event);
	for (offset = ROS_FRAGMENT_MIN; offset < kept; offset += 4, word++) {
		if (get32(bytes + offset) != word) {
			snprintf(wrong, sizeof(wrong),
				 "the word at byte %" PRIu32 " is 0x%" PRIx32 ", not 0x%" PRIx32,
				 offset, get32(bytes + offset), word);
			return wrong;
		}
	}
	return NULL;
}
