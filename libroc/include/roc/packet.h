/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: iterators over the content of a stream's ring, in place. They copy nothing and allocate
 * nothing. They use no size before they have checked that it lies within the given bytes. A packet
 * that violates Documentation/hardware/stream-interface.md ends the iteration. roc_error() then
 * states its position and the violation.
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
 * The caller owns the structures. They point into the data and are valid as long as the data is.
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
 * enum roc_packet_kind - Packet types
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
 * enum roc_packet_flags - Flags of a packet of events
 * @ROC_PACKET_TRUNCATED: at least one fragment is truncated
 * @ROC_PACKET_CLOSED: closed before it was full, because the stream ended
 * @ROC_PACKET_AGED: closed before it was full, because its time was over
 * @ROC_PACKET_GAP: closed because the id of the next event was not the next number: there is a gap
 *	behind it
 */
enum roc_packet_flags {
	ROC_PACKET_TRUNCATED = 1 << 0,
	ROC_PACKET_CLOSED = 1 << 1,
	ROC_PACKET_AGED = 1 << 2,
	ROC_PACKET_GAP = 1 << 3,
};

/**
 * enum roc_fragment_type - Origin of a fragment
 * @ROC_FRAGMENT_GENERATED: from a generator of the card
 * @ROC_FRAGMENT_FRONT_END: from the front end
 */
enum roc_fragment_type {
	ROC_FRAGMENT_GENERATED = 1,
	ROC_FRAGMENT_FRONT_END = 2,
};

/**
 * struct roc_packets - Position of an iteration over packets
 * @at: the next packet
 * @left: number of bytes from there on
 * @done: number of bytes before it
 */
struct roc_packets {
	const void *at;
	size_t left;
	size_t done;
};

/**
 * struct roc_packet - One packet, in place
 * @data: address of its first byte
 * @size: size in bytes with all padding, a multiple of 64
 * @kind: enum roc_packet_kind
 * @first_event: id of its first event
 * @number: number of the packet since the start of the stream, modulo 2^32; META: that of main's
 *	packet
 * @fragments: EVENTS: number of fragments, at least 1; META: that of main's packet; ODIN: 1
 * @source: source id of the card
 * @flags: bits of enum roc_packet_flags; ODIN: 0
 * @align: EVENTS: alignment of fragments in bytes; otherwise 0
 * @reserved: 0
 * @next: number of fragments that roc_packet_fragment() has returned
 * @offset: end of these fragments, in bytes from @data
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
 * struct roc_fragment - Data of one event in a packet
 * @data: address of its data, aligned to &roc_packet.align
 * @event: event id
 * @size: size in bytes, may be 0
 * @type: enum roc_fragment_type
 * @truncated: the data is incomplete
 */
struct roc_fragment {
	const void *data;
	uint64_t event;
	uint32_t size;
	uint16_t type;
	bool truncated;
};

/**
 * struct roc_packet_meta - Location of a packet of stream main
 * @position: position of its first byte in main's ring, in lines of 64 bytes, modulo 2^32
 * @bytes: size of the packet in bytes
 * @fragments: number of its fragments
 * @truncated: of these, number of truncated fragments
 * @cycles: cycles of the card's clock when the packet was closed
 */
struct roc_packet_meta {
	uint32_t position;
	uint32_t bytes;
	uint32_t fragments;
	uint32_t truncated;
	uint64_t cycles;
};

/**
 * struct roc_packet_odin - Event as recorded by the readout supervisor
 * @cycles: cycles of the card's clock when the record was made
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
 * roc_packets_begin() - Start to iterate over packets
 * @walk: filled in
 * @data: data from roc_stream_peek() or roc_lender_take(), which begins with a packet; a copy of it
 *	must begin at a multiple of 8
 * @bytes: size of the data, whole packets only
 */
static inline void roc_packets_begin(struct roc_packets *walk, const void *data, size_t bytes)
{
	walk->at = data;
	walk->left = bytes;
	walk->done = 0;
}

/**
 * roc_packets_next() - Return the next packet
 * @walk: position, moved behind the packet; unchanged after an error
 * @packet: filled in
 *
 * On success the function has checked header, tables and size of the packet. roc_packet_fragment()
 * checks each fragment.
 *
 * Return: 1 on success; 0 if there is none; -EBADMSG if the data is not a packet (roc_error()
 * states the position and the reason).
 */
int roc_packets_next(struct roc_packets *walk, struct roc_packet *packet);

/**
 * roc_packet_fragment() - Return the next fragment of a packet
 * @packet: packet from roc_packets_next(); the function counts the returned fragments in it
 * @fragment: filled in
 *
 * The sizes of all fragments together must fill the packet. The function checks this after the last
 * one.
 *
 * Return: 1 on success; 0 after the last fragment, or if the packet is not ROC_PACKET_EVENTS;
 * -EBADMSG if the packet is invalid.
 */
int roc_packet_fragment(struct roc_packet *packet, struct roc_fragment *fragment);

/**
 * roc_packet_meta() - Decode a record of stream meta
 * @packet: packet from roc_packets_next()
 * @meta: filled in
 *
 * Return: 0 on success; -EINVAL if the packet is not ROC_PACKET_META.
 */
int roc_packet_meta(const struct roc_packet *packet, struct roc_packet_meta *meta);

/**
 * roc_packet_odin() - Decode a record of an ODIN stream
 * @packet: packet from roc_packets_next()
 * @odin: filled in
 *
 * Return: 0 on success; -EINVAL if the packet is not ROC_PACKET_ODIN.
 */
int roc_packet_odin(const struct roc_packet *packet, struct roc_packet_odin *odin);

#ifdef __cplusplus
}
#endif

#endif /* ROC_PACKET_H */
