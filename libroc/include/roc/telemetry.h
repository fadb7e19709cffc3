/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: read the values of cards and channels that the driver publishes in sysfs and hwmon. Every
 * user may read them. The functions open no device node, need no privileges, and do not disturb a
 * running channel. Counters of a channel need no access to the card. Values of the card need one
 * register read each, at most ten times a second, however often callers read them.
 *
 * Counters start at zero when the driver binds the card (load, bind or hotplug) and only grow,
 * independently of opens of the channel. An unknown value is negative: the card does not have it,
 * the driver is older, or the card does not answer.
 */
#ifndef ROC_TELEMETRY_H
#define ROC_TELEMETRY_H

#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum roc_counter - Counters of a channel
 * @ROC_COUNT_SUPERPAGES: superpages that came back with data
 * @ROC_COUNT_BYTES: bytes in them
 * @ROC_COUNT_PUSHED: superpages pushed to the card
 * @ROC_COUNT_RECLAIMED: superpages returned unused
 * @ROC_COUNT_REFUSED: fill entries rejected
 * @ROC_COUNT_RETRIES: pushes that the card did not accept at the first attempt
 * @ROC_COUNT_FIFO_EMPTY: times that the card found a link's FIFO empty (CRU)
 * @ROC_COUNT_BAD_INDEX: invalid ring indices from user space
 * @ROC_COUNT_POLLS: times that the driver polled for finished superpages
 * @ROC_COUNT_LOOKS: deprecated name of @ROC_COUNT_POLLS
 * @ROC_COUNT_TURNS: times that the driver's thread woke
 * @ROC_COUNT_MMIO_READS: register reads of the data path
 * @ROC_COUNT_MMIO_WRITES: register writes of the data path
 * @ROC_COUNT_INTERRUPTS: interrupts of the channel (cards with events)
 * @ROC_COUNT_MISSED_INTERRUPTS: times that the driver found data without an interrupt for it
 * @ROC_COUNT_SPURIOUS_INTERRUPTS: interrupts without new data
 * @ROC_COUNT_PACKETS: packets or records in the ring of a stream. Pools have neither this counter
 *	nor those below; sub-units have some of them
 * @ROC_COUNT_OFFERED: events that the source produced
 * @ROC_COUNT_EVENTS: of these, events in the ring
 * @ROC_COUNT_DISCARDED: of these, events discarded by stops and resets
 * @ROC_COUNT_THROTTLES: times that the card stopped accepting events
 * @ROC_COUNT_THROTTLED: events lost during these times
 * @ROC_COUNT_TRUNCATIONS: times that the card began to truncate events
 * @ROC_COUNT_TRUNCATED: events that it truncated
 * @ROC_COUNT_TRUNCATED_BYTES: bytes that it removed
 * @ROC_COUNT_ARMS: times that the driver armed the interrupt
 * @ROC_COUNT_DOORBELLS: times that the driver rang the doorbell of the card
 * @ROC_COUNT_WAKES: times that the driver woke a reader
 * @ROC_COUNT_TRANSFERS: sub-unit: fragments that the card wrote to host memory
 * @ROC_COUNT_RELEASES: pages of the card given back by commands
 * @ROC_COUNT_FREED: pages of the card given back by the free-page ring
 * @ROC_COUNT_DATA_INTERRUPTS: of the interrupts, those for fragments
 * @ROC_COUNT_DONE_INTERRUPTS: of the interrupts, those for completed requests
 * @ROC_COUNTERS: number of counters in this header
 */
enum roc_counter {
	ROC_COUNT_SUPERPAGES = 0,
	ROC_COUNT_BYTES = 1,
	ROC_COUNT_PUSHED = 2,
	ROC_COUNT_RECLAIMED = 3,
	ROC_COUNT_REFUSED = 4,
	ROC_COUNT_RETRIES = 5,
	ROC_COUNT_FIFO_EMPTY = 6,
	ROC_COUNT_BAD_INDEX = 7,
	ROC_COUNT_POLLS = 8,
	ROC_COUNT_LOOKS = ROC_COUNT_POLLS,
	ROC_COUNT_TURNS = 9,
	ROC_COUNT_MMIO_READS = 10,
	ROC_COUNT_MMIO_WRITES = 11,
	ROC_COUNT_INTERRUPTS = 12,
	ROC_COUNT_MISSED_INTERRUPTS = 13,
	ROC_COUNT_SPURIOUS_INTERRUPTS = 14,
	ROC_COUNT_PACKETS = 15,
	ROC_COUNT_OFFERED = 16,
	ROC_COUNT_EVENTS = 17,
	ROC_COUNT_DISCARDED = 18,
	ROC_COUNT_THROTTLES = 19,
	ROC_COUNT_THROTTLED = 20,
	ROC_COUNT_TRUNCATIONS = 21,
	ROC_COUNT_TRUNCATED = 22,
	ROC_COUNT_TRUNCATED_BYTES = 23,
	ROC_COUNT_ARMS = 24,
	ROC_COUNT_DOORBELLS = 25,
	ROC_COUNT_WAKES = 26,
	ROC_COUNT_TRANSFERS = 27,
	ROC_COUNT_RELEASES = 28,
	ROC_COUNT_FREED = 29,
	ROC_COUNT_DATA_INTERRUPTS = 30,
	ROC_COUNT_DONE_INTERRUPTS = 31,
	ROC_COUNTERS = 32,
};

/**
 * struct roc_channel_telemetry - Current state and counters of a channel
 * @state: "stopped", "running", "failed" or "gone"
 * @mode: "timer", "busy", "event", or "none" if no process has the channel open; empty if it is not
 *	a pool
 * @owner_name: program that has the channel open, with '?' for characters that are not printable
 *	ASCII; empty if there is none
 * @owner_pid: PID of this process, 0 if there is none or it is outside of the caller's PID
 *	namespace
 * @error_interrupts: interrupts of a sub-unit for errors, at most UINT32_MAX; 0 for other channels,
 *	and from a libroc before 0.4.0. It is not in @counter because that array is full and
 *	programs depend on the size of the structure
 * @counter: values by enum roc_counter; those from ROC_COUNTERS on are -1
 * @gaps: histogram of the time for which the card had space between finishing a superpage and
 *	getting the next: [i] counts gaps below 2^i microseconds and not below the previous bound,
 *	the last one all longer gaps; [0] is -1 if they are unknown
 */
struct roc_channel_telemetry {
	char state[ROC_TEXT_MAX];
	char mode[ROC_TEXT_MAX];
	char owner_name[ROC_TEXT_MAX];
	int32_t owner_pid;
	uint32_t error_interrupts;
	int64_t counter[32];
	int64_t gaps[ROC_GAPS];
};

/**
 * struct roc_channel_losses - Damaged, short and lost superpages of a channel
 * @damaged: superpages that the card flagged (ROC_READY_DAMAGED)
 * @short_: superpages with fewer bytes than the card explains (ROC_READY_SHORT)
 * @lost: superpages that the card held when a run failed; for a sub-unit, entries of its rings that
 *	a run lost
 * @reserved: zero
 */
struct roc_channel_losses {
	int64_t damaged;
	int64_t short_;
	int64_t lost;
	int64_t reserved[13];
};

/**
 * struct roc_card_telemetry - Current values of an endpoint
 * @temperature: temperature of the card's FPGA in degrees Celsius, for all endpoints of a card; NaN
 *	if unknown
 * @dropped_packets: packets dropped by this endpoint's datapath, a 32-bit counter of the card (CRU)
 * @packets_per_second: packet rate of this endpoint's datapath (CRU)
 * @ctp_hz: frequency of the experiment's clock (CRU)
 * @local_hz: frequency of the local clock (CRU)
 * @reserved: zero
 */
struct roc_card_telemetry {
	double temperature;
	int64_t dropped_packets;
	int64_t packets_per_second;
	int64_t ctp_hz;
	int64_t local_hz;
	int64_t reserved[11];
};

/**
 * roc_card_telemetry_read() - Read the values of an endpoint
 * @card: from roc_enumerate() or roc_find()
 * @telemetry: filled in, also after -EIO
 *
 * Return: 0 on success; -ENODEV if the card was removed or no longer has its number; -EIO if it
 * does not answer (the values that it would return are unknown); -EMFILE, -ENOMEM and similar if
 * the endpoint could not be read, so that all values are unknown.
 */
int roc_card_telemetry_read(const struct roc_card *card, struct roc_card_telemetry *telemetry);

/**
 * roc_channel_telemetry_read() - Read the values of a channel
 * @card: from roc_enumerate() or roc_find()
 * @channel: from 0 to @card->channels - 1
 * @telemetry: filled in
 *
 * Return: 0 on success; -ENOENT if there is no such channel; -ENODEV if the card was removed or no
 * longer has its number; -EMFILE, -ENOMEM and similar if the channel could not be read.
 */
int roc_channel_telemetry_read(const struct roc_card *card, unsigned int channel,
			       struct roc_channel_telemetry *telemetry);

/**
 * roc_channel_losses_read() - Read the counters of damaged, short and lost superpages
 * @card: from roc_enumerate() or roc_find()
 * @channel: from 0 to @card->channels - 1
 * @losses: filled in; counters that this channel type does not have are -1
 *
 * Return: as roc_channel_telemetry_read().
 */
int roc_channel_losses_read(const struct roc_card *card, unsigned int channel,
			    struct roc_channel_losses *losses);

/**
 * roc_channel_stream() - Check whether a channel is a stream, and read its name
 * @card: from roc_enumerate() or roc_find()
 * @channel: from 0 to @card->channels - 1
 * @name: ROC_TEXT_MAX bytes for the name of the stream, such as "main"; empty if the channel is not
 *	a stream
 *
 * Return: 0 on success; -ENOENT if there is no such channel; -ENODEV if the card was removed or no
 * longer has its number; -EMFILE, -ENOMEM and similar if the channel could not be read.
 */
int roc_channel_stream(const struct roc_card *card, unsigned int channel, char *name);

#ifdef __cplusplus
}
#endif

#endif /* ROC_TELEMETRY_H */
