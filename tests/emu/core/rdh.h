/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw data header, version 7: the packet header of both cards.
 */
#ifndef EMU_RDH_H
#define EMU_RDH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RDH_VERSION 7
#define RDH_BYTES 64

#define RDH_TRIGGER_ORBIT (1u << 0)
#define RDH_TRIGGER_HB (1u << 1)
#define RDH_TRIGGER_SOC (1u << 9)
#define RDH_TRIGGER_EOC (1u << 10)
#define RDH_TRIGGER_TF (1u << 11)

struct rdh {
	uint16_t fee_id;
	uint8_t system_id;
	uint16_t offset; /* to the next packet */
	uint16_t bytes;	 /* header and payload */
	uint8_t link, packet_counter;
	uint16_t card_id; /* 12 bits */
	uint8_t endpoint;
	uint32_t orbit, trigger;
	uint16_t page;
	bool stop;
};

static inline void rdh_build(uint32_t *word, const struct rdh *r)
{
	memset(word, 0, RDH_BYTES);
	word[0] = RDH_VERSION | RDH_BYTES << 8 | (uint32_t)r->fee_id << 16;
	word[1] = (uint32_t)r->system_id << 8;
	word[2] = r->offset | (uint32_t)r->bytes << 16;
	word[3] = r->link | (uint32_t)r->packet_counter << 8 | (r->card_id & 0xfffu) << 16 |
		  (uint32_t)r->endpoint << 28;
	word[5] = r->orbit;
	word[8] = r->trigger;
	word[9] = r->page | (uint32_t)r->stop << 16;
}

#endif /* EMU_RDH_H */
