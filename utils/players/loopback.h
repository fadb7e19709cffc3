/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-loopback shows one round of its test.
 */
#ifndef ROC_UTILS_LOOPBACK_H
#define ROC_UTILS_LOOPBACK_H

#include <roc/cru.h>

#include <stdbool.h>
#include <stdio.h>

#include "utils/common/json.h"

struct loopback_round {
	uint32_t number; /* from 1 */
	uint32_t links;
	struct roc_cru_loopback_link results[ROC_CRU_LINKS];
};

/* All layers up and no error. */
bool loopback_good(const struct roc_cru_loopback_link *link);
/* @expert: every layer's state, too. */
void loopback_text(FILE *out, const struct loopback_round *r, bool expert, bool colours);
void loopback_json(struct json *j, const struct loopback_round *r);

#endif
