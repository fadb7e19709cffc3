// SPDX-License-Identifier: LGPL-2.1-or-later
/* Export buffers as dma-bufs, and register imported dma-bufs as buffers. */
#include <errno.h>
#include <string.h>

#include "libroc/core/libroc.h"

int roc_buffer_export(struct roc_channel *ch, uint32_t handle, unsigned int flags, int *fd)
{
	struct roc_buf_export arg = {.size = sizeof(arg), .flags = flags, .handle = handle};
	int ret = libroc_node_ioctl(&ch->node, ROC_BUF_EXPORT, &arg);

	switch (-ret) {
	case 0:
		*fd = arg.fd;
		return 0;
	case ENOENT:
		return roc_fail(ENOENT, "%s: no buffer has handle %u: %s", ch->name, handle,
				"use the one from roc_buffer_register() on this channel");
	case EPIPE:
		return roc_fail(
			EPIPE, "%s: the stream has no ring to export: call roc_stream_ring() first",
			ch->name);
	case EOPNOTSUPP:
		return roc_fail(
			EOPNOTSUPP,
			"%s: cannot export buffer %u: it was imported, so pass its own dma-buf on; or this kernel has no dma-bufs (CONFIG_DMA_SHARED_BUFFER)",
			ch->name, handle);
	case EINVAL:
		return roc_fail(EINVAL, "%s: cannot export: unknown flag in 0x%x: use only %s",
				ch->name, flags, "ROC_EXPORT_CLOEXEC and ROC_EXPORT_WRITE");
	case ENOMEM:
		if (!arg.reason)
			return roc_fail(ENOMEM,
					"%s: the kernel cannot allocate a dma-buf for buffer %u",
					ch->name, handle);
		return roc_fail(
			ENOMEM,
			"%s: cannot export buffer %u: exported memory may outlive the process and counts against the user's limit, which is %llu bytes with %llu of them in use: %s",
			ch->name, handle, (unsigned long long)arg.limit,
			(unsigned long long)arg.pinned, roc_reason_text(arg.reason));
	case EMFILE:
		return roc_fail(EMFILE, "%s: cannot export buffer %u: too many open files: %s",
				ch->name, handle, "close some, or raise 'ulimit -n'");
	default:
		return libroc_fail_ioctl(-ret, ch->name, "cannot export a buffer");
	}
}

static int fail_import(int err, const struct roc_channel *ch, const struct roc_buf_import *arg)
{
	if (arg->error)
		return roc_fail(err, "%s: cannot import dma-buf %d (its exporter reports: %s): %s",
				ch->name, arg->fd, strerror(arg->error),
				roc_reason_text(arg->reason));
	if (arg->reason == ROC_REASON_CONTIGUITY)
		return roc_fail(
			err,
			"%s: cannot import dma-buf %d with superpages of 0x%x, because its shortest extent has %llu bytes: boot with the IOMMU on, or let the exporter allocate larger extents",
			ch->name, arg->fd, arg->granule, (unsigned long long)arg->limit);
	return roc_fail(err, "%s: cannot import dma-buf %d: %s", ch->name, arg->fd,
			roc_reason_text(arg->reason));
}

int roc_buffer_import(struct roc_channel *ch, int fd, uint64_t offset, uint64_t length,
		      uint32_t granule, uint32_t *handle)
{
	struct roc_buf_import arg = {
		.size = sizeof(arg),
		.fd = fd,
		.granule = granule,
		.offset = offset,
		.length = length,
	};
	int ret = libroc_node_ioctl(&ch->node, ROC_BUF_IMPORT, &arg);

	if (!ret) {
		*handle = arg.handle;
		return 0;
	}
	if (arg.reason)
		return fail_import(-ret, ch, &arg);
	switch (-ret) {
	case EBADF:
		return roc_fail(EBADF, "%s: cannot import: %d is not an open descriptor", ch->name,
				fd);
	case EINVAL:
		return roc_fail(
			EINVAL,
			"%s: cannot import %d from 0x%llx on with superpages of 0x%x: it must be a dma-buf, offset and length multiples of the page size, the superpage size one of roc_info()'s superpage_align",
			ch->name, fd, (unsigned long long)offset, granule);
	case EACCES:
		return roc_fail(
			EACCES,
			"%s: dma-buf %d is not open for writing, which the card needs: export it read-write (O_RDWR, DRM_RDWR, ROC_EXPORT_WRITE)",
			ch->name, fd);
	case ERANGE:
		return roc_fail(ERANGE, "%s: 0x%llx + 0x%llx is outside of dma-buf %d", ch->name,
				(unsigned long long)offset, (unsigned long long)length, fd);
	case EOPNOTSUPP:
		return roc_fail(
			EOPNOTSUPP,
			"%s: this kernel has no dma-bufs: use a kernel with CONFIG_DMA_SHARED_BUFFER",
			ch->name);
	case ENOSPC:
		return roc_fail(
			ENOSPC,
			"%s: too many buffers: unregister some, or import fewer and larger ones",
			ch->name);
	case EBUSY:
		return roc_fail(EBUSY, "%s: cannot import while running: stop it first", ch->name);
	case ENOMEM:
		return roc_fail(ENOMEM,
				"%s: the kernel cannot allocate the tables to import dma-buf %d",
				ch->name, fd);
	default:
		return libroc_fail_ioctl(-ret, ch->name, "cannot import a dma-buf");
	}
}
