/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake the node of a card with named channels: the linker redirects open(), ioctl(), roc_find() and
 * roc_channel_owner() to these. An opened node is memory, and another process owns channel 1.
 * Included by the fake of a channel type, after the definitions of the card: FAKE_CARD,
 * FAKE_CHANNELS, FAKE_OWNER, FAKE_CAPS, FAKE_INFO with its structure, and FILE_END.
 */
#ifndef ROC_UNIT_LIBROC_FAKE_NODE_H
#define ROC_UNIT_LIBROC_FAKE_NODE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "libroc/core/libroc.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"
#include "fake_address.h"
#include "wrap_ioctl.h"
#include "wrap_mmap.h"

static struct {
	uint32_t failed_reason; /* failure reason of the last run */
	int open_errno, errno_; /* errno of the next call */
	int start_errno;	/* errno of a start after it has reset the rings */
	bool other;		/* the endpoint has no channels of this type */
	bool old;		/* the module does not support INFO */
	bool no_bell;
	unsigned int calls;
	unsigned long request; /* last request */
	char opened[64];
	char *area; /* mapping of the whole file */
} node;

/*
 * Defined by the fake of a channel type: INFO, false if there is no such channel; the result of an
 * ioctl that fails; all other ioctls.
 */
static bool fake_info(struct FAKE_INFO_ARG *info);
static void fake_refuse(unsigned long request, void *arg);
static int fake_ioctl(int fd, unsigned long request, void *arg);

int __wrap_open(const char *path, int flags, ...);
int __wrap_roc_find(const char *id, struct roc_card *card);
int __wrap_roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name,
			     size_t size);

int __wrap_open(const char *path, int flags, ...)
{
	int fd;

	snprintf(node.opened, sizeof(node.opened), "%s", path);
	if (node.open_errno && strstr(path, "ch")) {
		errno = node.open_errno;
		return -1;
	}
	fd = memfd_create("node", MFD_CLOEXEC);
	UNIT_EQ(ftruncate(fd, FILE_END), 0);
	return fd;
}

int __wrap_roc_find(const char *id, struct roc_card *card)
{
	*card = (struct roc_card){.type = FAKE_CARD, .channels = FAKE_CHANNELS};
	strcpy(card->node, "/dev/roc3");
	strcpy(card->pci_address, FAKE_ADDRESS);
	return strcmp(id, "245") ? roc_fail(ENOENT, "no such card") : 0;
}

int __wrap_roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name,
			     size_t size)
{
	if (channel != 1)
		return roc_fail(ENOENT, "channel %u is not open", channel);
	*pid = 4711;
	snprintf(name, size, "%s", FAKE_OWNER);
	return 0;
}

static void node_map(int fd)
{
	node.area = __real_mmap(NULL, FILE_END, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	UNIT_NEED(node.area != MAP_FAILED);
}

static void node_unmap(void)
{
	if (node.area)
		munmap(node.area, FILE_END);
	node.area = NULL;
}

static int get_info(struct FAKE_INFO_ARG *info)
{
	if (node.failed_reason) {
		info->state = ROC_CH_FAILED;
		info->reason = node.failed_reason;
		return 0;
	}
	if (!node.other && !node.old && fake_info(info))
		return 0;
	errno = node.other || node.old ? ENOTTY : ENOENT;
	return -1;
}

static int on_ioctl(int fd, unsigned long request, void *arg)
{
	if (request == ROC_EP_INFO) {
		((struct roc_ep_info *)arg)->caps = node.other ? 0 : FAKE_CAPS;
		((struct roc_ep_info *)arg)->channels = FAKE_CHANNELS;
		return 0;
	}
	if (request == FAKE_INFO)
		return get_info(arg);
	node.request = request;
	node.calls++;
	if (node.errno_) {
		errno = node.errno_;
		node.errno_ = 0;
		fake_refuse(request, arg);
		return -1;
	}
	return request == ROC_CH_EVENTFD ? 0 : fake_ioctl(fd, request, arg);
}

#endif
