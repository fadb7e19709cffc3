/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that reads a constant register as fast as it can, to see whether slow control and
 * data taking disturb each other.
 */
#ifndef ROC_UTILS_HAMMER_H
#define ROC_UTILS_HAMMER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct roc_card;

/*
 * Owned by the thread that starts it. Between start and stop the hammer's thread alone writes the
 * fields below `stop`; hammer_stop() joins it, after that they may be read.
 */
struct hammer {
	bool running;
	pthread_t thread;
	struct roc_endpoint *ep;
	atomic_bool stop;
	uint64_t reads;
	uint64_t wrong; /* reads that gave another value than the first */
	double seconds;
	char error[256]; /* sentence if a read failed, else empty */
};

/* @id: what the user called the card. 0, or a negative errno with the sentence in @error. */
int hammer_start(struct hammer *h, const struct roc_card *card, const char *id);
void hammer_stop(struct hammer *h);

#endif
