// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BAR 0, the driver's: blocks of the sub-units, doorbell pages, block of the function.
 */
#include "robinnp.h"

/* The sub-unit whose block or page this is; NULL: none. *off becomes the register in it. */
static struct robinnp_sub *in_block(struct robinnp *c, uint32_t *off)
{
	uint32_t at = *off - ROBINNP_SUB(0);

	if (at >= ROBINNP_SUBS * FRAGMENT_SIZE)
		return NULL;
	*off = at % FRAGMENT_SIZE;
	return &c->sub[at / FRAGMENT_SIZE];
}

static struct robinnp_sub *in_doorbell(struct robinnp *c, uint32_t *off)
{
	uint32_t at = *off - ROBINNP_DOORBELL(0);

	if (at >= ROBINNP_SUBS * FRAGMENT_DOORBELL_SIZE)
		return NULL;
	*off = at % FRAGMENT_DOORBELL_SIZE;
	return &c->sub[at / FRAGMENT_DOORBELL_SIZE];
}

/* A register that is only kept: its value, and the bits that it takes. NULL: it is none. */
static uint32_t *kept(struct robinnp_sub *sub, uint32_t off, uint32_t *mask)
{
	*mask = ~0u;
	switch (off) {
	case FRAGMENT_LINKS:
		*mask = ROBINNP_ALL;
		return &sub->links;
	case FRAGMENT_DATA_SIZE:
		return &sub->data_size;
	case FRAGMENT_FREE_SIZE:
		return &sub->free_size;
	case FRAGMENT_COMMAND_SIZE:
		return &sub->command_size;
	case FRAGMENT_HOST_PAGES:
		return &sub->host_pages;
	case FRAGMENT_HOST_PAGE_SIZE:
		return &sub->host_page_size;
	case FRAGMENT_PAGE_SIZE:
		return &sub->page_size;
	case FRAGMENT_PAGES:
		return &sub->pages;
	case FRAGMENT_START:
		return &sub->start;
	case FRAGMENT_DATA_COUNT:
		return &sub->irq[ROBINNP_IRQ_DATA].count;
	case FRAGMENT_DATA_NS:
		return &sub->irq[ROBINNP_IRQ_DATA].ns;
	case FRAGMENT_DONE_COUNT:
		return &sub->irq[ROBINNP_IRQ_DONE].count;
	case FRAGMENT_DONE_NS:
		return &sub->irq[ROBINNP_IRQ_DONE].ns;
	case FRAGMENT_DATA_VECTOR:
	case FRAGMENT_DONE_VECTOR:
	case FRAGMENT_ERROR_VECTOR:
		*mask = 0xffff;
		return &sub->irq[(off - FRAGMENT_DATA_VECTOR) / 4].vector;
	case FRAGMENT_ERROR_ENABLE:
		*mask = FRAGMENT_ERROR_ENABLE_ALL;
		return &sub->error_enable;
	}
	return NULL;
}

static uint32_t read_sub(struct robinnp_sub *sub, uint32_t off)
{
	uint32_t mask, *value = kept(sub, off, &mask);

	if (value)
		return *value;
	switch (off) {
	case FRAGMENT_ID:
		return (uint32_t)FRAGMENT_ID_SUB << 16 | FRAGMENT_VSEC_REVISION << 8 | sub->nr;
	case FRAGMENT_CONTROL:
		return sub->enabled || sub->loading ? FRAGMENT_CONTROL_ENABLE : 0;
	case FRAGMENT_STATUS:
		return robinnp_status(sub);
	case FRAGMENT_GENERATION:
		return sub->generation;
	case FRAGMENT_ARM_DATA:
		return sub->irq[ROBINNP_IRQ_DATA].seen;
	case FRAGMENT_ARM_DONE:
		return sub->irq[ROBINNP_IRQ_DONE].seen;
	case FRAGMENT_HELD:
		return robinnp_held(sub);
	case FRAGMENT_DESCRIPTORS:
		return sub->descriptors + (sub->fault[ROBINNP_COUNT_EARLY] ? sub->filled_count : 0);
	case FRAGMENT_COMPLETIONS:
		return sub->completions;
	case FRAGMENT_FREED:
		return sub->freed;
	case FRAGMENT_COMMANDS:
		return sub->command_told;
	}
	return 0;
}

static void write_base(struct robinnp_sub *sub, uint32_t off, uint32_t value)
{
	unsigned int word = (off - FRAGMENT_DATA_LOW) / 4;

	if (word % 2)
		sub->base_high[word / 2] = value;
	else
		sub->base_low[word / 2] = value;
	sub->written_bases |= 1u << word;
}

static void write_sub(struct robinnp_sub *sub, uint32_t off, uint32_t value)
{
	uint32_t mask, *keep = kept(sub, off, &mask);

	if (off - FRAGMENT_DATA_LOW <= FRAGMENT_TABLE_HIGH - FRAGMENT_DATA_LOW) {
		write_base(sub, off, value);
		return;
	}
	if (keep) {
		*keep = value & mask;
		return;
	}
	switch (off) {
	case FRAGMENT_CONTROL:
		if (value & FRAGMENT_CONTROL_ENABLE)
			robinnp_enable(sub);
		else if (sub->enabled || sub->loading)
			robinnp_disable(sub);
		break;
	case FRAGMENT_RESET:
		if (value & ~FRAGMENT_RESET_ALL)
			robinnp_host_error(sub);
		else
			robinnp_reset(sub, value);
		break;
	case FRAGMENT_ARM_DATA:
		robinnp_arm(sub, ROBINNP_IRQ_DATA, value);
		break;
	case FRAGMENT_ARM_DONE:
		robinnp_arm(sub, ROBINNP_IRQ_DONE, value);
		break;
	}
}

/* What was counted has been sent before it is answered. */
void robinnp_reads(struct robinnp *c, uint32_t off)
{
	struct robinnp_sub *sub = in_block(c, &off);

	if (sub && off == FRAGMENT_GENERATION && sub->enabled && sub->fault[ROBINNP_COUNT_EARLY])
		robinnp_describe_all(sub);
}

uint32_t robinnp_read(struct robinnp *c, uint32_t off)
{
	struct robinnp_sub *sub;

	if (off - ROBINNP_FUNCTION < FUNCTION_SIZE)
		return function_block_read(&c->function, off - ROBINNP_FUNCTION);
	sub = in_block(c, &off);
	if (sub)
		return read_sub(sub, off);
	sub = in_doorbell(c, &off);
	if (sub && off == FRAGMENT_FREE)
		return sub->free_told;
	return sub && off == FRAGMENT_COMMAND ? sub->command_told : 0;
}

void robinnp_write(struct robinnp *c, uint32_t off, uint32_t value)
{
	struct robinnp_sub *sub;

	if (off - ROBINNP_FUNCTION < FUNCTION_SIZE) {
		function_block_write(&c->function, off - ROBINNP_FUNCTION, value);
		return;
	}
	sub = in_block(c, &off);
	if (sub) {
		write_sub(sub, off, value);
		return;
	}
	sub = in_doorbell(c, &off);
	if (sub && off == FRAGMENT_FREE)
		robinnp_free_told(sub, value);
	if (sub && off == FRAGMENT_COMMAND)
		robinnp_command_told(sub, value);
}

/*
 * Values that are only kept wake nobody, nor do pages that no link waits for, as long as there is a
 * next turn with which they are taken, before a link could be held. A sub-unit whose links have
 * nothing to send has none.
 */
bool robinnp_stirs(struct robinnp *c, uint32_t off)
{
	struct robinnp_sub *sub = in_block(c, &off);
	uint32_t mask;

	if (sub)
		return off == FRAGMENT_LINKS || off > FRAGMENT_START ||
		       (off < FRAGMENT_DATA_LOW && !kept(sub, off, &mask));
	sub = in_doorbell(c, &off);
	return !sub || off != FRAGMENT_FREE || sub->host_error || robinnp_held(sub) ||
	       !robinnp_flows(sub);
}
