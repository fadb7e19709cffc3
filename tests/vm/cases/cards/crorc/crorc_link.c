// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a C-RORC's detector link and its registers: errors within their time limits, commands,
 * access rights, and removal with six channels running.
 */
#include "common/case.h"

#include <sys/mman.h>

#define LIMIT_MS 30000
#define SLACK_MS 1500 /* tolerance for a busy host */
#define SIX CRORC_CHANNELS

static bool plain(void)
{
	if (!has_events(CRORC_ID))
		return true;
	unit_skip("the card has the event interface");
	return false;
}

/* A neighbouring channel that runs while another one has an error. */
static bool neighbour(struct rig *r)
{
	emu_normal_crorc(CRORC0);
	*r = (struct rig){.id = CRORC_ID, .channel = 0, .superpage = 32 * KIB};
	if (!rig_open(r))
		return false;
	rig_push(r, RIG_MAX);
	return rig_start(r) && rig_run(r, 5, LIMIT_MS);
}

static void neighbour_ends(struct rig *r)
{
	CU_ASSERT(rig_run(r, r->filled + 20, LIMIT_MS));
	rig_stop(r);
	RIG_OK(r);
	rig_close(r);
	CU_ASSERT(emu_clean(CRORC0));
	emu_normal_crorc(CRORC0);
}

/* START of a source fails with this error, within its documented time limits. */
static void start_fails(enum roc_source source, int err, unsigned int at_least,
			unsigned int at_most)
{
	struct rig r = {.id = CRORC_ID, .channel = 3, .source = source, .superpage = 32 * KIB};
	int64_t begin, took;

	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	begin = now_ms();
	UNIT_EQ(control(rig_fd(&r), ROC_CH_START, 0, 0), err);
	took = now_ms() - begin;
	at_most = patience_ms(at_most + SLACK_MS);
	if (took < at_least || took > at_most)
		unit_note("took %lld ms, not %u to %u", (long long)took, at_least, at_most);
	CU_ASSERT(took >= at_least && took <= at_most);
	UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_STOPPED);
	UNIT_EQ(emu_peek(CRORC0, 0, 3, CRORC_CHAN_CSR) & CRORC_CHAN_CSR_DMA, 0);
	/* The driver treats a channel after a failed start as idle: neither as load nor as hung. */
	CU_ASSERT(UNIT_WAIT(thread_state(CRORC_ID, 3) == 'I', 2000));
	rig_close(&r);
}

static void works(enum roc_source source)
{
	struct rig r = {.id = CRORC_ID, .channel = 3, .source = source, .superpage = 32 * KIB};

	CU_ASSERT(rig_once(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
}

static void link_down(void)
{
	struct rig other;

	if (!plain())
		return;
	UNIT_NEED(neighbour(&other));
	emu(CRORC0, "set link-state 3=down");
	start_fails(ROC_SOURCE_FEE, -ENOLINK, 100, 2200);
	start_fails(ROC_SOURCE_SIU, -ENOLINK, 100, 2200);
	CU_ASSERT(UNIT_WAIT(!strcmp(node_attr(CRORC_ID, 3, "link_down"), "1"), 5000));
	UNIT_STR(node_attr(CRORC_ID, 0, "link_down"), "0");
	/* The other channels do not need this link. */
	works(ROC_SOURCE_INTERNAL);
	works(ROC_SOURCE_DIU);
	emu(CRORC0, "set link-state 3=up");
	works(ROC_SOURCE_FEE);
	works(ROC_SOURCE_SIU);
	neighbour_ends(&other);
}

/* The link is never up for a thousand polls in a row: the start fails after two seconds. */
static void link_flaps(void)
{
	struct rig other;

	if (!plain())
		return;
	UNIT_NEED(neighbour(&other));
	emu(CRORC0, "fault 0 link-flap 0x8 50");
	start_fails(ROC_SOURCE_FEE, -ENOLINK, 2000, 2200);
	emu(CRORC0, "fault all clear");
	works(ROC_SOURCE_FEE);
	neighbour_ends(&other);
}

/*
 * If a link goes down in a run, the run stays alive without data. When it is up again, data go on.
 */
static void link_lost_in_run(void)
{
	struct rig r = {
		.id = CRORC_ID, .channel = 3, .source = ROC_SOURCE_FEE, .superpage = 32 * KIB};

	if (!plain())
		return;
	emu_normal_crorc(CRORC0);
	CU_ASSERT(rig_open(&r));
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 10, LIMIT_MS));
	emu(CRORC0, "set link-state 3=down");
	sleep_ms(50);
	rig_take(&r, true);
	CU_ASSERT(emu_idle(CRORC0, 0, 100));
	UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_RUNNING);
	emu(CRORC0, "set link-state 3=up");
	CU_ASSERT(rig_run(&r, r.filled + 20, LIMIT_MS));
	emu(CRORC0, "set link-state 3=down");
	/* Over a link that is down "end of block" gets no reply; the stop succeeds all the same. */
	CU_ASSERT(rig_stop(&r));
	rig_agrees(&r, CRORC0, 0);
	RIG_OK(&r);
	rig_close(&r);
	CU_ASSERT(emu_clean(CRORC0));
	emu_normal_crorc(CRORC0);
}

static void stuck(void)
{
	struct rig other;

	if (!plain())
		return;
	UNIT_NEED(neighbour(&other));
	emu(CRORC0, "fault 0 ddl-stuck 0x8");
	start_fails(ROC_SOURCE_FEE, -ETIME, 100, 300);
	start_fails(ROC_SOURCE_SIU, -ETIME, 100, 300);
	start_fails(ROC_SOURCE_DIU, -ETIME, 100, 300);
	works(ROC_SOURCE_INTERNAL);
	emu(CRORC0, "fault all clear");
	works(ROC_SOURCE_FEE);
	neighbour_ends(&other);
}

static struct roc_ch_command command(int fd, uint32_t word, uint32_t count, int err)
{
	struct roc_ch_command c = {.size = sizeof(c), .command = word, .count = count};

	UNIT_EQ(abi(fd, ROC_CH_COMMAND, &c), err);
	return c;
}

static void commands(void)
{
	int fd = node_open(CRORC_ID, 3), cru = node_open(EP0, 0);
	struct roc_ch_command c;
	unsigned int i;

	emu_normal_crorc(CRORC0);
	/*
	 * Each word has the transaction id of its command, so no command gets another one's reply.
	 */
	for (i = 1; i < 4; i++) {
		c = command(fd, CRORC_DDL_READ_STATUS_SIU | i << 8, 2, 0);
		UNIT_EQ(c.count, 2);
		UNIT_EQ(CRORC_DDL_CODE(c.reply[0]), CRORC_DDL_IFSTW);
		UNIT_EQ(CRORC_DDL_END(c.reply[0]), CRORC_DDL_END_SIU);
		UNIT_EQ(CRORC_DDL_PORT_STATE(c.reply[0]), CRORC_DDL_PORT_ONLINE);
		UNIT_EQ(CRORC_DDL_TRANSACTION(c.reply[1]), i);
		UNIT_EQ(CRORC_DDL_CODE(c.reply[1]), CRORC_DDL_CTSTW);
		/*
		 * A surplus word, or an unsolicited one, must not become the reply to the next
		 * command.
		 */
		emu(CRORC0, "fault 0 ddl-extra 0x8 1");
		command(fd, CRORC_DDL_READ_STATUS_DIU | i << 8, i % 2, 0);
	}
	c = command(fd, CRORC_DDL_HARDWARE_ID(0), 2, 0);
	UNIT_EQ(CRORC_DDL_CODE(c.reply[0]), CRORC_DDL_HWSTW);
	CU_ASSERT(c.reply[0] >> CRORC_DDL_HWSTW_SHIFT & 0x7f);
	/* With fewer words than requested, the caller gets those that arrived. */
	c = command(fd, CRORC_DDL_READ_STATUS_SIU, 3, -ETIME);
	UNIT_EQ(c.count, 2);
	UNIT_EQ(CRORC_DDL_CODE(c.reply[0]), CRORC_DDL_IFSTW);
	emu(CRORC0, "fault 0 ddl-stuck 0x8");
	c = command(fd, CRORC_DDL_READ_STATUS_SIU, 1, -ETIME);
	UNIT_EQ(c.count, 0);
	emu(CRORC0, "fault all clear");
	emu(CRORC0, "set link-state 3=down");
	command(fd, CRORC_DDL_READ_STATUS_SIU, 2, -ENOLINK);
	command(fd, CRORC_DDL_RDYRX, 1, -ENOLINK);
	command(fd, CRORC_DDL_READ_STATUS_DIU, 2, 0);
	emu_normal_crorc(CRORC0);
	/* A card without such a link (a CRU). */
	command(cru, CRORC_DDL_READ_STATUS_DIU, 1, -EOPNOTSUPP);
	close(cru);
	close(fd);
}

static void command_rejections(void)
{
	struct roc_ch_command bad[] = {
		{.flags = 1, .count = 1},
		{.count = ROC_COMMAND_REPLIES + 1},
		{.count = UINT32_MAX},
		{.count = 1, .reply = {1}},
		{.count = 1, .reply = {0, 0, 0, 1}},
	};
	struct rig r = {.id = CRORC_ID, .channel = 3, .superpage = 32 * KIB};
	size_t i;

	emu_normal_crorc(CRORC0);
	CU_ASSERT(rig_open(&r));
	for (i = 0; i < N(bad); i++) {
		bad[i].size = sizeof(bad[i]);
		UNIT_EQ(abi(rig_fd(&r), ROC_CH_COMMAND, &bad[i]), -EINVAL);
	}
	UNIT_EQ(emu_count(CRORC0, 0, "ddl_commands"), 0);
	CU_ASSERT(rig_start(&r));
	command(rig_fd(&r), CRORC_DDL_READ_STATUS_DIU, 1, -EBUSY);
	UNIT_EQ(control(rig_fd(&r), ROC_CH_RESET, 0, ROC_RESET_INTERNAL), -EBUSY);
	UNIT_EQ(emu_count(CRORC0, 0, "ddl_commands"), 0);
	CU_ASSERT(rig_stop(&r));
	command(rig_fd(&r), CRORC_DDL_READ_STATUS_DIU, 1, 0);
	RIG_OK(&r);
	rig_close(&r);
}

static void reset_levels(void)
{
	int fd = node_open(CRORC_ID, 3);

	emu_normal_crorc(CRORC0);
	UNIT_EQ(control(fd, ROC_CH_RESET, 0, ROC_RESET_NOTHING), 0);
	UNIT_EQ(emu_link_count(CRORC0, 0, 3, "resets"), 0);
	UNIT_EQ(control(fd, ROC_CH_RESET, 0, ROC_RESET_INTERNAL), 0);
	CU_ASSERT(emu_link_count(CRORC0, 0, 3, "resets") > 0);
	UNIT_EQ(emu_count(CRORC0, 0, "ddl_commands"), 0);
	UNIT_EQ(control(fd, ROC_CH_RESET, 0, ROC_RESET_INTERNAL_SIU), 0);
	UNIT_EQ(emu_count(CRORC0, 0, "ddl_commands"), 2);
	UNIT_EQ(emu_link_count(CRORC0, 0, 2, "resets"), 0);
	emu(CRORC0, "set link-state 3=down");
	UNIT_EQ(control(fd, ROC_CH_RESET, 0, ROC_RESET_INTERNAL_SIU), -ENOLINK);
	emu_normal_crorc(CRORC0);
	close(fd);
}

static int mapped(int fd, unsigned int bar, int prot)
{
	struct roc_bar_info info = {.size = sizeof(info), .bar = bar};
	void *p;

	if (abi(fd, ROC_BAR_INFO, &info))
		return -EIO;
	p = mmap(NULL, info.length, prot, MAP_SHARED, fd, info.mmap_offset);
	if (p == MAP_FAILED)
		return -errno;
	munmap(p, info.length);
	return 0;
}

/* Without CAP_SYS_RAWIO. Returns the number of the first source line with a wrong result. */
static int policy_as_user(void *arg)
{
	static const uint32_t forbidden[] = {
		CRORC_CARD_CSR,	 CRORC_CHAN_CSR,      CRORC_DDL_COMMAND, CRORC_GENERATOR,
		CRORC_SP_SIZE,	 CRORC_SP_LOW,	      CRORC_SP_HIGH,	 CRORC_DONE_LOW,
		CRORC_DONE_HIGH, CRORC_FLASH_COMMAND,
	};
	static const uint32_t addresses[] = {CRORC_SP_LOW, CRORC_SP_HIGH, CRORC_DONE_LOW,
					     CRORC_DONE_HIGH};
	int fd = node_open(CRORC_ID, -1);
	unsigned int bar, i;
	uint32_t v;

	for (bar = 0; bar < SIX; bar++) {
		if (mapped(fd, bar, PROT_READ) != -EPERM ||
		    mapped(fd, bar, PROT_READ | PROT_WRITE) != -EPERM)
			return 10 + bar;
		for (i = 0; i < N(forbidden); i++)
			if (reg_write(fd, bar, forbidden[i], 0) != -EPERM ||
			    reg_modify(fd, bar, forbidden[i], 1, 0, NULL) != -EPERM)
				return 100 + i;
		if (reg_read(fd, bar, CRORC_DDL_STATUS, &v) != -EPERM)
			return 20 + bar;
		for (i = 0; i < N(addresses); i++)
			if (reg_read(fd, bar, addresses[i], &v) != -EPERM)
				return 150 + i;
		if (reg_read(fd, bar, CRORC_SP_SIZE, &v) || reg_read(fd, bar, CRORC_CHAN_CSR, &v))
			return 30 + bar;
		if (reg_modify(fd, bar, CRORC_CONFIG_A, CRORC_CONFIG_A_ID, 0x120, NULL) ||
		    reg_read(fd, 0, CRORC_CONFIG_A, &v) || (v & CRORC_CONFIG_A_ID) != 0x120 ||
		    reg_modify(fd, 0, CRORC_CONFIG_A, CRORC_CONFIG_A_ID, 0, NULL))
			return 40 + bar;
		if (reg_write(fd, bar, CRORC_I2C_COMMAND, CRORC_I2C_LASER_ON) != (bar ? -EPERM : 0))
			return 50 + bar;
	}
	close(fd);
	return 0;
}

static void register_policy(void)
{
	int fd = node_open(CRORC_ID, -1);
	uint32_t v;

	emu_normal_crorc(CRORC0);
	UNIT_EQ(child_run(AS_READER, policy_as_user, NULL, 20000), 0);
	UNIT_EQ(child_run(AS_ROOT_NO_CAPS, policy_as_user, NULL, 20000), 0);
	UNIT_EQ(emu_touched(CRORC0, 0, 3, CRORC_DDL_STATUS).reads, 0);
	UNIT_EQ(emu_touched(CRORC0, 0, 3, CRORC_SP_SIZE).writes, 0);
	/*
	 * With CAP_SYS_RAWIO: the only page holds the flash command register, which cannot be
	 * mapped writable.
	 */
	UNIT_EQ(mapped(fd, 5, PROT_READ), 0);
	UNIT_EQ(mapped(fd, 5, PROT_READ | PROT_WRITE), -EPERM);
	UNIT_EQ(reg_read(fd, 3, CRORC_DDL_STATUS, &v), 0);
	UNIT_EQ(reg_write(fd, 3, CRORC_SP_LOW, 0x1000), 0);
	UNIT_EQ(reg_read(fd, 3, CRORC_SP_LOW, &v), 0);
	UNIT_EQ(v, 0x1000);
	close(fd);
}

/* Even root cannot do these to a card in use. */
static void in_use(void)
{
	struct rig r = {.id = CRORC_ID, .channel = 3, .superpage = 32 * KIB};
	int fd = node_open(CRORC_ID, -1);

	emu_normal_crorc(CRORC0);
	UNIT_EQ(reg_write(fd, 0, CRORC_FLASH_COMMAND, CRORC_FLASH_ADDRESS), 0);
	CU_ASSERT(rig_open(&r) && rig_start(&r));
	UNIT_EQ(reg_write(fd, 0, CRORC_FLASH_COMMAND, CRORC_FLASH_ADDRESS), -EBUSY);
	UNIT_EQ(reg_write(fd, 5, CRORC_FLASH_COMMAND, CRORC_FLASH_ADDRESS), -EBUSY);
	UNIT_EQ(reg_modify(fd, 3, CRORC_CONFIG_B, CRORC_CONFIG_B_FLUSH, CRORC_CONFIG_B_FLUSH, NULL),
		-EBUSY);
	UNIT_EQ(reg_write(fd, 3, CRORC_CONFIG_B, CRORC_CONFIG_B_FLUSH), -EBUSY);
	/* The configuration register beside it may be written. */
	UNIT_EQ(reg_modify(fd, 3, CRORC_CONFIG_B, CRORC_CONFIG_B_LENGTH, 128, NULL), 0);
	UNIT_EQ(reg_modify(fd, 3, CRORC_CONFIG_B, CRORC_CONFIG_B_LENGTH, 256, NULL), 0);
	UNIT_EQ(emu_count(CRORC0, 0, "flushes"), 0);
	CU_ASSERT(rig_stop(&r));
	UNIT_EQ(reg_write(fd, 0, CRORC_FLASH_COMMAND, CRORC_FLASH_ADDRESS), 0);
	RIG_OK(&r);
	rig_close(&r);
	close(fd);
}

static void no_events(void)
{
	struct roc_ch_configure c = {.size = sizeof(c), .mode = ROC_MODE_EVENT};
	struct roc_ch_mode m = {.size = sizeof(m), .mode = ROC_MODE_EVENT};
	int fd;

	if (!plain())
		return;
	fd = node_open(CRORC_ID, 3);
	UNIT_EQ(abi(fd, ROC_CH_CONFIGURE, &c), -EOPNOTSUPP);
	UNIT_EQ(abi(fd, ROC_CH_MODE, &m), -EOPNOTSUPP);
	c = (struct roc_ch_configure){.size = sizeof(c), .source = ROC_SOURCE_DDG};
	UNIT_EQ(abi(fd, ROC_CH_CONFIGURE, &c), -EOPNOTSUPP);
	c = (struct roc_ch_configure){
		.size = sizeof(c), .source = ROC_SOURCE_DIU, .flags = ROC_CONFIGURE_STBRD};
	UNIT_EQ(abi(fd, ROC_CH_CONFIGURE, &c), -EOPNOTSUPP);
	c = (struct roc_ch_configure){.size = sizeof(c), .links = 0x2};
	UNIT_EQ(abi(fd, ROC_CH_CONFIGURE, &c), -ENOLINK);
	close(fd);
	UNIT_EQ(node_open(CRORC_ID, SIX), -ENOENT);
}

static struct rig six[SIX];

static bool six_open(void)
{
	bool good = true;
	unsigned int i;

	emu_normal_crorc(CRORC0);
	for (i = 0; i < SIX; i++) {
		six[i] = (struct rig){
			.id = CRORC_ID, .channel = i, .superpage = 32 * KIB, .no_poison = true};
		good = good && rig_open(&six[i]);
		if (good)
			rig_push(&six[i], RIG_MAX);
		good = good && rig_start(&six[i]);
		good = good && rig_run(&six[i], 5, LIMIT_MS);
		RIG_OK(&six[i]);
	}
	return good;
}

static void six_are_out(int64_t before)
{
	struct roc_ch_info info = {.size = sizeof(info)};
	unsigned int i;

	CU_ASSERT(emu_idle(CRORC0, 0, 200));
	for (i = 0; i < SIX; i++) {
		UNIT_EQ(abi(rig_fd(&six[i]), ROC_CH_INFO, &info), -ENODEV);
		UNIT_EQ(control(rig_fd(&six[i]), ROC_CH_START, 0, 0), -ENODEV);
		CU_ASSERT(six[i].rings->kernel->flags & ROC_RING_GONE);
		rig_take(&six[i], false);
		UNIT_EQ(rig_missing(&six[i]), 0);
		RIG_OK(&six[i]);
	}
	UNIT_EQ(pins(), before);
	for (i = 0; i < SIX; i++)
		rig_close(&six[i]);
	UNIT_EQ(emu_count(CRORC0, 0, "dma_outside"), 0);
}

static void unbound_with_six(void)
{
	char address[ROC_TEXT_MAX];
	int64_t before = pins();

	strcpy(address, pci_address(CRORC_ID));
	UNIT_NEED(six_open());
	UNIT_EQ(driver_unbind(address), 0);
	six_are_out(before);
	UNIT_NEED(driver_bind(address));
	works(ROC_SOURCE_FEE);
}

static void reset_with_six(void)
{
	int64_t before = pins();
	char path[96];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", pci_address(CRORC_ID));
	UNIT_NEED(six_open());
	UNIT_EQ(put_text(path, "1"), 0);
	six_are_out(before);
	CU_ASSERT(emu_count(CRORC0, 0, "function_resets") > 0);
	works(ROC_SOURCE_FEE);
	CU_ASSERT(emu_clean(CRORC0));
	emu_normal_crorc(CRORC0);
}

UNIT_MAIN("crorc_link", {"link down", link_down}, {"link flaps", link_flaps},
	  {"link lost in a run", link_lost_in_run}, {"stuck link", stuck}, {"commands", commands},
	  {"command rejections", command_rejections}, {"reset levels", reset_levels},
	  {"register policy", register_policy}, {"in use", in_use},
	  {"does not support ROC_MODE_EVENT", no_events},
	  {"unbound with six running", unbound_with_six},
	  {"function reset with six running", reset_with_six})
