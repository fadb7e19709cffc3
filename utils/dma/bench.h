/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common parts of roc-bench-dma.
 *
 *	bench.c		opens everything in order, runs, closes in reverse order
 *	bench_options.c	option combinations, names of their values
 *	bench_reader.c	reader loop: wait, reap, check, return; stop and drain
 *	bench_report.c	live line, final table, JSON
 *	soak*.c		all channels of a node at once, for a long time: see soak.h
 *	hammer.c	register reads while data are taken
 *
 * utils/check/ checks the data.
 */
#ifndef ROC_UTILS_BENCH_H
#define ROC_UTILS_BENCH_H

#include <roc/roc.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "utils/check/check.h"
#include "utils/common/card.h"
#include "utils/common/options.h"

/*
 * Register hammer: a thread that reads a constant register as fast as it can, to test whether slow
 * control and data taking disturb each other.
 */

struct roc_card;

/*
 * Owned by the thread that starts it. Between start and stop, only the hammer's thread writes the
 * fields below @stop. They may be read after hammer_stop(), which joins the thread.
 */
struct hammer {
	bool running;
	pthread_t thread;
	struct roc_endpoint *ep;
	atomic_bool stop;
	uint64_t reads;
	uint64_t wrong; /* reads that differ from the first one */
	double seconds;
	char error[256]; /* message if a read failed, else empty */
};

/*
 * @id: name of the card as given by the user. Return 0, or a negative errno with a message in
 * @error.
 */
int hammer_start(struct hammer *h, const struct roc_card *card, const char *id);
void hammer_stop(struct hammer *h);

struct bench_options {
	struct common_options common;
	const char *id;
	uint32_t dma_channel;
	bool dma_channel_given, page_size_given;
	uint64_t bytes;
	uint64_t time;
	uint64_t buffer_size;
	uint64_t superpage_size;
	uint64_t page_size;
	unsigned int source; /* enum roc_source */
	unsigned int mode;   /* enum roc_mode */
	uint32_t links;
	uint32_t frequency;
	uint32_t max_packet;
	uint32_t tf_length;
	uint32_t pause_push;
	uint32_t pause_read;
	uint32_t stall_limit;
	const char *ascii_file;
	const char *bin_file;
	bool no_tf_check;
	bool fast_check;
	bool no_errorcheck;
	bool no_resync;
	bool random_pause;
	bool no_display;
	bool no_temperature;
	bool no_rm_pages_file;
	bool print_sp_change;
	bool stbrd;
	bool buffer_full_check;
	bool bar_hammer;
	bool bypass_fw_check;
	bool plain_memory;
	bool no_events;
	bool json;
	/* options of a soak */
	uint64_t soak, verdict_every; /* seconds */
	uint32_t max_temperature;
	uint64_t max_errors, max_dropped;
	const char *log, *plot;
};

/* Reject options that no card can combine. Return an exit code. */
int bench_check_usage(const struct bench_options *o);
/* Return the check configuration of the options; the contents of the data depend on the card. */
struct check_config bench_check_config(const struct bench_options *o);

extern const char *const bench_source_names[];
extern const char *const bench_mode_names[];

/* Reason for the end of the run. */
enum bench_end {
	BENCH_END_BYTES,
	BENCH_END_TIME,
	BENCH_END_SIGNAL,
	BENCH_END_FULL, /* --buffer-full-check */
	BENCH_END_STALL,
	BENCH_END_FAILED,
};

struct bench_link {
	uint64_t superpages, bytes, pages;
};

/* Counters of a run. Times are CLOCK_MONOTONIC ns. */
struct bench_counts {
	uint64_t start, end; /* of the run; @end: end of the loop, or the last data if later */
	uint64_t last_data;  /* when the kernel found the last filled superpage */
	uint64_t superpages, bytes, pages;
	uint64_t pushed, reclaimed, refused;
	uint64_t damaged, short_, lost; /* see struct roc_ch_losses */
	uint64_t waits, kicks, polls;	/* system calls */
	uint64_t dropped;		/* packets that the card dropped in this run */
	uint64_t retries;		/* pushes that the card did not accept at once */
	uint64_t gaps[ROC_GAPS];	/* see struct roc_ch_info */
	uint64_t filled_ns;		/* --buffer-full-check: time until full, 0: never */
	struct bench_link links[CHECK_LINKS];
};

/*
 * One run. Owned by the main thread. The hammer's thread has its own handle and shares only what
 * struct hammer documents.
 */
struct bench {
	const struct bench_options *opt;
	struct roc_card card;
	struct roc_endpoint *ep;
	struct roc_ep_info info;
	const struct card_type *type;
	struct roc_channel *ch;
	struct roc_rings *rings; /* of the channel */
	struct roc_memory memory;
	size_t memory_page; /* page size of the memory; kept after the memory for the report */
	uint32_t handle;
	uint32_t superpage; /* bytes */
	uint32_t count;	    /* superpages in the buffer */

	/*
	 * FIFO of the superpages that the reader owns; lent[i]: superpage i was pushed and not
	 * returned.
	 */
	uint32_t *free_list;
	bool *lent;
	uint32_t free_head, free_count;

	/*
	 * Wake threshold of the reader in ready superpages; when and at which count it was
	 * computed.
	 */
	unsigned int wake_threshold;
	uint64_t wake_time, wake_superpages;

	struct checker checker;
	struct error_log errors;
	FILE *ascii, *bin;
	struct hammer hammer;
	bool live;	    /* the terminal shows a live line */
	double temperature; /* last reading, NAN: unknown */
	uint64_t sequence;  /* of the next ready entry */
	enum bench_end end;
	char failure[512]; /* why the run failed; empty: it did not */
	struct bench_counts counts;
};

/* Record a failure; the first one is kept. */
void bench_fail(struct bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* bench_reader.c */
int bench_reader_prepare(struct bench *b); /* on failure sets b->failure */
void bench_reader_release(struct bench *b);
void bench_reader_fill(struct bench *b); /* push all free superpages to the card */
void bench_reader_run(struct bench *b);
void bench_reader_stop(struct bench *b);  /* on failure b->failure has the reason */
void bench_reader_drain(struct bench *b); /* reap what the stop returned */

/* bench_report.c */
void bench_live(struct bench *b);
void bench_live_end(struct bench *b);
void bench_temperature(struct bench *b); /* read it, unless that is disabled */
void bench_report_text(FILE *out, const struct bench *b);
void bench_report_json(FILE *out, const struct bench *b);

#endif
