// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Register hammer. It only reads: every writable register in BAR 2 changes the state of the card.
 */
#include "bench.h"

#include <roc/roc.h>

#include "kmod/cards/cru/cru_regs.h"
#include <stdio.h>
#include <string.h>

#include "utils/common/clock.h"

#define BATCH 64 /* reads between two checks of the stop flag */

static void *work(void *p)
{
	uint32_t first = 0, value;
	struct hammer *h = p;
	uint64_t start = now_ns();
	unsigned int i;

	while (!atomic_load(&h->stop) && !h->error[0]) {
		for (i = 0; i < BATCH; i++) {
			if (roc_reg_read(h->ep, CRU_BAR_CARD, CRU_FW_HASH, &value)) {
				/* roc_error() is per thread. */
				snprintf(h->error, sizeof(h->error), "%s", roc_error());
				break;
			}
			if (!h->reads++)
				first = value;
			h->wrong += value != first;
		}
	}
	h->seconds = (double)(now_ns() - start) / NS_PER_S;
	return NULL;
}

int hammer_start(struct hammer *h, const struct roc_card *card, const char *id)
{
	int err;

	*h = (struct hammer){.running = false};
	err = roc_open_card(card, id, &h->ep);
	if (err) {
		snprintf(h->error, sizeof(h->error), "%s", roc_error());
		return err;
	}
	err = -pthread_create(&h->thread, NULL, work, h);
	if (err) {
		snprintf(h->error, sizeof(h->error), "Cannot start the thread of --bar-hammer: %s.",
			 strerror(-err));
		roc_close(h->ep);
		return err;
	}
	h->running = true;
	return 0;
}

void hammer_stop(struct hammer *h)
{
	if (!h->running)
		return;
	atomic_store(&h->stop, true);
	pthread_join(h->thread, NULL);
	roc_close(h->ep);
	h->running = false;
}
