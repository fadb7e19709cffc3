/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-evb: event building over a network. A node has a *readout unit*, which packs the fragments
 * of its source into MFPs and brings each to its builder; or a *builder unit*, which puts the MFPs
 * of all sources of a block together and hands the MEP to its sink; or both. Who builds which block
 * is said by a table of assignment, which a coordinator has from the manager of the system.
 *
 * Source, sink and coordinator are tables of functions, so that a site can have its own. All their
 * functions are called by the thread that calls roc_evb_step(), never two at once, and none may
 * wait. A function that returns -errno has its sentence ready for why().
 *
 * All memory for data is allocated by roc_evb_open(); what a connection needs, when it comes.
 * What the nodes say to each other: Documentation/event-building-protocol.md; the layout of MFP and
 * MEP: roc/mep.h.
 */
#ifndef ROC_EVB_H
#define ROC_EVB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <roc/idle.h>
#include <roc/mep.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_EVB_NAME ROC_MEP_NAME /* bytes of a node's name, with the 0 at its end */
#define ROC_EVB_HOST 64
#define ROC_EVB_PORT 8
#define ROC_EVB_WHY 512
#define ROC_EVB_NODES_MAX 512 /* readout units, or builder units, of a system */
#define ROC_EVB_TABLES 8      /* of assignment that a node remembers */
#define ROC_EVB_PARTS 64      /* of a fragment */
#define ROC_EVB_REGIONS 16    /* of a source's memory */

/* Source: what data come from. */

/**
 * struct roc_evb_part - piece of a fragment
 * @data: inside a region of the source
 * @bytes: of it
 */
struct roc_evb_part {
	const void *data;
	size_t bytes;
};

/**
 * enum roc_evb_fragment_flags - of a fragment
 * @ROC_EVB_FRAGMENT_DAMAGED: it is not all that it should be; its MFP and MEP will say so
 */
enum roc_evb_fragment_flags {
	ROC_EVB_FRAGMENT_DAMAGED = 1 << 0,
};

/**
 * struct roc_evb_fragment - what a source has of one event
 * @event: event id, higher than that of the fragment before, not always by 1; a source that has 32
 *	bits unwraps them
 * @parts: where it lies: the data until it is given back, the array until the next take
 * @count: of @parts, at most ROC_EVB_PARTS, and 65536 of all fragments of a block, which matters
 *	with more than 1008 events in it only; 0: an empty fragment
 * @bytes: sum of its parts
 * @handle: for give_back()
 * @time: CLOCK_REALTIME ns of its trigger, or at which it was taken; 0 not known
 * @flags: bits of enum roc_evb_fragment_flags
 */
struct roc_evb_fragment {
	uint64_t event;
	const struct roc_evb_part *parts;
	unsigned int count;
	uint64_t bytes;
	uint64_t handle;
	uint64_t time;
	uint32_t flags;
};

/**
 * struct roc_evb_region - memory of a source, in which its fragments lie
 * @addr: start
 * @length: bytes
 */
struct roc_evb_region {
	void *addr;
	size_t length;
};

/**
 * struct roc_evb_source_ops - a source
 * @name: of its kind
 * @content: what is in its fragments, a number of the system's that every MFP of it has; 0: bytes
 * @start: data begin to come. 0 or -errno
 * @take: lend the next fragment: 1; 0 none now; -EAGAIN as many are out as can be; -ENODATA there
 *	will be none any more; or -errno, and the node ends with it
 * @give_back: a fragment is done with: each exactly once, in any order. 0 or -errno
 * @flush: once in each turn, after both. May be NULL. 0 or -errno
 * @go_on: nobody builds events below @event: a source that counts by itself goes on from there,
 *	never back; one whose events are numbered elsewhere does nothing. Called after start(), when
 *	this node comes into a system that runs. May be NULL. 0 or -errno
 * @stop: nothing new comes; what is there can still be taken, until take() says -ENODATA. 0 or
 *	-errno
 * @idle: what to wait for until take() has something. May be NULL: looked at every 100 us
 * @regions: memory that all fragments lie in: how many; up to @room are filled in. Constant from
 *	the start on. NULL or 0: not known; then fragments are copied
 * @why: sentence of the last failure
 */
struct roc_evb_source_ops {
	const char *name;
	uint32_t content;
	int (*start)(void *self);
	int (*take)(void *self, struct roc_evb_fragment *fragment);
	int (*give_back)(void *self, uint64_t handle);
	int (*flush)(void *self);
	int (*go_on)(void *self, uint64_t event);
	int (*stop)(void *self);
	void (*idle)(void *self, struct roc_idle *idle);
	unsigned int (*regions)(void *self, struct roc_evb_region *regions, unsigned int room);
	const char *(*why)(void *self);
};

/* Sink: where events go. */

/**
 * struct roc_evb_sink_ops - a sink
 * @name: of its kind
 * @put: 1 it has the MEP, until done() says its handle; 0 it has no room now; -ENOSPC it takes no
 *	more data, but the node goes on and counts; or -errno, and the node ends with it. The
 *	structure and what it points to are the sink's to read until then
 * @flush: after a batch. May be NULL. 0 or -errno
 * @done: handles of MEPs that it is done with, in any order: how many of @room were filled in; or
 *	-errno
 * @finish: nothing more will be put, and everything is done with: end in order. 1 done, 0 not yet,
 *	-errno. May be NULL
 * @abandon: let go of everything; after it, done() has all handles. May be NULL
 * @idle: what to wait for until done() has something. May be NULL
 * @why: sentence of the last failure
 * @memory: called once, by roc_evb_open(), which fails if it does: all MEPs will lie in the
 *	@length bytes at @base, which are the file @fd (a memfd, mapped shared) from its start: for
 *	who lends them to another process. It is sealed: nobody else can write to it or make it
 *	shorter. 0 or -errno. May be NULL
 */
struct roc_evb_sink_ops {
	const char *name;
	int (*put)(void *self, const struct roc_mep *mep);
	int (*flush)(void *self);
	int (*done)(void *self, uint64_t *handles, unsigned int room);
	int (*finish)(void *self);
	void (*abandon)(void *self);
	void (*idle)(void *self, struct roc_idle *idle);
	const char *(*why)(void *self);
	int (*memory)(void *self, int fd, void *base, size_t length);
};

/* Table of assignment. */

/**
 * enum roc_evb_policy - which builder has a block. The numbers are in tables: new ones go to the
 *	end
 * @ROC_EVB_ROUND_ROBIN: one after the other
 * @ROC_EVB_BARREL_SHIFT: the same, but readout units send a cycle of blocks each from another
 *	builder on, and do not run ahead of their window
 * @ROC_EVB_RANDOM: by a hash of seed and block
 * @ROC_EVB_LEAST_LOADED: by the weights of the builders, which the manager makes of their reports
 * @ROC_EVB_POLICIES: number of policies of this library
 */
enum roc_evb_policy {
	ROC_EVB_ROUND_ROBIN = 0,
	ROC_EVB_BARREL_SHIFT = 1,
	ROC_EVB_RANDOM = 2,
	ROC_EVB_LEAST_LOADED = 3,
	ROC_EVB_POLICIES
};

/**
 * struct roc_evb_place - a node in a table
 * @name: of the node
 * @incarnation: of its process, see struct roc_evb_member
 * @weight: of a builder, 1 to 1000; of a readout unit 0
 */
struct roc_evb_place {
	char name[ROC_EVB_NAME];
	uint64_t incarnation;
	uint32_t weight;
};

/**
 * struct roc_evb_table - table of assignment
 * @term: of the manager that wrote it: a table of an older term is not believed
 * @epoch: number of the table, from 1, higher than that of all tables before
 * @from_block: first block that it holds for; that of the table before holds below
 * @seed: for ROC_EVB_RANDOM
 * @policy: of enum roc_evb_policy
 * @rus: readout units of which every event has data, sorted by nothing but their place here
 * @ru_count: of @rus
 * @bus: builder units
 * @bu_count: of @bus
 */
struct roc_evb_table {
	uint64_t term;
	uint64_t epoch;
	uint64_t from_block;
	uint64_t seed;
	uint32_t policy;
	uint32_t ru_count;
	uint32_t bu_count;
	struct roc_evb_place rus[ROC_EVB_NODES_MAX];
	struct roc_evb_place bus[ROC_EVB_NODES_MAX];
};

/**
 * roc_evb_builder() - who builds a block
 * @table: of assignment
 * @block: at least @table->from_block
 *
 * The same for everybody who has the same table.
 *
 * Return: index in @table->bus, below @table->bu_count, which must not be 0.
 */
unsigned int roc_evb_builder(const struct roc_evb_table *table, uint64_t block);

/**
 * roc_evb_turn() - in which order a readout unit sends
 * @table: of assignment, of any policy
 * @ru: index of the readout unit in @table->rus
 * @step: 0, 1, 2, ...
 *
 * For the barrel shift a cycle of @table->bu_count steps are the blocks of that cycle, those of
 * readout unit i in cycle c from builder (i + c) modulo the number of builders on; else they come
 * as they are.
 *
 * Return: block number, less @table->from_block.
 */
uint64_t roc_evb_turn(const struct roc_evb_table *table, unsigned int ru, uint64_t step);

/**
 * roc_evb_table_check() - is a table one that can be used?
 * @table: as it came from somewhere
 * @why: the sentence
 *
 * Return: 0; -EINVAL.
 */
int roc_evb_table_check(const struct roc_evb_table *table, char why[ROC_EVB_WHY]);

/* Coordinator: who is there, and the tables. */

/**
 * enum roc_evb_role - of a node
 * @ROC_EVB_READOUT: it has a source
 * @ROC_EVB_BUILDER: it has a sink
 * @ROC_EVB_MANAGER: it may be the manager: that is not the engine's, but of who calls it
 */
enum roc_evb_role {
	ROC_EVB_READOUT = 1 << 0,
	ROC_EVB_BUILDER = 1 << 1,
	ROC_EVB_MANAGER = 1 << 2,
};

/**
 * struct roc_evb_member - a node that is there
 * @name: of it, one of its kind in the system
 * @host: address at which its builder unit listens
 * @port: and port
 * @incarnation: of its process: another number each time it joins
 * @roles: bits of enum roc_evb_role
 * @peers: nodes of the other role that it is made for; 0: any number
 */
struct roc_evb_member {
	char name[ROC_EVB_NAME];
	char host[ROC_EVB_HOST];
	char port[ROC_EVB_PORT];
	uint64_t incarnation;
	uint32_t roles;
	uint32_t peers;
};

/**
 * enum roc_evb_what - what a coordinator has to say
 * @ROC_EVB_MEMBERS: who is there now: all of them
 * @ROC_EVB_TABLE: a table of assignment
 * @ROC_EVB_LEADER: who the manager is; for the engine a note
 * @ROC_EVB_LOST: the coordinator, or the manager, is away: the node goes on with what it has
 * @ROC_EVB_BACK: and is there again
 * @ROC_EVB_OUT: this node is a member no more (its lease ran out): it drops what is open and joins
 *	anew
 */
enum roc_evb_what {
	ROC_EVB_MEMBERS = 1,
	ROC_EVB_TABLE = 2,
	ROC_EVB_LEADER = 3,
	ROC_EVB_LOST = 4,
	ROC_EVB_BACK = 5,
	ROC_EVB_OUT = 6,
};

/**
 * struct roc_evb_news - one thing that a coordinator says
 * @what: of enum roc_evb_what
 * @members: array, the coordinator's until the next poll
 * @member_count: of @members
 * @table: the coordinator's until the next poll
 * @text: a sentence for people, or NULL
 */
struct roc_evb_news {
	enum roc_evb_what what;
	const struct roc_evb_member *members;
	unsigned int member_count;
	const struct roc_evb_table *table;
	const char *text;
};

#define ROC_EVB_SUSPECTS 16

/**
 * struct roc_evb_suspect - a peer that something is wrong with
 * @name: of it
 * @incarnation: of it
 * @stale: blocks in a row that it was late for, or that it did not take; 0 as long as the row has
 *	lasted for less than a stale timeout
 * @gone: it cannot be reached
 * @lied: what it said could not be
 * @early: it was not late for the blocks of @stale, but sent them so long before most others that
 *	they were given up
 */
struct roc_evb_suspect {
	char name[ROC_EVB_NAME];
	uint64_t incarnation;
	uint32_t stale;
	bool gone;
	bool lied;
	bool early;
};

/**
 * struct roc_evb_report - what a node tells the manager now and then
 * @incarnation: of the node
 * @epoch: of the newest table it has
 * @has_newest: its readout unit has packed a block
 * @newest_block: the highest that it has packed
 * @blocks_per_s: packed, of late
 * @open_blocks: of its builder unit
 * @ready_blocks: of these, complete ones that the sink has no room for
 * @free_segments: of its builder unit, not written to
 * @all_segments: of its builder unit
 * @backlog_bytes: in memory of its builder unit
 * @ended: its readout unit has sent everything there will be
 * @has_built: its builder unit has delivered a block
 * @built_block: the highest that it has delivered
 * @suspects: peers that something is wrong with
 * @suspect_count: of @suspects
 * @clock_ns: its CLOCK_REALTIME when the report is sent; 0: not known
 */
struct roc_evb_report {
	uint64_t incarnation;
	uint64_t epoch;
	bool has_newest;
	uint64_t newest_block;
	uint64_t blocks_per_s;
	uint32_t open_blocks;
	uint32_t ready_blocks;
	uint32_t free_segments;
	uint32_t all_segments;
	uint64_t backlog_bytes;
	bool ended;
	bool has_built;
	uint64_t built_block;
	struct roc_evb_suspect suspects[ROC_EVB_SUSPECTS];
	unsigned int suspect_count;
	uint64_t clock_ns;
};

/**
 * struct roc_evb_coordinator_ops - a coordinator
 * @name: of its kind
 * @join: become a member, as @me from now on; called again with another incarnation when the node
 *	joins anew. What becomes of it comes by poll(). 0 or -errno
 * @poll: the next news: 1; 0 none; -errno, and the node ends with it: what heals by waiting is
 *	news, not a failure
 * @report: tell the manager; may drop it. 0 or -errno
 * @publish: a new table to everybody; the manager's. -EPERM: there is a newer manager. May be NULL
 * @campaign: try to be the manager; news tell. May be NULL
 * @leave: be a member no more. 0 or -errno
 * @idle: what to wait for until poll() has something
 * @why: sentence of the last failure
 */
struct roc_evb_coordinator_ops {
	const char *name;
	int (*join)(void *self, const struct roc_evb_member *me);
	int (*poll)(void *self, struct roc_evb_news *news);
	int (*report)(void *self, const struct roc_evb_report *report);
	int (*publish)(void *self, const struct roc_evb_table *table);
	int (*campaign)(void *self);
	int (*leave)(void *self);
	void (*idle)(void *self, struct roc_idle *idle);
	const char *(*why)(void *self);
};

/* The node. */

/**
 * enum roc_evb_protocol - who moves the data; the same in a whole system
 * @ROC_EVB_PUSH: the readout unit writes into memory of the builder
 * @ROC_EVB_PULL: the builder reads from memory of the readout unit
 * @ROC_EVB_COMMAND: the data travel as commands of 4 KiB, which both ends copy
 */
enum roc_evb_protocol {
	ROC_EVB_PUSH = 0,
	ROC_EVB_PULL = 1,
	ROC_EVB_COMMAND = 2,
};

#define ROC_EVB_NO_SPIN UINT64_MAX

/**
 * struct roc_evb_config - a node. Whatever is 0 or NULL has the value in brackets
 * @system: name of the system; who says another is refused
 * @name: of this node
 * @host: address to listen at (all); a builder's
 * @advertise: address that the others are told (@host, else 127.0.0.1)
 * @port: to listen at (any that is free); a builder's
 * @provider: libfabric's, as "tcp", "shm", "verbs" (tcp). libfabric reads its own variables (FI_*)
 *	from the environment: see roc_evb_environment()
 * @roles: bits of enum roc_evb_role
 * @protocol: of enum roc_evb_protocol; the same in the system
 * @single: every MFP must fit one segment; else it may go over several
 * @events: of a block (1); the same in the system
 * @fragment_max: bytes of the largest fragment of the source (1 MiB)
 * @mfp_max: bytes of the largest MFP (what @events fragments of @fragment_max need)
 * @blocks: MFPs that a readout unit has open at once (64), two at least
 * @window: barrel shift: of MFPs of a destination that wait or are on their way (2)
 * @in_flight: MFPs of a readout unit that a builder has and has not given back (64); pulled: half
 *	of @blocks at most
 * @copy_below: fragments of fewer bytes are copied together, larger ones sent from where they are
 *	(8192)
 * @memory: bytes of a builder for MFPs (64 MiB), shared out among as many readout units as
 *	@peers
 * @peers: readout units that a system may have, and builder units (8); the manager lets in no more
 * @segment: bytes of a segment (single: what the largest MFP needs; else 256 KiB, or less if
 *	@max_region is)
 * @max_region: bytes of a piece of memory that may be registered for the others (no limit)
 * @max_regions: how many of those (no limit)
 * @stale_ns: a block that is open for so long is delivered as it is (1 s)
 * @patience_ns: readout unit: what a builder did not take for so long is dropped (@stale_ns)
 * @lease_ns: a node whose loop made no turn for half of that has been given up by the others: it
 *	joins anew (2 s)
 * @silence_ns: a peer that says nothing for so long is gone (@lease_ns)
 * @spin_ns: while something comes all the time roc_evb_step() looks for what comes next for so long
 *	before it sleeps, and twice as long as it works at most (300 us); ROC_EVB_NO_SPIN: it
 *	sleeps at once
 * @say: gets each sentence for people, or NULL
 * @say_self: first argument of @say
 */
struct roc_evb_config {
	const char *system;
	const char *name;
	const char *host;
	const char *advertise;
	const char *port;
	const char *provider;
	uint32_t roles;
	enum roc_evb_protocol protocol;
	bool single;
	uint32_t events;
	uint64_t fragment_max;
	uint64_t mfp_max;
	uint32_t blocks;
	uint32_t window;
	uint32_t in_flight;
	uint64_t copy_below;
	uint64_t memory;
	uint32_t peers;
	uint64_t segment;
	uint64_t max_region;
	uint32_t max_regions;
	uint64_t stale_ns;
	uint64_t patience_ns;
	uint64_t lease_ns;
	uint64_t silence_ns;
	uint64_t spin_ns;
	void (*say)(void *self, const char *sentence);
	void *say_self;
};

/**
 * struct roc_evb_flow - what went through a place
 * @count: of fragments, MFPs or MEPs
 * @bytes: of them
 */
struct roc_evb_flow {
	uint64_t count;
	uint64_t bytes;
};

#define ROC_EVB_LATENCIES 160

/**
 * struct roc_evb_counts - what a node counted since it was opened; what is "now" goes up and down
 * @in: fragments from the source
 * @sent: MFPs to builders
 * @received: MFPs from readout units
 * @out: MEPs that the sink took
 * @complete: MEPs with all sources
 * @incomplete: MEPs without
 * @damaged: MEPs that say so
 * @stale: MEPs that were given up for their age; all are @incomplete
 * @unsaved: MEPs that the sink had no room for any more (-ENOSPC)
 * @late: MFPs that came, or came to their end, when their block was delivered or given up already
 * @gone: MFPs that readout units said there are none of
 * @missing: MFPs that should have come and did not
 * @dropped: MFPs that a builder did not take in time
 * @dropped_events: fragments in those
 * @unsure: MFPs that a builder had whole, and had not given back when the connection broke: whether
 *	it delivered them is not known
 * @unsure_events: fragments in those
 * @unassigned: fragments of blocks for which this node was in no table
 * @disorder: fragments with an id that had passed
 * @too_large: fragments that were larger than said, or in too many parts
 * @copied: bytes that this node's processor copied
 * @calls: of libfabric that moved data
 * @rejoined: times that it joined anew
 * @refused: connections that were turned away
 * @liars: peers that were taken out for what they said
 * @epoch: of the newest table
 * @contact: with coordinator and manager, now
 * @assigned: the newest table has this node, now
 * @ended: the source has no more, and everything is sent, now
 * @open_blocks: blocks of which something is here, now
 * @open_blocks_max: most at once
 * @ready_blocks: of these, those that the sink had no room for, now
 * @mfps: MFPs of the readout unit that are open, wait or are on their way, now
 * @credits: segments of builders that this readout unit may write to, now
 * @free_segments: of the builder unit, now
 * @all_segments: of the builder unit
 * @latency: from the earliest trigger to the complete MEP: how many in [roc_evb_latency_ns(i),
 *	roc_evb_latency_ns(i + 1))
 * @refused_tables: tables of assignment that this node did not take: older than its own, malformed,
 *	or with more nodes than it is made for
 */
struct roc_evb_counts {
	struct roc_evb_flow in, sent, received, out;
	uint64_t complete, incomplete, damaged, stale, unsaved;
	uint64_t late, gone, missing;
	uint64_t dropped, dropped_events;
	uint64_t unsure, unsure_events;
	uint64_t unassigned, disorder, too_large;
	uint64_t copied, calls;
	uint64_t rejoined, refused, liars;
	uint64_t epoch;
	bool contact, assigned, ended;
	uint32_t open_blocks, open_blocks_max, ready_blocks;
	uint32_t mfps;
	uint32_t credits, free_segments, all_segments;
	uint64_t latency[ROC_EVB_LATENCIES];
	uint64_t refused_tables;
};

/**
 * struct roc_evb_peer - one connection, of a readout unit with a builder or the other way round
 * @name: of the peer
 * @builder: the peer is the builder
 * @connected: now
 * @skew_ns: its clock less ours, as far as it is known
 * @skew_known: it is
 * @moved: MFPs that went over it
 * @dropped: to a builder: MFPs that it did not take in time
 * @queue: to a builder: MFPs packed for it and not sent whole, now
 * @queue_max: most at once
 * @in_flight: to a builder: MFPs that it has and has not given back; from a readout unit: MFPs in
 *	memory here, now
 * @in_flight_max: most at once
 * @credits: segments that may be written to, now
 * @stale: blocks in a row that it was late for, or did not take
 */
struct roc_evb_peer {
	char name[ROC_EVB_NAME];
	bool builder;
	bool connected;
	int64_t skew_ns;
	bool skew_known;
	struct roc_evb_flow moved;
	uint64_t dropped;
	uint32_t queue, queue_max;
	uint32_t in_flight, in_flight_max;
	uint32_t credits;
	uint32_t stale;
};

struct roc_evb; /* owned by the caller from roc_evb_open() to _close() */

/**
 * roc_evb_open() - make a node
 * @config: is copied, with its texts
 * @source: of a readout unit, else NULL
 * @source_self: first argument of its functions
 * @sink: of a builder unit, else NULL
 * @sink_self: first argument of its functions
 * @coordinator: of every node
 * @coordinator_self: first argument of its functions
 * @evb: the new handle
 * @why: the sentence, also if it goes well and something is to be said: else empty
 *
 * Listens, joins, and returns: everything else is done by roc_evb_step(). Source, sink and
 * coordinator stay the caller's and must outlive the node.
 *
 * Return: 0; -EINVAL the configuration contradicts itself; -ENOSPC what it asks for does not fit
 * @memory, or @max_region and @max_regions; -ENOMEM; -EADDRINUSE; -ENOENT there is no libfabric;
 * what the sink's memory() or join() returned.
 */
int roc_evb_open(const struct roc_evb_config *config, const struct roc_evb_source_ops *source,
		 void *source_self, const struct roc_evb_sink_ops *sink, void *sink_self,
		 const struct roc_evb_coordinator_ops *coordinator, void *coordinator_self,
		 struct roc_evb **evb, char why[ROC_EVB_WHY]);

/**
 * roc_evb_step() - one turn of the loop
 * @evb: handle
 * @timeout_ms: how long to wait if there was nothing to do; 0: do not
 *
 * Return: 1 everything came to its end: the source has no more, or stop was called, and all that
 * was there is delivered; 0 go on; -errno it cannot go on, see roc_evb_why().
 */
int roc_evb_step(struct roc_evb *evb, int timeout_ms);

/**
 * roc_evb_idle() - what the node waits for, for a caller with a loop of its own
 * @evb: handle
 * @idle: what is waited for is added
 */
void roc_evb_idle(struct roc_evb *evb, struct roc_idle *idle);

/**
 * roc_evb_stop() - come to an end in order
 * @evb: handle
 *
 * Stops the source; what is on its way is still delivered, for a stale timeout at most. A builder
 * unit of a system that goes on takes nothing new after eight stale timeouts and the patience, and
 * delivers what it has then. Can be called from a signal handler.
 */
void roc_evb_stop(struct roc_evb *evb);

/**
 * roc_evb_close() - give a node up
 * @evb: handle, or NULL
 *
 * Gives back to the source what is out, lets the sink let go of what it has, leaves the system.
 */
void roc_evb_close(struct roc_evb *evb);

/**
 * roc_evb_counts() - what was counted
 * @evb: handle
 * @counts: to fill in
 */
void roc_evb_counts(const struct roc_evb *evb, struct roc_evb_counts *counts);

/**
 * roc_evb_peers() - the connections
 * @evb: handle
 * @peers: array to fill in
 * @room: of @peers
 *
 * Return: how many there are, which may be more than @room.
 */
unsigned int roc_evb_peers(const struct roc_evb *evb, struct roc_evb_peer *peers,
			   unsigned int room);

/**
 * roc_evb_why() - sentence of the failure that roc_evb_step() returned
 * @evb: handle
 *
 * Return: text with the cause and the remedy, valid until the next call with @evb.
 */
const char *roc_evb_why(const struct roc_evb *evb);

/**
 * roc_evb_incarnation() - number of this node's process, as it joined last
 * @evb: handle
 *
 * Return: the number, see struct roc_evb_member.
 */
uint64_t roc_evb_incarnation(const struct roc_evb *evb);

/**
 * roc_evb_port() - at which the builder unit listens
 * @evb: handle
 *
 * Return: port; 0: it does not.
 */
unsigned int roc_evb_port(const struct roc_evb *evb);

/**
 * roc_evb_latency_ns() - where a bin of the histogram begins
 * @bin: 0 to ROC_EVB_LATENCIES; four for each power of two
 *
 * Return: ns.
 */
uint64_t roc_evb_latency_ns(unsigned int bin);

/**
 * roc_evb_environment() - set libfabric's variables as the tools set them
 *
 * By default libfabric takes 85 MiB for each connection over tcp or verbs. Nodes whose
 * FI_OFI_RXM_BUFFER_SIZE differs cannot connect, so a program whose nodes meet those of roc-evb
 * calls this, or sets the variables itself. No other function of the library changes the
 * environment.
 *
 * Sets the variables that are not set, and removes FI_TCP_ZEROCOPY_SIZE. Context: before the
 * program has threads, and before libfabric is loaded.
 */
void roc_evb_environment(void);

#ifdef __cplusplus
}
#endif

#endif
