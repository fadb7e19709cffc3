/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event path: the driver and the card exchange superpages in rings in host memory, and a moderated
 * interrupt reports finished ones. Documentation/hardware/event-interface.md is the contract. Only
 * a card with that capability has an event path.
 */
#ifndef ROC_EVENT_H
#define ROC_EVENT_H

#include <linux/io.h>
#include <linux/types.h>

#include "pool/event_regs.h"

struct roc_channel;
struct roc_endpoint;

/**
 * struct roc_event - the event path of a channel, embedded in it
 *
 * The rings live from probe to remove; the other members describe a run. Channel lock.
 *
 * @submit: descriptors; the driver writes, the card reads
 * @record: records; the card writes, the driver reads
 * @submit_bus: DMA address of @submit
 * @record_bus: DMA address of @record
 * @submit_log2: log2 of the entries of @submit
 * @record_log2: log2 of the entries of @record
 * @depth: superpages that a link holds at most
 * @on: enabled in the card
 * @published: count of descriptors written, free running
 * @rung: value of @published in the last doorbell
 * @consumed: count of records consumed, free running
 * @notified: value of @consumed that was last written to the card
 * @ended: the card has sent END: no record follows
 * @refused: the card refused the setup of the last start
 * @moderation: value of the moderation register
 */
struct roc_event {
	struct event_descriptor *submit;
	struct event_record *record;
	dma_addr_t submit_bus;
	dma_addr_t record_bus;
	unsigned int submit_log2;
	unsigned int record_log2;
	u32 depth;

	bool on;
	bool ended;
	bool refused;
	u32 published;
	u32 rung;
	u32 consumed;
	u32 notified;
	u32 moderation;
};

/* event.c */
extern const struct roc_block_regs roc_event_regs;
int roc_event_probe(struct roc_endpoint *ep);
void roc_event_remove(struct roc_endpoint *ep);
int roc_event_enable(struct roc_channel *ch);
int roc_event_disable(struct roc_channel *ch);
bool roc_event_space(const struct roc_event *ev, u32 in_flight);
u32 roc_event_push(struct roc_event *ev, unsigned int link, u64 bus, u32 length);
void roc_event_ring(struct roc_channel *ch);
bool roc_event_next(const struct roc_event *ev);
bool roc_event_hole(const struct roc_event *ev);
bool roc_event_missing(struct roc_channel *ch);
void roc_event_arm(struct roc_channel *ch);
void roc_event_release_space(struct roc_channel *ch);
void roc_event_moderate(struct roc_channel *ch, u32 count, u32 us, u32 longest);
void roc_event_repeat(struct roc_channel *ch);

#endif /* ROC_EVENT_H */
