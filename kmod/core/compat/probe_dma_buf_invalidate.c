// SPDX-License-Identifier: GPL-2.0-only
/* dma_buf_invalidate_mappings(), the new name of dma_buf_move_notify(), which need not be heard. */
#include <linux/dma-buf.h>

void probe(struct dma_buf *dmabuf);
void probe(struct dma_buf *dmabuf)
{
	dma_buf_invalidate_mappings(dmabuf);
}
