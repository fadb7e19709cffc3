/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roc-pat-player shows the parameters of the player.
 */
#ifndef ROC_UTILS_PAT_PLAYER_H
#define ROC_UTILS_PAT_PLAYER_H

#include <roc/cru.h>

#include <stdio.h>

void patterns_text(FILE *out, const struct roc_cru_patterns *p);
void patterns_json(FILE *out, const struct roc_cru_patterns *p);

#endif
