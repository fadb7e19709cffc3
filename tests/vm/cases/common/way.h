/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every way in which a channel can come to its end, and the way back to a card that can be used.
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

/* Before the first: all cards of the guest are there. */
void way_prepare(void);

/* Done by the owner of the channel; to the hardware, with the driver's shut; at once. */
bool way_of_owner(enum way way);
bool way_shuts(enum way way);
bool way_at_once(enum way way);

/* A way that is being gone. */
struct going {
	enum way way;
	const struct target *t;
	struct subject *s; /* who goes it, or who is killed; may be NULL else */
	pid_t pid;	   /* of a helper, 0 = none, or it has ended */
	int status;	   /* of it: 0, or an errno */
};

void way_begin(struct going *g);
/* Has it been gone, within @ms? */
bool way_done(struct going *g, unsigned int ms);
/* The card has its driver again. False: it has not; noted. */
bool way_back(const struct going *g);

/* Take the module out, as soon as nobody has it; with an open file: -EWOULDBLOCK. */
int module_unload(unsigned int ms);

#endif /* CASE_WAY_H */
