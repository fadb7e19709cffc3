// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test registers by ioctl and by mapped BAR: reads return the card's values, modify is atomic, and
 * the BAR policy cannot be bypassed.
 */
#include "common/case.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#define STORAGE 0x100010 /* BAR2, plain storage: NACK delay */
#define PAGE 4096ul
#define WORKERS 4
#define ROUNDS 250

static void read_and_write(void)
{
	int fd = node_open(EP0, -1);
	uint32_t v, old;

	UNIT_NEED(fd >= 0);
	emu_normal(CARD0, FOUR_LINKS);
	emu_poke(CARD0, 0, CRU_BAR_CARD, STORAGE, 0xdeadbeef);
	UNIT_EQ(reg_read(fd, CRU_BAR_CARD, STORAGE, &v), 0);
	UNIT_EQ(v, 0xdeadbeef);
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, STORAGE, 0x12345678), 0);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, STORAGE), 0x12345678);
	UNIT_EQ(emu_peek(CARD0, 1, CRU_BAR_CARD, STORAGE), 0x12345678);
	UNIT_EQ(reg_modify(fd, CRU_BAR_CARD, STORAGE, 0x00ff00f0, 0x00aa0050, &old), 0);
	UNIT_EQ(old, 0x12345678);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, STORAGE), 0x12aa5658);
	/* All ones is a valid value as long as the card answers. */
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, STORAGE, UINT32_MAX), 0);
	UNIT_EQ(reg_read(fd, CRU_BAR_CARD, STORAGE, &v), 0);
	UNIT_EQ(v, UINT32_MAX);
	UNIT_EQ(reg_write(fd, CRU_BAR_DMA, CRU_SCRATCH, 0xa7), 0);
	UNIT_EQ(reg_read(fd, CRU_BAR_DMA, CRU_SCRATCH, &v), 0); /* the write was posted */
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_SCRATCH), 0xa7);
	UNIT_EQ(emu_peek(CARD0, 1, CRU_BAR_DMA, CRU_SCRATCH), 0);
	close(fd);
}

/* MMIO accesses: one for a read, two for a modify, and one that flushes. */
static void accesses(void)
{
	int fd = node_open(EP0, -1);
	struct emu_touched t;
	uint32_t v;

	emu_poke(CARD0, 0, CRU_BAR_CARD, STORAGE, 0); /* after all ones it checks the card */
	emu(CARD0, "clear");
	UNIT_EQ(reg_read(fd, CRU_BAR_CARD, STORAGE, &v), 0);
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, STORAGE, 0), 0);
	UNIT_EQ(reg_modify(fd, CRU_BAR_CARD, STORAGE, 1, 1, NULL), 0);
	t = emu_touched(CARD0, 0, CRU_BAR_CARD, STORAGE);
	UNIT_EQ(t.reads, 2);
	UNIT_EQ(t.writes, 2);
	/* The remaining read flushes the two writes. */
	UNIT_EQ(emu_reads(CARD0, 0), 4);
	UNIT_EQ(emu_count(CARD0, 0, "mmio_writes"), 2);
	close(fd);
}

struct toggler {
	unsigned int bit;
	uint32_t lost;
};

static int toggle(void *arg)
{
	struct toggler *t = arg;
	uint32_t mask = 1u << t->bit, wanted = 0, old;
	int fds[2] = {node_open(EP0, -1), node_open(EP1, -1)}, i;

	if (fds[0] < 0 || fds[1] < 0)
		return 1;
	for (i = 0; i < ROUNDS; i++) {
		uint32_t next = wanted ^ mask;

		if (reg_modify(fds[(i + t->bit) % 2], CRU_BAR_CARD, STORAGE, mask, next, &old))
			return 2;
		t->lost += (old & mask) != wanted;
		wanted = next;
	}
	return 0;
}

static void modify_is_atomic(void)
{
	struct toggler *t = shared_alloc(sizeof(*t) * WORKERS);
	pid_t pids[WORKERS];
	int i;

	emu_poke(CARD0, 0, CRU_BAR_CARD, STORAGE, 0x5a000000);
	for (i = 0; i < WORKERS; i++) {
		t[i].bit = i * 5;
		pids[i] = child_start(AS_READER, toggle, &t[i]);
	}
	for (i = 0; i < WORKERS; i++) {
		UNIT_EQ(child_wait(pids[i], 20000), 0);
		UNIT_EQ(t[i].lost, 0);
	}
	/* After an even number of rounds all bits are 0 again, and the others unchanged. */
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, STORAGE), 0x5a000000);
	emu_poke(CARD0, 0, CRU_BAR_CARD, STORAGE, 0);
	shared_free(t, sizeof(*t) * WORKERS);
}

static uint64_t bar_offset(int fd, uint32_t bar)
{
	struct roc_bar_info info = {.size = sizeof(info), .bar = bar};

	return abi(fd, ROC_BAR_INFO, &info) ? 0 : info.mmap_offset;
}

static int map_err(int fd, size_t length, int prot, int flags, uint64_t offset)
{
	void *p = mmap(NULL, length, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, length);
	return 0;
}

static int policy_as_user(void *arg)
{
	int fd = node_open(EP0, -1);
	uint64_t bar0 = bar_offset(fd, 0), bar2 = bar_offset(fd, 2);
	void *p;

	if (fd < 0 || !bar0 || !bar2)
		return 1;
	if (map_err(fd, CRU_BAR_DMA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, bar0) != -EPERM)
		return 2;
	if (map_err(fd, PAGE, PROT_WRITE, MAP_SHARED, bar0) != -EPERM)
		return 3;
	p = mmap(NULL, CRU_BAR_DMA_SIZE, PROT_READ, MAP_SHARED, fd, bar0);
	if (p == MAP_FAILED)
		return 4;
	if (!mprotect(p, PAGE, PROT_READ | PROT_WRITE) || errno != EACCES)
		return 5;
	if (((volatile uint32_t *)p)[CRU_ENDPOINT_ID / 4] != CRU_ENDPOINT_ID_0)
		return 6;
	if (map_err(fd, CRU_BAR_CARD_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, bar2))
		return 7;
	return 0;
}

static void map_policy(void)
{
	UNIT_EQ(child_run(AS_READER, policy_as_user, NULL, 10000), 0);
	UNIT_EQ(child_run(AS_ROOT_NO_CAPS, policy_as_user, NULL, 10000), 0);
}

/* Descriptor registers are documented as write-only, so software cannot depend on reads. */
static int addresses_as_user(void *arg)
{
	bool *readable = arg;
	struct roc_bar_info bar = {.size = sizeof(bar), .bar = CRU_BAR_DMA};
	int fd = node_open(EP0, -1);
	unsigned int l;
	uint32_t v;

	for (l = 0; l < CRU_LINK_SLOTS; l++) {
		if (reg_read(fd, CRU_BAR_DMA, CRU_SP_HIGH(l), &v) != -EPERM ||
		    reg_read(fd, CRU_BAR_DMA, CRU_SP_LOW(l), &v) != -EPERM)
			return 10 + l;
		if (reg_read(fd, CRU_BAR_DMA, CRU_SP_PUSH(l), &v))
			return 30 + l;
	}
	if (reg_read(fd, CRU_BAR_DMA, CRU_DMA_CONTROL, &v) ||
	    reg_read(fd, CRU_BAR_DMA, CRU_FIRMWARE_COMPILE_INFO, &v))
		return 1;
	if (abi(fd, ROC_BAR_INFO, &bar) || bar.access != (*readable ? 0 : ROC_BAR_MMAP_READ))
		return 2;
	if (map_err(fd, PAGE, PROT_READ, MAP_SHARED, bar.mmap_offset) != (*readable ? -EPERM : 0))
		return 3;
	bar.bar = CRU_BAR_CARD;
	if (abi(fd, ROC_BAR_INFO, &bar) ||
	    map_err(fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, bar.mmap_offset))
		return 4;
	close(fd);
	return 0;
}

static void addresses(void)
{
	struct rig r = {.id = EP0, .links = 0x1, .count = 4};
	char address[ROC_TEXT_MAX];
	bool readable;
	uint32_t v;
	int fd;

	emu_normal(CARD0, FOUR_LINKS);
	strcpy(address, pci_address(EP0));
	for (readable = false;; readable = true) {
		if (readable)
			emu(CARD0, "fault 0 addresses-read-back");
		UNIT_EQ(driver_unbind(address), 0);
		UNIT_NEED(driver_bind(address));
		if (rig_open(&r))
			rig_push(&r, RIG_MAX);
		CU_ASSERT(rig_start(&r) && rig_run(&r, 4, 10000));
		UNIT_EQ(child_run(AS_READER, addresses_as_user, &readable, 10000), 0);
		UNIT_EQ(child_run(AS_ROOT_NO_CAPS, addresses_as_user, &readable, 10000), 0);
		/*
		 * Addresses must be hidden, except on a card with events, which fetches
		 * descriptors.
		 */
		fd = node_open(EP0, -1);
		UNIT_EQ(reg_read(fd, CRU_BAR_DMA, CRU_SP_LOW(0), &v), 0);
		CU_ASSERT(!!v == (readable && !has_events(EP0)));
		UNIT_EQ(map_err(fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, bar_offset(fd, 0)),
			0);
		close(fd);
		rig_stop(&r);
		RIG_OK(&r);
		rig_close(&r);
		if (readable)
			break;
	}
	emu(CARD0, "fault 0 clear");
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_NEED(driver_bind(address));
}

static void map_limits(void)
{
	int fd = node_open(EP0, -1);
	uint64_t bar0 = bar_offset(fd, 0), bar2 = bar_offset(fd, 2);
	void *p, *q;

	UNIT_NEED(fd >= 0 && bar0 && bar2 && bar0 != bar2);
	UNIT_EQ(map_err(fd, CRU_BAR_DMA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, bar0), 0);
	UNIT_EQ(map_err(fd, CRU_BAR_DMA_SIZE + PAGE, PROT_READ, MAP_SHARED, bar0), -EINVAL);
	UNIT_EQ(map_err(fd, PAGE, PROT_READ, MAP_SHARED, bar0 + CRU_BAR_DMA_SIZE - PAGE), 0);
	UNIT_EQ(map_err(fd, PAGE, PROT_READ, MAP_SHARED, bar0 + CRU_BAR_DMA_SIZE), -EINVAL);
	UNIT_EQ(map_err(fd, 2 * PAGE, PROT_READ, MAP_SHARED, bar0 + CRU_BAR_DMA_SIZE - PAGE),
		-EINVAL);
	UNIT_EQ(map_err(fd, PAGE, PROT_READ, MAP_SHARED, bar2 + CRU_BAR_CARD_SIZE), -EINVAL);
	UNIT_EQ(map_err(fd, PAGE, PROT_READ, MAP_SHARED, 0), -EINVAL);
	UNIT_EQ(map_err(fd, PAGE, PROT_READ, MAP_SHARED, bar0 + (bar2 - bar0) / 2), -EINVAL);
	UNIT_EQ(map_err(fd, PAGE, PROT_READ, MAP_SHARED, bar2 + 0x700000000ull), -EINVAL);
	UNIT_EQ(map_err(fd, PAGE, PROT_READ, MAP_PRIVATE, bar2), -EINVAL);
	UNIT_EQ(map_err(fd, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, bar0), -EINVAL);
	/* A mapping cannot grow beyond its requested size. */
	p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, bar0 + CRU_BAR_DMA_SIZE - PAGE);
	UNIT_NEED(p != MAP_FAILED);
	q = mremap(p, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
	CU_ASSERT(q == MAP_FAILED);
	munmap(p, PAGE);
	close(fd);
}

static void touch(void *p)
{
	(void)*(volatile uint32_t *)p;
}

/* Opened read-only: mapped read-only, and revoked like all others. */
static void opened_to_read(void)
{
	int fd = open(node_path(EP0, -1), O_RDONLY | O_CLOEXEC);
	int ch = open(node_path(EP0, 0), O_RDONLY | O_CLOEXEC);
	struct roc_ch_rings rings = {.size = sizeof(rings)};
	uint64_t bar2 = bar_offset(fd, 2);
	char address[ROC_TEXT_MAX];
	void *p;

	UNIT_NEED(fd >= 0 && ch >= 0 && bar2);
	strcpy(address, pci_address(EP0));
	UNIT_EQ(map_err(fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, bar2), -EACCES);
	UNIT_EQ(map_err(fd, PAGE, PROT_READ, MAP_PRIVATE, bar2), -EINVAL);
	p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, bar2 + CRU_SERIAL / PAGE * PAGE);
	UNIT_NEED(p != MAP_FAILED);
	UNIT_EQ(mprotect(p, PAGE, PROT_READ | PROT_WRITE), -1);
	UNIT_EQ(((volatile uint32_t *)p)[CRU_SERIAL % PAGE / 4],
		emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_SERIAL));
	UNIT_EQ(abi(ch, ROC_CH_RINGS, &rings), 0);
	UNIT_EQ(map_err(ch, rings.kernel_length, PROT_READ, MAP_SHARED, rings.kernel_offset), 0);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(faults(touch, p), SIGBUS);
	munmap(p, PAGE);
	close(ch);
	close(fd);
	UNIT_NEED(driver_bind(address));
}

static void mapped_is_the_same(void)
{
	static const uint32_t offsets[] = {
		CRU_FW_HASH,	 CRU_TEMPERATURE, CRU_CHIP_ID_LOW, CRU_SERIAL,
		CRU_DATAPATH(0), CRU_DATAPATH(1), CRU_UL_HASH,	   STORAGE,
	};
	int fd = node_open(EP0, -1);
	volatile uint32_t *part;
	struct roc_endpoint *ep;
	struct roc_bar bar;
	uint32_t v;
	size_t i;

	UNIT_NEED(fd >= 0 && !roc_open(EP0, &ep));
	UNIT_NEED(!roc_bar_map(ep, CRU_BAR_CARD, true, &bar));
	roc_close(ep); /* the mapping stays */
	emu_poke(CARD0, 0, CRU_BAR_CARD, STORAGE, 0xfeed1234);
	for (i = 0; i < N(offsets); i++) {
		UNIT_EQ(reg_read(fd, CRU_BAR_CARD, offsets[i], &v), 0);
		UNIT_EQ(bar.regs[offsets[i] / 4], v);
	}
	bar.regs[STORAGE / 4] = 0x600df00d;
	UNIT_EQ(reg_read(fd, CRU_BAR_CARD, STORAGE, &v), 0);
	UNIT_EQ(v, 0x600df00d);
	roc_bar_unmap(&bar);
	/* Part of a BAR: from the requested page on. */
	part = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd,
		    bar_offset(fd, 2) + CRU_SERIAL / PAGE * PAGE);
	UNIT_NEED(part != MAP_FAILED);
	UNIT_EQ(part[CRU_SERIAL % PAGE / 4], emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_SERIAL));
	munmap((void *)part, PAGE);
	emu_poke(CARD0, 0, CRU_BAR_CARD, STORAGE, 0);
	close(fd);
}

/* A request on the control port sees earlier register writes, even without a read-back. */
static void control_is_behind_writes(void)
{
	struct roc_endpoint *ep;
	struct roc_bar bar;
	unsigned int i, early = 0;

	UNIT_NEED(!roc_open(EP1, &ep));
	UNIT_NEED(!roc_bar_map(ep, CRU_BAR_CARD, true, &bar));
	roc_close(ep);
	for (i = 1; i <= 200; i++) {
		bar.regs[STORAGE / 4] = i;
		early += emu_peek(CARD0, 0, CRU_BAR_CARD, STORAGE) != i;
	}
	UNIT_EQ(early, 0);
	bar.regs[STORAGE / 4] = 0;
	roc_bar_unmap(&bar);
}

static int touch_in_child(void *p)
{
	return faults(touch, p);
}

/* A child of fork cannot use the card through its parent's mapping. */
static void map_is_not_inherited(void)
{
	int fd = node_open(EP0, -1);
	void *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, bar_offset(fd, 2));

	UNIT_NEED(p != MAP_FAILED);
	UNIT_EQ(faults(touch, p), 0);
	CU_ASSERT(child_run(AS_ROOT, touch_in_child, p, 5000) > 0);
	UNIT_EQ(faults(touch, p), 0);
	munmap(p, PAGE);
	close(fd);
}

UNIT_MAIN("registers", {"read and write", read_and_write}, {"accesses", accesses},
	  {"modify is atomic", modify_is_atomic}, {"map policy", map_policy},
	  {"addresses", addresses}, {"map limits", map_limits}, {"opened to read", opened_to_read},
	  {"mapped is the same", mapped_is_the_same},
	  {"control is behind writes", control_is_behind_writes},
	  {"map is not inherited", map_is_not_inherited})
