// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Open the nodes of cards and channels, and restrict an open channel to the process that opened it.
 * Its rings are not inherited by a child of fork(). An ioctl of the child through its copy of the
 * descriptor would act on the parent's run.
 *
 * getpid() is a system call, and a handler of pthread_atfork() does not run after a bare clone().
 * So each process has a page that the kernel zeroes in each new child (MADV_WIPEONFORK): the check
 * costs one load and detects every child.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libudev.h>

#include "libroc.h"

uint32_t *libroc_process;
static uint32_t numbers; /* last number used by this process and its ancestors */

/* Map a page that is zero in each new child. On failure return NULL and set errno. */
static uint32_t *make_page(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	uint32_t *page, *first = NULL;
	int err;

	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, size, MADV_WIPEONFORK)) {
		err = errno;
		munmap(page, size);
		errno = err;
		return NULL;
	}
	if (__atomic_compare_exchange_n(&libroc_process, &first, page, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return page;
	/* Another thread has installed its page first. */
	munmap(page, size);
	return first;
}

int libroc_node_belongs(struct libroc_node *node, const char *name)
{
	uint32_t *page = __atomic_load_n(&libroc_process, __ATOMIC_ACQUIRE), number = 0;
	int saved = errno, err;

	if (!page)
		page = make_page();
	err = errno;
	errno = saved;
	if (!page)
		return roc_fail(err, "%s: cannot map the page that detects fork(): %s", name,
				strerror(err));
	node->process = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	if (!__atomic_compare_exchange_n(page, &number, node->process, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		node->process = number;
	return 0;
}

int libroc_fail_opener(const char *name)
{
	return libroc_fail_ioctl(EPERM, name, "cannot access the device");
}

int libroc_node_ioctl(const struct libroc_node *node, unsigned long request, void *arg)
{
	return libroc_is_opener(node) ? libroc_ioctl(node->fd, request, arg) : -EPERM;
}

void *libroc_node_map(const struct libroc_node *node, uint64_t length, uint64_t offset, int prot,
		      int *err)
{
	int saved = errno;
	void *at = mmap(NULL, length, prot, MAP_SHARED, node->fd, (off_t)offset);

	if (at != MAP_FAILED)
		return at;
	*err = errno;
	errno = saved;
	return NULL;
}

void libroc_node_unmap(const struct libroc_node *node, volatile const void *at, size_t length)
{
	/* A child did not inherit the mapping, and may have other memory at this address. */
	if (at && libroc_is_opener(node))
		munmap((void *)at, length);
}

void libroc_unmap(volatile const void *at, size_t length, int pid)
{
	if (at && (!pid || pid == getpid()))
		munmap((void *)at, length);
}

int libroc_eventfd(const struct libroc_node *node, const char *name, int eventfd)
{
	struct roc_ch_eventfd arg = {.size = sizeof(arg), .fd = eventfd};
	int ret = libroc_node_ioctl(node, ROC_CH_EVENTFD, &arg);

	if (ret == -EBADF || ret == -EINVAL)
		return roc_fail(-ret,
				"%s: descriptor %d is %s: pass a descriptor from eventfd(), or -1",
				name, eventfd, ret == -EBADF ? "not open" : "not an eventfd");
	if (ret < 0)
		return libroc_fail_ioctl(-ret, name, "cannot set the eventfd");
	return 0;
}

/* Check whether udev has yet to apply its rules to this device node. */
static bool udev_is_pending(dev_t node)
{
	struct udev *udev = udev_new();
	struct udev_device *device = udev ? udev_device_new_from_devnum(udev, 'c', node) : NULL;
	bool pending = device && udev_device_get_is_initialized(device) <= 0;

	udev_device_unref(device);
	udev_unref(udev);
	return pending;
}

static int fail_access(int err, const char *name, const char *node)
{
	int saved = errno;
	struct stat st;
	bool closed = !stat(node, &st) && (st.st_mode & 0060) != 0060;
	bool pending = closed && udev_is_pending(st.st_rdev);

	errno = saved;
	if (pending)
		return roc_fail(
			err,
			"%s: permission denied on %s, because udev has not applied its rules to it yet: wait (udevadm settle) and try again; if that does not help, check that systemd-udevd runs",
			name, node);
	if (closed)
		return roc_fail(
			err,
			"%s: permission denied on %s, which no group can access: install the udev rules (60-roc.rules) and run udevadm trigger",
			name, node);
	return roc_fail(
		err,
		"%s: permission denied on %s: add the user to group roc (sudo usermod -aG roc USER) and log in again",
		name, node);
}

int libroc_open_node(const struct roc_card *card, const char *name, const char *node)
{
	int saved = errno;
	int fd = open(node, O_RDWR | O_CLOEXEC);
	int err = errno;
	int ret = 0;

	errno = saved;
	if (fd >= 0 || err == EBUSY || err == ENOENT)
		ret = libroc_same_card(card, name);
	if (fd >= 0 && ret)
		close(fd);
	if (fd >= 0 || ret)
		return ret ? ret : fd;
	switch (err) {
	case EBUSY:
		return -EBUSY;
	case EACCES:
	case EPERM:
		return fail_access(err, name, node);
	case ENOENT:
		return roc_fail(
			err,
			"%s: %s does not exist although the driver has the card: check that /dev is a devtmpfs, or pass the node to the container",
			name, node);
	case ENODEV:
	case ENXIO:
		return roc_fail(ENODEV, "%s: the card was removed while it was being opened", name);
	default:
		return roc_fail(err, "%s: cannot open %s: %s", name, node, strerror(err));
	}
}
