// SPDX-License-Identifier: LGPL-2.1-or-later
/* Access the driver on behalf of an endpoint's handle. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libroc.h"

static int driver_ioctl(struct roc_endpoint *ep, unsigned long request, void *arg)
{
	return libroc_ioctl(ep->fd, request, arg);
}

#define SPIN_US 20 /* below this, nanosleep() takes longer than the wait itself */

static void spin(unsigned int us)
{
	uint64_t end = libroc_now() + us * UINT64_C(1000);

	while (libroc_now() < end)
		;
}

static void driver_sleep(struct roc_endpoint *ep, unsigned int us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000l};
	int saved = errno;

	if (us <= SPIN_US) {
		spin(us);
		return;
	}

	/* A signal must not shorten a wait that the card needs. */
	while (nanosleep(&t, &t) && errno == EINTR)
		;
	errno = saved;
}

/* Return 1 if an attribute of the channel has this text, else 0, or -errno if it cannot be read. */
static int channel_shows(const struct roc_card *card, int channel, const char *file,
			 const char *expected)
{
	char path[64], text[16];
	int ret;

	snprintf(path, sizeof(path), LIBROC_CLASS_PATH "/roc%dch%d/%s", card->minor, channel, file);
	ret = libroc_sysfs_read(AT_FDCWD, path, text, sizeof(text));
	/* A removed channel does not run, and an older driver has no attribute "starting". */
	if (ret == -ENOENT || ret == -ENODEV)
		return 0;
	return ret ? ret : !strcmp(text, expected);
}

/* Read "starting" first: a start that completes between the two reads is seen by the second. */
static int channel_running(const struct roc_card *card, int channel)
{
	int ret = channel_shows(card, channel, "starting", "1");

	return ret ? ret : channel_shows(card, channel, "state", "running");
}

/* Endpoints belong to one card if they have the same serial number, which may be unknown. */
static int any_running(const struct roc_card *cards, size_t count, const struct roc_card *own)
{
	int running = 0;
	size_t i;
	int c;

	for (i = 0; i < count; i++) {
		if (&cards[i] != own && (own->serial < 0 || cards[i].serial != own->serial ||
					 cards[i].type != own->type))
			continue;
		for (c = 0; c < cards[i].channels && !running; c++)
			running = channel_running(&cards[i], c);
	}
	return running;
}

static int driver_running(struct roc_endpoint *ep)
{
	const struct roc_card *own = NULL;
	struct roc_card *cards;
	int saved = errno;
	size_t count, i;
	int ret;

	ret = roc_enumerate(&cards, &count);
	if (ret)
		return ret;
	for (i = 0; i < count; i++)
		if (!strcmp(cards[i].node, ep->node))
			own = &cards[i];
	ret = own ? any_running(cards, count, own) : -ENODEV;
	free(cards);
	errno = saved;
	return ret < 0 ? libroc_fail_ioctl(-ret, ep->name, "cannot check whether a channel runs")
		       : ret;
}

const struct libroc_backend libroc_driver = {
	.ioctl = driver_ioctl,
	.sleep = driver_sleep,
	.running = driver_running,
};
