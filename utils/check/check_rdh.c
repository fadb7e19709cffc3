// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check pages with raw data headers: from the generators before the links, and from front-end
 * electronics.
 *
 * The header's offset-to-next leads from packet to packet, so it is checked before use: the rest of
 * a superpage with a broken chain is skipped, and the walk always ends. Headers are checked in
 * every packet, because the next packet is found with them; the check frequency applies to
 * payloads.
 */
#include "check.h"

#include <string.h>

#include "rdh.h"

typedef uint32_t lanes __attribute__((vector_size(16)));
typedef lanes memory_lanes __attribute__((aligned(1), may_alias));

#define WORD_BYTES 16
#define BLOCK_WORDS 8 /* compared without a branch */

static void ddg_word(uint32_t counter, uint32_t word[4])
{
	word[0] = htole32(counter);
	word[1] = htole32(counter);
	word[2] = htole32(counter & 0xffff);
	word[3] = 0;
}

uint32_t check_ddg_bytes(const void *data, uint32_t bytes, uint32_t first)
{
	uint32_t done = 0, part, word[4];

#if __BYTE_ORDER == __LITTLE_ENDIAN
	const lanes mask = {UINT32_MAX, UINT32_MAX, 0xffff, 0}, one = {1, 1, 1, 0};
	lanes counter = {first, first, first, 0};
	const memory_lanes *p = data;

	for (; bytes - done >= BLOCK_WORDS * WORD_BYTES; done += BLOCK_WORDS * WORD_BYTES) {
		lanes wrong = {0};
		unsigned int i;

		for (i = 0; i < BLOCK_WORDS; i++) {
			wrong |= *p++ ^ (counter & mask);
			counter += one;
		}
		if (wrong[0] | wrong[1] | wrong[2] | wrong[3])
			break;
	}
#endif
	for (; done < bytes; done += part) {
		part = bytes - done < WORD_BYTES ? bytes - done : WORD_BYTES;
		ddg_word(first + done / WORD_BYTES, word);
		if (memcmp((const char *)data + done, word, part))
			return done;
	}
	return bytes;
}

uint32_t check_running_words(const void *data, uint32_t words, uint32_t first)
{
	uint32_t done = 0, word;

#if __BYTE_ORDER == __LITTLE_ENDIAN
	lanes counter = {first, first + 1, first + 2, first + 3};
	const memory_lanes *p = data;

	for (; words - done >= BLOCK_WORDS * 4; done += BLOCK_WORDS * 4) {
		lanes wrong = {0};
		unsigned int i;

		for (i = 0; i < BLOCK_WORDS; i++) {
			wrong |= *p++ ^ counter;
			counter += 4;
		}
		if (wrong[0] | wrong[1] | wrong[2] | wrong[3])
			break;
	}
#endif
	for (; done < words; done++) {
		memcpy(&word, (const char *)data + 4 * (size_t)done, sizeof(word));
		if (le32toh(word) != first + done)
			break;
	}
	return done;
}

static uint32_t payload_word(const char *data, uint32_t word)
{
	uint32_t value;

	memcpy(&value, data + 4 * (size_t)word, sizeof(value));
	return le32toh(value);
}

/*
 * The counter of the previous packet continues in this one. After an error, the two continuations
 * of check_internal.c are accepted here as well. After a gap in the packet counters any value is
 * accepted, because the gap is counted already.
 */
static void check_running(struct checker *c, const struct check_superpage *sp, uint64_t page,
			  uint32_t offset, uint32_t memory, bool payload)
{
	const char *data = (const char *)sp->data + offset + RDH_SIZE;
	uint32_t words = (memory - RDH_SIZE) / 4, first, bad, last;
	struct check_link *link = &c->links[sp->link];

	if (!words)
		return;
	first = payload_word(data, 0);
	if (!link->counter_known) {
		link->counter = first;
		link->counter_known = true;
	} else if (link->other_known && first == link->other) {
		link->counter = first;
	}
	link->other_known = false;
	bad = payload ? check_running_words(data, words, link->counter) : words;
	if (bad != words) {
		error_log_add(c->errors, CHECK_AT "payload word %u is 0x%08x, expected 0x%08x",
			      CHECK_AT_ARGS(sp, page, offset), bad, payload_word(data, bad),
			      link->counter + bad);
		last = payload_word(data, words - 1);
		link->other = last + 1;
		link->other_known = c->config.resync;
	}
	link->counter += words;
}

static void check_payload(struct checker *c, const struct check_superpage *sp, uint64_t page,
			  uint32_t offset, uint32_t memory)
{
	const char *data = (const char *)sp->data + offset + RDH_SIZE;
	uint32_t bytes = memory - RDH_SIZE, first, bad, i, word[4], found[4] = {0};

	if (bytes < sizeof(uint32_t))
		return;
	/* The start value of a packet's counter is not known in advance. */
	memcpy(&first, data, sizeof(first));
	first = le32toh(first);
	bad = check_ddg_bytes(data, bytes, first);
	if (bad == bytes)
		return;
	ddg_word(first + bad / WORD_BYTES, word);
	memcpy(found, data + bad, bytes - bad < WORD_BYTES ? bytes - bad : WORD_BYTES);
	for (i = 0; i < 3 && found[i] == word[i]; i++)
		;
	error_log_add(c->errors, CHECK_AT "payload byte 0x%x is in 0x%08x, expected 0x%08x",
		      CHECK_AT_ARGS(sp, page, offset), bad + 4 * i, le32toh(found[i]),
		      le32toh(word[i]));
}

static void check_packet_counter(struct checker *c, const struct check_superpage *sp, uint64_t page,
				 uint32_t offset, uint32_t packet)
{
	struct check_link *link = &c->links[sp->link];

	if (!link->packet_known) {
		link->packet = packet;
		link->packet_known = true;
	} else if (packet != link->packet) {
		error_log_add(c->errors, CHECK_AT "packet counter is %u, expected %u",
			      CHECK_AT_ARGS(sp, page, offset), packet, link->packet);
		if (c->config.resync) {
			link->packet = packet;
			link->counter_known = false;
		}
	}
	link->packet = (link->packet + 1) % c->config.packet_modulo;
}

/*
 * A time frame starts only at the start of a superpage, and a superpage has only one time frame.
 * Frames are counted from the start-of-run trigger, or from orbit 0 without one. Differences are
 * modulo 2^32, so orbits may wrap.
 */
static void check_time_frame(struct checker *c, const struct check_superpage *sp, uint64_t page,
			     uint32_t offset, const void *rdh)
{
	struct check_link *link = &c->links[sp->link];
	uint32_t length = c->config.tf_length, orbit = rdh_orbit(rdh), ahead, behind;

	if (rdh_trigger(rdh) & (RDH_TRIGGER_SOT | RDH_TRIGGER_SOC)) {
		link->tf_end = orbit + length;
		link->tf_known = true;
		return;
	}
	if (!link->tf_known) {
		link->tf_end = (orbit / length + 1) * length;
		link->tf_known = true;
		return;
	}
	ahead = orbit - link->tf_end;
	if ((int32_t)ahead >= 0) {
		if (page)
			error_log_add(c->errors,
				      CHECK_AT "orbit 0x%x starts a time frame inside a superpage",
				      CHECK_AT_ARGS(sp, page, offset), orbit);
		link->tf_end += (ahead / length + 1) * length;
		return;
	}
	behind = link->tf_end - length - orbit;
	if ((int32_t)behind > 0) {
		error_log_add(c->errors, CHECK_AT "orbit 0x%x belongs to an earlier time frame",
			      CHECK_AT_ARGS(sp, page, offset), orbit);
		link->tf_end -= ((behind - 1) / length + 1) * length;
	}
}

/* Check a packet whose position in the chain is valid. False: it has no valid header. */
static bool check_packet(struct checker *c, const struct check_superpage *sp, uint64_t page,
			 uint32_t offset)
{
	const char *rdh = (const char *)sp->data + offset;
	uint32_t memory = rdh_memory_size(rdh), next = rdh_offset_next(rdh);
	struct check_link *link = &c->links[sp->link];
	bool payload = c->config.payload && link->pages % c->config.frequency == 0;

	if (rdh_version(rdh) < RDH_VERSION_MIN || rdh_version(rdh) > RDH_VERSION_MAX ||
	    rdh_header_size(rdh) != RDH_SIZE) {
		error_log_add(c->errors,
			      CHECK_AT
			      "invalid header: version %u, header size %u (expected %u to %u, %u)",
			      CHECK_AT_ARGS(sp, page, offset), rdh_version(rdh),
			      rdh_header_size(rdh), RDH_VERSION_MIN, RDH_VERSION_MAX, RDH_SIZE);
		return false;
	}
	if (!c->config.any_link && rdh_link(rdh) != sp->link)
		error_log_add(c->errors, CHECK_AT "the header has link %u",
			      CHECK_AT_ARGS(sp, page, offset), rdh_link(rdh));
	check_packet_counter(c, sp, page, offset, rdh_packet_counter(rdh));
	if (c->config.tf_check)
		check_time_frame(c, sp, page, offset, rdh);
	if (memory < RDH_SIZE || memory > next)
		error_log_add(c->errors,
			      CHECK_AT "memory size 0x%x is outside 0x%x..0x%x (offset to next)",
			      CHECK_AT_ARGS(sp, page, offset), memory, RDH_SIZE, next);
	else if (c->config.data == CHECK_DDG && payload)
		check_payload(c, sp, page, offset, memory);
	else if (c->config.data == CHECK_RUNNING)
		check_running(c, sp, page, offset, memory, payload);
	return true;
}

/* Return the error in the offset to the next packet; NULL: none. */
static const char *broken_chain(const struct check_superpage *sp, uint32_t offset)
{
	uint32_t left = sp->received - offset, next;

	if (left < RDH_SIZE)
		return "the rest is too short for a header";
	next = rdh_offset_next((const char *)sp->data + offset);
	if (!next)
		return "offset to next is 0";
	if (next < RDH_SIZE)
		return "offset to next is smaller than a header";
	if (next > left)
		return "offset to next is beyond the received data";
	return NULL;
}

uint64_t check_rdh(struct checker *c, const struct check_superpage *sp)
{
	struct check_link *link = &c->links[sp->link];
	uint32_t offset = 0;
	uint64_t page = 0;

	while (offset < sp->received) {
		const char *broken = broken_chain(sp, offset);

		if (broken) {
			error_log_add(c->errors, CHECK_AT "%s; 0x%x bytes skipped",
				      CHECK_AT_ARGS(sp, page, offset), broken,
				      sp->received - offset);
			if (c->config.resync)
				link->packet_known = link->counter_known = false;
			break;
		}
		if (!check_packet(c, sp, page, offset) && c->config.resync)
			link->packet_known = link->counter_known = false;
		link->pages++;
		page++;
		offset += rdh_offset_next((const char *)sp->data + offset);
	}
	return page;
}
