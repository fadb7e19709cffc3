/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-ctp-emulator: what was done, and how it is shown.
 */
#ifndef ROC_UTILS_CTP_EMULATOR_H
#define ROC_UTILS_CTP_EMULATOR_H

#include <roc/cru.h>

#include <stdbool.h>
#include <stdio.h>

struct ctp_report {
	const char *action;
	bool running;
	const struct roc_cru_ctp *ctp; /* NULL unless the emulator was started */
};

void ctp_text(FILE *out, const struct ctp_report *r);
void ctp_json(FILE *out, const struct ctp_report *r);

#endif
