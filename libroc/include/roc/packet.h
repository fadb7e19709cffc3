/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: what is in a stream's ring, looked at in place. Nothing is copied, nothing allocated, and
 * no size is believed before it is known to lie within the bytes that were given: a packet that is
 * not what Documentation/hardware/stream-interface.md says ends the walk with a sentence that names
 * its place and what is wrong with it.
 *
 *	struct roc_packets walk;
 *	struct roc_packet packet;
 *	struct roc_fragment fragment;
 *
 *	roc_packets_begin(&walk, data, bytes);
 *	while ((ret = roc_packets_next(&walk, &packet)) > 0)
 *		while ((ret = roc_packet_fragment(&packet, &fragment)) > 0)
 *			...
 *
 * The structures are the caller's, and point into the data: they are good as long as these are.
 */
#ifndef ROC_PACKET_H
#define ROC_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum roc_packet_kind - what a packet is
 * @ROC_PACKET_EVENTS: fragments of consecutive events (stream main)
 * @ROC_PACKET_META: record of a packet of main (stream meta): roc_packet_meta()
 * @ROC_PACKET_ODIN: record of an event (streams odin0 ...): roc_packet_odin()
 */
enum roc_packet_kind {
	ROC_PACKET_EVENTS = 1,
	ROC_PACKET_META = 2,
	ROC_PACKET_ODIN = 3,
};

/**
 * enum roc_packet_flags - what is to be known about a packet of events
 * @ROC_PACKET_TRUNCATED: at least one fragment was cut short
 * @ROC_PACKET_CLOSED: closed before it was full, because the stream ended
 * @ROC_PACKET_AGED: because its time was over
 * @ROC_PACKET_GAP: because the next event was not the next number: there is a gap behind it
 */
enum roc_packet_flags {
	ROC_PACKET_TRUNCATED = 1 << 0,
	ROC_PACKET_CLOSED = 1 << 1,
	ROC_PACKET_AGED = 1 << 2,
	ROC_PACKET_GAP = 1 << 3,
};

/**
 * enum roc_fragment_type - where a fragment comes from
 * @ROC_FRAGMENT_GENERATED: from a generator of the card
 * @ROC_FRAGMENT_FRONT_END: from the front end
 */
enum roc_fragment_type {
	ROC_FRAGMENT_GENERATED = 1,
	ROC_FRAGMENT_FRONT_END = 2,
};

/**
 * struct roc_packets - a walk through data, from packet to packet
 * @at: the next packet
 * @left: bytes from there on
 * @done: bytes before it
 */
struct roc_packets {
	const void *at;
	size_t left;
	size_t done;
};

/**
 * struct roc_packet - one packet, in place
 * @data: its first byte
 * @size: bytes with all padding, a multiple of 64
 * @kind: enum roc_packet_kind
 * @first_event: id of its first event
 * @number: of the packet since the stream was started, modulo 2^32; META: of main's packet
 * @fragments: EVENTS: how many it has, 1 or more; META: of main's packet; ODIN: 1
 * @source: source id of the card
 * @flags: bits of enum roc_packet_flags; ODIN: 0
 * @align: EVENTS: alignment of fragments in bytes; else 0
 * @reserved: 0
 * @next: fragments that roc_packet_fragment() has shown
 * @offset: behind them, bytes from @data
 */
struct roc_packet {
	const void *data;
	uint32_t size;
	enum roc_packet_kind kind;
	uint64_t first_event;
	uint32_t number;
	uint32_t fragments;
	uint16_t source;
	uint16_t flags;
	uint16_t align;
	uint16_t reserved;
	uint32_t next;
	uint32_t offset;
};

/**
 * struct roc_fragment - what one event has in a packet
 * @data: its bytes, aligned to &roc_packet.align
 * @event: event id
 * @size: bytes, may be 0
 * @type: enum roc_fragment_type
 * @truncated: not all of it is there
 */
struct roc_fragment {
	const void *data;
	uint64_t event;
	uint32_t size;
	uint16_t type;
	bool truncated;
};

/**
 * struct roc_packet_meta - where a packet of main is
 * @position: of its first byte in main's ring, in lines of 64 bytes, modulo 2^32
 * @bytes: its size
 * @fragments: in it
 * @truncated: of these cut short
 * @cycles: of the card's clock, when it was closed
 */
struct roc_packet_meta {
	uint32_t position;
	uint32_t bytes;
	uint32_t fragments;
	uint32_t truncated;
	uint64_t cycles;
};

/**
 * struct roc_packet_odin - an event as the readout supervisor saw it
 * @cycles: of the card's clock, when the record was made
 * @orbit: number of the orbit, modulo 2^32
 * @stream: N of odinN
 * @bunch: number of the bunch crossing in its orbit
 * @trigger: trigger type
 * @reserved: 0
 * @word: further words
 */
struct roc_packet_odin {
	uint64_t cycles;
	uint32_t orbit;
	uint16_t stream;
	uint16_t bunch;
	uint16_t trigger;
	uint16_t reserved;
	uint32_t word[6];
};

/**
 * roc_packets_begin() - walk through data
 * @walk: filled in
 * @data: begins with a packet: what roc_stream_peek() or roc_lender_take() gave; a copy of it must
 *	begin at a multiple of 8
 * @bytes: of it, whole packets only
 */
static inline void roc_packets_begin(struct roc_packets *walk, const void *data, size_t bytes)
{
	walk->at = data;
	walk->left = bytes;
	walk->done = 0;
}

/**
 * roc_packets_next() - the next packet
 * @walk: goes on behind it; after an error it stays where it is
 * @packet: filled in
 *
 * Header, tables and size have been checked when it returns 1; of the fragments each when it is
 * shown.
 *
 * Return: 1; 0 there is none; -EBADMSG what is there is no packet: roc_error() says where, and why.
 */
int roc_packets_next(struct roc_packets *walk, struct roc_packet *packet);

/**
 * roc_packet_fragment() - the next fragment of a packet
 * @packet: of roc_packets_next(); counts the fragments shown
 * @fragment: filled in
 *
 * The sizes of all fragments together must fill the packet: that is looked at behind the last one.
 *
 * Return: 1; 0 all were shown, or the packet is no ROC_PACKET_EVENTS; -EBADMSG.
 */
int roc_packet_fragment(struct roc_packet *packet, struct roc_fragment *fragment);

/**
 * roc_packet_meta() - what a record of stream meta says
 * @packet: of roc_packets_next()
 * @meta: filled in
 *
 * Return: 0; -EINVAL the packet is no ROC_PACKET_META.
 */
int roc_packet_meta(const struct roc_packet *packet, struct roc_packet_meta *meta);

/**
 * roc_packet_odin() - what a record of an ODIN stream says
 * @packet: of roc_packets_next()
 * @odin: filled in
 *
 * Return: 0; -EINVAL the packet is no ROC_PACKET_ODIN.
 */
int roc_packet_odin(const struct roc_packet *packet, struct roc_packet_odin *odin);

#ifdef __cplusplus
}
#endif

#endif /* ROC_PACKET_H */
