// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Single files of sysfs, without libudev, which would look at all parents of each; and whose a
 * number is. The driver gives the lowest free number to who comes: a card that was looked for
 * before may have another by now, and another card its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libroc.h"

int libroc_sysfs_read(int dir, const char *name, char *text, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t length;
	int err;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	do
		length = read(fd, text, size - 1);
	while (length < 0 && errno == EINTR);
	err = errno;
	close(fd);
	if (length < 0)
		return -err;
	/* The name of an owner may have another one in it. */
	if (length && text[length - 1] == '\n')
		length--;
	text[length] = '\0';
	return 0;
}

int libroc_sysfs_is(int dir, const char *name, const struct roc_card *card)
{
	char address[2 * ROC_TEXT_MAX];
	int ret = libroc_sysfs_read(dir, name, address, sizeof(address));

	if (ret == -ENOENT)
		return -ENODEV;
	return !ret && strcmp(address, card->pci_address) ? -ENODEV : ret;
}

int libroc_same_card(const struct roc_card *card, const char *name)
{
	char path[sizeof(LIBROC_CLASS_PATH) + 32];
	int saved = errno;
	int ret;

	snprintf(path, sizeof(path), LIBROC_CLASS_PATH "/roc%d/pci_address", card->minor);
	ret = libroc_sysfs_is(AT_FDCWD, path, card);
	errno = saved;
	if (ret == -ENODEV)
		return roc_fail(
			ENODEV,
			"%s: the card was removed or reset, and another has its number by now, or none: list the cards again (roc-list-cards says whether it is there)",
			name);
	if (ret)
		return roc_fail(-ret, "%s: cannot see whose %s is: %s", name, path, strerror(-ret));
	return 0;
}

/*
 * A program calls itself what it likes (prctl(2)), and the kernel cuts the name where it gets too
 * long, maybe within a character.
 */
void libroc_program_name(char *name)
{
	for (; *name; name++) {
		if (*name < ' ' || *name > '~')
			*name = '?';
	}
}
