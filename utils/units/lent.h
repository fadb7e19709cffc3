/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units that a lender of libroc (roc/lend.h) lends, as units of a source: what sources of all kinds
 * of channels share.
 */
#ifndef ROC_UTILS_LENT_H
#define ROC_UTILS_LENT_H

#include <roc/lend.h>

#include "units.h"

/* The library's sentence is the source's; -errno. */
int lent_fail(struct source *s, int err);
/* All but first and link, which mean something else with each kind. */
void lent_unit(const struct roc_unit *from, struct unit *u);
int lent_return(struct source *s, struct roc_lender *lender, uint64_t handle);

#endif
