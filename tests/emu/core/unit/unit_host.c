// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Host memory and interrupts of a unit, the pace of its data, and delays by faults. See unit.h.
 */
#include "unit.h"
#include "../dma.h"

#include <string.h>

#define NS 1000000000ull
#define US 1000ull
#define LAG 10000000ull /* a late unit catches up at most this, ns */

void unit_outside(struct unit *u)
{
	u->n.dma_outside++;
	u->card->dma_outside_ever++;
}

void unit_no_master(struct unit *u)
{
	/* The PCIe core holds the request back. Count once per wait. */
	if (!u->no_master)
		u->n.dma_no_master++;
	u->no_master = true;
}

bool unit_put(struct unit *u, uint64_t addr, const void *data, size_t bytes)
{
	uint64_t outside = 0;

	if (!dma_put(u->card->host, UNIT_FN, addr, data, bytes, &outside)) {
		unit_no_master(u);
		return false;
	}
	while (outside--)
		unit_outside(u);
	u->no_master = false;
	return true;
}

enum card_dma unit_get(struct unit *u, uint64_t addr, void *data, size_t bytes)
{
	const struct card_host *host = u->card->host;
	uint8_t *to = data;

	while (bytes) {
		size_t len = bytes;
		void *ptr;
		enum card_dma how = host->dma_read(host->ctx, UNIT_FN, addr, &len, &ptr);

		if (how == CARD_DMA_NO_MASTER)
			unit_no_master(u);
		if (how == CARD_DMA_OUTSIDE)
			unit_outside(u);
		if (how != CARD_DMA_OK)
			return how;
		memcpy(to, ptr, len);
		addr += len;
		to += len;
		bytes -= len;
	}
	u->no_master = false;
	return CARD_DMA_OK;
}

enum card_message unit_message(struct unit *u, unsigned int vector)
{
	const struct card_host *host = u->card->host;
	enum card_message how = host->message(host->ctx, UNIT_FN, u->vector[vector]);

	if (how == CARD_MESSAGE_NO_MASTER)
		unit_no_master(u);
	u->n.unrouted += how == CARD_MESSAGE_OFF;
	return how;
}

uint32_t unit_irq_due(const struct unit_irq *irq, uint64_t pending, uint64_t now, uint64_t *when)
{
	uint64_t due = irq->sent_ns + irq->ns;
	uint32_t reason = 0;

	if (!pending)
		return 0;
	if (pending >= irq->count)
		reason |= STREAM_REASON_BYTES;
	if (!irq->sent || due <= now)
		reason |= STREAM_REASON_TIME;
	if (!reason)
		*when = earlier(*when, due);
	return reason;
}

void unit_irq_sent(struct unit_irq *irq, uint64_t now)
{
	irq->armed = false;
	irq->sent = true;
	irq->sent_ns = now;
}

bool unit_paced(const struct unit *u, uint64_t now, uint64_t *when)
{
	if (!u->rate || u->pace_ns <= now)
		return false;
	*when = earlier(*when, u->pace_ns);
	return true;
}

void unit_pace(struct unit *u, uint64_t bytes)
{
	uint64_t now;

	if (!u->rate)
		return;
	now = unit_now(u);
	if (u->pace_ns + LAG < now)
		u->pace_ns = now - LAG;
	u->pace_ns += bytes * NS / u->rate;
}

bool unit_late(uint64_t us, uint64_t *late_ns, uint64_t now, uint64_t *when)
{
	if (!us)
		return false;
	if (!*late_ns)
		*late_ns = now + us * US;
	if (*late_ns <= now)
		return false;
	*when = earlier(*when, *late_ns);
	return true;
}
