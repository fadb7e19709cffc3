/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process with one channel that does what it is told, two things at a time, so that a test can
 * hold it up in one of them (point.h) and do something to it meanwhile.
 */
#ifndef CASE_SUBJECT_H
#define CASE_SUBJECT_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How far it has come when it takes orders. */
enum stage {
	STAGE_NOTHING,
	STAGE_OPEN,  /* a descriptor, and memory */
	STAGE_READY, /* all but started */
	STAGE_FLOWS, /* data come, and it takes them */
};

enum order {
	ORDER_NONE,
	ORDER_OPEN,
	ORDER_REGISTER, /* more memory */
	ORDER_START,
	ORDER_STOP,
	ORDER_CLOSE,
	ORDER_LOOK, /* what am I told of my card? */
};

#define SUBJECT_HANDS 2

/* What the driver says to who has the channel, at once. */
struct subject_told {
	int poll;   /* revents */
	int wait;   /* 0 or -errno */
	bool rings; /* it has some; their flags: */
	bool stopped, gone;
};

struct subject {
	const char *id;
	unsigned int channel;
	enum roc_source source;
	enum stage stage;
	volatile bool ready, failed;
	struct {
		volatile enum order order;
		volatile bool done;
		volatile int result; /* 0 or -errno */
	} hand[SUBJECT_HANDS];
	struct subject_told told;
	pid_t pid; /* 0: it has ended */
};

/* Start it and wait until it takes orders; NULL, with a note, if it does not get there. */
struct subject *subject_start(const char *id, unsigned int channel, enum roc_source source,
			      enum stage stage);
/* Returns at once. */
void subject_order(struct subject *s, unsigned int hand, enum order order);
/* Has it done what it was told, within @ms? True also without an order. */
bool subject_done(struct subject *s, unsigned int hand, unsigned int ms);
/* Fill in @told. False: it does not answer. */
bool subject_look(struct subject *s);
/* SIGKILL now; and its end. False: it does not end. */
void subject_kill(struct subject *s);
bool subject_end(struct subject *s);

#endif /* CASE_SUBJECT_H */
