/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: what the driver shows of cards and channels to everybody, from sysfs and hwmon. No device
 * node is opened, so no right is needed, and a running channel is not disturbed: its counters cost
 * no access to the card, and the card's own values one register read each ten times a second at
 * most, however often they are asked for.
 *
 * Counters count since the driver took the card (load, bind or hotplug) and only grow, whoever
 * opens the channel. What is not known is negative: the card has no such thing, the driver is
 * older, or the card does not answer.
 */
#ifndef ROC_TELEMETRY_H
#define ROC_TELEMETRY_H

#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum roc_counter - counters of a channel
 * @ROC_COUNT_SUPERPAGES: superpages that came back with data
 * @ROC_COUNT_BYTES: bytes in them
 * @ROC_COUNT_PUSHED: superpages given to the card
 * @ROC_COUNT_RECLAIMED: superpages handed back unused
 * @ROC_COUNT_REFUSED: fill entries refused
 * @ROC_COUNT_RETRIES: pushes that the card had not taken at the first attempt
 * @ROC_COUNT_FIFO_EMPTY: times that the card found a link's FIFO empty (CRU)
 * @ROC_COUNT_BAD_INDEX: impossible ring indices from user space
 * @ROC_COUNT_LOOKS: times that the driver looked for finished superpages
 * @ROC_COUNT_TURNS: times that the driver's thread woke
 * @ROC_COUNT_MMIO_READS: register reads of the data path
 * @ROC_COUNT_MMIO_WRITES: register writes of the data path
 * @ROC_COUNT_INTERRUPTS: interrupts of the channel (cards with events)
 * @ROC_COUNT_MISSED_INTERRUPTS: superpages found of which no interrupt had told
 * @ROC_COUNT_SPURIOUS_INTERRUPTS: interrupts with nothing to tell
 * @ROC_COUNT_PACKETS: packets or records in the ring (this and what follows: streams only)
 * @ROC_COUNT_OFFERED: events that the source had
 * @ROC_COUNT_EVENTS: of these in the ring
 * @ROC_COUNT_DISCARDED: of these thrown away by stops and resets
 * @ROC_COUNT_THROTTLES: times that the card stopped taking events
 * @ROC_COUNT_THROTTLED: events that passed by meanwhile
 * @ROC_COUNT_TRUNCATIONS: times that the card began to cut events short
 * @ROC_COUNT_TRUNCATED: events that it cut
 * @ROC_COUNT_TRUNCATED_BYTES: what it cut off
 * @ROC_COUNT_ARMS: times that the card was asked for an interrupt
 * @ROC_COUNT_DOORBELLS: times that the driver told the card of room
 * @ROC_COUNT_WAKES: times that a reader was woken
 * @ROC_COUNT_TRANSFERS: sub-unit: fragments that the card wrote to host memory
 * @ROC_COUNT_RELEASES: pages of the card given back by commands
 * @ROC_COUNT_FREED: pages of the card given back by the free-page ring
 * @ROC_COUNT_DATA_INTERRUPTS: of the interrupts, told of fragments
 * @ROC_COUNT_DONE_INTERRUPTS: of the interrupts, told of requests done
 * @ROC_COUNTERS: how many this header knows
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
	ROC_COUNT_LOOKS = 8,
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
 * struct roc_channel_telemetry - a channel now
 * @state: "stopped", "running", "failed" or "gone"
 * @mode: "timer", "busy", "event", or "none" if nobody has the channel; empty if it is no
 *	pool
 * @owner_name: program that has the channel open, '?' for what is no printable ASCII in its name;
 *	empty: none
 * @owner_pid: its process, 0: none, or not of our PID namespace
 * @error_interrupts: of a sub-unit's interrupts, told of an error; at most UINT32_MAX is said. 0 of
 *	other channels, and from a libroc before 0.4.0. It is beside the counters because these have
 *	no place left, and programs have a structure of this size
 * @counter: by enum roc_counter; those behind ROC_COUNTERS are -1
 * @gaps: how long the card had room between finishing a superpage and getting the next: [i] counts
 *	gaps below 2^i microseconds and not below the one before, the last one everything longer;
 *	[0] is -1 if they are not known
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
 * struct roc_channel_losses - what a channel had that is not as it should be
 * @damaged: superpages that the card flagged (ROC_READY_DAMAGED)
 * @short_: superpages with fewer bytes than the card explains (ROC_READY_SHORT)
 * @lost: superpages that the card had when a run failed; entries of its rings that a sub-unit's
 *	run lost
 * @reserved: zero
 */
struct roc_channel_losses {
	int64_t damaged;
	int64_t short_;
	int64_t lost;
	int64_t reserved[13];
};

/**
 * struct roc_card_telemetry - an endpoint now
 * @temperature: of the card's FPGA in degrees Celsius, for all endpoints of a card; NaN: not known
 * @dropped_packets: of this endpoint's datapath, the card's own counter of 32 bits (CRU)
 * @packets_per_second: of this endpoint's datapath (CRU)
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
 * roc_card_telemetry_read() - look at an endpoint
 * @card: as roc_enumerate() or roc_find() gave it
 * @telemetry: filled in, also after -EIO
 *
 * Return: 0; -ENODEV the card is gone, or has not kept its number; -EIO it does not answer (the
 * values it would have given are unknown); -EMFILE, -ENOMEM or the like: it could not be looked at,
 * and nothing is known of it.
 */
int roc_card_telemetry_read(const struct roc_card *card, struct roc_card_telemetry *telemetry);

/**
 * roc_channel_telemetry_read() - look at a channel
 * @card: as roc_enumerate() or roc_find() gave it
 * @channel: from 0 to @card->channels - 1
 * @telemetry: filled in
 *
 * Return: 0; -ENOENT no such channel; -ENODEV the card is gone, or has not kept its number;
 * -EMFILE, -ENOMEM or the like: it could not be looked at.
 */
int roc_channel_telemetry_read(const struct roc_card *card, unsigned int channel,
			       struct roc_channel_telemetry *telemetry);

/**
 * roc_channel_losses_read() - read the counters of what is not as it should be
 * @card: as roc_enumerate() or roc_find() gave it
 * @channel: from 0 to @card->channels - 1
 * @losses: filled in; what this type of channel does not count is -1
 *
 * Return: as roc_channel_telemetry_read().
 */
int roc_channel_losses_read(const struct roc_card *card, unsigned int channel,
			    struct roc_channel_losses *losses);

/**
 * roc_channel_stream() - is a channel a stream, and which?
 * @card: as roc_enumerate() or roc_find() gave it
 * @channel: from 0 to @card->channels - 1
 * @name: ROC_TEXT_MAX bytes for its name, as "main"; empty if it is no stream
 *
 * Return: 0; -ENOENT no such channel; -ENODEV the card is gone, or has not kept its number;
 * -EMFILE, -ENOMEM or the like: it could not be looked at.
 */
int roc_channel_stream(const struct roc_card *card, unsigned int channel, char *name);

#ifdef __cplusplus
}
#endif

#endif /* ROC_TELEMETRY_H */
