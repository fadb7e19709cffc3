// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of a sub-unit in BAR 0, which belongs to the driver, and its doorbell page.
 */
#include "robinnp.h"

#define PLACE(member) offsetof(struct robinnp_sub, member)

const struct unit_register robinnp_registers[] = {
	{FRAGMENT_LINKS, ROBINNP_ALL, PLACE(links)},
	{FRAGMENT_DATA_SIZE, ~0u, PLACE(data_size)},
	{FRAGMENT_FREE_SIZE, ~0u, PLACE(free_size)},
	{FRAGMENT_COMMAND_SIZE, ~0u, PLACE(command_size)},
	{FRAGMENT_HOST_PAGES, ~0u, PLACE(host_pages)},
	{FRAGMENT_HOST_PAGE_SIZE, ~0u, PLACE(host_page_size)},
	{FRAGMENT_PAGE_SIZE, ~0u, PLACE(page_size)},
	{FRAGMENT_PAGES, ~0u, PLACE(pages)},
	{FRAGMENT_START, ~0u, PLACE(unit.start)},
	{FRAGMENT_DATA_COUNT, ~0u, PLACE(irq[ROBINNP_IRQ_DATA].count)},
	{FRAGMENT_DATA_NS, ~0u, PLACE(irq[ROBINNP_IRQ_DATA].ns)},
	{FRAGMENT_DONE_COUNT, ~0u, PLACE(irq[ROBINNP_IRQ_DONE].count)},
	{FRAGMENT_DONE_NS, ~0u, PLACE(irq[ROBINNP_IRQ_DONE].ns)},
	{FRAGMENT_DATA_VECTOR, 0xffff, PLACE(unit.vector[ROBINNP_IRQ_DATA])},
	{FRAGMENT_DONE_VECTOR, 0xffff, PLACE(unit.vector[ROBINNP_IRQ_DONE])},
	{FRAGMENT_ERROR_VECTOR, 0xffff, PLACE(unit.vector[ROBINNP_IRQ_ERROR])},
	{FRAGMENT_ERROR_ENABLE, FRAGMENT_ERROR_ENABLE_ALL, PLACE(error_enable)},
	{},
};

uint32_t robinnp_read(struct unit *u, uint32_t off)
{
	struct robinnp_sub *sub = robinnp_sub(u);

	switch (off) {
	case FRAGMENT_ARM_DATA:
		return sub->irq[ROBINNP_IRQ_DATA].seen;
	case FRAGMENT_ARM_DONE:
		return sub->irq[ROBINNP_IRQ_DONE].seen;
	case FRAGMENT_HELD:
		return robinnp_any_held(sub);
	case FRAGMENT_DESCRIPTORS:
		return sub->descriptors + (u->fault[ROBINNP_COUNT_EARLY] ? sub->filled_count : 0);
	case FRAGMENT_COMPLETIONS:
		return sub->completions;
	case FRAGMENT_FREED:
		return sub->freed;
	case FRAGMENT_COMMANDS:
		return sub->commands_submitted;
	}
	return 0;
}

void robinnp_write(struct unit *u, uint32_t off, uint32_t value)
{
	if (off == FRAGMENT_ARM_DATA)
		robinnp_arm(robinnp_sub(u), ROBINNP_IRQ_DATA, value);
	if (off == FRAGMENT_ARM_DONE)
		robinnp_arm(robinnp_sub(u), ROBINNP_IRQ_DONE, value);
}

/* All counted descriptors are written before the read is answered. */
void robinnp_before_read(struct unit *u, uint32_t off)
{
	if (off == BLOCK_GENERATION && u->enabled && u->fault[ROBINNP_COUNT_EARLY])
		robinnp_describe_all(robinnp_sub(u));
}

uint32_t robinnp_doorbell_read(struct unit *u, uint32_t off)
{
	if (off == FRAGMENT_FREE)
		return robinnp_sub(u)->free_submitted;
	return off == FRAGMENT_COMMAND ? robinnp_sub(u)->commands_submitted : 0;
}

void robinnp_doorbell_write(struct unit *u, uint32_t off, uint32_t value)
{
	if (off == FRAGMENT_FREE)
		robinnp_free_doorbell(robinnp_sub(u), value);
	if (off == FRAGMENT_COMMAND)
		robinnp_command_doorbell(robinnp_sub(u), value);
}

/*
 * A write of FREE does not wake the engine if no link waits for pages and another turn follows by
 * itself: that turn takes the pages before a link can run out. A sub-unit whose links have nothing
 * to send has no such turn.
 */
bool robinnp_doorbell_wakes_engine(struct unit *u, uint32_t off)
{
	struct robinnp_sub *sub = robinnp_sub(u);

	return off != FRAGMENT_FREE || robinnp_any_held(sub) || !robinnp_flows(sub);
}
