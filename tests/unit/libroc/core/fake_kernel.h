/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake the kernel: the linker redirects the library's open(), ioctl(), stat(), roc_find() and
 * roc_channel_owner() to these (--wrap). The tests check the requests of the library and its
 * handling of the replies.
 */
#ifndef TESTS_FAKE_KERNEL_H
#define TESTS_FAKE_KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <libudev.h>

#include "libroc/core/libroc.h"
#include "unit.h"
#include "fake_address.h"
#include "wrap_ioctl.h"
#include "wrap_mmap.h"

#define ENTRIES 16
#define KERNEL_AREA 65536 /* offset of the kernel area in the file that replaces the node */

/* State of the fake kernel; reset() initializes it. */
static struct {
	int open_errno;		/* errno of the next open() */
	uint32_t failed_reason; /* failure reason of the last run */
	int errno_;		/* errno of the next ioctl() */
	mode_t node_mode;	/* mode of the node for stat(); 0: no node */
	bool udev_pending;	/* udev has not processed the node yet */
	unsigned long request;	/* last request */
	unsigned int calls;
	union { /* its argument, and the reply */
		struct roc_ep_info info;
		struct roc_bar_info bar;
		struct roc_reg reg;
		struct roc_ch_info ch;
		struct roc_ch_rings rings;
		struct roc_ch_configure configure;
		struct roc_ch_mode mode;
		struct roc_ch_control control;
		struct roc_ch_wait wait;
		struct roc_ch_eventfd eventfd;
		struct roc_ch_command command;
		struct roc_buf_register buf;
		struct roc_buf_unregister unbuf;
		struct roc_buf_export export;
		struct roc_buf_import import;
		uint32_t size;
	} in, out;
	uint32_t reply;			/* bytes of the reply to copy to the caller */
	struct roc_ring_kernel *kernel; /* rings of the last open */
	struct roc_ready *ready;
	struct roc_ring_user *user;
	uint32_t arrive; /* producer index of the ready ring after a wait */
	int owner_pid;	 /* -1: in another container, 0: none */
	enum roc_card_type type;
} fake;

static char opened[64];

int __wrap_open(const char *path, int flags, ...);
int __wrap_stat(const char *path, struct stat *st);
struct udev_device *__wrap_udev_device_new_from_devnum(struct udev *udev, char type, dev_t devnum);
int __wrap_udev_device_get_is_initialized(struct udev_device *device);
struct udev_device *__wrap_udev_device_unref(struct udev_device *device);
int __wrap_roc_find(const char *id, struct roc_card *card);
int __wrap_roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name,
			     size_t size);

static inline void reset(void)
{
	memset(&fake, 0, sizeof(fake));
}

int __wrap_open(const char *path, int flags, ...)
{
	snprintf(opened, sizeof(opened), "%s", path);
	UNIT_EQ(flags, O_RDWR | O_CLOEXEC);
	if (fake.open_errno) {
		errno = fake.open_errno;
		return -1;
	}
	return memfd_create("node", MFD_CLOEXEC);
}

int __wrap_stat(const char *path, struct stat *st)
{
	if (!fake.node_mode) {
		errno = ENOENT;
		return -1;
	}
	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFCHR | fake.node_mode;
	st->st_rdev = makedev(510, 3);
	return 0;
}

struct udev_device *__wrap_udev_device_new_from_devnum(struct udev *udev, char type, dev_t devnum)
{
	UNIT_EQ(type, 'c');
	UNIT_EQ(devnum, makedev(510, 3));
	return (void *)&fake;
}

int __wrap_udev_device_get_is_initialized(struct udev_device *device)
{
	CU_ASSERT_PTR_EQUAL(device, &fake);
	return !fake.udev_pending;
}

struct udev_device *__wrap_udev_device_unref(struct udev_device *device)
{
	return NULL;
}

int __wrap_roc_find(const char *id, struct roc_card *card)
{
	memset(card, 0, sizeof(*card));
	card->channels = 2;
	card->minor = 3;
	card->type = fake.type;
	strcpy(card->node, "/dev/roc3");
	strcpy(card->pci_address, FAKE_ADDRESS);
	return strcmp(id, "245") && !strchr(id, '.') ? roc_fail(ENOENT, "no such card") : 0;
}

int __wrap_roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name,
			     size_t size)
{
	if (!fake.owner_pid)
		return roc_fail(ENOENT, "no owner");
	*pid = fake.owner_pid > 0 ? fake.owner_pid : 0;
	snprintf(name, size, "roc-bench-dma");
	return 0;
}

/* Fill the node's file with the two areas that the driver would map. */
static inline void make_rings(int fd, struct roc_ch_rings *rings)
{
	char *area;

	UNIT_EQ(ftruncate(fd, 2 * KERNEL_AREA), 0);
	area = __real_mmap(NULL, 2 * KERNEL_AREA, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	UNIT_NEED(area != MAP_FAILED);
	fake.user = (void *)area;
	fake.kernel = (void *)(area + KERNEL_AREA);
	fake.ready = (void *)(area + KERNEL_AREA + 4096);
	rings->fill_entries = ENTRIES;
	rings->ready_entries = ENTRIES;
	rings->user_offset = 0;
	rings->user_length = 8192;
	rings->kernel_offset = KERNEL_AREA;
	rings->kernel_length = 8192;
	rings->fill_entries_offset = 4096;
	rings->ready_entries_offset = 4096;
}

static void *on_mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset)
{
	return __real_mmap(at, length, prot, flags, fd, offset);
}

static int on_ioctl(int fd, unsigned long request, void *arg)
{
	if (request == ROC_CH_INFO && fake.failed_reason) {
		((struct roc_ch_info *)arg)->state = ROC_CH_FAILED;
		((struct roc_ch_info *)arg)->reason = fake.failed_reason;
		return 0;
	}
	fake.request = request;
	fake.calls++;
	memcpy(&fake.in, arg, *(uint32_t *)arg);
	if (fake.reply)
		memcpy(arg, &fake.out, fake.reply);
	if (request == ROC_CH_WAIT && fake.kernel && fake.arrive)
		fake.kernel->ready_prod = fake.arrive;
	if (fake.errno_) {
		errno = fake.errno_;
		return -1;
	}
	if (request == ROC_CH_RINGS)
		make_rings(fd, arg);
	return 0;
}

static inline struct roc_endpoint *endpoint(void)
{
	struct roc_endpoint *ep = NULL;

	reset();
	UNIT_NEED(!roc_open("245", &ep));
	return ep;
}

static inline struct roc_channel *channel(bool with_rings)
{
	struct roc_channel *ch = NULL;

	reset();
	UNIT_NEED(!roc_channel_open("245", 1, &ch));
	if (with_rings)
		UNIT_NEED(!roc_channel_rings(ch, ENTRIES, ENTRIES));
	fake.calls = 0;
	return ch;
}

/* Close the channel and unmap the two areas of make_rings(). */
static inline void done(struct roc_channel *ch)
{
	if (fake.user)
		munmap(fake.user, 2 * KERNEL_AREA);
	roc_channel_close(ch);
	reset();
}

#endif
