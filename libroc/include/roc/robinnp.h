/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: what the open registers of a RobinNP (BAR 2) mean: the card itself, what its sub-units
 * and links count, and the generators that make fragments without a detector. Links are numbered
 * through the card: those of sub-unit 0, then those of sub-unit 1. What the sub-units do is in
 * roc/fragment.h.
 *
 * Errors of every function: those of roc/roc.h; -EOPNOTSUPP the card is no RobinNP.
 */
#ifndef ROC_ROBINNP_H
#define ROC_ROBINNP_H

#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_ROBINNP_SUBS 2
#define ROC_ROBINNP_LINKS 6 /* of a sub-unit */

/**
 * enum roc_robinnp_features - what the firmware has
 * @ROC_ROBINNP_TEMPERATURE: a temperature sensor
 * @ROC_ROBINNP_GENERATORS: generators
 */
enum roc_robinnp_features {
	ROC_ROBINNP_TEMPERATURE = 1 << 0,
	ROC_ROBINNP_GENERATORS = 1 << 1,
};

/**
 * struct roc_robinnp_status - a card
 * @chip_id: unique number of its FPGA
 * @cycles: of its clock since power-on
 * @temperature: degrees Celsius, NaN: no sensor
 * @clock: cycles per second
 * @features: bits of enum roc_robinnp_features
 * @subs: sub-units
 * @links: of each sub-unit
 * @source: source id that generated fragments carry, with the link: source << 4 | link
 * @serial: serial number, -1 unknown
 * @firmware: "major.minor.patch"
 * @hash: start of the firmware's commit id, hexadecimal
 * @date: when the firmware was made, "YYYY-MM-DD hh:mm:ss"
 */
struct roc_robinnp_status {
	uint64_t chip_id;
	uint64_t cycles;
	double temperature;
	uint32_t clock;
	uint32_t features;
	uint32_t subs;
	uint32_t links;
	uint32_t source;
	int32_t serial;
	char firmware[ROC_TEXT_MAX];
	char hash[ROC_TEXT_MAX];
	char date[24];
};

/**
 * struct roc_robinnp_generator - the generator of a link
 * @limit: it stands still after so many fragments; 0: never
 * @generated: out: fragments of this limit so far
 * @first: event id of its first fragment; the others follow, modulo 2^32
 * @size_min: bytes of a fragment, 16 to 131072, a multiple of 4
 * @size_max: with @distributed: of the largest one
 * @rate: fragments per second, 0: as fast as there are pages
 * @running: it makes fragments
 * @distributed: sizes from @size_min to @size_max, by a documented function of source and event id
 */
struct roc_robinnp_generator {
	uint64_t limit;
	uint64_t generated;
	uint32_t first;
	uint32_t size_min;
	uint32_t size_max;
	uint32_t rate;
	bool running;
	bool distributed;
};

/**
 * struct roc_robinnp_link - what the card says of a link
 * @offered: fragments that the source had: the sum of the next three, at every moment
 * @fragments: of these told of in a descriptor
 * @discarded: of these thrown away by stops and resets
 * @waiting: of these in the card
 * @bytes: in @fragments
 * @truncated: of @fragments longer than a page
 * @cut: bytes that truncation took
 * @link_errors: of @fragments with transmission errors
 * @format_errors: of @fragments without a header
 * @sequence_errors: of @fragments whose id did not follow the one before
 * @holds: times that a fragment found no page, and the link was held
 * @hold_cycles: of the card's clock, for how long in all
 * @hold_event: id of the fragment that was held last
 * @pages: of the card in use: the sum of the next three; 0 while the sub-unit does not run
 * @pages_host: of these with the host
 * @pages_free: of these in the card, empty
 * @pages_filled: of these with a fragment that was not told of yet
 * @held: it is held now
 * @masked: its fragments are not let through, by the mask of the sub-unit or because that does not
 *	run
 *
 * Counters run over starts and stops until a reset of the counters.
 */
struct roc_robinnp_link {
	uint64_t offered;
	uint64_t fragments;
	uint64_t discarded;
	uint64_t waiting;
	uint64_t bytes;
	uint64_t truncated;
	uint64_t cut;
	uint64_t link_errors;
	uint64_t format_errors;
	uint64_t sequence_errors;
	uint64_t holds;
	uint64_t hold_cycles;
	uint64_t hold_event;
	uint32_t pages;
	uint32_t pages_host;
	uint32_t pages_free;
	uint32_t pages_filled;
	bool held;
	bool masked;
};

/**
 * struct roc_robinnp_sub - what the card counts of a sub-unit
 * @commands: that it was told of: the sum of the next seven, at every moment
 * @ok: of these done
 * @bad_page: refused: not a page of the host's
 * @bad_host_page: refused: no such host page
 * @bad_op: refused: no such command
 * @aborted: the card could not read its memory
 * @commands_discarded: thrown away by stops and resets
 * @commands_waiting: not done yet
 * @transfers: of @ok, fragments written to host memory
 * @releases: of @ok, pages given back
 * @bytes: transferred
 * @frees: pages that it was told of by the free-page ring: the sum of the next four
 * @freed: of these given back to a link
 * @bad_free: refused
 * @frees_discarded: thrown away by stops and resets
 * @frees_waiting: not looked at yet
 * @data_interrupts: sent, for descriptors
 * @done_interrupts: sent, for completions
 * @error_interrupts: sent, for errors
 */
struct roc_robinnp_sub {
	uint64_t commands;
	uint64_t ok;
	uint64_t bad_page;
	uint64_t bad_host_page;
	uint64_t bad_op;
	uint64_t aborted;
	uint64_t commands_discarded;
	uint64_t commands_waiting;
	uint64_t transfers;
	uint64_t releases;
	uint64_t bytes;
	uint64_t frees;
	uint64_t freed;
	uint64_t bad_free;
	uint64_t frees_discarded;
	uint64_t frees_waiting;
	uint64_t data_interrupts;
	uint64_t done_interrupts;
	uint64_t error_interrupts;
};

/**
 * roc_robinnp_status_read() - look at a card
 * @ep: handle
 * @status: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_robinnp_status_read(struct roc_endpoint *ep, struct roc_robinnp_status *status);

/**
 * roc_robinnp_sub_read() - what a sub-unit counts
 * @ep: handle
 * @sub: its number
 * @counts: filled in
 *
 * Return: 0; -ENOENT no such sub-unit; -EBADMSG a count is another at each read: the
 * card's registers are not to be trusted.
 */
int roc_robinnp_sub_read(struct roc_endpoint *ep, unsigned int sub, struct roc_robinnp_sub *counts);

/**
 * roc_robinnp_link_read() - what a link counts, and where its pages are
 * @ep: handle
 * @link: its number in the card
 * @counts: filled in; its members are not of one moment while the link sends
 *
 * Return: 0; -ENOENT no such link; -EBADMSG a count is another at each read: the
 * card's registers are not to be trusted.
 */
int roc_robinnp_link_read(struct roc_endpoint *ep, unsigned int link,
			  struct roc_robinnp_link *counts);

/**
 * roc_robinnp_generator_read() - settings of a generator
 * @ep: handle
 * @link: number of its link in the card
 * @generator: filled in
 *
 * Return: 0; -ENOENT no such link; -EBADMSG a count is another at each read: the
 * card's registers are not to be trusted.
 */
int roc_robinnp_generator_read(struct roc_endpoint *ep, unsigned int link,
			       struct roc_robinnp_generator *generator);

/**
 * roc_robinnp_generator_set() - change a generator
 * @ep: handle
 * @link: number of its link in the card
 * @generator: all of it, as roc_robinnp_generator_read() gave it and with changes
 *
 * Takes the card lock. Only what differs is written, and read back. A generator that is started, or
 * whose first event or limit are changed while it runs, begins anew with @first.
 *
 * Return: 0; -ENOENT no such link; -ERANGE a value that the card does not have (nothing was
 * changed, the sentence says what it takes); -EIO the card did not take it; -EBUSY another process
 * has the lock; -EOPNOTSUPP its firmware has no generators.
 */
int roc_robinnp_generator_set(struct roc_endpoint *ep, unsigned int link,
			      const struct roc_robinnp_generator *generator);

#ifdef __cplusplus
}
#endif

#endif /* ROC_ROBINNP_H */
