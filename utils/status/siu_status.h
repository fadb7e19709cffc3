/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-siu-status shows what it heard.
 */
#ifndef ROC_UTILS_SIU_STATUS_H
#define ROC_UTILS_SIU_STATUS_H

#include <roc/crorc.h>

#include <stdio.h>

struct siu_report {
	struct roc_card card;
	unsigned int channel;
	struct roc_crorc_siu siu;
	const char *failure; /* why something is missing, NULL: nothing is */
};

void siu_text(FILE *out, const struct siu_report *r);
void siu_json(FILE *out, const struct siu_report *r);

#endif
