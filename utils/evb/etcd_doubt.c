// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which keys in etcd were said to have in them what cannot be.
 */
#include "etcd_doubt.h"

#include <stdio.h>
#include <string.h>

/* Of the empty key: one that is free. */
static char *find(struct etcd_doubts *d, const char *key)
{
	unsigned int i;

	for (i = 0; i < ETCD_DOUBTS; i++) {
		if (!strcmp(d->keys[i], key))
			return d->keys[i];
	}
	return NULL;
}

bool etcd_doubt_new(struct etcd_doubts *d, const char *key)
{
	char *place;

	if (find(d, key))
		return false;
	place = find(d, "");
	if (!place)
		place = d->keys[d->next++ % ETCD_DOUBTS];
	snprintf(place, ETCD_KEY_MAX, "%s", key);
	return true;
}

void etcd_doubt_over(struct etcd_doubts *d, const char *key)
{
	char *place = find(d, key);

	if (place)
		*place = '\0';
}
