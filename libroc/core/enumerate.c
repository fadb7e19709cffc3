// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Enumerate the cards and channels of this machine in sysfs with libudev, without opening a device
 * or touching a register. Every program starts with this, so names are looked up one by one:
 * libudev's own scan visits all devices and their parents, which takes seven times as many system
 * calls. Each attribute takes about six system calls, so only the identity is read of cards that do
 * not match.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libudev.h>

#include "libroc.h"

/* A device whose attributes are being read. */
struct sysfs_device {
	struct udev_device *device;
	int err; /* first error other than a missing attribute; 0: none */
};

/* libudev returns NULL for a missing or removed device, and for errors, which are in errno. */
static void note_error(struct sysfs_device *dev)
{
	if (errno != ENOENT && errno != ENODEV && !dev->err)
		dev->err = -errno;
}

static const char *udev_attr(void *context, const char *name)
{
	struct sysfs_device *dev = context;
	const char *text;

	errno = 0;
	text = udev_device_get_sysattr_value(dev->device, name);
	if (!text)
		note_error(dev);
	return text;
}

/* Return 0; -ENOENT if there is no such device; -errno. */
static int open_device(struct udev *udev, const char *sysname, struct sysfs_device *dev)
{
	char path[sizeof(LIBROC_CLASS_PATH) + NAME_MAX + 1];

	snprintf(path, sizeof(path), LIBROC_CLASS_PATH "/%s", sysname);
	errno = 0;
	*dev = (struct sysfs_device){.device = udev_device_new_from_syspath(udev, path)};
	if (dev->device)
		return 0;
	note_error(dev);
	return dev->err ? dev->err : -ENOENT;
}

typedef int (*read_fn)(const char *sysname, libroc_attr_fn attr, void *context,
		       struct roc_card *card);

/*
 * Return -ENOENT if the name is not that of a card or the card was removed; -errno if it cannot be
 * read.
 */
static int card_named(struct udev *udev, const char *sysname, read_fn read, struct roc_card *card)
{
	struct sysfs_device dev;
	int ret;

	if (libroc_card_minor(sysname) < 0)
		return -ENOENT;
	ret = open_device(udev, sysname, &dev);
	if (ret)
		return ret;
	ret = read(sysname, udev_attr, &dev, card);
	udev_device_unref(dev.device);
	return dev.err ? dev.err : ret;
}

static int enumerate(struct udev *udev, read_fn read, struct roc_card **cards, size_t *count)
{
	struct roc_card *found = NULL;
	struct dirent *entry;
	size_t n = 0;
	int ret = 0;
	DIR *dir;

	dir = opendir(LIBROC_CLASS_PATH);
	if (!dir && errno != ENOENT)
		return -errno;
	while (dir && (entry = readdir(dir))) {
		struct roc_card card, *more;

		ret = card_named(udev, entry->d_name, read, &card);
		if (ret == -ENOENT)
			continue;
		if (ret)
			break;
		more = reallocarray(found, n + 1, sizeof(*found));
		if (!more) {
			ret = -ENOMEM;
			break;
		}
		found = more;
		found[n++] = card;
	}
	if (dir)
		closedir(dir);
	/* Report a card that cannot be read instead of leaving it out of the list. */
	if (ret && ret != -ENOENT) {
		free(found);
		return ret;
	}
	libroc_cards_sort(found, n);
	*cards = found;
	*count = n;
	return 0;
}

static int fail_class(int ret)
{
	return roc_fail(-ret, "cannot list the devices in " LIBROC_CLASS_PATH ": %s",
			strerror(-ret));
}

static int enumerate_all(read_fn read, struct roc_card **cards, size_t *count)
{
	int saved = errno;
	struct udev *udev = udev_new();
	int ret = -ENOMEM;

	if (udev)
		ret = enumerate(udev, read, cards, count);
	udev_unref(udev);
	errno = saved;
	return ret < 0 ? fail_class(ret) : 0;
}

int roc_enumerate(struct roc_card **cards, size_t *count)
{
	return enumerate_all(libroc_card_parse, cards, count);
}

/* There is no card at all: distinguish a missing module from missing hardware. */
static int fail_no_cards(const char *id)
{
	int saved = errno;
	bool module = !access(LIBROC_CLASS_PATH, F_OK);

	errno = saved;
	if (!module)
		return roc_fail(
			ENOENT,
			"there is no card '%s', because the roc module is not loaded: run sudo modprobe roc",
			id);
	return roc_fail(
		ENOENT,
		"there is no card '%s', and the roc module has found no other: check with lspci -k whether a card is in a slot and which driver is bound to it",
		id);
}

/*
 * Read all attributes of an identified card. -ENOENT: it was removed, and another may have its
 * name.
 */
static int read_whole(struct roc_card *card)
{
	struct udev *udev = udev_new();
	struct roc_card whole;
	char sysname[16];
	int ret = -ENOMEM;

	snprintf(sysname, sizeof(sysname), "roc%d", card->minor);
	if (udev)
		ret = card_named(udev, sysname, libroc_card_parse, &whole);
	udev_unref(udev);
	if (ret && ret != -ENOENT)
		return fail_class(ret);
	if (ret || strcmp(whole.pci_address, card->pci_address))
		return -ENOENT;
	whole.sequence = card->sequence;
	*card = whole;
	return 0;
}

static int find(read_fn read, const char *id, struct roc_card *card)
{
	struct roc_card *cards = NULL;
	size_t count = 0;
	int ret;

	ret = enumerate_all(read, &cards, &count);
	if (ret)
		return ret;
	ret = libroc_card_choose(id, cards, count, card);
	if (ret == -ENOENT && !count)
		ret = fail_no_cards(id);
	free(cards);
	return ret;
}

int roc_find(const char *id, struct roc_card *card)
{
	int saved = errno;
	int ret;

	ret = find(libroc_card_identify, id, card);
	if (!ret)
		ret = read_whole(card);
	errno = saved;
	/* The error text for an unknown id lists all cards, so read all of their attributes. */
	return ret == -ENOENT ? find(libroc_card_parse, id, card) : ret;
}

static const char *attr_or_empty(struct sysfs_device *dev, const char *name)
{
	const char *text = dev->device ? udev_attr(dev, name) : NULL;

	return text ? text : "";
}

int roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name, size_t size)
{
	struct sysfs_device dev = {.err = -ENOMEM};
	const char *owner, *program;
	char text[ROC_CARD_NAME_MAX];
	struct roc_card card;
	struct udev *udev;
	char sysname[40];
	int saved = errno;
	int ret;

	ret = roc_find(id, &card);
	if (ret)
		return ret;
	roc_card_name(&card, id, text, sizeof(text));
	snprintf(sysname, sizeof(sysname), "roc%dch%u", card.minor, channel);
	udev = udev_new();
	if (udev)
		open_device(udev, sysname, &dev);
	owner = attr_or_empty(&dev, "owner_pid");
	program = attr_or_empty(&dev, "owner_name");
	if (dev.err) {
		ret = fail_class(dev.err);
	} else if (!*owner) {
		ret = roc_fail(ENOENT, "%s has no channel %u: it has %d, from 0", text, channel,
			       card.channels);
	} else if (atoi(owner) <= 0 && !*program) {
		ret = roc_fail(ENOENT, "channel %u of %s is not open", channel, text);
	} else {
		*pid = atoi(owner);
		if (name && size) {
			snprintf(name, size, "%s", program);
			libroc_program_name(name);
		}
	}
	udev_device_unref(dev.device);
	udev_unref(udev);
	errno = saved;
	return ret;
}
