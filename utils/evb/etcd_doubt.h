/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: which keys in etcd were said to have in them what cannot be. Zeroed at the start.
 */
#ifndef ROC_UTILS_EVB_ETCD_DOUBT_H
#define ROC_UTILS_EVB_ETCD_DOUBT_H

#include <stdbool.h>

#include "etcd_talk.h"

#define ETCD_DOUBTS 256

struct etcd_doubts {
	char keys[ETCD_DOUBTS][ETCD_KEY_MAX]; /* empty: free */
	unsigned int next;		      /* to be forgotten, if none is free */
};

/* False: it is known already, and nothing is to be said. */
bool etcd_doubt_new(struct etcd_doubts *d, const char *key);
/* What is in it is well, or it is gone. */
void etcd_doubt_over(struct etcd_doubts *d, const char *key);

#endif
