/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: the open registers of a RobinNP (BAR 2): the card itself, the counters of its sub-units
 * and links, and the generators that produce fragments without a detector. Link numbers run through
 * the card: first those of sub-unit 0, then those of sub-unit 1. roc/fragment.h has the functions
 * of the sub-units.
 *
 * Errors of every function: those of roc/roc.h; -EOPNOTSUPP if the card is not a RobinNP.
 */
#ifndef ROC_ROBINNP_H
#define ROC_ROBINNP_H

#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_ROBINNP_SUBS 2
#define ROC_ROBINNP_LINKS 6 /* links per sub-unit */

/**
 * enum roc_robinnp_features - Features of the firmware
 * @ROC_ROBINNP_TEMPERATURE: a temperature sensor
 * @ROC_ROBINNP_GENERATORS: generators
 */
enum roc_robinnp_features {
	ROC_ROBINNP_TEMPERATURE = 1 << 0,
	ROC_ROBINNP_GENERATORS = 1 << 1,
};

/**
 * struct roc_robinnp_status - Status of a card
 * @chip_id: unique number of its FPGA
 * @cycles: cycles of its clock since power-on
 * @temperature: temperature in degrees Celsius, NaN without a sensor
 * @clock: frequency of its clock in Hz
 * @features: bits of enum roc_robinnp_features
 * @subs: number of sub-units
 * @links: number of links of each sub-unit
 * @source: source id that generated fragments carry, with the link: source << 4 | link
 * @serial: serial number, -1 if unknown
 * @firmware: "major.minor.patch"
 * @hash: start of the firmware's commit id, hexadecimal
 * @date: build time of the firmware, "YYYY-MM-DD hh:mm:ss"
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
 * struct roc_robinnp_generator - Generator of a link
 * @limit: number of fragments after which it pauses; 0 for no limit
 * @generated: out: number of fragments of this limit so far
 * @first: event id of its first fragment; the others follow, modulo 2^32
 * @size_min: bytes of a fragment, 16 to 131072, a multiple of 4
 * @size_max: with @distributed: bytes of the largest fragment
 * @rate: fragments per second, 0 for as fast as there are pages
 * @running: the generator runs
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
 * struct roc_robinnp_link - Card counters of a link
 * @offered: fragments that the source produced: at every moment the sum of the next three
 * @fragments: of these, fragments reported in a descriptor
 * @discarded: of these, fragments discarded by stops and resets
 * @waiting: of these, fragments in the card
 * @bytes: bytes in @fragments
 * @truncated: of @fragments, those longer than a page
 * @cut: bytes removed by truncation
 * @link_errors: of @fragments, those with transmission errors
 * @format_errors: of @fragments, those without a header
 * @sequence_errors: of @fragments, those whose id did not follow the previous one
 * @holds: times that a fragment found no page, so that the card held the link
 * @hold_cycles: total duration of these times in cycles of the card's clock
 * @hold_event: id of the last fragment that was held
 * @pages: pages of the card in use: the sum of the next three; 0 while the sub-unit does not run
 * @pages_host: of these, pages that the host holds
 * @pages_free: of these, empty pages in the card
 * @pages_filled: of these, pages with a fragment that is not reported yet
 * @held: the card holds the link now
 * @masked: the card blocks the link's fragments, by the mask of the sub-unit or because the
 *	sub-unit does not run
 *
 * The counters continue over starts and stops until a reset of the counters.
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
 * struct roc_robinnp_sub - Card counters of a sub-unit
 * @commands: commands reported to the card: at every moment the sum of the next seven
 * @ok: of these, executed commands
 * @bad_page: rejected: the host does not hold the page
 * @bad_host_page: rejected: there is no such host page
 * @bad_op: rejected: there is no such command
 * @aborted: the card could not read its memory
 * @commands_discarded: discarded by stops and resets
 * @commands_waiting: not executed yet
 * @transfers: of @ok, fragments written to host memory
 * @releases: of @ok, pages released
 * @bytes: bytes transferred
 * @frees: pages reported to the card by the free-page ring: the sum of the next four
 * @freed: of these, pages given back to a link
 * @bad_free: rejected
 * @frees_discarded: discarded by stops and resets
 * @frees_waiting: not processed yet
 * @data_interrupts: interrupts sent for descriptors
 * @done_interrupts: interrupts sent for completions
 * @error_interrupts: interrupts sent for errors
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
 * roc_robinnp_status_read() - Read the status of a card
 * @ep: handle
 * @status: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_robinnp_status_read(struct roc_endpoint *ep, struct roc_robinnp_status *status);

/**
 * roc_robinnp_sub_read() - Read the card counters of a sub-unit
 * @ep: handle
 * @sub: number of the sub-unit
 * @counts: filled in
 *
 * Return: 0 on success; -ENOENT if there is no such sub-unit; -EBADMSG if a counter has another
 * value at each read: the registers of the card are unreliable.
 */
int roc_robinnp_sub_read(struct roc_endpoint *ep, unsigned int sub, struct roc_robinnp_sub *counts);

/**
 * roc_robinnp_link_read() - Read the card counters of a link
 * @ep: handle
 * @link: number of the link in the card
 * @counts: filled in; while the link sends, the members are not a snapshot of one moment
 *
 * Return: 0 on success; -ENOENT if there is no such link; -EBADMSG if a counter has another value
 * at each read: the registers of the card are unreliable.
 */
int roc_robinnp_link_read(struct roc_endpoint *ep, unsigned int link,
			  struct roc_robinnp_link *counts);

/**
 * roc_robinnp_generator_read() - Read the settings of a generator
 * @ep: handle
 * @link: number of the link in the card
 * @generator: filled in
 *
 * Return: 0 on success; -ENOENT if there is no such link; -EBADMSG if a counter has another value
 * at each read: the registers of the card are unreliable.
 */
int roc_robinnp_generator_read(struct roc_endpoint *ep, unsigned int link,
			       struct roc_robinnp_generator *generator);

/**
 * roc_robinnp_generator_set() - Change the settings of a generator
 * @ep: handle
 * @link: number of the link in the card
 * @generator: all settings, as returned by roc_robinnp_generator_read(), with changes
 *
 * The function takes the card lock. It writes only settings that differ, and reads them back. A
 * generator restarts with @first if it is started, or if its first event or limit changes while it
 * runs.
 *
 * Return: 0 on success; -ENOENT if there is no such link; -ERANGE if the card does not support a
 * value (nothing was changed; roc_error() states the limits); -EIO if the card did not accept the
 * settings; -EBUSY if another process holds the lock; -EOPNOTSUPP if the firmware has no
 * generators.
 */
int roc_robinnp_generator_set(struct roc_endpoint *ep, unsigned int link,
			      const struct roc_robinnp_generator *generator);

#ifdef __cplusplus
}
#endif

#endif /* ROC_ROBINNP_H */
