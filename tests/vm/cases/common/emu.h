/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulated cards' control ports, from inside the guest: one line out, one JSON line back.
 * Documentation/emulator.md has the lines. The helpers end the program with `Bail out!` when the
 * port or the card does not answer, so that no test has to look.
 */
#ifndef CASE_EMU_H
#define CASE_EMU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The card's answer to a line; it must be ok. Freed by the next call. Card K is the K-th emulated
 * card, with serial number 245 + K. Register writes made before have arrived.
 */
const char *emu(unsigned int card, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Off: they may not have. Nobody can read the configuration space of who is being reset. */
void emu_ordered(bool on);

/* For a rate that a reader has to keep up with: so many bytes a second, on a slow machine fewer. */
unsigned long long emu_rate(uint64_t bytes);

/* One of an endpoint's counts, by its name in `counts`; of one of its links. */
uint64_t emu_count(unsigned int card, unsigned int ep, const char *name);
uint64_t emu_link_count(unsigned int card, unsigned int ep, unsigned int link, const char *name);
/* Of endpoint 0: one of entry @nr of a list, "streams", "subs" or "links". */
uint64_t emu_channel_count(unsigned int card, const char *list, unsigned int nr, const char *name);

/* The card's own view of a register, without side effects. */
uint32_t emu_peek(unsigned int card, unsigned int ep, unsigned int bar, uint32_t offset);
void emu_poke(unsigned int card, unsigned int ep, unsigned int bar, uint32_t offset,
	      uint32_t value);

/* A word of the configuration space as the card shows it. */
uint32_t emu_config(unsigned int card, unsigned int ep, uint32_t offset);
void emu_config_set(unsigned int card, unsigned int ep, uint32_t offset, uint32_t value);

/* How often a register was read and written since the last `clear`. */
struct emu_touched {
	uint64_t reads, writes;
};
struct emu_touched emu_touched(unsigned int card, unsigned int ep, unsigned int bar,
			       uint32_t offset);

/* Reads of all registers of a CRU's endpoint but the temperature, which the driver looks at. */
uint64_t emu_reads(unsigned int card, unsigned int ep);

/* The order of accesses between two calls. */
struct emu_access {
	bool write;
	unsigned int bar;
	uint32_t offset, value;
	uint64_t us;
};
void emu_trace_start(unsigned int card, unsigned int ep);
/* Number of accesses; *list is freed by the caller. */
unsigned int emu_trace_stop(unsigned int card, unsigned int ep, struct emu_access **list);

/* All faults off, these keys of all endpoints set, counts 0. */
void emu_keys(unsigned int card, const char *const *keys, unsigned int count);
/* All faults off, all keys of both endpoints as at power-on, counts 0, every link mask @links. */
void emu_normal(unsigned int card, uint32_t links);
/* The same for a C-RORC, whose links nobody enables. */
void emu_normal_crorc(unsigned int card);

/*
 * True if, since this program began, the card never saw what no driver may do: DMA outside, a full
 * FIFO, a bad descriptor, a size that nobody read; a push while a superpage is open, a bad push.
 */
bool emu_clean(unsigned int card);

/* Has the endpoint written nothing for @ms? */
bool emu_quiet(unsigned int card, unsigned int ep, unsigned int ms);

#endif /* CASE_EMU_H */
