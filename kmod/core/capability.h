/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For a kind that looks for its firmware's interface at probe.
 */
#ifndef ROC_CAPABILITY_H
#define ROC_CAPABILITY_H

#include "core/roc.h"
#include "core/vsec.h"

void roc_capability_card(struct roc_endpoint *ep, struct roc_vsec_card *card);

#endif /* ROC_CAPABILITY_H */
