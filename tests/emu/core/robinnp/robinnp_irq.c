// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupts of a sub-unit: of descriptors and completions when they are armed, by number and by
 * time, and of errors.
 */
#include "robinnp.h"

#define MS 1000000ull

/* Clear the state of an earlier run. */
void robinnp_irq_begin(struct robinnp_sub *sub)
{
	unsigned int i;

	for (i = 0; i < ROBINNP_PURPOSES; i++) {
		sub->irq[i].armed = false;
		sub->irq[i].sent = false;
		sub->late_ns[i] = 0;
	}
	sub->error_due = false;
	sub->held_ns = 0;
}

void robinnp_arm(struct robinnp_sub *sub, enum robinnp_purpose purpose, uint32_t seen)
{
	sub->unit.n.arms++;
	if (!sub->unit.enabled)
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
	enum card_message how = CARD_MESSAGE_SENT;

	if (!unit_fault_take(&sub->unit, UNIT_IRQ_LOST))
		how = unit_message(&sub->unit, purpose);
	if (how == CARD_MESSAGE_NO_MASTER)
		return false;
	sub->unit.total[counter[purpose]] += how == CARD_MESSAGE_SENT;
	return true;
}

static void error_turn(struct robinnp_sub *sub)
{
	if (sub->unit.vector[ROBINNP_IRQ_ERROR] == FUNCTION_VECTOR_NONE)
		sub->error_due = false;
	if (sub->error_due)
		sub->error_due = !send(sub, ROBINNP_IRQ_ERROR);
}

void robinnp_error(struct unit *u, uint32_t bit)
{
	struct robinnp_sub *sub = robinnp_sub(u);
	uint64_t now = unit_now(u);

	if (!(sub->error_enable & bit))
		return;
	if (bit == FRAGMENT_STATUS_HELD) {
		if (sub->held_ns && sub->held_ns + FRAGMENT_HELD_MS * MS > now)
			return;
		sub->held_ns = now;
	}
	sub->error_due = true;
	/* Interrupts that belong to an end must be sent before QUIET is set. */
	error_turn(sub);
}

static void purpose_turn(struct robinnp_sub *sub, enum robinnp_purpose purpose, uint32_t written,
			 uint64_t now, uint64_t *when)
{
	struct unit_irq *irq = &sub->irq[purpose];
	int32_t pending = written - irq->seen;

	if (!irq->armed || pending <= 0 || sub->unit.vector[purpose] == FUNCTION_VECTOR_NONE ||
	    !unit_irq_due(irq, pending, now, when))
		return;
	if (unit_late(sub->unit.fault[ROBINNP_IRQ_LATE], &sub->late_ns[purpose], now, when))
		return;
	sub->late_ns[purpose] = 0;
	if (send(sub, purpose))
		unit_irq_sent(irq, now);
}

uint64_t robinnp_irq_turn(struct robinnp_sub *sub, uint64_t now)
{
	uint64_t when = CARD_STEP_IDLE;

	error_turn(sub);
	if (!sub->unit.enabled)
		return when;
	purpose_turn(sub, ROBINNP_IRQ_DATA, sub->descriptors, now, &when);
	purpose_turn(sub, ROBINNP_IRQ_DONE, sub->completions, now, &when);
	return when;
}

void robinnp_spurious(struct unit *u, unsigned int purpose)
{
	send(robinnp_sub(u), purpose);
}
