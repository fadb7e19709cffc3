// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory for a channel: what is asked of the driver, and the sentence for each of its answers.
 */
#include "libroc/core/libroc.h"
#include "tests/unit/libroc/libroc_says.h"
#include "unit.h"

#include "fake_kernel.h"

static void refuse(struct roc_channel *ch, int err, uint32_t why, uint64_t limit)
{
	static char page[4096];
	uint32_t handle = 4;

	fake.errno_ = err;
	fake.reply = sizeof(struct roc_buf_register);
	fake.out.buf = (struct roc_buf_register){.size = sizeof(fake.out.buf),
						 .addr = (uintptr_t)page,
						 .length = 64 << 20,
						 .granule = 1 << 20,
						 .why = why,
						 .limit = limit,
						 .pinned = limit / 4};
	UNIT_EQ(roc_buffer_register(ch, page, 64 << 20, 1 << 20, &handle), -err);
	UNIT_EQ(handle, 4);
}

static void buffers(void)
{
	struct roc_channel *ch = channel(false);
	uint32_t handle = 0;

	fake.reply = sizeof(struct roc_buf_register);
	fake.out.buf = (struct roc_buf_register){.size = sizeof(fake.out.buf), .handle = 9};
	UNIT_EQ(roc_buffer_register(ch, &fake, 64 << 20, 1 << 20, &handle), 0);
	UNIT_EQ(handle, 9);
	UNIT_EQ(fake.in.buf.addr, (uintptr_t)&fake);
	UNIT_EQ(fake.in.buf.length, 64 << 20);
	UNIT_EQ(fake.in.buf.granule, 1 << 20);
	UNIT_EQ(fake.in.buf.handle | fake.in.buf.why | fake.in.buf.limit | fake.in.buf.extents, 0);

	refuse(ch, ENOMEM, ROC_WHY_MEMLOCK, 8388608);
	SAYS("cannot pin 64 MiB, the limit is 8388608 bytes and 2097152 of them are in use");
	SAYS("@roc - memlock unlimited");
	refuse(ch, EOPNOTSUPP, ROC_WHY_CONTIGUITY, 4096);
	SAYS("superpages of 1 MiB");
	SAYS("has 4096 bytes");
	SAYS("hugepages");
	refuse(ch, EOPNOTSUPP, ROC_WHY_BOUNCE, 0);
	SAYS("bounce");
	refuse(ch, EPERM, ROC_WHY_OWNER, 0);
	SAYS("cannot register 64 MiB");
	SAYS("open the channel after fork()");
	refuse(ch, EFAULT, ROC_WHY_PIN, 0);
	SAYS("cannot be pinned");
	refuse(ch, EINVAL, 0, 0);
	SAYS("multiples of the page size");
	refuse(ch, EOVERFLOW, 0, 0);
	SAYS("end of the address space");
	refuse(ch, ENOSPC, 0, 0);
	SAYS("too many buffers");
	refuse(ch, EBUSY, 0, 0);
	SAYS("stop it first");
	refuse(ch, ENOMEM, 0, 0);
	SAYS("no memory in the kernel");

	fake.reply = 0;
	fake.errno_ = ENOENT;
	UNIT_EQ(roc_buffer_unregister(ch, 12), -ENOENT);
	SAYS("handle 12");
	fake.errno_ = EBUSY;
	UNIT_EQ(roc_buffer_unregister(ch, 12), -EBUSY);
	fake.errno_ = 0;
	UNIT_EQ(roc_buffer_unregister(ch, 12), 0);
	UNIT_EQ(fake.in.unbuf.handle, 12);
	done(ch);
}

/* What the driver answers to an export, or an import, and the sentence that comes of it. */
static void refuse_export(struct roc_channel *ch, int err, struct roc_buf_export out)
{
	int fd = 4;

	out.size = sizeof(out);
	fake.errno_ = err;
	fake.reply = sizeof(out);
	fake.out.export = out;
	UNIT_EQ(roc_buffer_export(ch, 9, ROC_EXPORT_CLOEXEC, &fd), -err);
	UNIT_EQ(fd, 4);
}

static void refuse_import(struct roc_channel *ch, int err, uint32_t why, uint32_t error)
{
	uint32_t handle = 4;

	fake.errno_ = err;
	fake.reply = sizeof(struct roc_buf_import);
	fake.out.import = (struct roc_buf_import){.size = sizeof(fake.out.import),
						  .fd = 17,
						  .granule = 1 << 20,
						  .why = why,
						  .error = error,
						  .limit = 4096};
	UNIT_EQ(roc_buffer_import(ch, 17, 4096, 0, 1 << 20, &handle), -err);
	UNIT_EQ(handle, 4);
}

static void dma_bufs(void)
{
	struct roc_channel *ch = channel(false);
	uint32_t handle = 0;
	int fd = -1;

	fake.reply = sizeof(struct roc_buf_export);
	fake.out.export = (struct roc_buf_export){.size = sizeof(fake.out.export), .fd = 23};
	UNIT_EQ(roc_buffer_export(ch, 9, ROC_EXPORT_CLOEXEC | ROC_EXPORT_WRITE, &fd), 0);
	UNIT_EQ(fd, 23);
	UNIT_EQ(fake.in.export.handle, 9);
	UNIT_EQ(fake.in.export.flags, ROC_EXPORT_CLOEXEC | ROC_EXPORT_WRITE);
	UNIT_EQ(fake.in.export.fd | fake.in.export.why | fake.in.export.limit, 0);
	refuse_export(
		ch, ENOMEM,
		(struct roc_buf_export){.why = ROC_WHY_MEMLOCK, .limit = 8388608, .pinned = 4096});
	SAYS("counts for the user, the limit is 8388608 bytes and 4096 of them are in use");
	refuse_export(ch, ENOMEM, (struct roc_buf_export){.why = 0});
	SAYS("no memory in the kernel");
	refuse_export(ch, ENOENT, (struct roc_buf_export){.why = 0});
	SAYS("handle 9");
	refuse_export(ch, EOPNOTSUPP, (struct roc_buf_export){.why = 0});
	SAYS("it was imported, pass that dma-buf on");
	refuse_export(ch, EPIPE, (struct roc_buf_export){.why = 0});
	SAYS("has no ring to export");
	refuse_export(ch, EINVAL, (struct roc_buf_export){.why = 0});
	SAYS("unknown flag");
	refuse_export(ch, EMFILE, (struct roc_buf_export){.why = 0});
	SAYS("ulimit -n");

	fake.errno_ = 0;
	fake.reply = sizeof(struct roc_buf_import);
	fake.out.import = (struct roc_buf_import){.size = sizeof(fake.out.import), .handle = 3};
	UNIT_EQ(roc_buffer_import(ch, 17, 4096, 1 << 21, 1 << 20, &handle), 0);
	UNIT_EQ(handle, 3);
	UNIT_EQ(fake.in.import.fd, 17);
	UNIT_EQ(fake.in.import.offset, 4096);
	UNIT_EQ(fake.in.import.length, 1 << 21);
	UNIT_EQ(fake.in.import.granule, 1 << 20);
	UNIT_EQ(fake.in.import.handle | fake.in.import.why | fake.in.import.error, 0);
	refuse_import(ch, EOPNOTSUPP, ROC_WHY_PEER, EREMOTEIO);
	SAYS("its exporter says: Remote I/O error");
	SAYS("below one PCIe switch");
	refuse_import(ch, EOPNOTSUPP, ROC_WHY_NO_P2P, EOPNOTSUPP);
	SAYS("CONFIG_PCI_P2PDMA");
	refuse_import(ch, EOPNOTSUPP, ROC_WHY_EXPORTER, EBUSY);
	SAYS("keep its memory in place");
	refuse_import(ch, EOPNOTSUPP, ROC_WHY_CONTIGUITY, 0);
	SAYS("superpages of 0x100000 wanted, but its shortest extent has 4096 bytes");
	refuse_import(ch, EOPNOTSUPP, ROC_WHY_BOUNCE, 0);
	SAYS("cannot import dma-buf 17");
	refuse_import(ch, EOPNOTSUPP, 0, 0);
	SAYS("CONFIG_DMA_SHARED_BUFFER");
	refuse_import(ch, EBADF, 0, 0);
	SAYS("17 is not an open descriptor");
	refuse_import(ch, EINVAL, 0, 0);
	SAYS("it must be a dma-buf");
	refuse_import(ch, EACCES, 0, 0);
	SAYS("not open for writing");
	refuse_import(ch, ERANGE, 0, 0);
	SAYS("outside of dma-buf 17");
	refuse_import(ch, ENOSPC, 0, 0);
	SAYS("too many buffers");
	refuse_import(ch, EBUSY, 0, 0);
	SAYS("stop it first");
	refuse_import(ch, ENOMEM, 0, 0);
	SAYS("no memory in the kernel");
	done(ch);
}

UNIT_MAIN("libroc_buffers", {"buffers", buffers}, {"dma-bufs", dma_bufs})
