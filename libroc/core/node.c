// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opening the device nodes of a card. The driver gives the lowest free number to each new card: a
 * card that was found before may have another number by now, and another card its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <libudev.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libroc.h"

int libroc_same_card(const struct roc_card *card, const char *name)
{
	char path[sizeof(LIBROC_CLASS_PATH) + 32];
	int saved = errno;
	int ret;

	snprintf(path, sizeof(path), LIBROC_CLASS_PATH "/roc%d/pci_address", card->minor);
	ret = libroc_sysfs_is(AT_FDCWD, path, card);
	errno = saved;
	if (ret == -ENODEV)
		return roc_fail(ENODEV,
				"%s: the card was removed or reset, and another has its number by "
				"now, or none: list the cards again (roc-list-cards says whether "
				"it is there)",
				name);
	if (ret)
		return roc_fail(-ret, "%s: cannot see whose %s is: %s", name, path, strerror(-ret));
	return 0;
}

/*
 * Has udev applied its rules to this node? The kernel makes a node for root alone, and a program
 * can open it before udev is done: at boot, or when a card comes back after a reset.
 */
static bool udev_is_done(dev_t number)
{
	struct udev *udev = udev_new();
	struct udev_device *device = NULL;
	bool done;

	if (udev)
		device = udev_device_new_from_devnum(udev, 'c', number);
	done = device && udev_device_get_is_initialized(device) > 0;
	udev_device_unref(device);
	udev_unref(udev);
	return done;
}

int libroc_open_node(const struct roc_card *card, const char *name, const char *node)
{
	int saved = errno;
	int fd = open(node, O_RDWR | O_CLOEXEC);
	struct stat st;
	int err = errno;
	bool ready;
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
		if (!stat(node, &st) && (st.st_mode & 0060) != 0060) {
			ready = udev_is_done(st.st_rdev);
			errno = saved;
			if (!ready)
				return roc_fail(err,
						"%s: permission denied on %s: udev has not set its "
						"group yet: wait for udev (udevadm settle) and try "
						"again; where no udev runs, set its group and mode",
						name, node);
			return roc_fail(err,
					"%s: permission denied on %s, and its group has no "
					"access either: install the udev rules (60-roc.rules) "
					"and run udevadm trigger",
					name, node);
		}
		errno = saved;
		return roc_fail(err,
				"%s: permission denied on %s: add the user to group roc "
				"(sudo usermod -aG roc USER) and log in again",
				name, node);
	case ENOENT:
		return roc_fail(err,
				"%s: %s does not exist although the driver has the card: check "
				"that /dev is a devtmpfs, or give the node to the container",
				name, node);
	case ENODEV:
	case ENXIO:
		return roc_fail(ENODEV, "%s: the card was removed while it was being opened", name);
	default:
		return roc_fail(err, "%s: cannot open %s: %s", name, node, strerror(err));
	}
}
