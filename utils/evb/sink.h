/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sinks of event building, as tables of functions of roc/evb.h.
 *
 *	sink_check.c	checks the content of blocks, or only counts them
 *	sink_file.c	writes blocks to files
 *	sink_shm.c	lends blocks to filter processes on this machine
 *	sink_forward.c	sends blocks to a roc-recv
 *	inspect.c	checks a block, for sink_check.c and check_files.c
 *	sink_writer.c	runs a sink in a writer process
 *	endpoints.c	opens the sink of --sink
 */
#ifndef ROC_UTILS_EVB_SINK_H
#define ROC_UTILS_EVB_SINK_H

#include <roc/evb.h>
#include <roc/mep.h>

#include "utils/units/units.h"

/* Counters of a sink since its start. Blocks are those of roc/mep.h. */
struct evb_sink_counters {
	uint64_t blocks, events, fragments, bytes; /* completed */
	uint64_t incomplete, damaged;		   /* among these blocks */
	uint64_t missing;			   /* sources that are missing in these blocks */
	uint64_t lost;	  /* blocks that the sink accepted and did not complete */
	uint64_t errors;  /* in the data */
	uint64_t unknown; /* fragments whose content cannot be checked */
	uint64_t files;
	uint64_t again;		  /* blocks that were lent again after their filter was lost */
	uint64_t accepted;	  /* events, by filters */
	char wrong[UNITS_REASON]; /* the first error */
};

struct evb_sink {
	const struct roc_evb_sink_ops *ops;
	void *self;
	void (*counters)(void *self, struct evb_sink_counters *counters);
	/* Whether the sink waits for a disk. Time limits do not count meanwhile. May be NULL. */
	bool (*syncing)(void *self);
	void (*close)(void *self);
};

/*
 * Open a sink. @text: as in "file:/data/run1,size=4Gi", see roc-evb(1). @name: of the node. 0, or
 * -errno with the reason.
 */
int evb_sink_open(const char *text, const char *name, struct evb_sink *sink,
		  char reason[UNITS_REASON]);
/* Open a sink that writes files in a writer process (utils/units/sink_process.h). */
int evb_sink_in_writer(const char *text, const char *name, struct evb_sink *sink,
		       char reason[UNITS_REASON]);
void evb_sink_close(struct evb_sink *sink);
/* The names of all sinks for messages: "check, ..." */
const char *evb_sink_kinds(void);

/* As evb_sink_open(). @values: the text behind the colon. */
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
 * Check blocks of events: the content of each fragment, the consistency of the block, and that no
 * block is delivered twice.
 */

#define INSPECT_WINDOW (1 << 16) /* blocks in which a second delivery is detected */

struct inspect {
	struct roc_mep_events *events;
	unsigned int sources; /* capacity of @events */
	bool only_count;
	bool any;
	uint64_t newest; /* block */
	uint64_t seen[INSPECT_WINDOW / 64];
	struct evb_sink_counters n;
	char reason[UNITS_REASON];
};

/* Check a block: 0, or -ENOMEM. Errors are counted; n.wrong has the message of the first. */
int inspect_block(struct inspect *in, const struct roc_mep *mep);
void inspect_end(struct inspect *in);

/*
 * The offline check of the files of sink_file.c.
 */

/*
 * Check a file, or all *.mep of a folder in the order of their names, and add up. 0, or -errno with
 * the reason if a part cannot be read; @counters has the rest.
 */
int evb_check_files(const char *path, struct evb_sink_counters *counters,
		    char reason[UNITS_REASON]);

#endif
