/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * MFP and MEP: the bytes of their heads, for the iterators.
 */
#ifndef LIBROC_MEP_H
#define LIBROC_MEP_H

#include <roc/mep.h>

#include <stdbool.h>

#define LIBROC_MFP_MAGIC "RMFP"
#define LIBROC_MEP_MAGIC "RMEP"

/* @from: ROC_MFP_HEAD bytes. 0; -EPROTO, -EPROTONOSUPPORT, -EBADMSG as roc_mfp_open(). */
int libroc_mfp_get(const void *from, struct roc_mfp *head);
/* Is this MFP a part of this block: its number, first event and number of events? */
bool libroc_mfp_of_block(const struct roc_mfp *head, const struct roc_mep *mep);
void libroc_mfp_get_entry(const void *from, struct roc_mfp_entry *entry);

#endif
