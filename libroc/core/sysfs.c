// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read single files of sysfs without libudev, which would visit all parents of each, and check
 * which card has a number. The driver assigns the lowest free number: after a removal, a card may
 * have another number than when it was enumerated, and another card may have its old number.
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
	/* Remove only the final newline: the name of an owner may contain others. */
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
			"%s: the card was removed or reset, and its number is unused or belongs to another card: list the cards again (roc-list-cards)",
			name);
	if (ret)
		return roc_fail(-ret, "%s: cannot read %s to identify the card: %s", name, path,
				strerror(-ret));
	return 0;
}

/*
 * A program can set its name to any bytes (prctl(2)), and the kernel truncates a long name,
 * possibly within a multi-byte character.
 */
void libroc_program_name(char *name)
{
	for (; *name; name++) {
		if (*name < ' ' || *name > '~')
			*name = '?';
	}
}
