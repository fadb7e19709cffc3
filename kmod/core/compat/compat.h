/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the newest kernel for older kernels. Compile probes (Kbuild) select them, never the
 * version number, because distributions backport. Driver code uses only the new names.
 */
#ifndef ROC_COMPAT_H
#define ROC_COMPAT_H

#include <linux/eventfd.h>
#include <linux/mm.h>
#include <linux/workqueue.h>

#ifndef HAVE_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#ifndef HAVE_SYSTEM_PERCPU_WQ
#define system_percpu_wq system_wq
#endif

static inline void roc_eventfd_signal(struct eventfd_ctx *ctx)
{
#ifdef HAVE_EVENTFD_SIGNAL_ONE
	eventfd_signal(ctx);
#else
	eventfd_signal(ctx, 1);
#endif
}

#endif /* ROC_COMPAT_H */
