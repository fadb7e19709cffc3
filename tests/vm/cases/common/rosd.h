/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-rosd in a guest: scripts that start, load and stop it, and its reports and those of its
 * clients.
 */
#ifndef CASE_ROSD_H
#define CASE_ROSD_H

#include <stdbool.h>
#include <stdint.h>

#include "kmod/cards/robinnp/robinnp_regs.h"

#define ROSD_LINKS (ROBINNP_SUBS * ROBINNP_LINKS) /* of a card */

/* Bring up the loopback interface: a guest has no network. */
bool rosd_loopback(void);

/* Set the data of all links of a card from the next start on. False: it has no such registers. */
bool rosd_generate(const char *id, uint32_t min, uint32_t max, uint32_t rate, uint32_t first);

/*
 * Run a script in an empty directory; returns its exit code, and prints the output if it is not
 * @code. Commands, all with time limits: "serve IDS [OPTION]..." starts the daemon and waits until
 * it serves; "request [OPTION]..." runs a load; "begin [OPTION]..." runs it in the background ($load);
 * "loaded" waits for another reply; "end" sends SIGTERM and waits for the final report.
 */
int rosd_script(int code, const char *text);
#define ROSD_SCRIPT(code, text)                                                                    \
	do {                                                                                       \
		int rosd_code = rosd_script(code, text);                                           \
                                                                                                   \
		UNIT_EQ(rosd_code, code);                                                          \
	} while (0)

/* A number in the report of the clients (client) or the daemon (served); -1: there is none. */
int64_t rosd_report(const char *file, const char *key);
/* A number of the daemon's report, summed over all sub-units; -1: no report. */
int64_t rosd_units(const char *key);

#endif /* CASE_ROSD_H */
