// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the form of the user ABI: sizes, flags, reserved fields, pointers, older and newer callers,
 * 32-bit callers. A table has valid arguments for each ioctl; every test makes one of them invalid.
 * abi_values.c tests the values of arguments.
 */
#include "common/case.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>

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

/* Each valid LOCK finds the lock free; each UNLOCK finds it locked by the same file. */
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

/* A structure that has grown: its size as first published. */
#define BUF_REGISTER_FIRST 48

#define NO_FIELD 0xffff
#define AT(type, field) offsetof(struct type, field)

static const struct call {
	const char *name;
	unsigned long nr;
	size_t size;
	bool channel;
	int result; /* of a valid call on a stopped channel with rings */
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
	/* START is only tested with refusals: here it fails without links. */
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
	 ROC_KICK_POLL,
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
	{"CH_LOSSES", ROC_CH_LOSSES, sizeof(struct roc_ch_losses), true, 0, 0, NULL, {NO_FIELD}},
	{"BUF_REGISTER",
	 ROC_BUF_REGISTER,
	 sizeof(struct roc_buf_register),
	 true,
	 -EINVAL,
	 0,
	 NULL,
	 {AT(roc_buf_register, handle), AT(roc_buf_register, extents), AT(roc_buf_register, reason),
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
	 {AT(roc_buf_export, fd), AT(roc_buf_export, reason), AT(roc_buf_export, reserved),
	  AT(roc_buf_export, limit), AT(roc_buf_export, pinned)}},
	{"BUF_IMPORT",
	 ROC_BUF_IMPORT,
	 sizeof(struct roc_buf_import),
	 true,
	 -EBADF,
	 0,
	 make_import,
	 {AT(roc_buf_import, handle), AT(roc_buf_import, extents), AT(roc_buf_import, reason),
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

/* Valid arguments at the start of @arg; the rest of it is 0. */
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

/* Test the valid arguments first; otherwise the refusals below prove nothing. */
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
			/* The same number with another direction or size is another ioctl. */
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

/* A program built with a shorter structure: the kernel does not write beyond its end. */
static void older_callers(void)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	union {
		struct { /* as first published */
			uint32_t size, flags;
			uint64_t addr, length;
			uint32_t granule, handle, extents, reason;
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
			/* Bytes beyond the structure: the kernel neither reads nor writes them. */
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
		/* The result cannot be copied out. */
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

/* Output that the kernel does not set is 0, whatever the memory contained. */
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
	UNIT_EQ(ci.reason, 0);
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

/* ioctl(2) as a 32-bit program calls it. */
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
	  {"no leaks", no_leaks}, {"callers of 32 bits", callers_of_32_bits},
	  {"card was left alone", leave})
