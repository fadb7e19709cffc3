/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The node of a card that is none: what open() finds is memory, and somebody has channel 1.
 * Included behind a struct fake and FILE_END, by what says what the card is: FAKE_CARD,
 * FAKE_CHANNELS and FAKE_OWNER.
 */
#ifndef ROC_UNIT_LIBROC_FAKE_NODE_H
#define ROC_UNIT_LIBROC_FAKE_NODE_H

int __wrap_open(const char *path, int flags, ...);
int __wrap_roc_find(const char *id, struct roc_card *card);
int __wrap_roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name,
			     size_t size);

int __wrap_open(const char *path, int flags, ...)
{
	int fd;

	snprintf(fake.opened, sizeof(fake.opened), "%s", path);
	if (fake.open_errno && strstr(path, "ch")) {
		errno = fake.open_errno;
		return -1;
	}
	fd = memfd_create("node", MFD_CLOEXEC);
	UNIT_EQ(ftruncate(fd, FILE_END), 0);
	return fd;
}

#endif
