// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cards and channels of this machine, found in sysfs: nothing is opened, no register is touched.
 * Every program begins with this, so it has to be quick.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libroc.h"

/* A device, and what was read of it last: more than any attribute that has room in a card. */
struct device {
	int dir;
	char text[2 * ROC_TEXT_MAX];
};

static const char *device_attr(void *context, const char *name)
{
	struct device *device = context;

	return libroc_sysfs_read(device->dir, name, device->text, sizeof(device->text))
		       ? NULL
		       : device->text;
}

static int device_open(struct device *device, const char *sysname)
{
	char path[sizeof(LIBROC_CLASS) + NAME_MAX + 1];

	snprintf(path, sizeof(path), LIBROC_CLASS "/%s", sysname);
	device->dir = libroc_sysfs_dir(path);
	return device->dir < 0 ? device->dir : 0;
}

/* -ENOENT if this name is no card's, or it has gone. */
static int card_named(const char *sysname, struct roc_card *card)
{
	struct device device;
	int ret;

	if (libroc_card_minor(sysname) < 0)
		return -ENOENT;
	if (device_open(&device, sysname))
		return -ENOENT;
	ret = libroc_card_parse(sysname, device_attr, &device, card);
	close(device.dir);
	return ret;
}

static int enumerate(struct roc_card **cards, size_t *count)
{
	struct roc_card *found = NULL;
	struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	dir = opendir(LIBROC_CLASS);
	if (!dir && errno != ENOENT)
		return -errno;
	while (dir && (entry = readdir(dir))) {
		struct roc_card card, *more;

		if (card_named(entry->d_name, &card))
			continue;
		more = reallocarray(found, n + 1, sizeof(*found));
		if (!more) {
			free(found);
			closedir(dir);
			return -ENOMEM;
		}
		found = more;
		found[n++] = card;
	}
	if (dir)
		closedir(dir);
	libroc_cards_sort(found, n);
	*cards = found;
	*count = n;
	return 0;
}

int roc_enumerate(struct roc_card **cards, size_t *count)
{
	int saved = errno;
	int ret = enumerate(cards, count);

	errno = saved;
	if (ret < 0)
		return roc_fail(-ret, "cannot list the devices in " LIBROC_CLASS ": %s",
				strerror(-ret));
	return 0;
}

/* No card at all: the module, or the hardware? */
static int fail_no_cards(const char *id)
{
	int saved = errno;
	bool module = !access(LIBROC_CLASS, F_OK);

	errno = saved;
	if (!module)
		return roc_fail(ENOENT,
				"card '%s' is not there: the roc module is not loaded "
				"(sudo modprobe roc)",
				id);
	return roc_fail(ENOENT,
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

int roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name, size_t size)
{
	char owner[32] = "", program[64] = "", text[ROC_CARD_NAME_MAX], sysname[40];
	struct roc_card card;
	struct device device;
	int saved = errno;
	int ret;

	ret = roc_find(id, &card);
	if (ret)
		return ret;
	roc_card_name(&card, id, text, sizeof(text));
	snprintf(sysname, sizeof(sysname), "roc%dch%u", card.minor, channel);
	if (!device_open(&device, sysname)) {
		libroc_sysfs_read(device.dir, "owner_pid", owner, sizeof(owner));
		libroc_sysfs_read(device.dir, "owner_name", program, sizeof(program));
		close(device.dir);
	}
	if (!*owner) {
		ret = roc_fail(ENOENT, "%s has no channel %u: it has %d, from 0", text, channel,
			       card.channels);
	} else if (atoi(owner) <= 0 && !*program) {
		ret = roc_fail(ENOENT, "nobody has channel %u of %s open", channel, text);
	} else {
		*pid = atoi(owner);
		if (name && size)
			snprintf(name, size, "%s", program);
	}
	errno = saved;
	return ret;
}
