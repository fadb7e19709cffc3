// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupts of a sub-unit: of descriptors and completions when they are armed, by number and by
 * time, and of errors.
 */
#include "robinnp.h"

#define US 1000ull
#define MS 1000000ull

/* Nothing of an earlier run. */
void robinnp_irq_begin(struct robinnp_sub *sub)
{
	unsigned int i;

	for (i = 0; i < ROBINNP_PURPOSES; i++) {
		sub->irq[i].armed = false;
		sub->irq[i].sent = false;
		sub->irq[i].late_ns = 0;
	}
	sub->error_due = false;
	sub->held_ns = 0;
}

void robinnp_arm(struct robinnp_sub *sub, enum robinnp_purpose purpose, uint32_t seen)
{
	sub->n.arms++;
	if (!sub->enabled)
		return;
	sub->irq[purpose].seen = seen;
	sub->irq[purpose].armed = true;
}

/* False: no bus mastering. */
static bool send(struct robinnp_sub *sub, enum robinnp_purpose purpose)
{
	static const unsigned int counter[] = {
		[ROBINNP_IRQ_DATA] = FRAGMENT_COUNT_DATA_INTERRUPTS,
		[ROBINNP_IRQ_DONE] = FRAGMENT_COUNT_DONE_INTERRUPTS,
		[ROBINNP_IRQ_ERROR] = FRAGMENT_COUNT_ERROR_INTERRUPTS,
	};
	const struct card_host *host = sub->card->host;
	enum card_message how = CARD_MESSAGE_SENT;

	if (!robinnp_fault_take(sub, ROBINNP_IRQ_LOST))
		how = host->message(host->ctx, ROBINNP_FN, sub->irq[purpose].vector);
	if (how == CARD_MESSAGE_NO_MASTER) {
		robinnp_no_master(sub);
		return false;
	}
	sub->n.unrouted += how == CARD_MESSAGE_OFF;
	sub->total[counter[purpose]] += how == CARD_MESSAGE_SENT;
	return true;
}

static void error_turn(struct robinnp_sub *sub)
{
	if (sub->irq[ROBINNP_IRQ_ERROR].vector == FUNCTION_VECTOR_NONE)
		sub->error_due = false;
	if (sub->error_due)
		sub->error_due = !send(sub, ROBINNP_IRQ_ERROR);
}

void robinnp_error(struct robinnp_sub *sub, uint32_t bit)
{
	uint64_t now = robinnp_now(sub->card);

	switch (bit) {
	case FRAGMENT_STATUS_HELD:
		function_block_cause(&sub->card->function, FRAGMENT_CAUSE_PAGES_OUT);
		break;
	case FRAGMENT_STATUS_FETCH_ERROR:
		function_block_cause(&sub->card->function, FUNCTION_CAUSE_FETCH);
		break;
	default:
		function_block_cause(&sub->card->function, FUNCTION_CAUSE_HOST);
	}
	if (!(sub->error_enable & bit))
		return;
	if (bit == FRAGMENT_STATUS_HELD) {
		if (sub->held_ns && sub->held_ns + FRAGMENT_HELD_MS * MS > now)
			return;
		sub->held_ns = now;
	}
	sub->error_due = true;
	/* What comes with an end must be gone before it is quiet. */
	error_turn(sub);
}

/* Is it time? Else @when it will be. */
static bool is_due(const struct robinnp_irq *irq, uint32_t written, uint64_t now, uint64_t *when)
{
	int32_t pending = written - irq->seen;
	uint64_t due = irq->sent_ns + irq->ns;

	if (!irq->armed || pending <= 0 || irq->vector == FUNCTION_VECTOR_NONE)
		return false;
	if ((uint32_t)pending >= irq->count || !irq->sent || due <= now)
		return true;
	*when = due < *when ? due : *when;
	return false;
}

static void purpose_turn(struct robinnp_sub *sub, enum robinnp_purpose purpose, uint32_t written,
			 uint64_t now, uint64_t *when)
{
	struct robinnp_irq *irq = &sub->irq[purpose];

	if (!is_due(irq, written, now, when))
		return;
	if (sub->fault[ROBINNP_IRQ_LATE]) {
		if (!irq->late_ns)
			irq->late_ns = now + sub->fault[ROBINNP_IRQ_LATE] * US;
		if (irq->late_ns > now) {
			*when = irq->late_ns < *when ? irq->late_ns : *when;
			return;
		}
	}
	irq->late_ns = 0;
	if (!send(sub, purpose))
		return;
	irq->armed = false;
	irq->sent = true;
	irq->sent_ns = now;
}

uint64_t robinnp_irq_turn(struct robinnp_sub *sub, uint64_t now)
{
	uint64_t when = CARD_STEP_IDLE;

	error_turn(sub);
	if (!sub->enabled)
		return when;
	purpose_turn(sub, ROBINNP_IRQ_DATA, sub->descriptors, now, &when);
	purpose_turn(sub, ROBINNP_IRQ_DONE, sub->completions, now, &when);
	return when;
}

uint64_t robinnp_spurious_turn(struct robinnp *c, uint64_t now)
{
	uint64_t ms = c->fault[ROBINNP_IRQ_SPURIOUS];
	unsigned int s, i;

	if (!c->spurious_now && (!ms || c->spurious_ns > now))
		return ms ? c->spurious_ns : CARD_STEP_IDLE;
	for (s = 0; s < ROBINNP_SUBS; s++) {
		for (i = 0; c->sub[s].enabled && i < ROBINNP_PURPOSES; i++)
			if (c->sub[s].irq[i].vector != FUNCTION_VECTOR_NONE)
				send(&c->sub[s], i);
	}
	c->spurious_now = false;
	c->spurious_ns = now + ms * MS;
	return ms ? c->spurious_ns : CARD_STEP_IDLE;
}
