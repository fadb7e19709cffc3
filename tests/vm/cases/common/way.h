/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every way to end the use of a channel, and the way back to a usable card.
 */
#ifndef CASE_WAY_H
#define CASE_WAY_H

#include <stdbool.h>
#include <sys/types.h>

#include "left.h"
#include "subject.h"

enum way {
	WAY_CLOSE,
	WAY_KILL,
	WAY_STOP,
	WAY_UNBIND,
	WAY_REMOVE,
	WAY_FLR,
	WAY_AER_FATAL,
	WAY_AER_NONFATAL,
	WAY_UNPLUG,
	WAY_ALL_ONES,
	WAY_RMMOD,
	WAY_RELOAD, /* over a card that was left running */
	WAY_POWER,  /* the emulated card's process is killed */
	WAY_COUNT,
};

extern const char *const way_names[WAY_COUNT];

/* Call before the first way, while all cards of the guest are present. */
void way_prepare(void);

/*
 * True if: the channel's owner does it; the driver closes the channel for it; it takes effect at
 * once.
 */
bool way_of_owner(enum way way);
bool way_shuts(enum way way);
bool way_at_once(enum way way);

/* A way in progress. */
struct going {
	enum way way;
	const struct target *t;
	struct subject *s; /* the process that does it, or is killed; may be NULL otherwise */
	pid_t pid;	   /* a helper process; 0: none, or it has ended */
	int status;	   /* of the helper: 0, or an errno */
};

void way_begin(struct going *g);
/* Wait until it is complete, at most @ms. */
bool way_done(struct going *g, unsigned int ms);
/* Bind the driver again. False, with a note: it failed. */
bool way_back(const struct going *g);

/* Unload the module as soon as it is unused; with an open file: -EWOULDBLOCK. */
int module_unload(unsigned int ms);

#endif /* CASE_WAY_H */
