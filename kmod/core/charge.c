// SPDX-License-Identifier: GPL-2.0-only
/*
 * Charging. As RDMA does it: readout buffers are usually registered there, too.
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <uapi/linux/roc.h>

#include "core/charge.h"

int roc_charge(struct roc_charge *charge, struct mm_struct *mm, unsigned long pages, __u32 *why,
	       __u64 *limit, __u64 *pinned)
{
	unsigned long most = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	s64 now = atomic64_add_return(pages, &mm->pinned_vm);

	if (now > most && !capable(CAP_IPC_LOCK)) {
		atomic64_sub(pages, &mm->pinned_vm);
		*why = ROC_WHY_MEMLOCK;
		*limit = rlimit(RLIMIT_MEMLOCK);
		*pinned = (u64)(now - pages) << PAGE_SHIFT;
		return -ENOMEM;
	}
	charge->mm = mm;
	charge->pages = pages;
	mmgrab(charge->mm);
	return 0;
}

void roc_uncharge(struct roc_charge *charge)
{
	if (!charge->mm)
		return;
	atomic64_sub(charge->pages, &charge->mm->pinned_vm);
	mmdrop(charge->mm);
	charge->mm = NULL;
}
