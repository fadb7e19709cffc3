// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls to the driver and their error texts, with a fake kernel: opening, registers, a channel's
 * life, waiting. Those of memory are in libroc_buffers.c.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "libroc/core/libroc.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

#include "tests/unit/libroc/holes.h"

#include "fake_kernel.h"

static void opening(void)
{
	struct roc_endpoint *ep = NULL;
	struct roc_channel *ch = NULL;

	reset();
	UNIT_EQ(roc_open("999", &ep), -ENOENT);
	ERROR_HAS("no such card");

	errno = 77;
	fake.open_errno = EACCES;
	fake.node_mode = 0660;
	UNIT_EQ(roc_open("245", &ep), -EACCES);
	UNIT_STR(opened, "/dev/roc3");
	ERROR_HAS("group roc");
	ERROR_HAS("usermod -aG roc");
	fake.node_mode = 0600;
	UNIT_EQ(roc_open("245", &ep), -EACCES);
	ERROR_HAS("60-roc.rules");
	/* Right after a card was added */
	fake.udev_pending = true;
	UNIT_EQ(roc_open("245", &ep), -EACCES);
	ERROR_HAS("udev has not applied its rules to it yet: wait (udevadm settle)");
	CU_ASSERT_PTR_NULL(strstr(roc_error(), "60-roc.rules"));
	fake.node_mode = 0660;
	UNIT_EQ(roc_open("245", &ep), -EACCES);
	ERROR_HAS("usermod -aG roc");
	fake.open_errno = ENOENT;
	UNIT_EQ(roc_open("245", &ep), -ENOENT);
	ERROR_HAS("245 (0000:3b:00.0): /dev/roc3 does not exist");
	fake.open_errno = ENXIO;
	UNIT_EQ(roc_open("245", &ep), -ENODEV);
	fake.open_errno = EMFILE;
	UNIT_EQ(roc_open("245", &ep), -EMFILE);
	ERROR_HAS("Too many open files");
	UNIT_EQ(errno, 77); /* unchanged */
	CU_ASSERT_PTR_NULL(ep);

	fake.open_errno = EBUSY;
	fake.owner_pid = 4711;
	UNIT_EQ(roc_channel_open("245", 0, &ch), -EBUSY);
	UNIT_STR(opened, "/dev/roc3ch0");
	ERROR_HAS("245 (0000:3b:00.0) channel 0 is in use by PID 4711 (roc-bench-dma)");
	fake.owner_pid = -1;
	UNIT_EQ(roc_channel_open("245", 0, &ch), -EBUSY);
	ERROR_HAS("in use by roc-bench-dma, whose PID is not visible here");
	fake.owner_pid = 0;
	UNIT_EQ(roc_channel_open("245", 0, &ch), -EBUSY);
	ERROR_HAS("try again");
	UNIT_EQ(roc_channel_open("245", 2, &ch), -ENOENT);
	ERROR_HAS("245 (0000:3b:00.0) has no channel 2: it has 2, from 0");
	CU_ASSERT_PTR_NULL(ch);
	roc_close(NULL);
	roc_channel_close(NULL);
}

/* The driver reuses numbers: another card may have this number by now. */
static void another_card_with_its_number(void)
{
	struct roc_endpoint *ep = NULL;
	struct roc_channel *ch = NULL;

	reset();
	errno = 77;
	fake_address = "0000:af:00.0";
	UNIT_EQ(roc_open("245", &ep), -ENODEV);
	UNIT_STR(fake_address_path, "/sys/class/roc/roc3/pci_address");
	ERROR_HAS(
		"245 (0000:3b:00.0): the card was removed or reset, and its number is unused or belongs to another card");
	ERROR_HAS("list the cards again");
	CU_ASSERT_PTR_NULL(ep);
	UNIT_EQ(roc_channel_open("245", 0, &ch), -ENODEV);
	ERROR_HAS("belongs to another card");
	/* The owner of the other card's channel must not be reported. */
	fake.open_errno = EBUSY;
	fake.owner_pid = 4711;
	UNIT_EQ(roc_channel_open("245", 0, &ch), -ENODEV);
	fake.open_errno = 0;
	fake_address = NULL;
	UNIT_EQ(roc_channel_open("245", 0, &ch), -ENODEV);
	CU_ASSERT_PTR_NULL(ch);
	fake_address = FAKE_ADDRESS;
	fake_address_errno = EMFILE;
	UNIT_EQ(roc_open("245", &ep), -EMFILE);
	ERROR_HAS("Too many open files");
	fake_address_errno = 0;
	UNIT_EQ(errno, 77);
	UNIT_EQ(roc_open("245", &ep), 0);
	roc_close(ep);
}

/*
 * Error texts name the card by the user's id and its address, or by the address alone, never by the
 * number of a node.
 */
static void names(void)
{
	struct roc_card card = {.node = "/dev/roc3",
				.type = ROC_CARD_CRORC,
				.pci_address = "0000:3b:00.0",
				.channels = 1};
	struct roc_endpoint *ep;
	struct roc_channel *ch;
	uint32_t value;

	reset();
	UNIT_NEED(!roc_open("3b:00.0", &ep));
	fake.errno_ = ENODEV;
	UNIT_EQ(roc_reg_read(ep, 0, 0, &value), -ENODEV);
	ERROR_HAS("0000:3b:00.0: cannot read register");
	CU_ASSERT_PTR_NULL(strstr(roc_error(), " (0000"));
	CU_ASSERT_PTR_NULL(strstr(roc_error(), "roc3"));
	UNIT_STR(roc_endpoint_name(ep), "0000:3b:00.0");
	roc_close(ep);
	UNIT_NEED(!roc_open_card(&card, "#2", &ep));
	UNIT_STR(roc_endpoint_name(ep), "#2 (0000:3b:00.0)");
	UNIT_EQ(roc_card_lock(ep, 0), -ENODEV);
	ERROR_HAS("#2 (0000:3b:00.0): cannot lock the card");
	roc_close(ep);
	UNIT_NEED(!roc_channel_open_card(&card, NULL, 0, &ch));
	UNIT_EQ(roc_channel_start(ch), -ENODEV);
	ERROR_HAS("0000:3b:00.0 channel 0: ");
	UNIT_STR(roc_channel_name(ch), "0000:3b:00.0 channel 0");
	UNIT_EQ(roc_channel_card_type(ch), ROC_CARD_CRORC);
	roc_channel_close(ch);
	UNIT_EQ(roc_channel_open_card(&card, "#2", 1, &ch), -ENOENT);
	ERROR_HAS("#2 (0000:3b:00.0) has no channel 1");
}

static void registers(void)
{
	struct roc_endpoint *ep = endpoint();
	uint32_t value = 1, before = 2, after = 3;

	fake.reply = sizeof(struct roc_reg);
	fake.out.reg = (struct roc_reg){.size = sizeof(struct roc_reg), .value = 0xabcd, .old = 7};
	UNIT_EQ(roc_reg_read(ep, 2, 0x30804, &value), 0);
	UNIT_EQ(fake.request, ROC_REG_READ);
	UNIT_EQ(fake.in.reg.size, sizeof(struct roc_reg));
	UNIT_EQ(fake.in.reg.bar, 2);
	UNIT_EQ(fake.in.reg.offset, 0x30804);
	UNIT_EQ(fake.in.reg.value | fake.in.reg.mask | fake.in.reg.old | fake.in.reg.flags, 0);
	UNIT_EQ(value, 0xabcd);
	UNIT_EQ(roc_reg_modify(ep, 2, 4, 0xff, 0x12, &before, &after), 0);
	UNIT_EQ(fake.request, ROC_REG_MODIFY);
	UNIT_EQ(fake.in.reg.mask, 0xff);
	UNIT_EQ(fake.in.reg.value, 0x12);
	UNIT_EQ(before, 7);
	UNIT_EQ(after, 0xabcd);
	UNIT_EQ(roc_reg_modify(ep, 2, 4, 0xff, 0x12, NULL, NULL), 0);
	UNIT_EQ(roc_reg_write(ep, 0, 8, 0x55), 0);
	UNIT_EQ(fake.request, ROC_REG_WRITE);
	UNIT_EQ(fake.in.reg.value, 0x55);

	fake.reply = 0;
	value = 99;
	fake.errno_ = ENOENT;
	UNIT_EQ(roc_reg_read(ep, 5, 0, &value), -ENOENT);
	ERROR_HAS("no BAR 5");
	UNIT_EQ(value, 99);
	fake.errno_ = EINVAL;
	UNIT_EQ(roc_reg_read(ep, 2, 0x1002, &value), -EINVAL);
	ERROR_HAS("register 0x1002 of BAR 2");
	ERROR_HAS("multiple of 4");
	UNIT_EQ(roc_reg_modify(ep, 2, 0, 0, 0, NULL, NULL), -EINVAL);
	ERROR_HAS("mask must have at least one bit");
	fake.errno_ = ERANGE;
	UNIT_EQ(roc_reg_write(ep, 2, 0x10000000, 0), -ERANGE);
	ERROR_HAS("beyond the end");
	UNIT_EQ(roc_reg_modify(ep, 2, 0, 0xf, 0x10, NULL, NULL), -ERANGE);
	ERROR_HAS("value 0x10 has bits outside mask 0xf");
	fake.errno_ = EPERM;
	UNIT_EQ(roc_reg_write(ep, 0, 0x200, 1), -EPERM);
	ERROR_HAS("CAP_SYS_RAWIO");
	fake.errno_ = EBUSY;
	UNIT_EQ(roc_reg_write(ep, 2, 0x18, 0), -EBUSY);
	ERROR_HAS("stop all channels");
	fake.errno_ = EIO;
	UNIT_EQ(roc_reg_read(ep, 2, 0, &value), -EIO);
	ERROR_HAS("all ones");
	roc_close(ep);
}

/* Errors that every ioctl can return */
static void old_modules_and_lost_cards(void)
{
	struct roc_endpoint *ep = endpoint();
	struct roc_ep_info info;

	fake.errno_ = ENOTTY;
	UNIT_EQ(roc_info(ep, &info), -ENOTTY);
	ERROR_HAS("does not support the request");
	ERROR_HAS(roc_version());
	fake.errno_ = E2BIG;
	UNIT_EQ(roc_info(ep, &info), -E2BIG);
	ERROR_HAS("modprobe -r roc && modprobe roc");
	fake.errno_ = ENODEV;
	UNIT_EQ(roc_info(ep, &info), -ENODEV);
	ERROR_HAS("roc-list-cards"); /* the kernel log has no message in this case */
	ERROR_HAS("open it again");
	fake.errno_ = 0;
	fake.reply = sizeof(info);
	fake.out.info = (struct roc_ep_info){.size = sizeof(info), .serial = 245};
	UNIT_EQ(roc_info(ep, &info), 0);
	UNIT_EQ(fake.in.size, sizeof(info));
	UNIT_EQ(info.serial, 245);
	roc_close(ep);
}

/* Open an endpoint of which one page of BAR 0 can be mapped for reading. */
static struct roc_endpoint *endpoint_with_bar(void)
{
	struct roc_endpoint *ep = endpoint();

	UNIT_EQ(ftruncate(roc_endpoint_fd(ep), 8192), 0);
	fake.reply = sizeof(struct roc_bar_info);
	fake.out.bar = (struct roc_bar_info){.size = sizeof(struct roc_bar_info),
					     .access = ROC_BAR_MMAP_READ,
					     .length = 4096,
					     .mmap_offset = 4096};
	return ep;
}

static void bars(void)
{
	struct roc_endpoint *ep = endpoint_with_bar();
	struct roc_bar map = {0};

	UNIT_EQ(roc_bar_map(ep, 0, true, &map), -EACCES);
	ERROR_HAS("cannot map BAR 0 for writing");
	CU_ASSERT_PTR_NULL(map.regs);
	UNIT_EQ(roc_bar_map(ep, 0, false, &map), 0);
	UNIT_EQ(map.length, 4096);
	CU_ASSERT_FALSE(map.writable);
	UNIT_EQ(map.regs[1023], 0);
	roc_bar_unmap(&map);
	CU_ASSERT_PTR_NULL(map.regs);
	roc_bar_unmap(&map);
	fake.out.bar.access = ROC_BAR_MMAP_READ | ROC_BAR_MMAP_WRITE;
	UNIT_EQ(roc_bar_map(ep, 2, true, &map), 0);
	map.regs[2] = 0x1234;
	roc_bar_unmap(&map);
	UNIT_EQ(roc_bar_map(ep, 2, false, &map), 0);
	UNIT_EQ(map.regs[2], 0x1234);
	roc_bar_unmap(&map);
	fake.out.bar.access = 0;
	UNIT_EQ(roc_bar_map(ep, 2, false, &map), -EACCES);
	ERROR_HAS("for reading");
	fake.out.bar.access = ROC_BAR_MMAP_READ;
	fake.out.bar.length = 0;
	UNIT_EQ(roc_bar_map(ep, 2, false, &map), -EINVAL);
	fake.errno_ = ENOENT;
	UNIT_EQ(roc_bar_map(ep, 4, false, &map), -ENOENT);
	ERROR_HAS("no BAR 4");
	roc_close(ep);
}

static void configuration(void)
{
	struct roc_channel_config config = {ROC_SOURCE_DDG, ROC_MODE_BUSY, 0x30, 8192, 0};
	struct roc_channel *ch = channel(false);

	UNIT_EQ(roc_channel_configure(ch, &config), 0);
	UNIT_EQ(fake.in.configure.size, sizeof(struct roc_ch_configure));
	UNIT_EQ(fake.in.configure.source, ROC_SOURCE_DDG);
	UNIT_EQ(fake.in.configure.mode, ROC_MODE_BUSY);
	UNIT_EQ(fake.in.configure.links, 0x30);
	UNIT_EQ(fake.in.configure.page_size, 8192);
	UNIT_EQ(fake.in.configure.flags, 0);
	config.flags = ROC_CONFIGURE_STBRD;
	UNIT_EQ(roc_channel_configure(ch, &config), 0);
	UNIT_EQ(fake.in.configure.flags, ROC_CONFIGURE_STBRD);
	fake.errno_ = EBUSY;
	UNIT_EQ(roc_channel_configure(ch, &config), -EBUSY);
	ERROR_HAS("stop it first");
	fake.errno_ = EOPNOTSUPP;
	UNIT_EQ(roc_channel_configure(ch, &config), -EOPNOTSUPP);
	ERROR_HAS("page size 8192 or flags 0x1");
	fake.errno_ = ENOLINK;
	UNIT_EQ(roc_channel_configure(ch, &config), -ENOLINK);
	ERROR_HAS("mask 0x30");
	fake.errno_ = EINVAL;
	UNIT_EQ(roc_channel_configure(ch, &config), -EINVAL);
	ERROR_HAS("links 0x30");
	done(ch);
}

/* A program with a later header has more members, which are set to 0. */
static void losses(void)
{
	union {
		struct roc_ch_losses l;
		uint64_t word[5];
	} longer = {.word = {[4] = 7}};
	struct roc_channel *ch = channel(false);

	longer.l.size = sizeof(longer);
	UNIT_EQ(roc_channel_losses(ch, &longer.l), 0);
	UNIT_EQ(fake.request, ROC_CH_LOSSES);
	UNIT_EQ(fake.in.size, sizeof(struct roc_ch_losses));
	UNIT_EQ(longer.l.size, sizeof(longer));
	UNIT_EQ(longer.word[4], 0);
	longer.l.size = sizeof(longer.l) - 1;
	UNIT_EQ(roc_channel_losses(ch, &longer.l), -EINVAL);
	ERROR_HAS("at least 32 bytes, not 31");
	longer.l.size = sizeof(longer.l);
	fake.errno_ = ENOTTY;
	UNIT_EQ(roc_channel_losses(ch, &longer.l), -ENOTTY);
	done(ch);
}

static void mode(void)
{
	struct roc_channel *ch = channel(false);

	UNIT_EQ(roc_channel_mode(ch, ROC_MODE_EVENT), 0);
	UNIT_EQ(fake.request, ROC_CH_MODE);
	UNIT_EQ(fake.in.mode.size, sizeof(struct roc_ch_mode));
	UNIT_EQ(fake.in.mode.mode, ROC_MODE_EVENT);
	UNIT_EQ(fake.in.mode.flags, 0);
	fake.errno_ = EOPNOTSUPP;
	UNIT_EQ(roc_channel_mode(ch, ROC_MODE_EVENT), -EOPNOTSUPP);
	ERROR_HAS("does not support ROC_MODE_EVENT");
	fake.errno_ = EINVAL;
	UNIT_EQ(roc_channel_mode(ch, 7), -EINVAL);
	ERROR_HAS("no mode 7");
	done(ch);
}

static void start_stop_reset(void)
{
	struct roc_channel *ch = channel(false);
	unsigned int reclaimed = 5;

	CU_ASSERT_PTR_NULL(roc_channel_ring(ch));
	UNIT_EQ(roc_channel_start(ch), 0);
	UNIT_EQ(fake.calls, 2); /* rings, start */
	CU_ASSERT_PTR_NOT_NULL(roc_channel_ring(ch));
	fake.calls = 0;
	fake.errno_ = EBUSY;
	UNIT_EQ(roc_channel_start(ch), -EBUSY);
	UNIT_EQ(fake.calls, 1);
	ERROR_HAS("cannot start while running");
	fake.errno_ = ENOLINK;
	UNIT_EQ(roc_channel_start(ch), -ENOLINK);
	ERROR_HAS("enable at least one");
	fake.errno_ = EALREADY;
	UNIT_EQ(roc_channel_stop(ch, &reclaimed), -EALREADY);
	ERROR_HAS("not running");
	UNIT_EQ(reclaimed, 5);
	fake.failed_reason = ROC_REASON_RECORD;
	UNIT_EQ(roc_channel_stop(ch, &reclaimed), -EALREADY);
	ERROR_HAS("the run has failed: the card's records or descriptors are missing");
	fake.errno_ = EIO;
	fake.failed_reason = ROC_REASON_SETUP;
	UNIT_EQ(roc_channel_start(ch), -EIO);
	ERROR_HAS("cannot start: the card refused the addresses or sizes of its rings");
	fake.failed_reason = 0;
	UNIT_EQ(roc_channel_start(ch), -EIO);
	ERROR_HAS("answers all ones");
	UNIT_EQ(roc_channel_stop(ch, &reclaimed), -EIO);
	ERROR_HAS("may still write");
	fake.errno_ = 0;
	fake.reply = sizeof(struct roc_ch_control);
	fake.out.control = (struct roc_ch_control){.size = sizeof(fake.out.control), .count = 17};
	UNIT_EQ(roc_channel_stop(ch, &reclaimed), 0);
	UNIT_EQ(reclaimed, 17);
	UNIT_EQ(roc_channel_stop(ch, NULL), 0);
	fake.reply = 0;
	UNIT_EQ(roc_channel_reset(ch, ROC_RESET_INTERNAL), 0);
	UNIT_EQ(fake.request, ROC_CH_RESET);
	UNIT_EQ(fake.in.control.level, ROC_RESET_INTERNAL);
	fake.errno_ = EOPNOTSUPP;
	UNIT_EQ(roc_channel_reset(ch, ROC_RESET_INTERNAL_SIU), -EOPNOTSUPP);
	ERROR_HAS("does not support reset level INTERNAL_SIU");
	fake.errno_ = EINVAL;
	UNIT_EQ(roc_channel_reset(ch, 9), -EINVAL);
	ERROR_HAS("no reset level 9");
	fake.errno_ = EBUSY;
	UNIT_EQ(roc_channel_reset(ch, ROC_RESET_INTERNAL), -EBUSY);
	ERROR_HAS("stop it first");
	done(ch);
}

/* Open a channel of a C-RORC, whose single link has a far end. */
static struct roc_channel *ddl_channel(void)
{
	struct roc_channel *ch = NULL;

	reset();
	fake.type = ROC_CARD_CRORC;
	UNIT_NEED(!roc_channel_open("245", 1, &ch));
	UNIT_NEED(!roc_channel_rings(ch, ENTRIES, ENTRIES));
	fake.calls = 0;
	return ch;
}

static void links_that_are_down(void)
{
	struct roc_channel *ch = ddl_channel();

	fake.errno_ = ENOLINK;
	UNIT_EQ(roc_channel_start(ch), -ENOLINK);
	ERROR_HAS("245 (0000:3b:00.0) channel 1: cannot start: the link is down");
	UNIT_EQ(roc_channel_reset(ch, ROC_RESET_INTERNAL_SIU), -ENOLINK);
	ERROR_HAS("the link is down");
	fake.errno_ = ETIME;
	UNIT_EQ(roc_channel_start(ch), -ETIME);
	ERROR_HAS("did not answer in time");
	UNIT_EQ(roc_channel_reset(ch, ROC_RESET_INTERNAL_SIU), -ETIME);
	ERROR_HAS("did not answer in time");
	done(ch);
}

static void commands(void)
{
	struct roc_channel *ch = ddl_channel();
	uint32_t reply[ROC_COMMAND_REPLIES + 1] = {1, 2, 3, 4, 5};
	unsigned int count = 2;

	fake.reply = sizeof(struct roc_ch_command);
	fake.out.command = (struct roc_ch_command){.size = sizeof(struct roc_ch_command),
						   .command = 0x2,
						   .count = 2,
						   .reply = {0x20c2, 0x2, 77, 78}};
	UNIT_EQ(roc_channel_command(ch, 0x2, reply, &count), 0);
	UNIT_EQ(fake.request, ROC_CH_COMMAND);
	UNIT_EQ(fake.in.command.size, sizeof(struct roc_ch_command));
	UNIT_EQ(fake.in.command.command, 0x2);
	UNIT_EQ(fake.in.command.count, 2);
	UNIT_EQ(fake.in.command.reply[0] | fake.in.command.reply[3] | fake.in.command.flags, 0);
	UNIT_EQ(count, 2);
	UNIT_EQ(reply[0], 0x20c2);
	UNIT_EQ(reply[1], 0x2);
	UNIT_EQ(reply[2], 3); /* no more than requested */
	count = 0;
	fake.out.command.count = 0;
	UNIT_EQ(roc_channel_command(ch, 0xf1, NULL, &count), 0);

	/* Replies before the timeout are returned. */
	count = 4;
	fake.out.command.count = 1;
	fake.out.command.reply[0] = 0x1234;
	fake.errno_ = ETIME;
	UNIT_EQ(roc_channel_command(ch, 0x1, reply, &count), -ETIME);
	ERROR_HAS("command 0x1: the far end");
	UNIT_EQ(count, 1);
	UNIT_EQ(reply[0], 0x1234);
	UNIT_EQ(reply[1], 0x2);
	fake.errno_ = ENOLINK;
	UNIT_EQ(roc_channel_command(ch, 0x2, reply, &count), -ENOLINK);
	ERROR_HAS("command 0x2: the link is down");
	fake.errno_ = EBUSY;
	UNIT_EQ(roc_channel_command(ch, 0x2, reply, &count), -EBUSY);
	ERROR_HAS("not while the channel runs");
	fake.errno_ = EOPNOTSUPP;
	UNIT_EQ(roc_channel_command(ch, 0x2, reply, &count), -EOPNOTSUPP);
	ERROR_HAS("no link that accepts commands");
	fake.errno_ = ENOTTY;
	UNIT_EQ(roc_channel_command(ch, 0x2, reply, &count), -ENOTTY);
	ERROR_HAS("does not support the request");
	fake.calls = 0;
	count = ROC_COMMAND_REPLIES + 1;
	UNIT_EQ(roc_channel_command(ch, 0x2, reply, &count), -EINVAL);
	ERROR_HAS("at most 4 replies, not 5");
	UNIT_EQ(fake.calls, 0);
	done(ch);
}

static void making_rings(void)
{
	struct roc_channel *ch = channel(false);
	struct roc_ready ready;

	UNIT_EQ(roc_push(ch, 1, 0, 4096, 0), -EPIPE);
	ERROR_HAS("roc_channel_rings()");
	UNIT_EQ(roc_pop(ch, &ready), -EPIPE);
	UNIT_EQ(roc_channel_wait(ch, 1, 0), -EPIPE);
	UNIT_EQ(roc_channel_kick(ch), -EPIPE);
	UNIT_EQ(roc_channel_poll(ch), -EPIPE);
	UNIT_EQ(fake.calls, 0);
	fake.errno_ = EINVAL;
	UNIT_EQ(roc_channel_rings(ch, 17, 16), -EINVAL);
	ERROR_HAS("rings of 17 and 16 entries");
	fake.errno_ = EBUSY;
	UNIT_EQ(roc_channel_rings(ch, 16, 16), -EBUSY);
	ERROR_HAS("once per open");
	fake.errno_ = 0;
	UNIT_EQ(roc_channel_rings(ch, 16, 32), 0);
	UNIT_EQ(fake.in.rings.fill_entries, 16);
	UNIT_EQ(fake.in.rings.ready_entries, 32);
	UNIT_EQ(roc_channel_ring(ch)->fill_mask, ENTRIES - 1);
	done(ch);
}

/* Rings are made once per open. If mmap() fails, a later call maps them. */
static void rings_that_cannot_be_mapped(void)
{
	struct roc_channel *ch;
	unsigned int which;

	for (which = 1; which <= 2; which++) {
		ch = channel(false);
		errno = 77;
		refuse_map = which;
		UNIT_EQ(roc_channel_rings(ch, 16, 16), -ENOMEM);
		ERROR_HAS("cannot map the rings");
		ERROR_HAS("then call again");
		UNIT_EQ(errno, 77);
		UNIT_EQ(fake.calls, 1);
		refuse_map = 1;
		UNIT_EQ(roc_channel_start(ch), -ENOMEM);
		UNIT_EQ(fake.calls, 1);
		UNIT_EQ(roc_push(ch, 1, 0, 4096, 0), -EPIPE);
		UNIT_EQ(roc_channel_start(ch), 0);
		UNIT_EQ(fake.calls, 2);
		UNIT_EQ(fake.request, ROC_CH_START);
		UNIT_EQ(roc_push(ch, 1, 0, 4096, 0), 0);
		UNIT_EQ(fake.user->fill_prod, 1);
		fake.errno_ = EBUSY;
		UNIT_EQ(roc_channel_rings(ch, 16, 16), -EBUSY);
		done(ch);
	}
}

static void close_channel(void *ch)
{
	roc_channel_close(ch);
}

static void unmap_bar(void *map)
{
	roc_bar_unmap(map);
}

static int open_own(struct roc_channel *inherited)
{
	struct roc_channel *own;
	struct roc_ready ready;
	int at = 50;

	own = channel(true);
	IN_CHILD(at, !roc_pop(own, &ready));
	IN_CHILD(at, !roc_channel_start(own));
	REFUSED(at, roc_pop(inherited, &ready));
	return 0;
}

static int use_channel(void *arg)
{
	struct roc_channel_config config = {.source = ROC_SOURCE_DDG};
	struct roc_ch_losses losses = {.size = sizeof(losses)};
	unsigned int reclaimed, count = 0, calls = fake.calls;
	struct roc_channel *ch = arg;
	struct roc_ready ready;
	struct roc_ch_info info;
	uint32_t word = 0;
	int at = 0, fd;

	REFUSED(at, roc_channel_wait(ch, 1, 0));
	REFUSED(at, roc_channel_kick(ch));
	REFUSED(at, roc_channel_poll(ch));
	REFUSED(at, roc_push(ch, 1, 0, 4096, 0));
	REFUSED(at, roc_pop(ch, &ready));
	IN_CHILD(at, !roc_channel_ring(ch));
	REFUSED(at, roc_channel_rings(ch, 0, 0));
	REFUSED(at, roc_channel_start(ch));
	REFUSED(at, roc_channel_stop(ch, &reclaimed));
	REFUSED(at, roc_channel_reset(ch, ROC_RESET_INTERNAL));
	REFUSED(at, roc_channel_configure(ch, &config));
	REFUSED(at, roc_channel_mode(ch, ROC_MODE_BUSY));
	REFUSED(at, roc_channel_command(ch, 0, &word, &count));
	REFUSED(at, roc_channel_eventfd(ch, -1));
	REFUSED(at, roc_channel_info(ch, &info));
	REFUSED(at, roc_channel_losses(ch, &losses));
	REFUSED(at, roc_buffer_register(ch, &fake, 4096, 0, &word));
	REFUSED(at, roc_buffer_unregister(ch, 1));
	REFUSED(at, roc_buffer_export(ch, 1, 0, &fd));
	REFUSED(at, roc_buffer_import(ch, 0, 0, 0, 0, &word));
	IN_CHILD(at, fake.calls == calls);
	/* The page has the number of this process, and is 0 in its children. */
	IN_CHILD(at, !open_own(ch));
	return child_without(NULL, 0, (int (*)(void *))open_own, ch);
}

/* Rings are not inherited, and a child's ioctls would affect its parent's run. */
static void in_a_child_of_fork(void)
{
	struct roc_channel *ch = channel(true);
	struct roc_rings *r = roc_channel_ring(ch);
	struct iovec areas[] = {{r->user, 8192}, {(void *)r->kernel, 8192}};

	UNIT_EQ(child_without(areas, 2, use_channel, ch), 0);
	CU_ASSERT_PTR_EQUAL(roc_channel_ring(ch), r);
	UNIT_EQ(roc_push(ch, 1, 0, 4096, 0), 0);
	done(ch);
	/* A child cannot make missing rings either. */
	ch = channel(false);
	UNIT_EQ(child_without(NULL, 0, use_channel, ch), 0);
	done(ch);
}

/* A child has neither rings nor BARs, but may close its handles. */
static void children_let_go(void)
{
	struct roc_channel *ch = channel(true);
	struct roc_rings *r = roc_channel_ring(ch);
	struct iovec areas[] = {{r->user, 8192}, {(void *)r->kernel, 8192}}, bar;
	struct roc_bar map = {0};
	struct roc_endpoint *ep;

	UNIT_EQ(child_lets_go(areas, 2, close_channel, ch), 0);
	UNIT_EQ(roc_push(ch, 1, 0, 4096, 0), 0);
	done(ch);
	CU_ASSERT_FALSE(is_mapped(&areas[0]));
	CU_ASSERT_FALSE(is_mapped(&areas[1]));

	ep = endpoint_with_bar();
	UNIT_NEED(!roc_bar_map(ep, 0, false, &map));
	bar = (struct iovec){(void *)map.regs, map.length};
	UNIT_EQ(child_lets_go(&bar, 1, unmap_bar, &map), 0);
	roc_bar_unmap(&map);
	CU_ASSERT_FALSE(is_mapped(&bar));
	roc_close(ep);
}

static void push_and_pop(void)
{
	struct roc_channel *ch = channel(true);
	struct roc_fill *fill = (void *)((char *)fake.user + 4096);
	struct roc_ready ready;
	unsigned int i;

	UNIT_EQ(roc_pop(ch, &ready), 0);
	for (i = 0; i < ENTRIES; i++)
		UNIT_EQ(roc_push(ch, 3, i * 65536, 65536, 100 + i), 0);
	UNIT_EQ(fake.calls, 0); /* no system call while the kernel is awake */
	UNIT_EQ(fake.user->fill_prod, ENTRIES);
	UNIT_EQ(fill[2].buffer, 3);
	UNIT_EQ(fill[2].offset, 2 * 65536);
	UNIT_EQ(fill[2].length, 65536);
	UNIT_EQ(fill[2].cookie, 102);
	UNIT_EQ(fill[2].reserved, 0);
	UNIT_EQ(roc_push(ch, 3, 0, 65536, 0), -EAGAIN);
	ERROR_HAS("full");

	fake.kernel->fill_cons = 2;
	fake.kernel->flags = ROC_RING_NEED_KICK;
	UNIT_EQ(roc_push(ch, 3, 0, 65536, 0), 0);
	UNIT_EQ(fake.calls, 1);
	UNIT_EQ(fake.request, ROC_CH_KICK);
	UNIT_EQ(fake.in.control.flags, 0);
	fake.kernel->flags = ROC_RING_GONE | ROC_RING_NEED_KICK;
	UNIT_EQ(roc_push(ch, 3, 0, 65536, 0), -ENODEV);
	UNIT_EQ(fake.user->fill_prod, ENTRIES + 1);

	fake.ready[0] = (struct roc_ready){.cookie = 100, .received = 512};
	fake.ready[1] = (struct roc_ready){.cookie = 101, .received = 1024};
	fake.kernel->ready_prod = 2;
	UNIT_EQ(roc_pop(ch, &ready), 1);
	UNIT_EQ(ready.cookie, 100);
	UNIT_EQ(fake.user->ready_cons, 1);
	UNIT_EQ(roc_pop(ch, &ready), 1);
	UNIT_EQ(ready.received, 1024);
	UNIT_EQ(roc_pop(ch, &ready), 0);
	UNIT_EQ(fake.user->ready_cons, 2);
	done(ch);
}

static void waiting(void)
{
	struct roc_channel *ch = channel(true);
	struct roc_ready ready;
	unsigned int popped = 0;
	struct timespec now;
	int64_t left;

	fake.kernel->ready_prod = 2;
	UNIT_EQ(roc_channel_wait(ch, 2, 1000), 2);
	UNIT_EQ(roc_channel_wait(ch, 0, -1), 2);
	UNIT_EQ(fake.calls, 0); /* already ready: no system call */
	fake.arrive = 5;
	UNIT_EQ(roc_channel_wait(ch, 3, -1), 5);
	UNIT_EQ(fake.in.wait.min_ready, 3);
	UNIT_EQ(fake.in.wait.deadline, INT64_MAX);
	fake.arrive = 0;
	fake.errno_ = ETIME;
	clock_gettime(CLOCK_MONOTONIC, &now);
	UNIT_EQ(roc_channel_wait(ch, 7, 2500), -ETIME);
	ERROR_HAS("5 of 7 superpages after 2500 ms");
	left = fake.in.wait.deadline - (now.tv_sec * 1000000000ll + now.tv_nsec);
	CU_ASSERT_TRUE(left >= 2500000000ll && left < 3500000000ll);
	/* In busy mode the driver never polls by itself. */
	fake.errno_ = 0;
	UNIT_EQ(roc_channel_mode(ch, ROC_MODE_BUSY), 0);
	fake.errno_ = ETIME;
	UNIT_EQ(roc_channel_wait(ch, 7, 2500), -ETIME);
	ERROR_HAS("5 of 7 superpages after 2500 ms: in busy mode only roc_channel_poll()");
	CU_ASSERT_PTR_NULL(strstr(roc_error(), "source"));
	fake.errno_ = 0;
	UNIT_EQ(roc_channel_configure(ch, &(struct roc_channel_config){.mode = ROC_MODE_TIMER}), 0);
	fake.errno_ = ETIME;
	UNIT_EQ(roc_channel_wait(ch, 7, 2500), -ETIME);
	ERROR_HAS("that the source sends data");
	fake.arrive = 7; /* they arrived while the wait timed out */
	UNIT_EQ(roc_channel_wait(ch, 7, 0), 7);
	fake.arrive = 0;
	fake.errno_ = 0; /* the channel stopped: fewer than requested without an error */
	UNIT_EQ(roc_channel_wait(ch, 16, 100), 7);
	fake.errno_ = ENODEV; /* the card was removed: filled superpages are delivered first */
	UNIT_EQ(roc_channel_wait(ch, 16, 100), 7);
	for (; roc_pop(ch, &ready) == 1; popped++)
		;
	UNIT_EQ(popped, 7);
	UNIT_EQ(roc_channel_wait(ch, 1, 100), -ENODEV);
	ERROR_HAS("cannot wait: the card was removed");
	fake.errno_ = EINTR;
	UNIT_EQ(roc_channel_wait(ch, 16, 100), -EINTR);
	ERROR_HAS("signal");
	fake.calls = 0;
	UNIT_EQ(roc_channel_wait(ch, ENTRIES + 1, 100), -EINVAL);
	ERROR_HAS("holds 16");
	UNIT_EQ(roc_channel_wait(ch, 8, -2), -EINVAL);
	UNIT_EQ(fake.calls, 0);

	fake.errno_ = 0;
	fake.reply = sizeof(struct roc_ch_control);
	fake.out.control = (struct roc_ch_control){.size = sizeof(fake.out.control), .count = 4};
	UNIT_EQ(roc_channel_poll(ch), 4);
	UNIT_EQ(fake.in.control.flags, ROC_KICK_POLL);
	fake.out.control.count = 0;
	UNIT_EQ(roc_channel_kick(ch), 0);
	UNIT_EQ(fake.in.control.flags, 0);
	fake.reply = 0;
	fake.errno_ = EALREADY;
	UNIT_EQ(roc_channel_poll(ch), -EALREADY);
	ERROR_HAS("start it first");
	fake.failed_reason = ROC_REASON_LOST;
	UNIT_EQ(roc_channel_poll(ch), -EALREADY);
	ERROR_HAS("the run has failed: the card answers all ones");
	fake.failed_reason = 0;
	fake.errno_ = EBADF;
	UNIT_EQ(roc_channel_eventfd(ch, 55), -EBADF);
	ERROR_HAS("descriptor 55 is not open");
	fake.errno_ = EINVAL;
	UNIT_EQ(roc_channel_eventfd(ch, 1), -EINVAL);
	ERROR_HAS("not an eventfd");
	fake.errno_ = 0;
	UNIT_EQ(roc_channel_eventfd(ch, -1), 0);
	UNIT_EQ(fake.in.eventfd.fd, -1);
	done(ch);
}

static void interrupted(int signal)
{
}

/* A sleep lasts the full time, although a signal arrives every millisecond. */
static void sleeping(void)
{
	static const unsigned int lengths[] = {5, 30000};
	struct itimerval often = {{0, 1000}, {0, 1000}}, never = {0};
	struct sigaction action = {.sa_handler = interrupted};
	struct timespec begin, end;
	struct roc_endpoint *ep;
	size_t i;

	reset();
	UNIT_NEED(!roc_open("245", &ep));
	UNIT_NEED(!sigaction(SIGALRM, &action, NULL));
	UNIT_NEED(!setitimer(ITIMER_REAL, &often, NULL));
	errno = 77;
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		clock_gettime(CLOCK_MONOTONIC, &begin);
		roc_sleep(ep, lengths[i]);
		clock_gettime(CLOCK_MONOTONIC, &end);
		CU_ASSERT_TRUE((end.tv_sec - begin.tv_sec) * 1000000000l + end.tv_nsec -
				       begin.tv_nsec >=
			       lengths[i] * 1000l);
	}
	UNIT_EQ(errno, 77);
	setitimer(ITIMER_REAL, &never, NULL);
	roc_close(ep);
}

UNIT_MAIN("libroc_calls", {"open and its failures", opening},
	  {"another card with its number", another_card_with_its_number}, {"names", names},
	  {"registers", registers}, {"old modules and lost cards", old_modules_and_lost_cards},
	  {"BAR mappings", bars}, {"configuration", configuration}, {"mode while running", mode},
	  {"losses", losses}, {"start, stop, reset", start_stop_reset},
	  {"links that are down", links_that_are_down}, {"commands", commands},
	  {"making rings", making_rings},
	  {"rings that cannot be mapped", rings_that_cannot_be_mapped},
	  {"children close handles without mappings", children_let_go},
	  {"a child of fork() is refused", in_a_child_of_fork}, {"push and pop", push_and_pop},
	  {"waiting", waiting}, {"sleeping", sleeping})
