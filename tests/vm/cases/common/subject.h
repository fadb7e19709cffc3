/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process with one open channel that carries out orders, two at a time, so that a test can hold
 * it at a point in one of them (point.h) and act on it meanwhile.
 */
#ifndef CASE_SUBJECT_H
#define CASE_SUBJECT_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* State in which it accepts orders. */
enum stage {
	STAGE_NOTHING,
	STAGE_OPEN,  /* a descriptor, and memory */
	STAGE_READY, /* everything but a start */
	STAGE_FLOWS, /* data flow, and it takes them */
};

enum order {
	ORDER_NONE,
	ORDER_OPEN,
	ORDER_REGISTER, /* more memory */
	ORDER_START,
	ORDER_STOP,
	ORDER_CLOSE,
	ORDER_LOOK, /* report the driver's state of the card */
};

#define SUBJECT_WORKERS 2

/* The driver's immediate answers to the opener of the channel. */
struct subject_report {
	int poll;   /* revents */
	int wait;   /* 0 or -errno */
	bool rings; /* the rings are valid; their flags: */
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
	} worker[SUBJECT_WORKERS];
	struct subject_report report;
	pid_t pid; /* 0: the run has ended */
};

/* Start it and wait until it accepts orders; NULL, with a note, on failure. */
struct subject *subject_start(const char *id, unsigned int channel, enum roc_source source,
			      enum stage stage);
/* Give an order; returns at once. */
void subject_order(struct subject *s, unsigned int worker, enum order order);
/* Wait until it has carried out its order, at most @ms. True without an order. */
bool subject_done(struct subject *s, unsigned int worker, unsigned int ms);
/* Fill in @report. False: it does not answer. */
bool subject_query(struct subject *s);
/* Kill it now, or let it end. False: it does not end. */
void subject_kill(struct subject *s);
bool subject_end(struct subject *s);

#endif /* CASE_SUBJECT_H */
