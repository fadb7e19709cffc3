// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The driver as seen from an endpoint's handle.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libroc.h"

static int driver_ioctl(struct roc_endpoint *ep, unsigned long request, void *arg)
{
	return libroc_ioctl(ep->fd, request, arg);
}

#define SPIN_US 20 /* below this a sleep takes longer than the wait */

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

static bool channel_running(const struct roc_card *card, int channel)
{
	char path[64], text[16] = "";
	int saved = errno;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/roc/roc%dch%d/state", card->minor, channel);
	f = fopen(path, "re");
	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	errno = saved;
	return !strcmp(text, "running\n");
}

/* Endpoints belong to one card if they have the same serial number, which may be unknown. */
static int driver_running(struct roc_endpoint *ep)
{
	struct roc_card *cards;
	const struct roc_card *own = NULL;
	size_t count, i;
	int running = 0;
	int ret, c;

	ret = roc_enumerate(&cards, &count);
	if (ret)
		return ret;
	for (i = 0; i < count; i++)
		if (!strcmp(cards[i].node, ep->node))
			own = &cards[i];
	for (i = 0; own && i < count; i++) {
		if (&cards[i] != own && (own->serial < 0 || cards[i].serial != own->serial ||
					 cards[i].type != own->type))
			continue;
		for (c = 0; c < cards[i].channels; c++)
			running |= channel_running(&cards[i], c);
	}
	free(cards);
	return running;
}

const struct libroc_backend libroc_driver = {
	.ioctl = driver_ioctl,
	.sleep = driver_sleep,
	.running = driver_running,
};
