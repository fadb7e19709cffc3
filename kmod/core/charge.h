/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages that a process is charged for: in its pinned_vm, against RLIMIT_MEMLOCK.
 */
#ifndef ROC_CHARGE_H
#define ROC_CHARGE_H

#include <linux/types.h>

struct mm_struct;

/* Whose pinned_vm, NULL: nobody's; and how much. */
struct roc_charge {
	struct mm_struct *mm;
	unsigned long pages;
};

/*
 * To @mm's, that of who opened the channel, against the caller's limit. -ENOMEM: what is out says
 * by which limit, and how much there was already.
 */
int roc_charge(struct roc_charge *charge, struct mm_struct *mm, unsigned long pages, __u32 *why,
	       __u64 *limit, __u64 *pinned);
void roc_uncharge(struct roc_charge *charge);

#endif /* ROC_CHARGE_H */
