// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The user ABI refuses what it must refuse, with the errno of the header and no change to the card.
 * The table has each ioctl with arguments that are good; every test spoils one thing.
 */
#include "common/case.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define PAGE 4096u

/* A stopped channel with rings and no buffer, and its endpoint. */
static int ep_fd = -1, ch_fd = -1, event_fd = -1;

static void make_reg(void *arg)
{
	struct roc_reg *r = arg;

	r->bar = CRU_BAR_DMA;
	r->offset = CRU_SCRATCH;
}

static void make_modify(void *arg)
{
	make_reg(arg);
	((struct roc_reg *)arg)->mask = 1;
}

static void make_rings(void *arg)
{
	((struct roc_ch_rings *)arg)->fill_entries = 16;
}

static void make_wait(void *arg)
{
	((struct roc_ch_wait *)arg)->min_ready = 1;
}

static void make_eventfd(void *arg)
{
	((struct roc_ch_eventfd *)arg)->fd = event_fd;
}

static void make_handle(void *arg)
{
	((struct roc_buf_unregister *)arg)->handle = 77;
}

static void make_import(void *arg)
{
	((struct roc_buf_import *)arg)->fd = -1;
}

/* Each good call to LOCK finds the lock free, each to UNLOCK finds it taken by its own file. */
static void make_lock(void *arg)
{
	struct roc_card_lock other = {.size = sizeof(other)};

	abi(ep_fd, ROC_CARD_UNLOCK, &other);
}

static void make_unlock(void *arg)
{
	struct roc_card_lock other = {.size = sizeof(other)};

	abi(ep_fd, ROC_CARD_LOCK, &other);
}

/* The structure that has grown: its size as first published. */
#define BUF_REGISTER_FIRST 48

#define NO_FIELD 0xffff
#define AT(type, field) offsetof(struct type, field)

static const struct call {
	const char *name;
	unsigned long nr;
	size_t size;
	bool channel;
	int result; /* of a good call on a stopped channel with rings */
	uint32_t known_flags;
	void (*make)(void *arg); /* fill in what is not 0 */
	uint16_t zero[5];	 /* members that must be 0; NO_FIELD ends the list */
} calls[] = {
	{"EP_INFO", ROC_EP_INFO, sizeof(struct roc_ep_info), false, 0, 0, NULL, {NO_FIELD}},
	{"BAR_INFO", ROC_BAR_INFO, sizeof(struct roc_bar_info), false, 0, 0, NULL, {NO_FIELD}},
	{"REG_READ",
	 ROC_REG_READ,
	 sizeof(struct roc_reg),
	 false,
	 0,
	 0,
	 make_reg,
	 {AT(roc_reg, mask), AT(roc_reg, old), AT(roc_reg, reserved), NO_FIELD}},
	{"REG_WRITE",
	 ROC_REG_WRITE,
	 sizeof(struct roc_reg),
	 false,
	 0,
	 0,
	 make_reg,
	 {AT(roc_reg, mask), AT(roc_reg, old), AT(roc_reg, reserved), NO_FIELD}},
	{"REG_MODIFY",
	 ROC_REG_MODIFY,
	 sizeof(struct roc_reg),
	 false,
	 0,
	 0,
	 make_modify,
	 {AT(roc_reg, old), AT(roc_reg, reserved), NO_FIELD}},
	{"CARD_LOCK",
	 ROC_CARD_LOCK,
	 sizeof(struct roc_card_lock),
	 false,
	 0,
	 0,
	 make_lock,
	 {AT(roc_card_lock, owner), AT(roc_card_lock, reserved), NO_FIELD}},
	{"CARD_UNLOCK",
	 ROC_CARD_UNLOCK,
	 sizeof(struct roc_card_lock),
	 false,
	 0,
	 0,
	 make_unlock,
	 {AT(roc_card_lock, owner), AT(roc_card_lock, reserved), AT(roc_card_lock, deadline),
	  NO_FIELD}},
	{"CH_INFO", ROC_CH_INFO, sizeof(struct roc_ch_info), true, 0, 0, NULL, {NO_FIELD}},
	{"CH_RINGS",
	 ROC_CH_RINGS,
	 sizeof(struct roc_ch_rings),
	 true,
	 -EBUSY,
	 0,
	 make_rings,
	 {NO_FIELD}},
	{"CH_CONFIGURE",
	 ROC_CH_CONFIGURE,
	 sizeof(struct roc_ch_configure),
	 true,
	 0,
	 ROC_CONFIGURE_STBRD | ROC_CONFIGURE_PLAIN,
	 NULL,
	 {NO_FIELD}},
	/* START is tried by its refusals only: here it fails for want of links. */
	{"CH_START",
	 ROC_CH_START,
	 sizeof(struct roc_ch_control),
	 true,
	 -ENOLINK,
	 0,
	 NULL,
	 {AT(roc_ch_control, level), AT(roc_ch_control, count), NO_FIELD}},
	{"CH_STOP",
	 ROC_CH_STOP,
	 sizeof(struct roc_ch_control),
	 true,
	 -EALREADY,
	 0,
	 NULL,
	 {AT(roc_ch_control, level), AT(roc_ch_control, count), NO_FIELD}},
	{"CH_RESET",
	 ROC_CH_RESET,
	 sizeof(struct roc_ch_control),
	 true,
	 0,
	 0,
	 NULL,
	 {AT(roc_ch_control, count), NO_FIELD}},
	{"CH_KICK",
	 ROC_CH_KICK,
	 sizeof(struct roc_ch_control),
	 true,
	 0,
	 ROC_KICK_LOOK,
	 NULL,
	 {AT(roc_ch_control, level), AT(roc_ch_control, count), NO_FIELD}},
	{"CH_WAIT", ROC_CH_WAIT, sizeof(struct roc_ch_wait), true, 0, 0, make_wait, {NO_FIELD}},
	{"CH_EVENTFD",
	 ROC_CH_EVENTFD,
	 sizeof(struct roc_ch_eventfd),
	 true,
	 0,
	 0,
	 make_eventfd,
	 {AT(roc_ch_eventfd, reserved), NO_FIELD}},
	/* A CRU has no such link. */
	{"CH_COMMAND",
	 ROC_CH_COMMAND,
	 sizeof(struct roc_ch_command),
	 true,
	 -EOPNOTSUPP,
	 0,
	 NULL,
	 {AT(roc_ch_command, reply[0]), AT(roc_ch_command, reply[1]), AT(roc_ch_command, reply[2]),
	  AT(roc_ch_command, reply[3]), NO_FIELD}},
	{"CH_MODE",
	 ROC_CH_MODE,
	 sizeof(struct roc_ch_mode),
	 true,
	 0,
	 0,
	 NULL,
	 {AT(roc_ch_mode, reserved), NO_FIELD}},
	{"BUF_REGISTER",
	 ROC_BUF_REGISTER,
	 sizeof(struct roc_buf_register),
	 true,
	 -EINVAL,
	 0,
	 NULL,
	 {AT(roc_buf_register, handle), AT(roc_buf_register, extents), AT(roc_buf_register, why),
	  AT(roc_buf_register, limit), AT(roc_buf_register, pinned)}},
	{"BUF_UNREGISTER",
	 ROC_BUF_UNREGISTER,
	 sizeof(struct roc_buf_unregister),
	 true,
	 -ENOENT,
	 0,
	 make_handle,
	 {AT(roc_buf_unregister, reserved), NO_FIELD}},
	{"BUF_EXPORT",
	 ROC_BUF_EXPORT,
	 sizeof(struct roc_buf_export),
	 true,
	 -ENOENT,
	 ROC_EXPORT_CLOEXEC | ROC_EXPORT_WRITE,
	 make_handle,
	 {AT(roc_buf_export, fd), AT(roc_buf_export, why), AT(roc_buf_export, reserved),
	  AT(roc_buf_export, limit), AT(roc_buf_export, pinned)}},
	{"BUF_IMPORT",
	 ROC_BUF_IMPORT,
	 sizeof(struct roc_buf_import),
	 true,
	 -EBADF,
	 0,
	 make_import,
	 {AT(roc_buf_import, handle), AT(roc_buf_import, extents), AT(roc_buf_import, why),
	  AT(roc_buf_import, error), AT(roc_buf_import, limit)}},
};

static size_t first_size(const struct call *c)
{
	return c->nr == ROC_BUF_REGISTER ? BUF_REGISTER_FIRST : c->size;
}

static int fd_of(const struct call *c)
{
	return c->channel ? ch_fd : ep_fd;
}

/* Good arguments at the start of @arg, all else of it 0. */
static void make(const struct call *c, void *arg, size_t room)
{
	memset(arg, 0, room);
	*(uint32_t *)arg = c->size;
	if (c->make)
		c->make(arg);
}

#define CALL_EQ(c, got, want)                                                                      \
	do {                                                                                       \
		int call_got = (got), call_want = (want);                                          \
		if (call_got != call_want)                                                         \
			unit_note("%s: %d, not %d", (c)->name, call_got, call_want);               \
		CU_ASSERT_EQUAL(call_got, call_want);                                              \
	} while (0)

static bool set_up(void)
{
	struct roc_ch_rings rings = {
		.size = sizeof(rings), .fill_entries = 16, .ready_entries = 16};

	if (ch_fd >= 0)
		return true;
	emu_normal(CARD0, 0);
	ep_fd = node_open(EP0, -1);
	ch_fd = node_open(EP0, 0);
	event_fd = eventfd(0, EFD_CLOEXEC);
	return ep_fd >= 0 && ch_fd >= 0 && event_fd >= 0 && !abi(ch_fd, ROC_CH_RINGS, &rings);
}

/* Good arguments first: without this the refusals below would prove nothing. */
static void good_calls(void)
{
	uint64_t arg[64];
	size_t i;

	UNIT_NEED(set_up());
	for (i = 0; i < N(calls); i++) {
		make(&calls[i], arg, sizeof(arg));
		CALL_EQ(&calls[i], abi(fd_of(&calls[i]), calls[i].nr, arg), calls[i].result);
	}
}

static void unknown_numbers(void)
{
	uint64_t arg[64] = {sizeof(arg)};
	unsigned int nr, fd;
	size_t i;

	UNIT_NEED(set_up());
	for (fd = 0; fd < 2; fd++) {
		for (nr = 0; nr < 0x100; nr++) {
			unsigned long cmd = _IO(ROC_IOC_TYPE, nr);
			bool known = false;

			for (i = 0; i < N(calls); i++)
				known |= calls[i].nr == cmd && calls[i].channel == fd;
			if (!known)
				UNIT_EQ(abi(fd ? ch_fd : ep_fd, cmd, arg), -ENOTTY);
			/* The same number with a direction and a size is another ioctl. */
			UNIT_EQ(abi(fd ? ch_fd : ep_fd, _IOWR(ROC_IOC_TYPE, nr, arg), arg),
				-ENOTTY);
		}
		UNIT_EQ(abi(fd ? ch_fd : ep_fd, _IO(ROC_IOC_TYPE + 1, 0), arg), -ENOTTY);
	}
}

static void short_sizes(void)
{
	uint32_t arg[128] __attribute__((aligned(8))), size;
	size_t i;

	UNIT_NEED(set_up());
	for (i = 0; i < N(calls); i++) {
		for (size = 0; size < first_size(&calls[i]); size++) {
			make(&calls[i], arg, sizeof(arg));
			arg[0] = size;
			CALL_EQ(&calls[i], abi(fd_of(&calls[i]), calls[i].nr, arg), -EINVAL);
		}
	}
}

/* A program that was built when the structure was shorter: what it does not have is not written. */
static void older_callers(void)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	union {
		struct { /* as first published */
			uint32_t size, flags;
			uint64_t addr, length;
			uint32_t granule, handle, extents, why;
			uint64_t limit;
		} b;
		uint8_t bytes[128];
	} old;
	uint32_t size, at;

	UNIT_NEED(set_up() && page != MAP_FAILED);
	UNIT_EQ(sizeof(old.b), BUF_REGISTER_FIRST);
	for (size = BUF_REGISTER_FIRST; size < sizeof(struct roc_buf_register); size++) {
		memset(&old, 0, sizeof(old));
		old.b.size = size;
		old.b.addr = (uintptr_t)page;
		old.b.length = PAGE;
		memset(old.bytes + size, 0x5a, sizeof(old) - size);
		UNIT_EQ(abi(ch_fd, ROC_BUF_REGISTER, &old), 0);
		UNIT_EQ(old.b.size, size);
		CU_ASSERT(old.b.handle > 0);
		UNIT_EQ(old.b.extents, 1);
		for (at = size; at < sizeof(old); at++)
			CU_ASSERT_EQUAL(old.bytes[at], 0x5a);
		UNIT_EQ(buffer_unregister(ch_fd, old.b.handle), 0);
	}
	munmap(page, PAGE);
}

static void longer_structures(void)
{
	static uint8_t arg[2 * PAGE] __attribute__((aligned(8)));
	uint32_t *size = (uint32_t *)arg;
	static const uint32_t more[] = {1, 4, 8, 100};
	size_t i, k, at;

	UNIT_NEED(set_up());
	for (i = 0; i < N(calls); i++) {
		const struct call *c = &calls[i];

		for (k = 0; k < N(more); k++) {
			make(c, arg, sizeof(arg));
			*size = c->size + more[k];
			/* Not part of the structure: neither looked at nor written. */
			memset(arg + c->size + more[k], 0x5a, 64);
			CALL_EQ(c, abi(fd_of(c), c->nr, arg), c->result);
			for (at = 0; at < 64; at++)
				CU_ASSERT_EQUAL(arg[c->size + more[k] + at], 0x5a);
			UNIT_EQ(*size, c->size + more[k]);

			make(c, arg, sizeof(arg));
			*size = c->size + more[k];
			arg[c->size + more[k] - 1] = 1;
			CALL_EQ(c, abi(fd_of(c), c->nr, arg), -E2BIG);
		}
		make(c, arg, sizeof(arg));
		*size = PAGE + 1;
		CALL_EQ(c, abi(fd_of(c), c->nr, arg), -E2BIG);
		*size = UINT32_MAX;
		CALL_EQ(c, abi(fd_of(c), c->nr, arg), -E2BIG);
	}
}

static void unknown_flags(void)
{
	uint32_t arg[128];
	unsigned int bit;
	size_t i;

	UNIT_NEED(set_up());
	for (i = 0; i < N(calls); i++) {
		for (bit = 0; bit < 32; bit++) {
			if (calls[i].known_flags & 1u << bit)
				continue;
			make(&calls[i], arg, sizeof(arg));
			arg[1] = 1u << bit;
			CALL_EQ(&calls[i], abi(fd_of(&calls[i]), calls[i].nr, arg), -EINVAL);
		}
	}
}

static void reserved_fields(void)
{
	static uint8_t arg[512] __attribute__((aligned(8)));
	size_t i, k, byte;

	UNIT_NEED(set_up());
	for (i = 0; i < N(calls); i++) {
		for (k = 0; k < N(calls[i].zero) && calls[i].zero[k] != NO_FIELD; k++) {
			for (byte = 0; byte < 4; byte++) {
				make(&calls[i], arg, sizeof(arg));
				arg[calls[i].zero[k] + byte] = 0x80;
				CALL_EQ(&calls[i], abi(fd_of(&calls[i]), calls[i].nr, arg),
					-EINVAL);
			}
		}
	}
}

static void bad_pointers(void)
{
	uint8_t *two =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	UNIT_NEED(set_up());
	UNIT_NEED(two != MAP_FAILED && !munmap(two + PAGE, PAGE));
	for (i = 0; i < N(calls); i++) {
		const struct call *c = &calls[i];
		uint8_t *fits = two + PAGE - c->size, *over = fits + 4, *half = two + PAGE - 2;

		make(c, fits, c->size);
		CALL_EQ(c, abi(fd_of(c), c->nr, fits), c->result);
		make(c, fits, c->size);
		memmove(over, fits, c->size - 4);
		CALL_EQ(c, abi(fd_of(c), c->nr, over), -EFAULT);
		memset(half, 0, 2); /* not even the size word */
		CALL_EQ(c, abi(fd_of(c), c->nr, half), -EFAULT);
		CALL_EQ(c, abi(fd_of(c), c->nr, NULL), -EFAULT);
		CALL_EQ(c, abi(fd_of(c), c->nr, (void *)-4096l), -EFAULT);
		/* The answer cannot be written. */
		make(c, fits, c->size);
		UNIT_NEED(!mprotect(two, PAGE, PROT_READ));
		CALL_EQ(c, abi(fd_of(c), c->nr, fits), -EFAULT);
		UNIT_NEED(!mprotect(two, PAGE, PROT_READ | PROT_WRITE));
	}
	munmap(two, PAGE);
}

static int padded(const char *text, size_t size)
{
	size_t i, end = strnlen(text, size);

	for (i = end; i < size; i++)
		if (text[i])
			return 0;
	return end < size;
}

/* What the kernel does not say is 0, whatever was there before. */
static void no_leaks(void)
{
	struct roc_ep_info info;
	struct roc_ch_info ci;
	struct roc_bar_info bar;

	UNIT_NEED(set_up());
	memset(&info, 0xff, sizeof(info));
	info.size = sizeof(info);
	info.flags = 0;
	UNIT_EQ(abi(ep_fd, ROC_EP_INFO, &info), 0);
	UNIT_EQ(info.reserved, 0);
	UNIT_EQ(info.flags, 0);
	CU_ASSERT(padded(info.pci_address, sizeof(info.pci_address)));
	CU_ASSERT(padded(info.firmware, sizeof(info.firmware)));
	CU_ASSERT(padded(info.user_logic, sizeof(info.user_logic)));
	UNIT_EQ(info.card_type, ROC_CARD_CRU);
	UNIT_EQ(info.serial, 245);
	UNIT_EQ(info.endpoint, 0);
	UNIT_EQ(info.superpage_align, CRU_SUPERPAGE_ALIGN);
	UNIT_EQ(info.superpage_max, CRU_SUPERPAGE_MAX);
	UNIT_EQ(info.fifo_depth, emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_FIFO_DEPTH));

	memset(&ci, 0xff, sizeof(ci));
	ci.size = sizeof(ci);
	ci.flags = 0;
	UNIT_EQ(abi(ch_fd, ROC_CH_INFO, &ci), 0);
	UNIT_EQ(ci.reserved, 0);
	UNIT_EQ(ci.why, 0);
	UNIT_EQ(ci.pushed | ci.completed | ci.bytes | ci.reclaimed | ci.refused, 0);
	UNIT_EQ(ci.in_flight, 0);
	UNIT_EQ(ci.state, ROC_CH_STOPPED);

	memset(&bar, 0xff, sizeof(bar));
	bar.size = sizeof(bar);
	bar.flags = 0;
	bar.bar = CRU_BAR_CARD;
	UNIT_EQ(abi(ep_fd, ROC_BAR_INFO, &bar), 0);
	UNIT_EQ(bar.length, CRU_BAR_CARD_SIZE);
	UNIT_EQ(bar.access, ROC_BAR_MMAP_READ | ROC_BAR_MMAP_WRITE | ROC_BAR_REG_WRITE);
}

static void bad_registers(void)
{
	struct roc_bar_info bar = {.size = sizeof(bar)};
	uint32_t bars[] = {1, 3, 4, 5, 6, 7, 255, UINT32_MAX}, v;
	size_t i;

	UNIT_NEED(set_up());
	emu(CARD0, "clear");
	for (i = 0; i < N(bars); i++) {
		bar.bar = bars[i];
		UNIT_EQ(abi(ep_fd, ROC_BAR_INFO, &bar), -ENOENT);
		UNIT_EQ(reg_read(ep_fd, bars[i], 0, &v), -ENOENT);
		UNIT_EQ(reg_write(ep_fd, bars[i], 0, 0), -ENOENT);
		UNIT_EQ(reg_modify(ep_fd, bars[i], 0, 1, 0, NULL), -ENOENT);
	}
	for (i = 1; i < 4; i++) {
		UNIT_EQ(reg_read(ep_fd, CRU_BAR_DMA, CRU_SCRATCH + i, &v), -EINVAL);
		UNIT_EQ(reg_write(ep_fd, CRU_BAR_DMA, CRU_SCRATCH + i, 0), -EINVAL);
		UNIT_EQ(reg_modify(ep_fd, CRU_BAR_DMA, CRU_SCRATCH + i, 1, 0, NULL), -EINVAL);
	}
	UNIT_EQ(reg_read(ep_fd, CRU_BAR_DMA, CRU_BAR_DMA_SIZE - 4, &v), 0);
	UNIT_EQ(reg_read(ep_fd, CRU_BAR_CARD, CRU_BAR_CARD_SIZE - 4, &v), 0);
	UNIT_EQ(reg_read(ep_fd, CRU_BAR_DMA, CRU_BAR_DMA_SIZE, &v), -ERANGE);
	UNIT_EQ(reg_write(ep_fd, CRU_BAR_DMA, CRU_BAR_DMA_SIZE, 1), -ERANGE);
	UNIT_EQ(reg_modify(ep_fd, CRU_BAR_CARD, CRU_BAR_CARD_SIZE, 1, 1, NULL), -ERANGE);
	UNIT_EQ(reg_read(ep_fd, CRU_BAR_CARD, 0xfffffffc, &v), -ERANGE);
	UNIT_EQ(reg_write(ep_fd, CRU_BAR_CARD, 0xfffffffc, 1), -ERANGE);
	/* A value with bits that are not to be changed; no bits to be changed. */
	UNIT_EQ(reg_modify(ep_fd, CRU_BAR_DMA, CRU_SCRATCH, 0x0f, 0x1f, NULL), -ERANGE);
	UNIT_EQ(reg_modify(ep_fd, CRU_BAR_DMA, CRU_SCRATCH, 0, 0, NULL), -EINVAL);
	UNIT_EQ(emu_touched(CARD0, 0, CRU_BAR_DMA, CRU_SCRATCH).reads, 0);
	UNIT_EQ(emu_touched(CARD0, 0, CRU_BAR_DMA, CRU_SCRATCH).writes, 0);
	UNIT_EQ(emu_count(CARD0, 0, "mmio_writes"), 0);
}

static const uint32_t protected_regs[] = {
	CRU_DMA_CONTROL,   CRU_SP_HIGH(0),   CRU_SP_LOW(0),   CRU_SP_PUSH(0), CRU_SP_PUSH(15),
	CRU_RESET_CONTROL, CRU_GENERATOR(0), CRU_DATA_SOURCE, CRU_SP_SIZE(0),
};

static int write_as_user(void *arg)
{
	struct roc_bar_info bar = {.size = sizeof(bar), .bar = CRU_BAR_DMA};
	int fd = node_open(EP0, -1);
	size_t i;

	if (fd < 0)
		return 1;
	for (i = 0; i < N(protected_regs); i++) {
		if (reg_write(fd, CRU_BAR_DMA, protected_regs[i], 1) != -EPERM)
			return 10 + i;
		if (reg_modify(fd, CRU_BAR_DMA, protected_regs[i], 1, 1, NULL) != -EPERM)
			return 30 + i;
	}
	if (abi(fd, ROC_BAR_INFO, &bar) || bar.access != ROC_BAR_MMAP_READ)
		return 2;
	bar.bar = CRU_BAR_CARD;
	if (abi(fd, ROC_BAR_INFO, &bar) ||
	    bar.access != (ROC_BAR_MMAP_READ | ROC_BAR_MMAP_WRITE | ROC_BAR_REG_WRITE))
		return 3;
	/* The allow-list, and BAR2. */
	if (reg_write(fd, CRU_BAR_DMA, CRU_SCRATCH, 0x55))
		return 4;
	if (reg_modify(fd, CRU_BAR_DMA, CRU_TIME_FRAME, 1u << 20, 0, NULL))
		return 5;
	return reg_write(fd, CRU_BAR_CARD, CRU_CTP_INIT_ORBIT, 0) ? 6 : 0;
}

static void protected_registers(void)
{
	uint32_t before[N(protected_regs)], v;
	size_t i;

	UNIT_NEED(set_up());
	emu(CARD0, "clear");
	for (i = 0; i < N(protected_regs); i++)
		before[i] = emu_peek(CARD0, 0, CRU_BAR_DMA, protected_regs[i]);
	UNIT_EQ(child_run(AS_READER, write_as_user, NULL, 10000), 0);
	UNIT_EQ(child_run(AS_ROOT_NO_CAPS, write_as_user, NULL, 10000), 0);
	for (i = 0; i < N(protected_regs); i++) {
		struct emu_touched t = emu_touched(CARD0, 0, CRU_BAR_DMA, protected_regs[i]);

		UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, protected_regs[i]), before[i]);
		UNIT_EQ(t.writes, 0);
		UNIT_EQ(t.reads, 0);
	}
	UNIT_EQ(reg_read(ep_fd, CRU_BAR_DMA, CRU_SCRATCH, &v), 0); /* writes are posted */
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_SCRATCH), 0x55);
	UNIT_EQ(reg_write(ep_fd, CRU_BAR_DMA, CRU_TIME_FRAME, 256u << 20), 0);
	UNIT_EQ(reg_write(ep_fd, CRU_BAR_DMA, CRU_SCRATCH, 0), 0);
}

static void bad_configurations(void)
{
	static const struct {
		uint32_t source, mode, links, page;
		int err;
		uint32_t flags;
	} bad[] = {
		{5, 0, 0, 0, -EINVAL, 0},
		{UINT32_MAX, 0, 0, 0, -EINVAL, 0},
		{0, 3, 0, 0, -EINVAL, 0},
		{ROC_SOURCE_DIU, 0, 0, 0, -EOPNOTSUPP, 0},
		{ROC_SOURCE_SIU, 0, 0, 0, -EOPNOTSUPP, 0},
		{ROC_SOURCE_FEE, 0, 0, 0, -EOPNOTSUPP, ROC_CONFIGURE_STBRD},
		{0, ROC_MODE_EVENT, 0, 0, -EOPNOTSUPP, 0},
		{0, ROC_MODE_EVENT, 0, 0, -EOPNOTSUPP, ROC_CONFIGURE_PLAIN},
		{0, 0, 0, 4096, -EOPNOTSUPP, 0},
		{0, 0, 0, 1, -EOPNOTSUPP, 0},
		{0, 0, 0x10, 0, -ENOLINK, 0},
		{0, 0, 0x1f, 0, -ENOLINK, 0},
		{0, 0, 1u << 31, 0, -ENOLINK, 0},
		{1, 1, 0x5, 8192, 0, 0},
		{2, 0, 0xf, 0, 0, 0},
		{0, 0, 0, 0, 0, 0},
	};
	size_t i;

	UNIT_NEED(set_up());
	emu(CARD0, "set all links-enabled 0xf");
	for (i = 0; i < N(bad); i++) {
		struct roc_ch_configure c = {.size = sizeof(c),
					     .flags = bad[i].flags,
					     .source = bad[i].source,
					     .mode = bad[i].mode,
					     .links = bad[i].links,
					     .page_size = bad[i].page};
		struct roc_ch_info before = ch_info(ch_fd), after;
		int err = abi(ch_fd, ROC_CH_CONFIGURE, &c);

		after = ch_info(ch_fd);
		if (err != bad[i].err)
			unit_note("row %zu", i);
		UNIT_EQ(err, bad[i].err);
		if (err) {
			UNIT_EQ(after.source, before.source);
			UNIT_EQ(after.mode, before.mode);
			UNIT_EQ(after.links, before.links);
		} else {
			UNIT_EQ(after.source, bad[i].source);
			UNIT_EQ(after.mode, bad[i].mode);
			UNIT_EQ(after.links, bad[i].links ? bad[i].links : 0xf);
			UNIT_EQ(after.capacity, __builtin_popcount(after.links) * 128);
		}
	}
	emu(CARD0, "set all links-enabled 0");
}

static void bad_rings(void)
{
	static const uint32_t bad[] = {1,   2,	   8,	   15,	     17,	24,
				       100, 65537, 131072, 1u << 31, UINT32_MAX};
	struct roc_ch_rings rings = {.size = sizeof(rings)};
	int other = node_open(OTHER_EP0, 0);
	size_t i;

	UNIT_NEED(set_up() && other >= 0);
	for (i = 0; i < N(bad); i++) {
		rings = (struct roc_ch_rings){.size = sizeof(rings), .fill_entries = bad[i]};
		UNIT_EQ(abi(other, ROC_CH_RINGS, &rings), -EINVAL);
		rings = (struct roc_ch_rings){.size = sizeof(rings), .ready_entries = bad[i]};
		UNIT_EQ(abi(other, ROC_CH_RINGS, &rings), -EINVAL);
	}
	rings = (struct roc_ch_rings){
		.size = sizeof(rings), .fill_entries = 65536, .ready_entries = 16};
	UNIT_EQ(abi(other, ROC_CH_RINGS, &rings), 0);
	UNIT_EQ(rings.fill_entries, 65536);
	UNIT_EQ(rings.ready_entries, 16);
	CU_ASSERT(rings.user_length >= rings.fill_entries_offset + 65536 * sizeof(struct roc_fill));
	CU_ASSERT(rings.kernel_length >=
		  rings.ready_entries_offset + 16 * sizeof(struct roc_ready));
	UNIT_EQ(abi(other, ROC_CH_RINGS, &rings), -EBUSY);
	close(other);
	other = node_open(OTHER_EP0, 0);
	rings = (struct roc_ch_rings){.size = sizeof(rings)};
	UNIT_EQ(abi(other, ROC_CH_RINGS, &rings), 0);
	UNIT_EQ(rings.fill_entries, ROC_RING_DEFAULT);
	UNIT_EQ(rings.ready_entries, ROC_RING_DEFAULT);
	close(other);
}

/* A channel without rings: what needs them says so. */
static void without_rings(void)
{
	struct roc_ch_wait w = {.size = sizeof(w), .min_ready = 1};
	int other = node_open(OTHER_EP0, 0);
	void *p;

	UNIT_NEED(other >= 0);
	emu_normal(CARD1, FOUR_LINKS);
	UNIT_EQ(control(other, ROC_CH_START, 0, 0), -EPIPE);
	UNIT_EQ(control(other, ROC_CH_KICK, 0, 0), -EPIPE);
	UNIT_EQ(control(other, ROC_CH_KICK, ROC_KICK_LOOK, 0), -EPIPE);
	UNIT_EQ(abi(other, ROC_CH_WAIT, &w), -EPIPE);
	p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, other, 0);
	CU_ASSERT(p == MAP_FAILED && errno == EPIPE);
	UNIT_EQ(ch_info(other).state, ROC_CH_STOPPED);
	UNIT_EQ(emu_count(CARD1, 0, "resets"), 0);
	close(other);
}

static void no_links(void)
{
	UNIT_NEED(set_up());
	emu(CARD0, "set all links-enabled 0");
	emu(CARD0, "clear");
	UNIT_EQ(control(ch_fd, ROC_CH_START, 0, 0), -ENOLINK);
	UNIT_EQ(ch_info(ch_fd).state, ROC_CH_STOPPED);
	UNIT_EQ(emu_count(CARD0, 0, "mmio_writes"), 0);
}

static void stopped_channel(void)
{
	struct roc_ch_wait w = {.size = sizeof(w), .min_ready = 1};
	uint32_t level;

	UNIT_NEED(set_up());
	emu(CARD0, "clear");
	UNIT_EQ(control(ch_fd, ROC_CH_STOP, 0, 0), -EALREADY);
	UNIT_EQ(control(ch_fd, ROC_CH_KICK, ROC_KICK_LOOK, 0), -EALREADY);
	UNIT_EQ(control(ch_fd, ROC_CH_KICK, 0, 0), 0);
	UNIT_EQ(control(ch_fd, ROC_CH_RESET, 0, ROC_RESET_INTERNAL_SIU), -EOPNOTSUPP);
	for (level = 3; level; level <<= 1)
		UNIT_EQ(control(ch_fd, ROC_CH_RESET, 0, level | 1 << 2), -EINVAL);
	/* Not running: no reason to sleep, whatever the deadline. */
	w.deadline = UINT64_MAX;
	UNIT_EQ(abi(ch_fd, ROC_CH_WAIT, &w), 0);
	UNIT_EQ(w.ready, 0);
	w.min_ready = 0;
	UNIT_EQ(abi(ch_fd, ROC_CH_WAIT, &w), -EINVAL);
	w.min_ready = 17;
	UNIT_EQ(abi(ch_fd, ROC_CH_WAIT, &w), -EINVAL);
	w.min_ready = UINT32_MAX;
	UNIT_EQ(abi(ch_fd, ROC_CH_WAIT, &w), -EINVAL);
	UNIT_EQ(emu_count(CARD0, 0, "mmio_writes"), 0);
}

static void bad_eventfds(void)
{
	struct roc_ch_eventfd e = {.size = sizeof(e), .fd = 1000};

	UNIT_NEED(set_up());
	UNIT_EQ(abi(ch_fd, ROC_CH_EVENTFD, &e), -EBADF);
	e.fd = ep_fd;
	UNIT_EQ(abi(ch_fd, ROC_CH_EVENTFD, &e), -EINVAL);
	e.fd = -2;
	UNIT_EQ(abi(ch_fd, ROC_CH_EVENTFD, &e), -EINVAL);
	e.fd = INT32_MIN;
	UNIT_EQ(abi(ch_fd, ROC_CH_EVENTFD, &e), -EINVAL);
	e.fd = -1;
	UNIT_EQ(abi(ch_fd, ROC_CH_EVENTFD, &e), 0);
}

static void bad_buffers(void)
{
	struct roc_buf_register reply;
	uint8_t *p =
		mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static const uint32_t granules[] = {1, 4096, 32767, 32769, 49152, 1u << 24, UINT32_MAX};
	size_t i;

	UNIT_NEED(set_up() && p != MAP_FAILED);
	UNIT_EQ(buffer_register(ch_fd, p + 1, PAGE, 0, &reply), -EINVAL);
	UNIT_EQ(buffer_register(ch_fd, p + 512, PAGE, 0, &reply), -EINVAL);
	UNIT_EQ(buffer_register(ch_fd, p, PAGE + 512, 0, &reply), -EINVAL);
	UNIT_EQ(buffer_register(ch_fd, p, 1, 0, &reply), -EINVAL);
	UNIT_EQ(buffer_register(ch_fd, p, 0, 0, &reply), -EINVAL);
	for (i = 0; i < N(granules); i++) {
		UNIT_EQ(buffer_register(ch_fd, p, PAGE, granules[i], &reply), -EINVAL);
		UNIT_EQ(reply.why, ROC_WHY_NONE);
	}
	UNIT_EQ(buffer_register(ch_fd, (void *)-8192l, 4 * PAGE, 0, &reply), -EOVERFLOW);
	UNIT_EQ(buffer_register(ch_fd, p, -(uint64_t)PAGE, 0, &reply), -EOVERFLOW);
	UNIT_EQ(buffer_register(ch_fd, p, 1ull << 44, 0, &reply), -EOVERFLOW);
	UNIT_EQ(buffer_unregister(ch_fd, 0), -ENOENT);
	UNIT_EQ(buffer_unregister(ch_fd, 1), -ENOENT);
	UNIT_EQ(buffer_unregister(ch_fd, UINT32_MAX), -ENOENT);
	UNIT_EQ(pinned_by(0), 0);
	munmap(p, 16 * PAGE);
}

static void on_alarm(int number)
{
}

static int interrupted_wait(int fd)
{
	/* More than once: the first may come before we sleep. */
	struct itimerval soon = {{0, 100000}, {0, 100000}}, never = {.it_value = {0}};
	struct sigaction action = {.sa_handler = on_alarm};
	struct roc_ch_wait w = {.size = sizeof(w), .min_ready = 1};
	int err;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	w.deadline = now_ns() + limit_ms(5000) * 1000000ull;
	err = abi(fd, ROC_CH_WAIT, &w);
	setitimer(ITIMER_REAL, &never, NULL);
	return err;
}

/* Everything that a running channel refuses, and what its run-enable bit is protected from. */
static void running_channel(void)
{
	struct rig r = {.id = EP1, .source = ROC_SOURCE_DDG, .links = 1, .count = 4};
	struct roc_ch_configure c = {.size = sizeof(c)};
	struct roc_ch_wait w = {.size = sizeof(w), .min_ready = 1};
	struct roc_buf_register reply;
	uint64_t begin;
	uint32_t old;
	int fd, ep;

	UNIT_NEED(set_up());
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r) && rig_start(&r));
	fd = rig_fd(&r);
	UNIT_EQ(control(fd, ROC_CH_START, 0, 0), -EBUSY);
	UNIT_EQ(abi(fd, ROC_CH_CONFIGURE, &c), -EBUSY);
	UNIT_EQ(control(fd, ROC_CH_RESET, 0, ROC_RESET_INTERNAL), -EBUSY);
	UNIT_EQ(control(fd, ROC_CH_RESET, 0, ROC_RESET_NOTHING), -EBUSY);
	UNIT_EQ(buffer_register(fd, r.base, HUGE, 0, &reply), -EBUSY);
	UNIT_EQ(buffer_unregister(fd, r.handle), -EBUSY);

	/* No superpage in the card: nothing comes. */
	begin = now_ns();
	w.deadline = begin + 200000000;
	UNIT_EQ(abi(fd, ROC_CH_WAIT, &w), -ETIME);
	UNIT_EQ(w.ready, 0);
	CU_ASSERT(now_ns() - begin >= 200000000 && took_less(begin / 1000000, 2000));
	w.deadline = 0;
	UNIT_EQ(abi(fd, ROC_CH_WAIT, &w), -ETIME);
	UNIT_EQ(interrupted_wait(fd), -EINTR);

	/* Run enable is in use, through either endpoint; the other bits of its register are not. */
	for (ep = 0; ep < 2; ep++) {
		int efd = node_open(ep ? EP1 : EP0, -1);

		UNIT_EQ(reg_write(efd, CRU_BAR_CARD, CRU_USER_CONTROL, 0), -EBUSY);
		UNIT_EQ(reg_modify(efd, CRU_BAR_CARD, CRU_USER_CONTROL, 1, 0, NULL), -EBUSY);
		UNIT_EQ(reg_modify(efd, CRU_BAR_CARD, CRU_USER_CONTROL, UINT32_MAX, 0, NULL),
			-EBUSY);
		UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & 1, 1);
		UNIT_EQ(reg_modify(efd, CRU_BAR_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_CRU_ID,
				   0x123 << 16, &old),
			0);
		UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL), 0x123 << 16 | 1);
		UNIT_EQ(reg_write(efd, CRU_BAR_CARD, CRU_USER_CONTROL, 1), 0);
		close(efd);
	}
	UNIT_NEED(rig_stop(&r));
	UNIT_EQ(reg_modify(ep_fd, CRU_BAR_CARD, CRU_USER_CONTROL, 1, 1, NULL), 0);
	UNIT_EQ(reg_modify(ep_fd, CRU_BAR_CARD, CRU_USER_CONTROL, 1, 0, NULL), 0);
	rig_close(&r);
	RIG_OK(&r);
	emu(CARD0, "set all links-enabled 0");
}

/* ioctl(2) as a 32-bit program does it. */
static long compat_ioctl(int fd, unsigned long nr, void *arg)
{
	long ret = 54; /* __NR_ioctl of i386 */

	__asm__ volatile("int $0x80"
			 : "+a"(ret)
			 : "b"((long)fd), "c"(nr), "d"(arg)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

static void try_compat(void *arg)
{
	*(long *)arg = compat_ioctl(-1, 0, NULL);
}

static void callers_of_32_bits(void)
{
	uint8_t *low = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long there = 0;
	size_t i;

	UNIT_NEED(set_up() && low != MAP_FAILED);
	if (faults(try_compat, &there) || there != -EBADF) {
		unit_skip("this kernel runs no 32-bit programs");
		return;
	}
	for (i = 0; i < N(calls); i++) {
		const struct call *c = &calls[i];

		make(c, low, PAGE);
		CALL_EQ(c, compat_ioctl(fd_of(c), c->nr, low), c->result);
		make(c, low, PAGE);
		*(uint32_t *)low = first_size(c) - 1;
		CALL_EQ(c, compat_ioctl(fd_of(c), c->nr, low), -EINVAL);
	}
	make(&calls[0], low, PAGE);
	UNIT_EQ(compat_ioctl(ep_fd, ROC_EP_INFO, low), 0);
	UNIT_EQ(((struct roc_ep_info *)low)->serial, 245);
	munmap(low, PAGE);
}

static void leave(void)
{
	close(ch_fd);
	close(ep_fd);
	close(event_fd);
	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("abi", {"good calls", good_calls}, {"unknown numbers", unknown_numbers},
	  {"short sizes", short_sizes}, {"older callers", older_callers},
	  {"longer structures", longer_structures}, {"unknown flags", unknown_flags},
	  {"reserved fields", reserved_fields}, {"bad pointers", bad_pointers},
	  {"no leaks", no_leaks}, {"bad registers", bad_registers},
	  {"protected registers", protected_registers}, {"bad configurations", bad_configurations},
	  {"bad rings", bad_rings}, {"without rings", without_rings}, {"no links", no_links},
	  {"stopped channel", stopped_channel}, {"bad eventfds", bad_eventfds},
	  {"bad buffers", bad_buffers}, {"running channel", running_channel},
	  {"callers of 32 bits", callers_of_32_bits}, {"card was left alone", leave})
