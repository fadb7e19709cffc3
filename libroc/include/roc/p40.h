/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: what the open registers of a PCIe40 (BAR 2) mean: the card itself, and the generators
 * that make data without a detector. What its streams do is in roc/stream.h.
 *
 * Errors of every function: those of roc/roc.h; -EOPNOTSUPP the card is no PCIe40.
 */
#ifndef ROC_P40_H
#define ROC_P40_H

#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_P40_STREAMS 7

/**
 * enum roc_p40_features - what the firmware has
 * @ROC_P40_TEMPERATURE: a temperature sensor
 * @ROC_P40_GENERATORS: generators
 * @ROC_P40_SEGMENTS: rings may be in pieces
 * @ROC_P40_TRUNCATION: fragments can be cut short
 */
enum roc_p40_features {
	ROC_P40_TEMPERATURE = 1 << 0,
	ROC_P40_GENERATORS = 1 << 1,
	ROC_P40_SEGMENTS = 1 << 2,
	ROC_P40_TRUNCATION = 1 << 3,
};

/**
 * struct roc_p40_status - a card
 * @chip_id: unique number of its FPGA
 * @cycles: of its clock since power-on
 * @temperature: degrees Celsius, NaN: no sensor
 * @clock: cycles per second
 * @features: bits of enum roc_p40_features
 * @streams: how many it has
 * @enabled: bit per stream whose source is let through
 * @source: source id that packets carry
 * @serial: serial number, -1 unknown
 * @firmware: "major.minor.patch"
 * @hash: start of the firmware's commit id, hexadecimal
 * @date: when the firmware was made, "YYYY-MM-DD hh:mm:ss"
 */
struct roc_p40_status {
	uint64_t chip_id;
	uint64_t cycles;
	double temperature;
	uint32_t clock;
	uint32_t features;
	uint32_t streams;
	uint32_t enabled;
	uint32_t source;
	int32_t serial;
	char firmware[ROC_TEXT_MAX];
	char hash[ROC_TEXT_MAX];
	char date[24];
};

/**
 * struct roc_p40_generator - the generator of a stream
 * @first: event id of its first event
 * @limit: it stands still after so many events; 0: never
 * @generated: out: events since it was started
 * @size_min: bytes of a fragment
 * @size_max: with @distributed: of the largest one
 * @rate: events per second, 0: as fast as they are taken
 * @align: bytes that fragments are aligned to in a packet: 4, 8, 16, 32 or 64
 * @running: it makes events
 * @distributed: sizes from @size_min to @size_max, by a documented function of the event id
 * @clocked: events come by @rate whether they are taken or not, as those of a detector do
 *
 * An ODIN stream has no sizes and no alignment: they are 0. Stream meta has no generator.
 */
struct roc_p40_generator {
	uint64_t first;
	uint64_t limit;
	uint64_t generated;
	uint32_t size_min;
	uint32_t size_max;
	uint32_t rate;
	uint32_t align;
	bool running;
	bool distributed;
	bool clocked;
};

/**
 * roc_p40_status_read() - look at a card
 * @ep: handle
 * @status: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_p40_status_read(struct roc_endpoint *ep, struct roc_p40_status *status);

/**
 * roc_p40_generator_read() - settings of a generator
 * @ep: handle
 * @stream: number of its stream
 * @generator: filled in
 *
 * Return: 0; -ENOENT no such stream, or it has no generator; -EBADMSG what it has generated is
 * another count at each read: the card's registers are not to be trusted.
 */
int roc_p40_generator_read(struct roc_endpoint *ep, unsigned int stream,
			   struct roc_p40_generator *generator);

/**
 * roc_p40_generator_set() - change a generator
 * @ep: handle
 * @stream: number of its stream
 * @generator: all of it, as roc_p40_generator_read() gave it and with changes
 *
 * Takes the card lock. Only what differs is written, and read back. A generator that is started, or
 * whose first event or limit are changed while it runs, begins anew with @first.
 *
 * Return: 0; -ENOENT as above; -ERANGE a value that the card does not have (nothing was changed,
 * the sentence says what it takes); -EIO the card did not take it; -EBUSY another process has the
 * lock; -EOPNOTSUPP its firmware has no generators.
 */
int roc_p40_generator_set(struct roc_endpoint *ep, unsigned int stream,
			  const struct roc_p40_generator *generator);

#ifdef __cplusplus
}
#endif

#endif /* ROC_P40_H */
