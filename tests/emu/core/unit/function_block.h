/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The block of a function with streams or sub-units, *units* in here: errors, alarms, notice, reset
 * of all of them. Its registers have the same layout in both interfaces; kmod/core/contract_regs.h
 * has the names.
 */
#ifndef EMU_FUNCTION_BLOCK_H
#define EMU_FUNCTION_BLOCK_H

#include "../card.h"

struct function_block_ops {
	uint32_t id;	  /* the register */
	uint32_t enables; /* causes that exist */
	unsigned int units;
	uint32_t levels; /* levels of RESET that exist */
	/* Write a few bytes into host memory. False: bus mastering is off. */
	bool (*put)(void *model, uint64_t addr, const void *data, size_t bytes);
	/* Bit per unit that has an error. */
	uint32_t (*trouble)(const void *model);
	/* Reset all units; each calls function_block_reset_done() for LOGIC or DEFAULT. */
	void (*reset)(void *model, uint32_t levels);
};

struct function_block {
	const struct function_block_ops *ops;
	void *model;
	uint32_t cause, enable, vector, notice_low, generation;
	uint64_t notice;   /* bus address */
	uint32_t reported; /* value of the notice in memory */
	bool notice_due, interrupt_due;
	bool hot, critical; /* temperature at the last update */
	uint32_t resets;    /* units whose reset by this block is pending */
	uint64_t alarms;
};

void function_block_cause(struct function_block *b, uint32_t bits);
/* @temperature: 1/1000 degC, INT32_MIN: no sensor. */
void function_block_turn(struct function_block *b, const struct card_host *host, unsigned int fn,
			 int64_t temperature);
/* By a function-level reset, or at power-on. */
void function_block_reset(struct function_block *b);
void function_block_reset_done(struct function_block *b, unsigned int unit);
uint32_t function_block_read(const struct function_block *b, uint32_t off);
void function_block_write(struct function_block *b, uint32_t off, uint32_t value);

#endif /* EMU_FUNCTION_BLOCK_H */
