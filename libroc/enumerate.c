// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cards and channels of this machine, found by libudev in sysfs: nothing is opened, no register
 * is touched.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libudev.h>

#include "libroc.h"

static const char *udev_attr(void *context, const char *name)
{
	return udev_device_get_sysattr_value(context, name);
}

/* The card behind one sysfs path; -ENOENT if it is none. */
static int card_at(struct udev *udev, const char *path, struct roc_card *card)
{
	struct udev_device *device = udev_device_new_from_syspath(udev, path);
	const char *type;
	int ret = -ENOENT;

	if (!device)
		return -ENOENT;
	type = udev_device_get_devtype(device);
	if (type && !strcmp(type, "endpoint"))
		ret = libroc_card_parse(udev_device_get_sysname(device), udev_attr, device, card);
	udev_device_unref(device);
	return ret;
}

static int enumerate(struct udev *udev, struct roc_card **cards, size_t *count)
{
	struct udev_enumerate *list = udev_enumerate_new(udev);
	struct udev_list_entry *entry;
	struct roc_card *found = NULL;
	size_t n = 0;
	int ret = -ENOMEM;

	if (!list)
		return -ENOMEM;
	ret = udev_enumerate_add_match_subsystem(list, "roc");
	if (ret < 0)
		goto out;
	ret = udev_enumerate_scan_devices(list);
	if (ret < 0)
		goto out;
	udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(list))
	{
		struct roc_card *more = reallocarray(found, n + 1, sizeof(*found));

		if (!more) {
			ret = -ENOMEM;
			goto out;
		}
		found = more;
		if (!card_at(udev, udev_list_entry_get_name(entry), &found[n]))
			n++;
	}
	if (!n) {
		free(found);
		found = NULL;
	}
	libroc_cards_sort(found, n);
	*cards = found;
	*count = n;
	found = NULL;
	ret = 0;
out:
	free(found);
	udev_enumerate_unref(list);
	return ret;
}

int roc_enumerate(struct roc_card **cards, size_t *count)
{
	int saved = errno;
	struct udev *udev = udev_new();
	int ret = -ENOMEM;

	if (udev)
		ret = enumerate(udev, cards, count);
	udev_unref(udev);
	errno = saved;
	if (ret < 0)
		return libroc_fail(-ret, "cannot list the devices in /sys/class/roc: %s",
				   strerror(-ret));
	return 0;
}

/* No card at all: the module, or the hardware? */
static int fail_no_cards(const char *id)
{
	int saved = errno;
	bool module = !access("/sys/class/roc", F_OK);

	errno = saved;
	if (!module)
		return libroc_fail(ENOENT,
				   "card '%s' is not there: the roc module is not loaded "
				   "(sudo modprobe roc)",
				   id);
	return libroc_fail(
		ENOENT,
		"card '%s' is not there: the roc module has found no card; lspci -k says "
		"whether one is in a slot and whether another driver has it",
		id);
}

int roc_find(const char *id, struct roc_card *card)
{
	struct roc_card *cards;
	size_t count;
	int ret;

	ret = roc_enumerate(&cards, &count);
	if (ret)
		return ret;
	ret = libroc_card_choose(id, cards, count, card);
	if (ret == -ENOENT && !count)
		ret = fail_no_cards(id);
	free(cards);
	return ret;
}

static const char *attr_or_empty(struct udev_device *device, const char *name)
{
	const char *text = device ? udev_device_get_sysattr_value(device, name) : NULL;

	return text ? text : "";
}

int roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name, size_t size)
{
	struct udev_device *device = NULL;
	const char *owner, *program;
	struct roc_card card;
	struct udev *udev;
	char sysname[40];
	int saved = errno;
	int ret;

	ret = roc_find(id, &card);
	if (ret)
		return ret;
	snprintf(sysname, sizeof(sysname), "roc%dch%u", card.minor, channel);
	udev = udev_new();
	if (udev)
		device = udev_device_new_from_subsystem_sysname(udev, "roc", sysname);
	owner = attr_or_empty(device, "owner_pid");
	program = attr_or_empty(device, "owner_name");
	if (!*owner) {
		ret = libroc_fail(ENOENT, "card '%s' has no channel %u: it has %d, from 0", id,
				  channel, card.channels);
	} else if (atoi(owner) <= 0 && !*program) {
		ret = libroc_fail(ENOENT, "nobody has channel %u of card '%s' open", channel, id);
	} else {
		*pid = atoi(owner);
		if (name && size)
			snprintf(name, size, "%s", program);
	}
	udev_device_unref(device);
	udev_unref(udev);
	errno = saved;
	return ret;
}
