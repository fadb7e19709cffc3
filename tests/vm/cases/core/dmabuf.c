// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test dma-bufs: the card writes into memory of other exporters, other devices read what the card
 * wrote into memory of roc, and the lifetime of both.
 */
#include "common/case.h"
#include "common/dmabuf.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define PAGE 4096ul
#define LIMIT_MS 10000

/* Descriptor of the test module's node, for the whole program. */
static int node;

static void *map_shared(int fd, size_t length)
{
	return mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* A run into an imported dma-buf; the test reads it through a mapping. */
static void run_into(int fd, void *memory, uint64_t offset)
{
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.count = 8,
			.import = true,
			.dmabuf = fd,
			.dmabuf_offset = offset,
			.memory = (char *)memory + offset};

	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(rig_once(&r, 40, LIMIT_MS));
	RIG_OK(&r);
	UNIT_EQ(rig_missing(&r), 0);
	rig_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

static void import_udmabuf(void)
{
	int memfd = memfd_create("udmabuf", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB), fd;
	void *memory;

	UNIT_NEED(memfd >= 0 && !ftruncate(memfd, 8 * MIB));
	/* udmabuf treats hugepages that are not there yet as reserved ones (6.12). */
	memory = map_shared(memfd, 8 * MIB);
	UNIT_NEED(memory != MAP_FAILED);
	memset(memory, 0, 8 * MIB);
	fd = dmabuf_of_memfd(memfd, 8 * MIB);
	if (fd == -ENOENT) {
		munmap(memory, 8 * MIB);
		close(memfd);
		unit_skip("this kernel has no udmabuf");
		return;
	}
	UNIT_NEED(fd >= 0);
	run_into(fd, memory, 0);
	munmap(memory, 8 * MIB);
	close(fd);
	close(memfd);
}

/* While imported it is pinned, even if its exporter could move it; afterwards it is not. */
static void import_holds(uint32_t kind)
{
	struct roc_buf_import reply = {.granule = MIB};
	int fd = dmabuf_make(node, 8 * MIB, kind), ch;
	struct dmabuf_use use;

	UNIT_NEED(fd >= 0);
	ch = node_open(EP0, 0);
	reply.fd = fd;
	UNIT_EQ(buffer_import(ch, &reply), 0);
	UNIT_EQ(reply.length, 8 * MIB);
	use = dmabuf_in_use(node, fd);
	UNIT_EQ(use.attached, 1);
	UNIT_EQ(use.mapped, 1);
	CU_ASSERT(!(kind & DMABUF_DYNAMIC) == !use.pinned);
	UNIT_EQ(buffer_unregister(ch, reply.handle), 0);
	UNIT_EQ(buffer_unregister(ch, reply.handle), -ENOENT);
	use = dmabuf_in_use(node, fd);
	UNIT_EQ(use.attached, 0);
	UNIT_EQ(use.mapped, 0);
	UNIT_EQ(use.pinned, 0);
	/* The last close releases it, too, and its own descriptor is not needed. */
	reply = (struct roc_buf_import){.granule = MIB, .fd = fd};
	UNIT_EQ(buffer_import(ch, &reply), 0);
	close(fd);
	UNIT_EQ(dmabuf_living(node).exports, 1);
	close(ch);
	CU_ASSERT(UNIT_WAIT(dmabuf_living(node).exports == 0, LIMIT_MS));
}

static void import_sorts(void)
{
	static const uint32_t sorts[] = {0, DMABUF_DYNAMIC, DMABUF_NO_PAGES,
					 DMABUF_NO_PAGES | DMABUF_DYNAMIC, DMABUF_SCATTERED};
	unsigned int i;

	for (i = 0; i < N(sorts); i++) {
		int fd;
		void *memory;

		if (sorts[i] & DMABUF_SCATTERED && !translated(EP0))
			continue;
		fd = dmabuf_make(node, 16 * MIB, sorts[i]);
		UNIT_NEED(fd >= 0);
		memory = map_shared(fd, 16 * MIB);
		UNIT_NEED(memory != MAP_FAILED);
		memset(memory, 0x33, 16 * MIB);
		run_into(fd, memory, 2 * MIB);
		/* Memory outside of the imported part is unchanged. */
		CU_ASSERT(!memcmp(memory, (char *)memory + MIB, MIB));
		UNIT_EQ(((uint8_t *)memory)[0], 0x33);
		UNIT_EQ(((uint8_t *)memory)[10 * MIB], 0x33);
		CU_ASSERT(!memcmp((char *)memory + 10 * MIB, (char *)memory + 11 * MIB, 5 * MIB));
		munmap(memory, 16 * MIB);
		close(fd);
		import_holds(sorts[i]);
	}
	UNIT_EQ(dmabuf_living(node).exports, 0);
}

/* The card must not access the memory before it is at its final place. */
static void import_waits(void)
{
	struct roc_buf_import arg = {.granule = MIB, .fd = dmabuf_make(node, 8 * MIB, DMABUF_BUSY)};
	int ch = node_open(EP0, 0);
	struct dmabuf_use use;

	UNIT_NEED(arg.fd >= 0);
	UNIT_EQ(buffer_import(ch, &arg), 0);
	use = dmabuf_in_use(node, arg.fd);
	UNIT_EQ(use.moving, 0);
	UNIT_EQ(use.mapped, 1);
	close(arg.fd);
	close(ch);
	UNIT_EQ(dmabuf_living(node).exports, 0);
}

static bool kernel_has(const char *symbol)
{
	char line[256];
	bool found = false;
	FILE *f = fopen("/proc/kallsyms", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, symbol);
	if (f)
		fclose(f);
	return found;
}

/* One failing import; the dma-buf is unchanged. */
static void refused(int ch, uint32_t kind, struct roc_buf_import arg, int err, uint32_t reason,
		    uint32_t error)
{
	struct dmabuf_use use;

	arg.fd = dmabuf_make(node, 8 * MIB, kind);
	UNIT_NEED(arg.fd >= 0);
	UNIT_EQ(buffer_import(ch, &arg), err);
	UNIT_EQ(arg.reason, reason);
	UNIT_EQ(arg.error, error);
	UNIT_EQ(arg.handle, 0);
	use = dmabuf_in_use(node, arg.fd);
	UNIT_EQ(use.attached, 0);
	UNIT_EQ(use.pinned, 0);
	UNIT_EQ(use.mapped, 0);
	close(arg.fd);
}

#define REFUSED(kind, err, reason, error, ...)                                                     \
	refused(ch, kind, (struct roc_buf_import){__VA_ARGS__}, err, reason, error)

static void import_refused(void)
{
	uint32_t peer = kernel_has("pci_p2pdma_add_resource") ? ROC_REASON_PEER : ROC_REASON_NO_P2P;
	struct roc_buf_import arg = {.fd = -1};
	struct roc_channel *channel;
	uint32_t handle = 7;
	int ch = node_open(EP0, 0), plain = open("/dev/null", O_RDWR | O_CLOEXEC), fd;

	UNIT_EQ(buffer_import(ch, &arg), -EBADF);
	arg = (struct roc_buf_import){.fd = plain};
	UNIT_EQ(buffer_import(ch, &arg), -EINVAL);
	arg = (struct roc_buf_import){.fd = ch};
	UNIT_EQ(buffer_import(ch, &arg), -EINVAL);
	REFUSED(DMABUF_READ_ONLY, -EACCES, 0, 0, .granule = MIB);
	REFUSED(0, -EINVAL, 0, 0, .granule = MIB, .offset = 1);
	REFUSED(0, -EINVAL, 0, 0, .granule = MIB, .length = PAGE + 1);
	REFUSED(0, -EINVAL, 0, 0, .granule = 12345);
	REFUSED(0, -ERANGE, 0, 0, .granule = MIB, .offset = 8 * MIB);
	REFUSED(0, -ERANGE, 0, 0, .granule = MIB, .offset = -PAGE);
	REFUSED(0, -ERANGE, 0, 0, .granule = MIB, .offset = PAGE, .length = 8 * MIB);
	REFUSED(0, -ERANGE, 0, 0, .granule = MIB, .offset = PAGE, .length = -PAGE);
	REFUSED(DMABUF_NO_PIN, -EOPNOTSUPP, ROC_REASON_EXPORTER, EBUSY, .granule = MIB);
	REFUSED(DMABUF_PEER, -EOPNOTSUPP, peer, EREMOTEIO, .granule = MIB);
	REFUSED(DMABUF_PEER | DMABUF_DYNAMIC, -EOPNOTSUPP, peer, EREMOTEIO, .granule = MIB);
	REFUSED(DMABUF_NO_ATTACH, -EOPNOTSUPP, peer, EOPNOTSUPP, .granule = MIB);
	REFUSED(DMABUF_STUCK, -EOPNOTSUPP, ROC_REASON_EXPORTER, ETIMEDOUT, .granule = MIB);
	REFUSED(DMABUF_INTERRUPTED, -EINTR, 0, 0, .granule = MIB);
	REFUSED(DMABUF_NO_MEMORY, -ENOMEM, 0, 0, .granule = MIB);
	if (translated(EP0)) {
		REFUSED(DMABUF_SHORT, -EOPNOTSUPP, ROC_REASON_EXPORTER, 0);
	} else {
		REFUSED(DMABUF_SCATTERED, -EOPNOTSUPP, ROC_REASON_CONTIGUITY, 0, .granule = MIB);
		REFUSED(DMABUF_SHORT, -EOPNOTSUPP, ROC_REASON_EXPORTER, 0);
	}
	UNIT_EQ(ch_info(ch).state, ROC_CH_STOPPED);
	close(ch);
	close(plain);

	/* The library's error message has the reason. */
	UNIT_NEED(!roc_channel_open(EP0, 0, &channel));
	fd = dmabuf_make(node, 8 * MIB, DMABUF_PEER);
	UNIT_EQ(roc_buffer_import(channel, fd, 0, 0, MIB, &handle), -EOPNOTSUPP);
	UNIT_EQ(handle, 7);
	CU_ASSERT_PTR_NOT_NULL(strstr(roc_error(), "belongs to another device"));
	CU_ASSERT_PTR_NOT_NULL(strstr(roc_error(), "Remote I/O error"));
	close(fd);
	roc_channel_close(channel);
	UNIT_EQ(dmabuf_living(node).exports, 0);
}

static void import_while_running(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};
	struct roc_buf_import arg = {.granule = MIB};

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	arg.fd = dmabuf_make(node, 8 * MIB, 0);
	UNIT_NEED(rig_start(&r));
	UNIT_EQ(buffer_import(rig_fd(&r), &arg), -EBUSY);
	rig_stop(&r);
	UNIT_EQ(buffer_import(rig_fd(&r), &arg), 0);
	close(arg.fd);
	rig_close(&r);
	CU_ASSERT(UNIT_WAIT(dmabuf_living(node).exports == 0, LIMIT_MS));
}

/*
 * A silent card may return with its old state: it keeps the memory until its quiescence is
 * verified.
 */
static void import_until_quiesced(void)
{
	int fd = dmabuf_make(node, 8 * MIB, DMABUF_DYNAMIC);
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.count = 8,
			.import = true,
			.dmabuf = fd,
			.no_poison = true};

	UNIT_NEED(fd >= 0);
	emu_normal(CARD0, FOUR_LINKS);
	r.memory = map_shared(fd, 8 * MIB);
	UNIT_NEED(r.memory != MAP_FAILED && rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_run(&r, 8, LIMIT_MS));
	emu(CARD0, "set 0 rate 10000000"); /* far from the end of its superpages */
	emu(CARD0, "fault 0 all-ones");
	rig_close(&r);
	munmap(r.memory, 8 * MIB);
	UNIT_EQ(dmabuf_in_use(node, fd).mapped, 1);
	CU_ASSERT(dmabuf_in_use(node, fd).pinned > 0);
	emu(CARD0, "fault all clear");
	sleep_ms(50);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	close(node_open(EP0, 0));
	UNIT_EQ(dmabuf_in_use(node, fd).attached, 0);
	UNIT_EQ(dmabuf_in_use(node, fd).pinned, 0);
	close(fd);
	UNIT_EQ(dmabuf_living(node).exports, 0);
	emu(CARD0, "set 0 rate 0");
}

/* A reader whose buffer is exported, and a second device that imports it. */
struct shared {
	struct rig r;
	int fd;
	int id; /* of the second device */
	int64_t pins;
};

static bool share(struct shared *s, const char *device, bool dynamic)
{
	struct roc_buf_export reply;

	memset(s, 0, sizeof(*s));
	s->r = (struct rig){.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};
	s->pins = pins();
	emu_normal(CARD0, FOUR_LINKS);
	if (!rig_open(&s->r))
		return false;
	if (buffer_export(rig_fd(&s->r), s->r.handle, ROC_EXPORT_CLOEXEC | ROC_EXPORT_WRITE,
			  &reply))
		return false;
	s->fd = reply.fd;
	s->id = dmabuf_take(node, device, s->fd, dynamic);
	return s->id > 0 && !dmabuf_map_for(node, s->id);
}

static void unshare(struct shared *s)
{
	dmabuf_drop(node, s->id);
	close(s->fd);
	CU_ASSERT(UNIT_WAIT(pins() == s->pins, LIMIT_MS));
}

/* While the card goes on, the device reads the same superpages as the reader. */
static void seen_as_written(const char *device, bool dynamic)
{
	uint8_t *view = malloc(MIB);
	struct shared s;
	unsigned int n;

	UNIT_NEED(share(&s, device, dynamic));
	rig_push(&s.r, RIG_MAX);
	UNIT_NEED(rig_start(&s.r));
	for (n = 0; n < 24; n++) {
		const struct roc_ready *e;

		if (rig_wait(&s.r, 1, LIMIT_MS) < 1)
			break;
		e = roc_ready_peek(s.r.rings);
		memset(view, 0, MIB);
		if (dmabuf_read(node, s.id, e->offset, view, e->received) ||
		    memcmp(view, s.r.base + e->offset, e->received))
			find_wrong(&s.r.found, "the device reads other data in superpage %u", n);
		rig_take(&s.r, true);
	}
	UNIT_EQ(n, 24);
	rig_stop(&s.r);
	RIG_OK(&s.r);
	/* The reader sees the device's writes. */
	memset(view, 0x77, MIB);
	UNIT_EQ(dmabuf_write(node, s.id, 3 * MIB + 5, view, MIB), 0);
	CU_ASSERT(!memcmp(s.r.base + 3 * MIB + 5, view, MIB));
	CU_ASSERT(s.r.base[3 * MIB + 4] != 0x77 || s.r.base[4 * MIB + 5] != 0x77);
	UNIT_EQ(dmabuf_read(node, s.id, 8 * MIB, view, 1), -ERANGE);
	rig_close(&s.r);
	unshare(&s);
	free(view);
	CU_ASSERT(emu_clean(CARD0));
}

static void export_seen(void)
{
	/* A device that takes segments of any length, and one that does not. */
	seen_as_written(pci_address(OTHER_EP0), true);
	seen_as_written(dmabuf_device(), false);
}

/*
 * A device with 32-bit DMA, and memory of node 1 above 4 GiB: the kernel would use a bounce buffer.
 * Its copy, older than the card's data, would overwrite them later.
 */
static void export_to_one_that_bounces(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 8, .no_poison = true};
	struct roc_buf_export reply;
	struct roc_memory own;
	int64_t before = pins();
	char *copy;
	int id;

	if (translated(EP0))
		return unit_skip("needs a machine without an IOMMU");
	UNIT_NEED(!roc_memory_alloc(8 * MIB, 1, 0, &own));
	r.memory = own.addr;
	memset(r.memory, 0x11, 8 * MIB);
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	UNIT_EQ(buffer_export(rig_fd(&r), r.handle, ROC_EXPORT_CLOEXEC | ROC_EXPORT_WRITE, &reply),
		0);
	id = dmabuf_take_limited(node, dmabuf_device(), reply.fd, 32);
	UNIT_NEED(id > 0);
	UNIT_EQ(dmabuf_map_for(node, id), -EBUSY);
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_wait(&r, 8, LIMIT_MS) >= 8);
	rig_stop(&r);
	copy = malloc(8 * MIB);
	UNIT_NEED(copy);
	memcpy(copy, r.memory, 8 * MIB);
	UNIT_EQ(dmabuf_sync(reply.fd, true), 0);
	UNIT_EQ(dmabuf_sync(reply.fd, false), 0);
	dmabuf_drop(node, id);
	CU_ASSERT(!memcmp(r.memory, copy, 8 * MIB));
	free(copy);
	/* The same device without that limit gets it. */
	id = dmabuf_take(node, dmabuf_device(), reply.fd, false);
	UNIT_NEED(id > 0);
	UNIT_EQ(dmabuf_map_for(node, id), 0);
	dmabuf_drop(node, id);
	close(reply.fd);
	rig_close(&r);
	roc_memory_free(&own);
	CU_ASSERT(UNIT_WAIT(pins() == before, LIMIT_MS));
}

static void export_mapped(void)
{
	struct roc_buf_export only;
	struct shared s;
	uint8_t *memory, *part;
	void *p;

	UNIT_NEED(share(&s, dmabuf_device(), true));
	memory = map_shared(s.fd, 8 * MIB);
	UNIT_NEED(memory != MAP_FAILED);
	UNIT_EQ(dmabuf_sync(s.fd, true), 0);
	rig_push(&s.r, RIG_MAX);
	UNIT_NEED(rig_start(&s.r) && rig_wait(&s.r, 8, LIMIT_MS) >= 8);
	rig_stop(&s.r);
	UNIT_EQ(dmabuf_sync(s.fd, false), 0);
	CU_ASSERT(!memcmp(memory, s.r.base, 8 * MIB));
	part = mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, s.fd, 5 * MIB - PAGE);
	UNIT_NEED(part != MAP_FAILED);
	CU_ASSERT(!memcmp(part, s.r.base + 5 * MIB - PAGE, 3 * PAGE));
	memory[5 * MIB]++;
	UNIT_EQ(part[PAGE], s.r.base[5 * MIB]);
	munmap(part, 3 * PAGE);
	/* Neither private, nor beyond the end, nor writable without the flag. */
	p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, s.fd, 0);
	CU_ASSERT(p == MAP_FAILED && errno == EINVAL);
	p = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, s.fd, 8 * MIB - PAGE);
	CU_ASSERT(p == MAP_FAILED && errno == EINVAL);
	UNIT_EQ(buffer_export(rig_fd(&s.r), s.r.handle, ROC_EXPORT_CLOEXEC, &only), 0);
	p = map_shared(only.fd, PAGE);
	CU_ASSERT(p == MAP_FAILED && errno == EACCES);
	p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, only.fd, 0);
	CU_ASSERT(p != MAP_FAILED && mprotect(p, PAGE, PROT_READ | PROT_WRITE) && errno == EACCES);
	UNIT_EQ(*(uint8_t *)p, s.r.base[0]);
	munmap(p, PAGE);
	UNIT_EQ(fcntl(s.fd, F_GETFD), FD_CLOEXEC);
	close(only.fd);
	munmap(memory, 8 * MIB);
	rig_close(&s.r);
	unshare(&s);
}

static void export_refused(void)
{
	struct roc_buf_import import = {.granule = MIB};
	struct roc_buf_export reply;
	struct roc_buf_register reg;
	void *memory = memory_make(HUGE, HUGE, LAYOUT_ASCENDING);
	int ch = node_open(EP0, 0), other = node_open(EP1, 0);

	UNIT_EQ(buffer_register(ch, memory, HUGE, 0, &reg), 0);
	UNIT_EQ(buffer_export(ch, 0, 0, &reply), -ENOENT);
	UNIT_EQ(buffer_export(ch, reg.handle + 1, 0, &reply), -ENOENT);
	UNIT_EQ(buffer_export(other, reg.handle, 0, &reply), -ENOENT);
	UNIT_EQ(buffer_export(ch, reg.handle, 4, &reply), -EINVAL);
	import.fd = dmabuf_make(node, HUGE, 0);
	UNIT_EQ(buffer_import(ch, &import), 0);
	UNIT_EQ(buffer_export(ch, import.handle, 0, &reply), -EOPNOTSUPP);
	close(import.fd);
	UNIT_EQ(buffer_unregister(ch, reg.handle), 0);
	UNIT_EQ(buffer_export(ch, reg.handle, 0, &reply), -ENOENT);
	close(other);
	close(ch);
	munmap(memory, HUGE);
	CU_ASSERT(UNIT_WAIT(dmabuf_living(node).exports == 0, LIMIT_MS));
}

/* A process other than the opener, with a copy of its descriptor. */
struct other {
	pid_t opener;
	int fd;
	uint32_t handle;
	volatile int ready, go, err, reason;
};

static int export_as_other(void *arg)
{
	struct other *o = arg;
	struct roc_buf_export reply;
	int fd;

	o->ready = 1;
	if (!UNIT_WAIT(o->go, LIMIT_MS))
		return 1;
	fd = o->fd;
	if (o->opener)
		fd = syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, o->opener, 0), fd, 0);
	if (fd < 0)
		return 2;
	o->err = buffer_export(fd, o->handle, ROC_EXPORT_WRITE, &reply);
	o->reason = reply.reason;
	return 0;
}

/* @inherits: by fork(); otherwise it fetches the copy, like a receiver of SCM_RIGHTS. */
static void refused_to_other(bool inherits)
{
	struct other *o = shared_alloc(sizeof(*o));
	void *memory = memory_make(HUGE, HUGE, LAYOUT_ASCENDING);
	struct roc_buf_register reg;
	struct roc_buf_export reply;
	pid_t pid = 0;
	int ch;

	o->opener = inherits ? 0 : getpid();
	if (!inherits)
		pid = child_start(AS_ROOT, export_as_other, o);
	ch = node_open(EP0, 0);
	UNIT_NEED(ch >= 0);
	UNIT_EQ(buffer_register(ch, memory, HUGE, 0, &reg), 0);
	o->fd = ch;
	o->handle = reg.handle;
	if (inherits)
		pid = child_start(AS_ROOT, export_as_other, o);
	o->go = 1;
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	UNIT_EQ(o->err, -EPERM);
	UNIT_EQ(o->reason, ROC_REASON_OWNER);
	UNIT_EQ(buffer_export(ch, reg.handle, ROC_EXPORT_WRITE, &reply), 0);
	close(reply.fd);
	close(ch);
	munmap(memory, HUGE);
	shared_free(o, sizeof(*o));
}

/* Only the opener can export its memory, by a writable descriptor. */
static void export_of_the_opener_only(void)
{
	void *memory = memory_make(HUGE, HUGE, LAYOUT_ASCENDING);
	int ch = open(node_path(EP0, 0), O_RDONLY | O_CLOEXEC);
	struct roc_buf_register reg;
	struct roc_buf_export reply;

	UNIT_NEED(ch >= 0);
	UNIT_EQ(buffer_register(ch, memory, HUGE, 0, &reg), 0);
	UNIT_EQ(buffer_export(ch, reg.handle, ROC_EXPORT_WRITE, &reply), -EACCES);
	UNIT_EQ(buffer_export(ch, reg.handle, 0, &reply), -EACCES);
	close(ch);
	munmap(memory, HUGE);
	refused_to_other(true);
	refused_to_other(false);
}

/* The channel is closed and its memory unmapped: the importer still has it. */
static void export_outlives_close(void)
{
	uint8_t *before = malloc(8 * MIB), *view = malloc(8 * MIB), *memory;
	struct shared s;

	UNIT_NEED(share(&s, dmabuf_device(), true));
	rig_push(&s.r, RIG_MAX);
	UNIT_NEED(rig_start(&s.r) && rig_wait(&s.r, 8, LIMIT_MS) >= 8);
	rig_stop(&s.r);
	memcpy(before, s.r.base, 8 * MIB);
	rig_close(&s.r);
	UNIT_EQ(pins() - s.pins, 8 * MIB / PAGE);
	memory = map_shared(s.fd, 8 * MIB);
	UNIT_NEED(memory != MAP_FAILED);
	close(s.fd);
	s.fd = -1;
	UNIT_EQ(dmabuf_read(node, s.id, 0, view, 8 * MIB), 0);
	CU_ASSERT(!memcmp(view, before, 8 * MIB));
	CU_ASSERT(!memcmp(memory, before, 8 * MIB));
	UNIT_EQ(dmabuf_moves(node, s.id), 0);
	dmabuf_drop(node, s.id);
	/* A mapping alone keeps it. */
	UNIT_EQ(pins() - s.pins, 8 * MIB / PAGE);
	CU_ASSERT(!memcmp(memory, before, 8 * MIB));
	munmap(memory, 8 * MIB);
	CU_ASSERT(UNIT_WAIT(pins() == s.pins, LIMIT_MS));
	free(before);
	free(view);
}

/*
 * The card is removed, or reset: dynamic importers are notified, and no importer can map it any
 * more.
 */
static void revoked(bool reset, bool closed)
{
	uint8_t *before = malloc(8 * MIB), *view = malloc(8 * MIB), *memory;
	const char *device = dmabuf_device();
	char address[ROC_TEXT_MAX], path[96];
	struct shared s;
	int quiet;
	void *p;

	strcpy(address, pci_address(EP0));
	UNIT_NEED(share(&s, pci_address(OTHER_EP0), true));
	quiet = dmabuf_take(node, device, s.fd, false);
	UNIT_NEED(quiet > 0 && !dmabuf_map_for(node, quiet));
	memory = map_shared(s.fd, 8 * MIB);
	UNIT_NEED(memory != MAP_FAILED);
	rig_push(&s.r, RIG_MAX);
	UNIT_NEED(rig_start(&s.r) && rig_wait(&s.r, 8, LIMIT_MS) >= 8);
	if (closed)
		rig_close(&s.r);
	if (reset) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", address);
		UNIT_EQ(put_text(path, "1"), 0);
	} else {
		UNIT_EQ(driver_unbind(address), 0);
	}
	UNIT_EQ(dmabuf_moves(node, s.id), 1);
	UNIT_EQ(dmabuf_read(node, s.id, 0, view, PAGE), -ENODEV);
	UNIT_EQ(dmabuf_take(node, device, s.fd, true), -ENODEV);
	UNIT_EQ(dmabuf_take(node, device, s.fd, false), -ENODEV);
	p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, s.fd, 0);
	CU_ASSERT(p == MAP_FAILED && errno == ENODEV);
	UNIT_EQ(dmabuf_sync(s.fd, true), -ENODEV);
	UNIT_EQ(dmabuf_sync(s.fd, false), 0);
	/* Existing mappings still reach the same pages, which stay allocated. */
	UNIT_EQ(pins() - s.pins, 8 * MIB / PAGE);
	memcpy(before, memory, 8 * MIB);
	UNIT_EQ(dmabuf_read(node, quiet, 0, view, 8 * MIB), 0);
	CU_ASSERT(!memcmp(view, before, 8 * MIB));
	memset(view, 0x5c, 8 * MIB);
	UNIT_EQ(dmabuf_write(node, quiet, 0, view, 8 * MIB), 0);
	CU_ASSERT(!memcmp(memory, view, 8 * MIB));
	if (!closed)
		rig_close(&s.r);
	if (!reset)
		UNIT_NEED(driver_bind(address));
	/* Permanently. */
	UNIT_EQ(dmabuf_take(node, device, s.fd, true), -ENODEV);
	munmap(memory, 8 * MIB);
	dmabuf_drop(node, quiet);
	unshare(&s);
	free(before);
	free(view);
}

static void export_ends_with_card(void)
{
	revoked(false, false);
	revoked(false, true);
	/* Later exports work. */
	seen_as_written(dmabuf_device(), true);
}

static void export_ends_with_reset(void)
{
	revoked(true, false);
}

/* From one card to another, which is an importing device like any other. */
static void from_card_to_card(void)
{
	struct rig r = {.id = OTHER_EP0, .source = ROC_SOURCE_DDG, .count = 8, .import = true};
	char address[ROC_TEXT_MAX];
	struct shared s;

	strcpy(address, pci_address(EP0));
	emu_normal(CARD1, FOUR_LINKS);
	UNIT_NEED(share(&s, dmabuf_device(), true));
	r.memory = s.r.base;
	r.dmabuf = s.fd;
	CU_ASSERT(rig_once(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	/*
	 * The exporting card is removed. Imported memory is pinned: the other card goes on, and
	 * ends as usual.
	 */
	UNIT_NEED(rig_start(&r));
	UNIT_EQ(driver_unbind(address), 0);
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_run(&r, 20, LIMIT_MS));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
	rig_close(&s.r);
	UNIT_NEED(driver_bind(address));
	unshare(&s);
	CU_ASSERT(emu_clean(CARD1));
}

struct limited {
	void *memory;
	volatile int fd;  /* of the dma-buf, in the child */
	volatile bool go; /* the child may end */
	bool closes;	  /* size of the export */
	int same;
	struct roc_buf_export reply;
	char sentence[512];
};

/* Export memory up to the limit, and wait. */
static int export_and_wait(void *arg)
{
	struct rlimit limit = {4 * MIB, 4 * MIB};
	struct roc_buf_export first, same;
	struct roc_buf_register reg;
	struct limited *l = arg;
	int ch = node_open(EP0, 0);

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || buffer_register(ch, l->memory, 4 * MIB, 0, &reg) ||
	    buffer_export(ch, reg.handle, ROC_EXPORT_CLOEXEC, &first))
		return 1;
	/* The same memory counts once. */
	l->same = buffer_export(ch, reg.handle, ROC_EXPORT_CLOEXEC, &same);
	l->fd = first.fd;
	return !UNIT_WAIT(l->go, LIMIT_MS);
}

static int export_more(void *arg)
{
	struct rlimit limit = {4 * MIB, 4 * MIB};
	struct roc_buf_register reg;
	struct limited *l = arg;
	struct roc_channel *ch;
	int err, fd;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || roc_channel_open(EP0, 0, &ch) ||
	    buffer_register(roc_channel_fd(ch), l->memory, 4 * MIB, 0, &reg))
		return 1;
	err = buffer_export(roc_channel_fd(ch), reg.handle, ROC_EXPORT_CLOEXEC, &l->reply);
	if (err && roc_buffer_export(ch, reg.handle, 0, &fd) == err)
		strncpy(l->sentence, roc_error(), sizeof(l->sentence) - 1);
	return -err;
}

/* An export may outlive the process and its limit. */
static void export_counts_for_the_user(void)
{
	struct limited *l = shared_alloc(sizeof(*l));
	int64_t before = pins();
	int pidfd, fd;
	pid_t pid;

	l->fd = -1;
	l->memory = memory_make(4 * MIB, HUGE, LAYOUT_ASCENDING);
	pid = child_start(AS_READER, export_and_wait, l);
	UNIT_NEED(UNIT_WAIT(l->fd >= 0, LIMIT_MS));
	UNIT_EQ(l->same, 0);
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	fd = syscall(SYS_pidfd_getfd, pidfd, l->fd, 0);
	UNIT_NEED(fd >= 0);
	close(pidfd);
	l->go = true;
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	UNIT_EQ(pins() - before, 4 * MIB / PAGE);
	UNIT_EQ(child_run(AS_READER, export_more, l, LIMIT_MS), ENOMEM);
	UNIT_EQ(l->reply.reason, ROC_REASON_MEMLOCK);
	UNIT_EQ(l->reply.limit, 4 * MIB);
	UNIT_EQ(l->reply.pinned, 4 * MIB);
	CU_ASSERT_PTR_NOT_NULL(strstr(l->sentence, "4194304"));
	/* CAP_IPC_LOCK lifts the limit, and another user has its own count. */
	UNIT_EQ(child_run(AS_ROOT, export_more, l, LIMIT_MS), 0);
	close(fd);
	CU_ASSERT(UNIT_WAIT(pins() == before, LIMIT_MS));
	UNIT_EQ(child_run(AS_READER, export_more, l, LIMIT_MS), 0);
	CU_ASSERT(UNIT_WAIT(pins() == before, LIMIT_MS));
	munmap(l->memory, 4 * MIB);
	shared_free(l, sizeof(*l));
}

/* Export up to the limit without a free descriptor, or close it at once; and wait. */
static int export_and_fail(void *arg)
{
	struct rlimit limit = {4 * MIB, 4 * MIB}, files, none;
	struct roc_buf_export reply;
	struct roc_buf_register reg;
	struct limited *l = arg;
	int ch = node_open(EP1, 0), next = dup(ch);

	if (next < 0 || close(next) || getrlimit(RLIMIT_NOFILE, &files) ||
	    setrlimit(RLIMIT_MEMLOCK, &limit) || buffer_register(ch, l->memory, 4 * MIB, 0, &reg))
		return 1;
	none = files;
	if (!l->closes)
		none.rlim_cur = (rlim_t)next;
	if (setrlimit(RLIMIT_NOFILE, &none))
		return 2;
	l->same = buffer_export(ch, reg.handle, ROC_EXPORT_CLOEXEC, &reply);
	if (setrlimit(RLIMIT_NOFILE, &files) || (!l->same && close(reply.fd)))
		return 3;
	l->fd = 0;
	return !UNIT_WAIT(l->go, LIMIT_MS);
}

static void not_charged(bool closes, int result)
{
	struct limited *l = shared_alloc(sizeof(*l));
	int64_t before = pins();
	pid_t pid;

	l->fd = -1;
	l->closes = closes;
	l->memory = memory_make(4 * MIB, HUGE, LAYOUT_ASCENDING);
	pid = child_start(AS_READER, export_and_fail, l);
	CU_ASSERT(UNIT_WAIT(l->fd >= 0, LIMIT_MS));
	UNIT_EQ(l->same, result);
	UNIT_EQ(pins() - before, 4 * MIB / PAGE);
	UNIT_EQ(child_run(AS_READER, export_more, l, LIMIT_MS), 0);
	l->go = true;
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
	CU_ASSERT(UNIT_WAIT(pins() == before, LIMIT_MS));
	munmap(l->memory, 4 * MIB);
	shared_free(l, sizeof(*l));
}

/* The buffer is still there, and charged to its process. */
static void not_exported(void)
{
	not_charged(false, -EMFILE);
	not_charged(true, 0);
}

/* No user is left, of the test module either. */
static void nothing_left(void)
{
	struct dmabuf_alive alive = dmabuf_living(node);

	UNIT_EQ(alive.exports, 0);
	UNIT_EQ(alive.imports, 0);
	close(node);
	UNIT_EQ(dmabuf_unload(), 0);
}

static void begin(void)
{
	node = dmabuf_open();
	UNIT_EQ(dmabuf_living(node).exports, 0);
}

UNIT_MAIN("dmabuf", {"begin", begin}, {"import of udmabuf", import_udmabuf},
	  {"import of all sorts", import_sorts}, {"import waits for its memory", import_waits},
	  {"import refused", import_refused}, {"import while running", import_while_running},
	  {"import until the card is quiesced", import_until_quiesced},
	  {"export seen by another device", export_seen},
	  {"export to a device that bounces", export_to_one_that_bounces},
	  {"export mapped", export_mapped}, {"export refused", export_refused},
	  {"export of the opener only", export_of_the_opener_only},
	  {"export outlives close", export_outlives_close},
	  {"export ends with the card", export_ends_with_card},
	  {"export ends with a reset", export_ends_with_reset},
	  {"from card to card", from_card_to_card},
	  {"export counts for the user", export_counts_for_the_user},
	  {"failed and closed exports are not charged", not_exported},
	  {"nothing is left", nothing_left})
