// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test argument values that the user ABI refuses in each state of a channel: with the errno of the
 * header, and without a change to the card. abi.c tests the form of arguments.
 */
#include "common/case.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#define PAGE 4096u

/* A stopped channel with rings and no buffer, and its endpoint. */
static int ep_fd = -1, ch_fd = -1;

static bool set_up(void)
{
	struct roc_ch_rings rings = {
		.size = sizeof(rings), .fill_entries = 16, .ready_entries = 16};

	if (ch_fd >= 0)
		return true;
	emu_normal(CARD0, 0);
	ep_fd = node_open(EP0, -1);
	ch_fd = node_open(EP0, 0);
	return ep_fd >= 0 && ch_fd >= 0 && !abi(ch_fd, ROC_CH_RINGS, &rings);
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
	/* A value with bits outside of the mask; an empty mask. */
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
	/* The allow-list of registers, and BAR 2. */
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

/* A channel without rings: ioctls that need them fail with the right errno. */
static void without_rings(void)
{
	struct roc_ch_wait w = {.size = sizeof(w), .min_ready = 1};
	int other = node_open(OTHER_EP0, 0);
	void *p;

	UNIT_NEED(other >= 0);
	emu_normal(CARD1, FOUR_LINKS);
	UNIT_EQ(control(other, ROC_CH_START, 0, 0), -EPIPE);
	UNIT_EQ(control(other, ROC_CH_KICK, 0, 0), -EPIPE);
	UNIT_EQ(control(other, ROC_CH_KICK, ROC_KICK_POLL, 0), -EPIPE);
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
	UNIT_EQ(control(ch_fd, ROC_CH_KICK, ROC_KICK_POLL, 0), -EALREADY);
	UNIT_EQ(control(ch_fd, ROC_CH_KICK, 0, 0), 0);
	UNIT_EQ(control(ch_fd, ROC_CH_RESET, 0, ROC_RESET_INTERNAL_SIU), -EOPNOTSUPP);
	for (level = 3; level; level <<= 1)
		UNIT_EQ(control(ch_fd, ROC_CH_RESET, 0, level | 1 << 2), -EINVAL);
	/* A stopped channel: the wait ends at once, whatever its timeout. */
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
		UNIT_EQ(reply.reason, ROC_REASON_NONE);
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
	/* More than one signal: the first one may come before the wait. */
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

/* Everything that a running channel refuses, and the protection of its run-enable bit. */
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

	/* No superpage is in the card: no data come. */
	begin = now_ns();
	w.deadline = begin + 200000000;
	UNIT_EQ(abi(fd, ROC_CH_WAIT, &w), -ETIME);
	UNIT_EQ(w.ready, 0);
	CU_ASSERT(now_ns() - begin >= 200000000 && took_less(begin / 1000000, 2000));
	w.deadline = 0;
	UNIT_EQ(abi(fd, ROC_CH_WAIT, &w), -ETIME);
	UNIT_EQ(interrupted_wait(fd), -EINTR);

	/*
	 * Run enable is in use, for both endpoints; the other bits of its register may be written.
	 */
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

static void leave(void)
{
	close(ch_fd);
	close(ep_fd);
	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("abi_values", {"bad registers", bad_registers},
	  {"protected registers", protected_registers}, {"bad configurations", bad_configurations},
	  {"bad rings", bad_rings}, {"without rings", without_rings}, {"no links", no_links},
	  {"stopped channel", stopped_channel}, {"bad eventfds", bad_eventfds},
	  {"bad buffers", bad_buffers}, {"running channel", running_channel},
	  {"card was left alone", leave})
