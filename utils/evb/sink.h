/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sinks of event building: tables of functions as roc/evb.h has them.
 *
 *	sink_check.c	looks at every byte that it can know, or only counts
 *	sink_file.c	blocks of events one behind the other in files
 *	sink_shm.c	lends them to filter processes on this machine, and gets them back
 *	sink_forward.c	sends them on to a roc-recv
 *	inspect.c	what is in a block, for the first, and for files (check_files.c)
 *	sink_writer.c	one of them in a writer process
 *	endpoints.c	one of them, by what people type
 */
#ifndef ROC_UTILS_EVB_SINK_H
#define ROC_UTILS_EVB_SINK_H

#include <roc/evb.h>
#include <roc/mep.h>

#include "utils/units/units.h"

/* What a sink did, since its start. Blocks are those of roc/mep.h. */
struct evb_sink_counters {
	uint64_t blocks, events, fragments, bytes; /* it is done with, well */
	uint64_t incomplete, damaged;		   /* of the blocks */
	uint64_t missing;			   /* sources in them that did not come */
	uint64_t lost;	  /* blocks that it had and could not bring to their end */
	uint64_t errors;  /* in the data */
	uint64_t unknown; /* fragments of which nothing can be known */
	uint64_t files;
	uint64_t again;	   /* blocks that were lent to another filter, the first one being gone */
	uint64_t accepted; /* events, by filters */
	char wrong[UNITS_REASON]; /* the first error */
};

struct evb_sink {
	const struct roc_evb_sink_ops *ops;
	void *self;
	void (*counters)(void *self, struct evb_sink_counters *counters);
	/* Does a disk take its time over what it has? No limit counts meanwhile. May be NULL. */
	bool (*syncing)(void *self);
	void (*close)(void *self);
};

/*
 * @text: as in "file:/data/run1,size=4Gi", see roc-evb(1). @name: of the node. 0, or -errno with
 * the sentence.
 */
int evb_sink_open(const char *text, const char *name, struct evb_sink *sink,
		  char reason[UNITS_REASON]);
/* The same in a writer process (utils/units/sink_process.h), for one that writes files. */
int evb_sink_in_writer(const char *text, const char *name, struct evb_sink *sink,
		       char reason[UNITS_REASON]);
void evb_sink_close(struct evb_sink *sink);
/* The kinds there are, for help: "check, ..." */
const char *evb_sink_kinds(void);

/* @values: behind the colon. As evb_sink_open(). */
int evb_sink_check(const char *values, const char *name, struct evb_sink *sink,
		   char reason[UNITS_REASON]);
int evb_sink_count(const char *values, const char *name, struct evb_sink *sink,
		   char reason[UNITS_REASON]);
int evb_sink_file(const char *values, const char *name, struct evb_sink *sink,
		  char reason[UNITS_REASON]);
int evb_sink_shm(const char *values, const char *name, struct evb_sink *sink,
		 char reason[UNITS_REASON]);
int evb_sink_forward(const char *values, const char *name, struct evb_sink *sink,
		     char reason[UNITS_REASON]);

/*
 * Is a block of events what it should be? Each fragment by its content, and the block by what it
 * says of itself; and no block twice.
 */

#define INSPECT_WINDOW (1 << 16) /* blocks: one that comes again later than that is not seen */

struct inspect {
	struct roc_mep_events *events;
	unsigned int sources; /* that it has room for */
	bool only_count;
	bool any;
	uint64_t newest; /* block */
	uint64_t seen[INSPECT_WINDOW / 64];
	struct evb_sink_counters n;
	char reason[UNITS_REASON];
};

/* 0, or -ENOMEM. Wrong data are counted, with the sentence of the first in n.wrong. */
int inspect_block(struct inspect *in, const struct roc_mep *mep);
void inspect_end(struct inspect *in);

/*
 * The offline check of what sink_file.c wrote.
 */

/*
 * Look at a file, or at all *.mep of a folder, in the order of their names, and add up. 0; -errno
 * with the sentence: not all of it can be read, and @counters has what could.
 */
int evb_check_files(const char *path, struct evb_sink_counters *counters,
		    char reason[UNITS_REASON]);

#endif
