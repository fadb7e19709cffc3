/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-rosd in a guest: scripts that begin, load and end it, and what it and its clients said.
 */
#ifndef CASE_ROSD_H
#define CASE_ROSD_H

#include <stdbool.h>
#include <stdint.h>

#include "kmod/cards/robinnp/robinnp_regs.h"

#define ROSD_LINKS (ROBINNP_SUBS * ROBINNP_LINKS) /* of a card */

/* A guest has no network, and the loopback is down. */
bool rosd_loopback(void);

/* What all links of a card send from the next start on. False: it has no such registers. */
bool rosd_generate(const char *id, uint32_t min, uint32_t max, uint32_t rate, uint32_t first);

/*
 * Run a script in an empty directory; its exit code. Its words: serve IDS [OPTION]... begins the
 * daemon and waits until it serves, ask [OPTION]... loads it, begin [OPTION]... in the background
 * ($load), loaded waits until more has been answered than before, end is SIGTERM and what is said
 * then. All of them have limits. With another code than @code what was said is noted.
 */
int rosd_script(int code, const char *text);
#define ROSD_SCRIPT(code, text)                                                                    \
	do {                                                                                       \
		int rosd_code = rosd_script(code, text);                                           \
                                                                                                   \
		UNIT_EQ(rosd_code, code);                                                          \
	} while (0)

/* A figure of what the load (asked) or the daemon (served) said; -1: there is none. */
int64_t rosd_said(const char *file, const char *key);
/* The daemon's, the sum over all sub-units; -1: it said nothing. */
int64_t rosd_units(const char *key);

#endif /* CASE_ROSD_H */
