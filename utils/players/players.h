/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output of the tools that make a CRU send or receive patterns: roc-pat-player, roc-ctp-emulator,
 * roc-loopback, roc-ul. The functions take the values that were read, so that golden tests need no
 * card. The settings are in libroc (roc/cru.h).
 */
#ifndef ROC_UTILS_PLAYERS_H
#define ROC_UTILS_PLAYERS_H

#include <roc/cru.h>

#include <stdbool.h>
#include <stdio.h>

#include "utils/common/json.h"

void patterns_text(FILE *out, const struct roc_cru_patterns *p);
void patterns_json(FILE *out, const struct roc_cru_patterns *p);

void ul_text(FILE *out, const struct roc_cru_ul *ul);
void ul_json(FILE *out, const struct roc_cru_ul *ul);

struct ctp_report {
	const char *action;
	bool running;
	const struct roc_cru_ctp *ctp; /* NULL unless the emulator was started */
};

void ctp_text(FILE *out, const struct ctp_report *r);
void ctp_json(FILE *out, const struct ctp_report *r);

struct loopback_round {
	uint32_t number; /* from 1 */
	uint32_t links;
	struct roc_cru_loopback_link results[ROC_CRU_LINKS];
};

/* True if all layers are up and there are no errors. */
bool loopback_good(const struct roc_cru_loopback_link *link);
/* @expert: print the state of every layer. */
void loopback_text(FILE *out, const struct loopback_round *r, bool expert, bool colours);
void loopback_json(struct json *j, const struct loopback_round *r);

#endif
