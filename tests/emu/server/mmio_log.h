/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log of register accesses of one function's BARs: counts per register, and the order of accesses.
 * The lock of the function protects it.
 */
#ifndef EMU_MMIO_LOG_H
#define EMU_MMIO_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/emu/core/card.h"
#include "tests/emu/json.h"

#define TRACE_MAX 65536

struct mmio_count {
	uint32_t reads, writes;
};

struct mmio_entry {
	uint64_t us;
	uint32_t off, value;
	uint8_t bar;
	bool write;
};

struct mmio_log {
	uint64_t reads, writes, bad;
	struct mmio_count *bar[CARD_BARS]; /* one per register */
	uint32_t *touched[CARD_BARS];	   /* registers with a count, in order of first touch */
	uint32_t touched_count[CARD_BARS], touched_capacity[CARD_BARS];
	struct mmio_entry *trace; /* NULL: not tracing */
	uint32_t trace_count;
	uint64_t trace_lost, trace_start;
};

int mmio_log_init(struct mmio_log *log, const uint32_t *bar_size);
void mmio_log_free(struct mmio_log *log);
void mmio_log_clear(struct mmio_log *log);
void mmio_log_access(struct mmio_log *log, bool write, unsigned int bar, uint32_t off,
		     uint32_t value, uint64_t now_ns);
bool mmio_log_trace_start(struct mmio_log *log, uint64_t now_ns);
/* Show members "trace" and "lost" and end tracing. */
void mmio_log_trace_stop(struct mmio_log *log, struct json *j);
/* Number of writes to all registers of a BAR. */
uint64_t mmio_log_writes(const struct mmio_log *log, unsigned int bar);
/* Show members "bar0", "bar2", ...: {"0x200":[reads,writes],...}. */
void mmio_log_show(const struct mmio_log *log, struct json *j);

#endif /* EMU_MMIO_LOG_H */
