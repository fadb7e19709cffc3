/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulated cards' control ports, from inside the guest: a request is a line, the reply is a
 * JSON line. Documentation/emulator.md describes the requests. If the port or the card does not
 * answer, these functions end the program with `Bail out!`; so tests need not check.
 */
#ifndef CASE_EMU_H
#define CASE_EMU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Send a line and return the card's reply, which must be ok. The next call frees it. Card K is the
 * K-th emulated card, with serial number 245 + K. All earlier register writes arrive first.
 */
const char *emu(unsigned int card, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Off: do not wait for earlier writes. The configuration space of a function in reset cannot be
 * read.
 */
void emu_ordered(bool on);

/* A rate in bytes/s that a reader has to keep up with; lower on a slow machine. */
unsigned long long emu_rate(uint64_t bytes);

/* A count of an endpoint, by its name in `counts`; the second one: of one of its links. */
uint64_t emu_count(unsigned int card, unsigned int ep, const char *name);
uint64_t emu_link_count(unsigned int card, unsigned int ep, unsigned int link, const char *name);
/* A count of endpoint 0: of entry @nr of the list "streams", "subs" or "links". */
uint64_t emu_channel_count(unsigned int card, const char *list, unsigned int nr, const char *name);

/* Read a register in the card, without side effects. */
uint32_t emu_peek(unsigned int card, unsigned int ep, unsigned int bar, uint32_t offset);
void emu_poke(unsigned int card, unsigned int ep, unsigned int bar, uint32_t offset,
	      uint32_t value);

/* A word of the configuration space in the card. */
uint32_t emu_config(unsigned int card, unsigned int ep, uint32_t offset);
void emu_config_set(unsigned int card, unsigned int ep, uint32_t offset, uint32_t value);

/* Number of reads and writes of a register since the last `clear`. */
struct emu_touched {
	uint64_t reads, writes;
};
struct emu_touched emu_touched(unsigned int card, unsigned int ep, unsigned int bar,
			       uint32_t offset);

/* Reads of all registers of a CRU's endpoint except the temperature, which the driver polls. */
uint64_t emu_reads(unsigned int card, unsigned int ep);

/* Record all register accesses between two calls, in order. */
struct emu_access {
	bool write;
	unsigned int bar;
	uint32_t offset, value;
	uint64_t us;
};
void emu_trace_start(unsigned int card, unsigned int ep);
/* Returns the number of accesses; the caller frees *list. */
unsigned int emu_trace_stop(unsigned int card, unsigned int ep, struct emu_access **list);

/* Clear all faults and counts, and set these keys of all endpoints. */
void emu_keys(unsigned int card, const char *const *keys, unsigned int count);
/*
 * Clear all faults and counts, set all keys of both endpoints to power-on values, and all link
 * masks to @links.
 */
void emu_normal(unsigned int card, uint32_t links);
/* The same for a C-RORC, which has no link mask. */
void emu_normal_crorc(unsigned int card);

/*
 * True if the card has seen no violation since this program began: DMA outside of mapped memory, a
 * full FIFO, a bad descriptor, an unread size, a push while a superpage is open, or a bad push.
 */
bool emu_clean(unsigned int card);

/* True if the endpoint wrote nothing for @ms. */
bool emu_idle(unsigned int card, unsigned int ep, unsigned int ms);

#endif /* CASE_EMU_H */
