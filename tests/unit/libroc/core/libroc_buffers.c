// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers of a channel: the requests to the driver, and the error text for each failure. */
#include "libroc/core/libroc.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

#include "fake_kernel.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A failure of the driver, and parts of the error text */
struct refusal {
	int err;
	uint32_t reason, error;
	uint64_t limit;
	const char *texts[3];
};

static void error_has_all(const char *const text[3])
{
	unsigned int i;

	for (i = 0; i < 3 && text[i]; i++)
		ERROR_HAS(text[i]);
}

static const struct refusal refused[] = {
	{ENOMEM,
	 ROC_REASON_MEMLOCK,
	 0,
	 8388608,
	 {"cannot pin 64 MiB, the limit is 8388608 bytes and 2097152 of them are in use",
	  "@roc - memlock unlimited"}},
	{EOPNOTSUPP,
	 ROC_REASON_CONTIGUITY,
	 0,
	 4096,
	 {"superpages of 1 MiB", "has 4096 bytes", "hugepages"}},
	{EOPNOTSUPP, ROC_REASON_BOUNCE, .texts = {"bounce"}},
	{EPERM, ROC_REASON_OWNER,
	 .texts = {"cannot register 64 MiB", "open the channel after fork()"}},
	{EFAULT, ROC_REASON_PIN, .texts = {"cannot be pinned"}},
	{EINVAL, .texts = {"multiples of the page size"}},
	{EOVERFLOW, .texts = {"end of the address space"}},
	{ENOSPC, .texts = {"too many buffers"}},
	{EBUSY, .texts = {"stop it first"}},
	{ENOMEM, .texts = {"the kernel cannot allocate"}},
};

static void refuse(struct roc_channel *ch, const struct refusal *r)
{
	static char page[4096];
	uint32_t handle = 4;

	fake.errno_ = r->err;
	fake.reply = sizeof(struct roc_buf_register);
	fake.out.buf = (struct roc_buf_register){.size = sizeof(fake.out.buf),
						 .addr = (uintptr_t)page,
						 .length = 64 << 20,
						 .granule = 1 << 20,
						 .reason = r->reason,
						 .limit = r->limit,
						 .pinned = r->limit / 4};
	UNIT_EQ(roc_buffer_register(ch, page, 64 << 20, 1 << 20, &handle), -r->err);
	UNIT_EQ(handle, 4);
}

static void buffers(void)
{
	struct roc_channel *ch = channel(false);
	uint32_t handle = 0;
	size_t i;

	fake.reply = sizeof(struct roc_buf_register);
	fake.out.buf = (struct roc_buf_register){.size = sizeof(fake.out.buf), .handle = 9};
	UNIT_EQ(roc_buffer_register(ch, &fake, 64 << 20, 1 << 20, &handle), 0);
	UNIT_EQ(handle, 9);
	UNIT_EQ(fake.in.buf.addr, (uintptr_t)&fake);
	UNIT_EQ(fake.in.buf.length, 64 << 20);
	UNIT_EQ(fake.in.buf.granule, 1 << 20);
	UNIT_EQ(fake.in.buf.handle | fake.in.buf.reason | fake.in.buf.limit | fake.in.buf.extents,
		0);

	for (i = 0; i < COUNT(refused); i++) {
		refuse(ch, &refused[i]);
		error_has_all(refused[i].texts);
	}

	fake.reply = 0;
	fake.errno_ = ENOENT;
	UNIT_EQ(roc_buffer_unregister(ch, 12), -ENOENT);
	ERROR_HAS("handle 12");
	fake.errno_ = EBUSY;
	UNIT_EQ(roc_buffer_unregister(ch, 12), -EBUSY);
	fake.errno_ = 0;
	UNIT_EQ(roc_buffer_unregister(ch, 12), 0);
	UNIT_EQ(fake.in.unbuf.handle, 12);
	done(ch);
}

static const struct refusal not_exported[] = {
	{ENOMEM,
	 ROC_REASON_MEMLOCK,
	 0,
	 8388608,
	 {"counts against the user's limit, which is 8388608 bytes with 2097152 of them in use"}},
	{ENOMEM, .texts = {"the kernel cannot allocate"}},
	{ENOENT, .texts = {"handle 9"}},
	{EOPNOTSUPP, .texts = {"it was imported, so pass its own dma-buf on"}},
	{EPIPE, .texts = {"has no ring to export"}},
	{EINVAL, .texts = {"unknown flag"}},
	{EMFILE, .texts = {"ulimit -n"}},
};

static void refuse_export(struct roc_channel *ch, const struct refusal *r)
{
	int fd = 4;

	fake.errno_ = r->err;
	fake.reply = sizeof(struct roc_buf_export);
	fake.out.export = (struct roc_buf_export){.size = sizeof(fake.out.export),
						  .reason = r->reason,
						  .limit = r->limit,
						  .pinned = r->limit / 4};
	UNIT_EQ(roc_buffer_export(ch, 9, ROC_EXPORT_CLOEXEC, &fd), -r->err);
	UNIT_EQ(fd, 4);
}

static const struct refusal not_imported[] = {
	{EOPNOTSUPP, ROC_REASON_PEER, EREMOTEIO,
	 .texts = {"its exporter reports: Remote I/O error", "below one PCIe switch"}},
	{EOPNOTSUPP, ROC_REASON_NO_P2P, EOPNOTSUPP, .texts = {"CONFIG_PCI_P2PDMA"}},
	{EOPNOTSUPP, ROC_REASON_EXPORTER, EBUSY, .texts = {"pin its memory"}},
	{EOPNOTSUPP, ROC_REASON_CONTIGUITY,
	 .texts = {"with superpages of 0x100000, because its shortest extent has 4096 bytes"}},
	{EOPNOTSUPP, ROC_REASON_BOUNCE, .texts = {"cannot import dma-buf 17"}},
	{EOPNOTSUPP, .texts = {"CONFIG_DMA_SHARED_BUFFER"}},
	{EBADF, .texts = {"17 is not an open descriptor"}},
	{EINVAL, .texts = {"it must be a dma-buf"}},
	{EACCES, .texts = {"not open for writing"}},
	{ERANGE, .texts = {"outside of dma-buf 17"}},
	{ENOSPC, .texts = {"too many buffers"}},
	{EBUSY, .texts = {"stop it first"}},
	{ENOMEM, .texts = {"the kernel cannot allocate"}},
};

static void refuse_import(struct roc_channel *ch, const struct refusal *r)
{
	uint32_t handle = 4;

	fake.errno_ = r->err;
	fake.reply = sizeof(struct roc_buf_import);
	fake.out.import = (struct roc_buf_import){.size = sizeof(fake.out.import),
						  .fd = 17,
						  .granule = 1 << 20,
						  .reason = r->reason,
						  .error = r->error,
						  .limit = 4096};
	UNIT_EQ(roc_buffer_import(ch, 17, 4096, 0, 1 << 20, &handle), -r->err);
	UNIT_EQ(handle, 4);
}

static void dma_bufs(void)
{
	struct roc_channel *ch = channel(false);
	uint32_t handle = 0;
	int fd = -1;
	size_t i;

	fake.reply = sizeof(struct roc_buf_export);
	fake.out.export = (struct roc_buf_export){.size = sizeof(fake.out.export), .fd = 23};
	UNIT_EQ(roc_buffer_export(ch, 9, ROC_EXPORT_CLOEXEC | ROC_EXPORT_WRITE, &fd), 0);
	UNIT_EQ(fd, 23);
	UNIT_EQ(fake.in.export.handle, 9);
	UNIT_EQ(fake.in.export.flags, ROC_EXPORT_CLOEXEC | ROC_EXPORT_WRITE);
	UNIT_EQ(fake.in.export.fd | fake.in.export.reason | fake.in.export.limit, 0);
	for (i = 0; i < COUNT(not_exported); i++) {
		refuse_export(ch, &not_exported[i]);
		error_has_all(not_exported[i].texts);
	}

	fake.errno_ = 0;
	fake.reply = sizeof(struct roc_buf_import);
	fake.out.import = (struct roc_buf_import){.size = sizeof(fake.out.import), .handle = 3};
	UNIT_EQ(roc_buffer_import(ch, 17, 4096, 1 << 21, 1 << 20, &handle), 0);
	UNIT_EQ(handle, 3);
	UNIT_EQ(fake.in.import.fd, 17);
	UNIT_EQ(fake.in.import.offset, 4096);
	UNIT_EQ(fake.in.import.length, 1 << 21);
	UNIT_EQ(fake.in.import.granule, 1 << 20);
	UNIT_EQ(fake.in.import.handle | fake.in.import.reason | fake.in.import.error, 0);
	for (i = 0; i < COUNT(not_imported); i++) {
		refuse_import(ch, &not_imported[i]);
		error_has_all(not_imported[i].texts);
	}
	done(ch);
}

UNIT_MAIN("libroc_buffers", {"buffers", buffers}, {"dma-bufs", dma_bufs})
