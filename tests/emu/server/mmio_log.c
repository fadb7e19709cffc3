// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Count register accesses and record their order.
 */
#include "mmio_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mmio_log_init(struct mmio_log *log, const uint32_t *bar_size)
{
	unsigned int b;

	memset(log, 0, sizeof(*log));
	for (b = 0; b < CARD_BARS; b++) {
		if (!bar_size[b])
			continue;
		log->bar[b] = calloc(bar_size[b] / 4, sizeof(*log->bar[b]));
		if (!log->bar[b]) {
			mmio_log_free(log);
			return -1;
		}
	}
	return 0;
}

void mmio_log_free(struct mmio_log *log)
{
	unsigned int b;

	for (b = 0; b < CARD_BARS; b++) {
		free(log->bar[b]);
		free(log->touched[b]);
	}
	free(log->trace);
	memset(log, 0, sizeof(*log));
}

void mmio_log_clear(struct mmio_log *log)
{
	unsigned int b;
	uint32_t i;

	log->reads = 0;
	log->writes = 0;
	log->bad = 0;
	for (b = 0; b < CARD_BARS; b++) {
		for (i = 0; i < log->touched_count[b]; i++)
			memset(&log->bar[b][log->touched[b][i]], 0, sizeof(struct mmio_count));
		log->touched_count[b] = 0;
	}
}

static void touch(struct mmio_log *log, unsigned int bar, uint32_t reg)
{
	if (log->touched_count[bar] == log->touched_capacity[bar]) {
		uint32_t capacity =
			log->touched_capacity[bar] ? log->touched_capacity[bar] * 2 : 64;
		uint32_t *more = realloc(log->touched[bar], capacity * sizeof(*more));

		if (!more)
			return; /* counted, but not listed */
		log->touched[bar] = more;
		log->touched_capacity[bar] = capacity;
	}
	log->touched[bar][log->touched_count[bar]++] = reg;
}

void mmio_log_access(struct mmio_log *log, bool write, unsigned int bar, uint32_t off,
		     uint32_t value, uint64_t now_ns)
{
	struct mmio_count *n = &log->bar[bar][off / 4];

	if (!n->reads && !n->writes)
		touch(log, bar, off / 4);
	n->reads += !write;
	n->writes += write;
	log->reads += !write;
	log->writes += write;
	if (!log->trace)
		return;
	if (log->trace_count == TRACE_MAX) {
		log->trace_lost++;
		return;
	}
	log->trace[log->trace_count++] = (struct mmio_entry){
		.us = (now_ns - log->trace_start) / 1000,
		.off = off,
		.value = value,
		.bar = bar,
		.write = write,
	};
}

bool mmio_log_trace_start(struct mmio_log *log, uint64_t now_ns)
{
	if (!log->trace)
		log->trace = malloc(TRACE_MAX * sizeof(*log->trace));
	log->trace_count = 0;
	log->trace_lost = 0;
	log->trace_start = now_ns;
	return log->trace;
}

void mmio_log_trace_stop(struct mmio_log *log, struct json *j)
{
	uint32_t i;

	json_array(j, "trace");
	for (i = 0; i < log->trace_count; i++) {
		const struct mmio_entry *e = &log->trace[i];

		json_array(j, NULL);
		json_string(j, NULL, e->write ? "w" : "r");
		json_uint(j, NULL, e->bar);
		json_hex(j, NULL, e->off);
		json_hex(j, NULL, e->value);
		json_uint(j, NULL, e->us);
		json_end_array(j);
	}
	json_end_array(j);
	json_uint(j, "lost", log->trace_lost);
	free(log->trace);
	log->trace = NULL;
	log->trace_count = 0;
}

uint64_t mmio_log_writes(const struct mmio_log *log, unsigned int bar)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < log->touched_count[bar]; i++)
		sum += log->bar[bar][log->touched[bar][i]].writes;
	return sum;
}

void mmio_log_show(const struct mmio_log *log, struct json *j)
{
	char name[24];
	unsigned int b;
	uint32_t i;

	for (b = 0; b < CARD_BARS; b++) {
		if (!log->bar[b])
			continue;
		snprintf(name, sizeof(name), "bar%u", b);
		json_object(j, name);
		for (i = 0; i < log->touched_count[b]; i++) {
			uint32_t reg = log->touched[b][i];

			snprintf(name, sizeof(name), "0x%" PRIx32, reg * 4);
			json_array(j, name);
			json_uint(j, NULL, log->bar[b][reg].reads);
			json_uint(j, NULL, log->bar[b][reg].writes);
			json_end_array(j);
		}
		json_end_object(j);
	}
}
