/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-ledger from the inside: what its files offer to each other.
 *
 *	ledger.c    one scenario: cards set, readers started, windows, readers stopped
 *	readers.c   the measured processes
 *	snapshot.c  everything that is counted, at one moment, as JSON
 *	counters.c  the kernel's counters: system calls, DMA mappings, interrupts, CPU time
 *	port.c      lines to the emulated cards and to the instruction counter
 *
 * It prints raw counts and computes nothing: that is done outside, where it can be tested.
 */
#ifndef BENCH_LEDGER_H
#define BENCH_LEDGER_H

#include "state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "utils/common/clock.h"

#define LEDGER_CARDS 8
#define LEDGER_ENDPOINTS 16

/* One channel to be read. */
struct endpoint {
	unsigned int card;   /* emulated card */
	unsigned int fn;     /* its endpoint */
	const char *channel; /* ID/CHANNEL for the reader */
};

/* Owned by ledger.c from start to stop; the memory is shared with the process. */
struct reader {
	pid_t pid;
	struct bench_state *state;
	unsigned int first; /* of its endpoints */
	unsigned int channels;
};

struct scenario {
	const char *name;
	struct endpoint endpoints[LEDGER_ENDPOINTS];
	unsigned int count;
	bool one_process; /* all endpoints in one reader */
	const char *mode, *source, *rest;
	const char *superpage, *buffer, *batch, *limit, *percent;
	const char *command; /* to run in place of readers; words are separated by '_' */
	double patience;     /* seconds to wait for first superpages */
	double settle, window, reference;
	bool stamp;
	const char *sets[32]; /* KEY=VALUE for the endpoints of the cards */
	unsigned int set_count;
	struct reader readers[LEDGER_ENDPOINTS];
	unsigned int reader_count;
};

void sleep_until(uint64_t ns);
/* Ends the program and its readers. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* port.c. The reply without its newline, valid until the next call; NULL: no such port. */
const char *port_ask(const char *port, const char *line);
const char *card_ask(unsigned int card, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* readers.c */
void readers_start(struct scenario *s);
/* Wait until all run and have a superpage each, at most @limit seconds. */
void readers_wait(struct scenario *s, double limit);
void readers_stop(struct scenario *s);
bool scenario_uses(const struct scenario *s, unsigned int card);

/* counters.c */
void counters_open(void);
void counters_close(void);
void counters_process(FILE *out, pid_t pid);
void counters_threads(FILE *out);
/* "workers":[...]: child processes of roc-bar-stress. */
void counters_workers(FILE *out);
void counters_system(FILE *out);

/* snapshot.c */
void snapshot(FILE *out, const struct scenario *s);
void snapshot_times(FILE *out, const struct scenario *s);
void snapshot_cards(FILE *out, const struct scenario *s);

#endif /* BENCH_LEDGER_H */
