/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-ul: how the settings are shown.
 */
#ifndef ROC_UTILS_UL_H
#define ROC_UTILS_UL_H

#include <roc/cru.h>

#include <stdio.h>

void ul_text(FILE *out, const struct roc_cru_ul *ul);
void ul_json(FILE *out, const struct roc_cru_ul *ul);

#endif
