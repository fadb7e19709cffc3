/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: the open registers of a PCIe40 (BAR 2): the card itself, and the generators that produce
 * data without a detector. roc/stream.h has the functions of its streams.
 *
 * Errors of every function: those of roc/roc.h; -EOPNOTSUPP if the card is not a PCIe40.
 */
#ifndef ROC_P40_H
#define ROC_P40_H

#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_P40_STREAMS 7

/**
 * enum roc_p40_features - Features of the firmware
 * @ROC_P40_TEMPERATURE: a temperature sensor
 * @ROC_P40_GENERATORS: generators
 * @ROC_P40_SEGMENTS: rings may consist of several pieces
 * @ROC_P40_TRUNCATION: the card can truncate fragments
 */
enum roc_p40_features {
	ROC_P40_TEMPERATURE = 1 << 0,
	ROC_P40_GENERATORS = 1 << 1,
	ROC_P40_SEGMENTS = 1 << 2,
	ROC_P40_TRUNCATION = 1 << 3,
};

/**
 * struct roc_p40_status - Status of a card
 * @chip_id: unique number of its FPGA
 * @cycles: cycles of its clock since power-on
 * @temperature: temperature in degrees Celsius, NaN without a sensor
 * @clock: frequency of its clock in Hz
 * @features: bits of enum roc_p40_features
 * @streams: number of streams
 * @enabled: one bit per stream whose source is enabled
 * @source: source id that packets carry
 * @serial: serial number, -1 if unknown
 * @firmware: "major.minor.patch"
 * @hash: start of the firmware's commit id, hexadecimal
 * @date: build time of the firmware, "YYYY-MM-DD hh:mm:ss"
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
 * struct roc_p40_generator - Generator of a stream
 * @first: event id of its first event
 * @limit: number of events after which it pauses; 0 for no limit
 * @generated: out: number of events since it was started
 * @size_min: bytes of a fragment
 * @size_max: with @distributed: bytes of the largest fragment
 * @rate: events per second, 0 for as fast as the card accepts them
 * @align: alignment of fragments in a packet in bytes: 4, 8, 16, 32 or 64
 * @running: the generator runs
 * @distributed: sizes from @size_min to @size_max, by a documented function of the event id
 * @clocked: events come at @rate whether the card accepts them or not, as those of a detector do
 *
 * An ODIN stream has neither sizes nor alignment: they are 0. Stream meta has no generator.
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
 * roc_p40_status_read() - Read the status of a card
 * @ep: handle
 * @status: filled in
 *
 * Return: 0 or a negative errno.
 */
int roc_p40_status_read(struct roc_endpoint *ep, struct roc_p40_status *status);

/**
 * roc_p40_generator_read() - Read the settings of a generator
 * @ep: handle
 * @stream: number of its stream
 * @generator: filled in
 *
 * Return: 0 on success; -ENOENT if there is no such stream, or it has no generator; -EBADMSG if the
 * counter of generated events has another value at each read: the registers of the card are
 * unreliable.
 */
int roc_p40_generator_read(struct roc_endpoint *ep, unsigned int stream,
			   struct roc_p40_generator *generator);

/**
 * roc_p40_generator_set() - Change the settings of a generator
 * @ep: handle
 * @stream: number of its stream
 * @generator: all settings, as returned by roc_p40_generator_read(), with changes
 *
 * The function takes the card lock. It writes only settings that differ, and reads them back. A
 * generator restarts with @first if it is started, or if its first event or limit changes while it
 * runs.
 *
 * Return: 0 on success; -ENOENT as for roc_p40_generator_read(); -ERANGE if the card does not
 * support a value (nothing was changed; roc_error() states the limits); -EIO if the card did not
 * accept the settings; -EBUSY if another process holds the lock; -EOPNOTSUPP if the firmware has no
 * generators.
 */
int roc_p40_generator_set(struct roc_endpoint *ep, unsigned int stream,
			  const struct roc_p40_generator *generator);

#ifdef __cplusplus
}
#endif

#endif /* ROC_P40_H */
