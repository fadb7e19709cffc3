/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a card had room between finishing a superpage and getting the next, ROC_GAPS buckets as
 * the driver counts them.
 */
#ifndef ROC_UTILS_GAPS_H
#define ROC_UTILS_GAPS_H

#include <roc/roc.h>

#include <stdint.h>
#include <stdio.h>

#include "json.h"

/*
 * The bucket that holds the @percent-th of the gaps, 100 for the longest; -1: there are none. All
 * of bucket i < ROC_GAPS - 1 are below 2^i us.
 */
int gaps_bucket(const uint64_t *gaps, unsigned int percent);
void gaps_text(FILE *out, const uint64_t *gaps);
void gaps_json(struct json *j, const uint64_t *gaps);

#endif
