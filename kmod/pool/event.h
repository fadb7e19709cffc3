/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event path: superpages are handed over in rings in host memory, and a moderated interrupt
 * tells of finished ones. The contract is Documentation/hardware/event-interface.md; a card
 * without that capability is none of this file's business.
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
 * The rings live as long as the hardware is ours; the rest describes a run. Channel lock.
 *
 * @submit: descriptors; the driver writes, the card reads
 * @record: records; the card writes, the driver reads
 * @submit_bus: address of @submit for the card
 * @record_bus: address of @record for the card
 * @submit_log2: of the entries of @submit
 * @record_log2: of the entries of @record
 * @depth: superpages that are given to a link, at most
 * @on: enabled in the card
 * @published: descriptors in the ring
 * @rung: as many of @published the card was notified of
 * @consumed: records drained
 * @notified: as many of @consumed the card was notified of
 * @ended: the card promised that nothing more comes
 * @refused: of the last start: the card did not take the setup
 * @moderation: as in the register
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
