/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A measured process: common code of the readers of pools, streams and fragments and of the
 * stand-in. Each counts in memory that it shares with the ledger, see state.h.
 */
#ifndef BENCH_MEASURED_H
#define BENCH_MEASURED_H

#include "state.h"

#include <stdbool.h>

/* Shared with the ledger after measured_parse(). */
extern struct bench_state *state;

/* An option of a program: a number, a text, or (neither) one that it accepts and ignores. */
struct measured_option {
	const char *name;
	uint64_t *number;
	const char **text;
};

/*
 * Parse --state and @options, and map the state. The options end with one without a name; one that
 * is not given keeps its value. From then on SIGTERM ends the program, and so does the end of the
 * ledger. Without --state the state is private, and the result is false. What is no option begins
 * at optind.
 */
bool measured_parse(int argc, char **argv, const struct measured_option *options);
/* Split ID/NUMBER in place. The id; NULL: there is no slash. */
const char *measured_channel(char *text, unsigned int *number);
/* Both, for a reader of one channel: the id; NULL: no state, or not one ID/NUMBER. */
const char *measured_parse_channel(int argc, char **argv, const struct measured_option *options,
				   unsigned int *number);
/* Print the usage and exit with status 2. */
void measured_usage(const char *arguments) __attribute__((noreturn));

/* Report the failure to the ledger and exit. */
void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
void mark(enum bench_mark m);
/* Run on the processors of a NUMA node; -1: on any. */
void run_on_node(int node);

#endif /* BENCH_MEASURED_H */
