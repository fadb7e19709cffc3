// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compile probes: does this kernel have an API? Kbuild compiles one section at a time with
 * -DROC_PROBE_NAME, and does not link it. If the section compiles, Kbuild defines HAVE_NAME.
 */

#if defined(ROC_PROBE_VM_FLAGS_SET)
/* vm_flags_set(): since 6.3, and in some older stable trees. */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);
void probe(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_IO);
	vm_flags_clear(vma, VM_MAYWRITE);
}

#elif defined(ROC_PROBE_EVENTFD_SIGNAL_ONE)
/* eventfd_signal() without a count: since 6.8. */
#include <linux/eventfd.h>

void probe(struct eventfd_ctx *ctx);
void probe(struct eventfd_ctx *ctx)
{
	eventfd_signal(ctx);
}

#elif defined(ROC_PROBE_SYSTEM_PERCPU_WQ)
/* system_percpu_wq, the new name of system_wq: since 6.17, and in some older stable trees. */
#include <linux/workqueue.h>

struct workqueue_struct *probe(void);
struct workqueue_struct *probe(void)
{
	return system_percpu_wq;
}

#elif defined(ROC_PROBE_DMA_BUF_INVALIDATE)
/*
 * dma_buf_invalidate_mappings(), the new name of dma_buf_move_notify(), which importers that pin
 * need not implement.
 */
#include <linux/dma-buf.h>

void probe(struct dma_buf *dmabuf);
void probe(struct dma_buf *dmabuf)
{
	dma_buf_invalidate_mappings(dmabuf);
}

#elif defined(ROC_PROBE_BARE_NS)
/* MODULE_IMPORT_NS() with a bare name: until 6.12; then it is a string. */
#include <linux/module.h>

MODULE_IMPORT_NS(DMA_BUF);

#else
#error no probe of this name
#endif
