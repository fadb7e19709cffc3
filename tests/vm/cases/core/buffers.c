// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test buffers: memory that cannot be registered, superpages that must never reach the card, and
 * that every pin is released.
 */
#include "common/case.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define PAGE 4096ul
#define BUFFERS_MAX 1024
#define RAMFS "/run/case-ramfs"

/* A running channel with one buffer: submit raw entries and check how they are returned. */
struct bench {
	struct rig r;
	uint64_t pushed;
};

static bool refused(struct bench *b, const char *what, struct roc_fill fill, uint32_t reason)
{
	struct roc_fill *next = roc_fill_next(b->r.rings);
	const struct roc_ready *e;
	bool good;

	*next = fill;
	next->cookie = 0xfeed0000 + reason;
	roc_fill_publish(b->r.rings);
	roc_channel_kick(b->r.ch);
	if (rig_wait(&b->r, 1, 3000) < 1) {
		unit_note("%s: nothing came back: %s", what, roc_error());
		return false;
	}
	e = roc_ready_peek(b->r.rings);
	good = e->flags == ROC_READY_REFUSED && e->reason == reason && e->link == -1 &&
	       !e->received && e->cookie == 0xfeed0000 + reason && e->offset == fill.offset &&
	       e->length == fill.length && e->buffer == fill.buffer;
	if (!good)
		unit_note("%s: flags 0x%x why %u (not %u) link %d received %u", what, e->flags,
			  e->reason, reason, e->link, e->received);
	roc_ready_release(b->r.rings, 1);
	return good;
}

static void bad_superpages(void)
{
	struct bench b = {.r = {.id = EP0, .superpage = MIB, .count = 32}};
	uint64_t end = 32 * MIB;
	uint32_t h, max = CRU_SUPERPAGE_MAX;
	struct roc_ch_info info;
	unsigned int l;

	emu_normal(CARD0, FOUR_LINKS);
	b.r.memory = memory_make(end, HUGE, LAYOUT_ASCENDING);
	UNIT_NEED(rig_open(&b.r) && rig_start(&b.r));
	h = b.r.handle;
	emu(CARD0, "clear");
#define REFUSED(reason, ...)                                                                       \
	CU_ASSERT(refused(&b, #__VA_ARGS__, (struct roc_fill){__VA_ARGS__}, reason))
	REFUSED(ROC_REASON_LENGTH, .buffer = h, .length = 0);
	REFUSED(ROC_REASON_LENGTH, .buffer = h, .length = 1);
	REFUSED(ROC_REASON_LENGTH, .buffer = h, .length = 8192);
	REFUSED(ROC_REASON_LENGTH, .buffer = h, .length = 32767);
	REFUSED(ROC_REASON_LENGTH, .buffer = h, .length = 32768 + 8192);
	REFUSED(ROC_REASON_LENGTH, .buffer = h, .length = MIB + 4);
	REFUSED(ROC_REASON_LENGTH, .buffer = h, .length = max + 32768);
	REFUSED(ROC_REASON_LENGTH, .buffer = h, .length = max + 4);
	REFUSED(ROC_REASON_LENGTH, .buffer = h, .length = UINT32_MAX);
	REFUSED(ROC_REASON_LENGTH, .buffer = h, .length = UINT32_MAX - 32767);
	REFUSED(ROC_REASON_ALIGN, .buffer = h, .length = MIB, .offset = 1);
	REFUSED(ROC_REASON_ALIGN, .buffer = h, .length = MIB, .offset = 2);
	REFUSED(ROC_REASON_ALIGN, .buffer = h, .length = MIB, .offset = 4095);
	REFUSED(ROC_REASON_RANGE, .buffer = h, .length = MIB, .offset = end);
	REFUSED(ROC_REASON_RANGE, .buffer = h, .length = MIB, .offset = end - MIB + 4);
	REFUSED(ROC_REASON_RANGE, .buffer = h, .length = 32768, .offset = end - 4);
	REFUSED(ROC_REASON_RANGE, .buffer = h, .length = MIB, .offset = UINT64_MAX - 3);
	REFUSED(ROC_REASON_RANGE, .buffer = h, .length = MIB, .offset = -(uint64_t)MIB);
	REFUSED(ROC_REASON_RANGE, .buffer = h, .length = MIB, .offset = 1ull << 63);
	REFUSED(ROC_REASON_HANDLE, .buffer = 0, .length = MIB);
	REFUSED(ROC_REASON_HANDLE, .buffer = h + 1, .length = MIB);
	REFUSED(ROC_REASON_HANDLE, .buffer = UINT32_MAX, .length = MIB);
	REFUSED(ROC_REASON_RESERVED, .buffer = h, .length = MIB, .reserved = 1);
	REFUSED(ROC_REASON_RESERVED, .buffer = h, .length = MIB, .reserved = 1ull << 63);
#undef REFUSED
	/* The card got none of them. */
	for (l = 0; l < CRU_LINK_SLOTS; l++) {
		UNIT_EQ(emu_touched(CARD0, 0, CRU_BAR_DMA, CRU_SP_HIGH(l)).writes, 0);
		UNIT_EQ(emu_touched(CARD0, 0, CRU_BAR_DMA, CRU_SP_LOW(l)).writes, 0);
		UNIT_EQ(emu_touched(CARD0, 0, CRU_BAR_DMA, CRU_SP_PUSH(l)).writes, 0);
	}
	UNIT_EQ(emu_count(CARD0, 0, "dma_writes"), 0);
	info = ch_info(rig_fd(&b.r));
	UNIT_EQ(info.state, ROC_CH_RUNNING);
	UNIT_EQ(info.refused, 24);
	UNIT_EQ(info.pushed, 0);
	/* A valid one still works. */
	b.r.sequence = 24;
	rig_push(&b.r, 4);
	CU_ASSERT(rig_run(&b.r, 4, 5000));
	rig_stop(&b.r);
	RIG_OK(&b.r);
	rig_close(&b.r);
	munmap(b.r.memory, end);
	CU_ASSERT(emu_clean(CARD0));
}

/* Two hugepages that are not adjacent: a superpage across their border has no bus address. */
static void across_extents(void)
{
	struct bench b = {.r = {.id = EP0, .superpage = MIB, .count = 4}};
	struct roc_buf_register reply;
	bool iommu = translated(EP0);
	int fd;

	b.r.memory = memory_make(2 * HUGE, HUGE, LAYOUT_DESCENDING);
	UNIT_EQ(memory_contiguous(b.r.memory, 2 * HUGE), HUGE);
	fd = node_open(EP0, 0);
	/* Pieces of 1 MiB lie in one extent each; pieces of 3 MiB do not. */
	UNIT_EQ(buffer_register(fd, b.r.memory, 2 * HUGE, MIB, &reply), 0);
	UNIT_EQ(reply.extents, iommu ? 1 : 2);
	UNIT_EQ(buffer_register(fd, b.r.memory, 2 * HUGE, 3 * MIB, &reply),
		iommu ? 0 : -EOPNOTSUPP);
	UNIT_EQ(reply.reason, iommu ? ROC_REASON_NONE : ROC_REASON_CONTIGUITY);
	UNIT_EQ(reply.limit, iommu ? 0 : HUGE);
	close(fd);
	if (!iommu) {
		UNIT_NEED(rig_open(&b.r) && rig_start(&b.r));
		CU_ASSERT(refused(&b, "across",
				  (struct roc_fill){.buffer = b.r.handle,
						    .length = MIB,
						    .offset = HUGE - MIB / 2},
				  ROC_REASON_EXTENT));
		CU_ASSERT(refused(&b, "by 32 KiB less 4",
				  (struct roc_fill){.buffer = b.r.handle,
						    .length = 32768,
						    .offset = HUGE - 4},
				  ROC_REASON_EXTENT));
		UNIT_EQ(ch_info(rig_fd(&b.r)).pushed, 0);
		rig_stop(&b.r);
		rig_close(&b.r);
	}
	munmap(b.r.memory, 2 * HUGE);
}

/* Pages of 4 KiB in descending physical order: impossible without an IOMMU, no problem with one. */
static void plain_pages(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .superpage = MIB, .count = 8};
	struct roc_buf_register reply;
	int64_t before;
	int fd;

	emu_normal(CARD0, FOUR_LINKS);
	r.memory = memory_make(8 * MIB, PAGE, LAYOUT_DESCENDING);
	before = pins();
	fd = node_open(EP0, 0);
	if (!translated(EP0)) {
		UNIT_EQ(buffer_register(fd, r.memory, 8 * MIB, MIB, &reply), -EOPNOTSUPP);
		UNIT_EQ(reply.reason, ROC_REASON_CONTIGUITY);
		UNIT_EQ(reply.limit, PAGE);
		UNIT_EQ(reply.handle, 0);
		UNIT_EQ(pins(), before);
		UNIT_EQ(pinned_by(0), 0);
		close(fd);
		CU_ASSERT(!rig_open(&r));
		CU_ASSERT_PTR_NOT_NULL(strstr(roc_error(), "hugepages"));
	} else {
		UNIT_EQ(buffer_register(fd, r.memory, 8 * MIB, MIB, &reply), 0);
		UNIT_EQ(reply.extents, 1);
		close(fd);
		CU_ASSERT(rig_once(&r, 40, 10000));
		RIG_OK(&r);
		rig_close(&r);
	}
	munmap(r.memory, 8 * MIB);
	UNIT_EQ(pins(), before);
	CU_ASSERT(emu_clean(CARD0));
}

struct locked {
	void *memory;
	struct roc_buf_register reply;
	int err, second, after;
	int64_t pinned;
	char sentence[512];
};

static int register_within(void *arg)
{
	struct locked *l = arg;
	struct rlimit limit = {4 * MIB, 4 * MIB};
	struct roc_buf_register reply;
	struct roc_channel *ch;
	uint32_t handle;
	int fd;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || roc_channel_open(EP0, 0, &ch))
		return 1;
	fd = roc_channel_fd(ch);
	l->err = buffer_register(fd, l->memory, 6 * MIB, 0, &l->reply);
	if (roc_buffer_register(ch, l->memory, 6 * MIB, 0, &handle) != -ENOMEM)
		return 2;
	strncpy(l->sentence, roc_error(), sizeof(l->sentence) - 1);
	l->pinned = pinned_by(0);
	/* Up to the memlock limit it works; the charge is counted, and returned. */
	if (buffer_register(fd, l->memory, 4 * MIB, 0, &reply))
		return 3;
	l->second = buffer_register(fd, l->memory, PAGE, 0, &l->reply);
	if (buffer_unregister(fd, reply.handle))
		return 4;
	l->after = buffer_register(fd, l->memory, 4 * MIB, 0, &reply);
	roc_channel_close(ch);
	return 0;
}

static void memlock_limit(void)
{
	struct locked *l = shared_alloc(sizeof(*l));
	int64_t before = pins();

	l->memory = memory_make(6 * MIB, HUGE, LAYOUT_ASCENDING);
	UNIT_EQ(child_run(AS_READER, register_within, l, 10000), 0);
	UNIT_EQ(l->err, -ENOMEM);
	UNIT_EQ(l->reply.reason, ROC_REASON_MEMLOCK);
	UNIT_EQ(l->reply.limit, 4 * MIB);
	UNIT_EQ(l->reply.pinned, 4 * MIB); /* of the second try, with the limit used up */
	UNIT_EQ(l->reply.handle, 0);
	UNIT_EQ(l->pinned, 0);
	UNIT_EQ(l->second, -ENOMEM);
	UNIT_EQ(l->after, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(l->sentence, "4194304"));
	CU_ASSERT_PTR_NOT_NULL(strstr(l->sentence, "RLIMIT_MEMLOCK"));
	UNIT_EQ(pins(), before);
	/* CAP_IPC_LOCK lifts the limit. */
	UNIT_EQ(child_run(AS_ROOT, register_within, l, 10000), 2);
	munmap(l->memory, 6 * MIB);
	shared_free(l, sizeof(*l));
}

struct family {
	void *memory;
	struct roc_buf_register reply;
	int child[3], unregister, again;
	int fd;
};

static int register_inherited(void *arg)
{
	struct family *f = arg;

	return -buffer_register(f->fd, f->memory, 4 * MIB, 0, &f->reply);
}

static int unregister_inherited(void *arg)
{
	struct family *f = arg;

	return -buffer_unregister(f->fd, f->reply.handle);
}

/* Register up to the limit, then fork three children with the same descriptor. */
static int register_and_fork(void *arg)
{
	struct rlimit limit = {4 * MIB, 4 * MIB};
	struct roc_buf_register reply;
	struct family *f = arg;
	unsigned int i;

	f->fd = node_open(EP0, 0);
	if (f->fd < 0 || setrlimit(RLIMIT_MEMLOCK, &limit) ||
	    buffer_register(f->fd, f->memory, 4 * MIB, 0, &reply))
		return 1;
	for (i = 0; i < N(f->child); i++)
		f->child[i] = child_run(AS_ROOT, register_inherited, f, 10000);
	if (pinned_by(0) != 4 * MIB / PAGE)
		return 2;
	/* They may do what the open file permits. */
	f->reply.handle = reply.handle;
	f->unregister = child_run(AS_ROOT, unregister_inherited, f, 10000);
	if (pinned_by(0))
		return 3;
	f->again = buffer_register(f->fd, f->memory, 4 * MIB, 0, &reply);
	return 0;
}

/* The limit is the opener's, however many children it has. */
static void memlock_and_fork(void)
{
	struct family *f = shared_alloc(sizeof(*f));
	int64_t before = pins();
	unsigned int i;

	f->memory = memory_make(4 * MIB, HUGE, LAYOUT_ASCENDING);
	UNIT_EQ(child_run(AS_READER, register_and_fork, f, 30000), 0);
	for (i = 0; i < N(f->child); i++)
		UNIT_EQ(f->child[i], EPERM);
	UNIT_EQ(f->reply.reason, ROC_REASON_OWNER);
	UNIT_EQ(f->unregister, 0);
	UNIT_EQ(f->again, 0);
	UNIT_EQ(pins(), before);
	munmap(f->memory, 4 * MIB);
	shared_free(f, sizeof(*f));
}

static void pins_balance(void)
{
	void *memory = memory_make(8 * MIB, HUGE, LAYOUT_ASCENDING);
	struct roc_buf_register a, b;
	int64_t before = pins();
	int fd = node_open(EP0, 0);

	UNIT_EQ(pinned_by(0), 0);
	UNIT_EQ(buffer_register(fd, memory, 8 * MIB, 0, &a), 0);
	UNIT_EQ(pinned_by(0), 8 * MIB / PAGE);
	UNIT_EQ(pins() - before, 8 * MIB / PAGE);
	UNIT_EQ(buffer_register(fd, memory, HUGE, 0, &b), 0);
	CU_ASSERT(a.handle != b.handle);
	UNIT_EQ(pinned_by(0), 10 * MIB / PAGE);
	UNIT_EQ(buffer_unregister(fd, a.handle), 0);
	UNIT_EQ(buffer_unregister(fd, a.handle), -ENOENT);
	UNIT_EQ(pinned_by(0), HUGE / PAGE);
	UNIT_EQ(pins() - before, HUGE / PAGE);
	close(fd); /* gives back the rest */
	UNIT_EQ(pinned_by(0), 0);
	UNIT_EQ(pins(), before);
	munmap(memory, 8 * MIB);
}

/* If pinning fails in the middle, no page stays pinned. */
static void unpinnable(void)
{
	struct roc_buf_register reply;
	char *memory = memory_make(2 * HUGE, HUGE, LAYOUT_ASCENDING), *plain;
	int fd = node_open(EP0, 0), ep = node_open(EP0, -1);
	struct roc_bar_info bar = {.size = sizeof(bar), .bar = CRU_BAR_CARD};
	int64_t before = pins();
	void *device;

	munmap(memory + HUGE, HUGE);
	UNIT_EQ(buffer_register(fd, memory, 2 * HUGE, 0, &reply), -EFAULT);
	UNIT_EQ(reply.reason, ROC_REASON_PIN);
	UNIT_EQ(pins(), before);
	UNIT_EQ(pinned_by(0), 0);

	plain = mmap(NULL, 16 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	UNIT_EQ(buffer_register(fd, plain, 16 * PAGE, 0, &reply), -EFAULT);
	UNIT_EQ(reply.reason, ROC_REASON_PIN);
	munmap(plain, 16 * PAGE);

	/* Registers of a card cannot be registered as a card's buffer. */
	UNIT_NEED(!abi(ep, ROC_BAR_INFO, &bar));
	device = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ep, bar.mmap_offset);
	UNIT_NEED(device != MAP_FAILED);
	UNIT_EQ(buffer_register(fd, device, 16 * PAGE, 0, &reply), -EFAULT);
	UNIT_EQ(reply.reason, ROC_REASON_PIN);
	munmap(device, 16 * PAGE);

	/* A file that may not be written. */
	ep = (close(ep), open("/bin/sh", O_RDONLY | O_CLOEXEC));
	plain = mmap(NULL, 8 * PAGE, PROT_READ, MAP_SHARED, ep, 0);
	UNIT_NEED(plain != MAP_FAILED);
	UNIT_EQ(buffer_register(fd, plain, 8 * PAGE, 0, &reply), -EFAULT);
	UNIT_EQ(reply.reason, ROC_REASON_PIN);
	munmap(plain, 8 * PAGE);
	close(ep);

	UNIT_EQ(pins(), before);
	UNIT_EQ(pinned_by(0), 0);
	close(fd);
	munmap(memory, HUGE);
}

/* A file other than a memfd: its provider could block the unpinning process. */
static void of_a_file(void)
{
	int fd = node_open(EP0, 0), file;
	struct roc_buf_register reply;
	int64_t before = pins();
	char *memory;

	mkdir(RAMFS, 0700);
	UNIT_NEED(!mount("none", RAMFS, "ramfs", 0, NULL));
	file = open(RAMFS "/file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	UNIT_NEED(file >= 0 && !ftruncate(file, 8 * PAGE));
	memory = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	UNIT_NEED(memory != MAP_FAILED);
	memset(memory, 1, 8 * PAGE);
	UNIT_EQ(buffer_register(fd, memory, 8 * PAGE, 0, &reply), -EFAULT);
	UNIT_EQ(reply.reason, ROC_REASON_PIN);
	UNIT_EQ(pins(), before);
	UNIT_EQ(pinned_by(0), 0);
	munmap(memory, 8 * PAGE);
	/* Private pages in a mapping of it are the process's own. */
	memory = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	UNIT_NEED(memory != MAP_FAILED);
	CU_ASSERT(buffer_register(fd, memory, 8 * PAGE, 0, &reply) != -EFAULT);
	close(fd);
	munmap(memory, 8 * PAGE);
	close(file);
	UNIT_EQ(umount(RAMFS), 0);
	rmdir(RAMFS);
	UNIT_EQ(pins(), before);
}

static void too_many(void)
{
	char *memory = memory_make(2 * HUGE, HUGE, LAYOUT_ASCENDING);
	struct roc_buf_register reply;
	int64_t before = pins();
	int fd = node_open(EP0, 0);
	unsigned int i, err = 0;

	/* Each registers its own page: the kernel's DMA debugging counts mappings of a page. */
	for (i = 0; i < BUFFERS_MAX; i++)
		err |= buffer_register(fd, memory + i * PAGE, PAGE, 0, &reply);
	UNIT_EQ(err, 0);
	UNIT_EQ(pinned_by(0), BUFFERS_MAX);
	UNIT_EQ(buffer_register(fd, memory, PAGE, 0, &reply), -ENOSPC);
	UNIT_EQ(pinned_by(0), BUFFERS_MAX);
	UNIT_EQ(pins() - before, BUFFERS_MAX);
	UNIT_EQ(buffer_unregister(fd, 500), 0);
	UNIT_EQ(buffer_register(fd, memory, PAGE, 0, &reply), 0);
	UNIT_EQ(buffer_register(fd, memory, PAGE, 0, &reply), -ENOSPC);
	close(fd);
	UNIT_EQ(pins(), before);
	UNIT_EQ(pinned_by(0), 0);
	munmap(memory, 2 * HUGE);
}

/* The owner unmaps its memory: the card's writes still go to pages that no other process gets. */
static void unmapped_while_registered(void)
{
	struct rig r = {.id = EP0, .superpage = MIB, .count = 8, .links = 0x1, .no_poison = true};
	int64_t before = pins();
	char *again;
	size_t i;

	emu_normal(CARD0, FOUR_LINKS);
	r.memory = memory_make(8 * MIB, HUGE, LAYOUT_ASCENDING);
	UNIT_NEED(rig_open(&r));
	munmap(r.memory, 8 * MIB);
	again = memory_make(8 * MIB, HUGE, LAYOUT_ASCENDING);
	memset(again, 0x77, 8 * MIB);
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(rig_wait(&r, 8, 5000) == 8);
	UNIT_EQ(roc_channel_stop(r.ch, NULL), 0);
	UNIT_EQ(pins() - before, 8 * MIB / PAGE);
	rig_close(&r);
	for (i = 0; i < 8 * MIB && again[i] == 0x77; i++)
		;
	UNIT_EQ(i, 8 * MIB);
	munmap(again, 8 * MIB);
	UNIT_EQ(pins(), before);
	CU_ASSERT(emu_clean(CARD0));
}

static int write_all(void *arg)
{
	memset(arg, 0x11, 4 * MIB);
	sleep_ms(100);
	return 0;
}

/* Register private memory, then fork: the parent still sees the card's writes. */
static void fork_with_private_memory(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .superpage = MIB, .count = 4};
	pid_t pid;

	emu_normal(CARD0, FOUR_LINKS);
	r.memory = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1, 0);
	UNIT_NEED(r.memory != MAP_FAILED);
	memset(r.memory, 0, 4 * MIB);
	UNIT_NEED(rig_open(&r));
	pid = child_start(AS_ROOT, write_all, r.memory);
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(rig_run(&r, 20, 8000));
	rig_stop(&r);
	UNIT_EQ(child_wait(pid, 5000), 0);
	RIG_OK(&r);
	rig_close(&r);
	munmap(r.memory, 4 * MIB);
}

UNIT_MAIN("buffers", {"bad superpages", bad_superpages}, {"across extents", across_extents},
	  {"plain pages", plain_pages}, {"memlock limit", memlock_limit},
	  {"memlock and fork", memlock_and_fork}, {"pins balance", pins_balance},
	  {"unpinnable", unpinnable}, {"of a file", of_a_file}, {"too many", too_many},
	  {"unmapped while registered", unmapped_while_registered},
	  {"fork with private memory", fork_with_private_memory})
