/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-evb: event building over a network. A node has a *readout unit*, a *builder unit*, or
 * both. The readout unit packs the fragments of its source into MFPs and sends each to its builder.
 * The builder unit assembles the MFPs of all sources of a block and passes the MEP to its sink. An
 * assignment table, which the coordinator receives from the manager of the system, defines the
 * builder of each block.
 *
 * Source, sink and coordinator are tables of functions, so that a site can supply its own. The
 * thread that calls roc_evb_step() calls all their functions, never two at once, and none may
 * block. After a function has returned -errno, reason() must return its error message.
 *
 * roc_evb_open() allocates all memory for data. The memory of a connection is allocated when the
 * connection is made. Documentation/event-building-protocol.md describes the messages between
 * nodes; roc/mep.h the layout of MFP and MEP.
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

#define ROC_EVB_NAME ROC_MEP_NAME /* bytes of a node's name, with the final NUL */
#define ROC_EVB_HOST 64
#define ROC_EVB_PORT 8
#define ROC_EVB_REASON 512
#define ROC_EVB_WHY ROC_EVB_REASON /* deprecated name */
#define ROC_EVB_NODES_MAX 512	   /* readout units, or builder units, of a system */
#define ROC_EVB_TABLES 8	   /* assignment tables that a node keeps */
#define ROC_EVB_PARTS 64	   /* parts of a fragment */
#define ROC_EVB_REGIONS 16	   /* memory regions of a source */

/* Source: origin of the data. */

/**
 * struct roc_evb_part - Part of a fragment
 * @data: start address, inside a region of the source
 * @bytes: size in bytes
 */
struct roc_evb_part {
	const void *data;
	size_t bytes;
};

/**
 * enum roc_evb_fragment_flags - Flags of a fragment
 * @ROC_EVB_FRAGMENT_DAMAGED: the fragment is damaged or incomplete; its MFP and MEP are flagged as
 *	well
 */
enum roc_evb_fragment_flags {
	ROC_EVB_FRAGMENT_DAMAGED = 1 << 0,
};

/**
 * struct roc_evb_fragment - Fragment of one event from a source
 * @event: event id, higher than that of the previous fragment, not always by 1; a source that has
 *	32 bits unwraps them
 * @parts: parts of the fragment. The data must remain valid until give_back(), the array until the
 *	next take()
 * @count: number of @parts, at most ROC_EVB_PARTS, and 65536 of all fragments of a block, which is
 *	a limit only with more than 1008 events per block; 0 for an empty fragment
 * @bytes: sum of the sizes of its parts
 * @handle: handle for give_back()
 * @time: CLOCK_REALTIME ns of its trigger, or at which it was taken; 0 if unknown
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
 * struct roc_evb_region - Memory of a source that contains its fragments
 * @addr: start address
 * @length: length in bytes
 */
struct roc_evb_region {
	void *addr;
	size_t length;
};

/**
 * struct roc_evb_source_ops - Functions of a source
 * @name: name of the source type
 * @content: content of its fragments, a number defined by the system, which every MFP carries; 0
 *	for bytes
 * @start: start the data. 0 or -errno
 * @take: lend the next fragment: 1 on success; 0 if there is none now; -EAGAIN if the maximum
 *	number is lent; -ENODATA if there will be no more; or -errno, which ends the node
 * @give_back: return a fragment: each exactly once, in any order. 0 or -errno
 * @flush: called once in each turn, after both. May be NULL. 0 or -errno
 * @go_on: no node builds events below @event. A source that counts by itself continues from there,
 *	never backwards; a source whose events are numbered elsewhere does nothing. Called after
 *	start(), when this node joins a running system. May be NULL. 0 or -errno
 * @stop: stop new data. take() still returns what is there, until it returns -ENODATA. 0 or -errno
 * @idle: add what to wait for until take() has a fragment. If NULL, the node polls every 100 us
 * @regions: memory that contains all fragments: return the number, fill in up to @room. Constant
 *	from the start on. If NULL or 0, the regions are unknown, and fragments are copied
 * @reason: return the error message of the last failure
 * @why: deprecated name of @reason
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
	union {
		const char *(*reason)(void *self);
		const char *(*why)(void *self);
	};
};

/* Sink: destination of the events. */

/**
 * struct roc_evb_sink_ops - Functions of a sink
 * @name: name of the sink type
 * @put: pass a MEP: 1 if the sink accepts it and keeps it until done() returns its handle; 0 if it
 *	has no space now; -ENOSPC if it accepts no more data, in which case the node continues and
 *	counts; or -errno, which ends the node. The sink may read the structure and what it points
 *	to until done()
 * @flush: called after a batch. May be NULL. 0 or -errno
 * @done: return handles of MEPs that the sink has finished, in any order: the number filled in, at
 *	most @room; or -errno
 * @finish: end in order: no more MEPs follow, and all are finished. 1 if done, 0 if not yet,
 *	-errno. May be NULL
 * @abandon: release everything; after it, done() returns all handles. May be NULL
 * @idle: add what to wait for until done() has a handle. May be NULL
 * @reason: return the error message of the last failure
 * @why: deprecated name of @reason
 * @memory: announce the memory of MEPs; roc_evb_open() calls it once, and fails if it fails. All
 *	MEPs will be in the @length bytes at @base, which are the file @fd (a memfd, mapped shared)
 *	from its start. A sink that lends MEPs to another process needs it. The file is sealed: no
 *	other process can write to it or shorten it. 0 or -errno. May be NULL
 */
struct roc_evb_sink_ops {
	const char *name;
	int (*put)(void *self, const struct roc_mep *mep);
	int (*flush)(void *self);
	int (*done)(void *self, uint64_t *handles, unsigned int room);
	int (*finish)(void *self);
	void (*abandon)(void *self);
	void (*idle)(void *self, struct roc_idle *idle);
	union {
		const char *(*reason)(void *self);
		const char *(*why)(void *self);
	};
	int (*memory)(void *self, int fd, void *base, size_t length);
};

/* Assignment table. */

/**
 * enum roc_evb_policy - Policies for the assignment of blocks to builders
 * @ROC_EVB_ROUND_ROBIN: one builder after the other
 * @ROC_EVB_BARREL_SHIFT: the same, but each readout unit begins a cycle of blocks with another
 *	builder, and does not run ahead of its window
 * @ROC_EVB_RANDOM: by a hash of seed and block
 * @ROC_EVB_LEAST_LOADED: by the weights of the builders, which the manager derives from their
 *	reports
 * @ROC_EVB_POLICIES: number of policies of this library
 *
 * Tables contain these numbers, so new policies are added at the end.
 */
enum roc_evb_policy {
	ROC_EVB_ROUND_ROBIN = 0,
	ROC_EVB_BARREL_SHIFT = 1,
	ROC_EVB_RANDOM = 2,
	ROC_EVB_LEAST_LOADED = 3,
	ROC_EVB_POLICIES
};

/**
 * struct roc_evb_place - Node in a table
 * @name: name of the node
 * @incarnation: incarnation of its process, see struct roc_evb_member
 * @weight: weight of a builder, 1 to 1000; 0 for a readout unit
 */
struct roc_evb_place {
	char name[ROC_EVB_NAME];
	uint64_t incarnation;
	uint32_t weight;
};

/**
 * struct roc_evb_table - Assignment table
 * @term: term of the manager that wrote it: nodes reject a table of an older term
 * @epoch: number of the table, from 1, higher than that of all previous tables
 * @from_block: first block of the table; the previous table is valid below it
 * @seed: seed for ROC_EVB_RANDOM
 * @policy: enum roc_evb_policy
 * @rus: readout units with data of every event, in no particular order
 * @ru_count: number of @rus
 * @bus: builder units
 * @bu_count: number of @bus
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
 * roc_evb_builder() - Find the builder of a block
 * @table: assignment table
 * @block: block number, at least @table->from_block
 *
 * All nodes with the same table compute the same result.
 *
 * Return: index in @table->bus, below @table->bu_count, which must not be 0.
 */
unsigned int roc_evb_builder(const struct roc_evb_table *table, uint64_t block);

/**
 * roc_evb_turn() - Compute the order in which a readout unit sends
 * @table: assignment table of any policy
 * @ru: index of the readout unit in @table->rus
 * @step: 0, 1, 2, ...
 *
 * With the barrel shift, a cycle of @table->bu_count steps covers the blocks of that cycle. Readout
 * unit i begins cycle c with builder (i + c) modulo the number of builders. With other policies the
 * blocks follow in order.
 *
 * Return: block number minus @table->from_block.
 */
uint64_t roc_evb_turn(const struct roc_evb_table *table, unsigned int ru, uint64_t step);

/**
 * roc_evb_table_check() - Check whether a table is valid
 * @table: table from any origin
 * @reason: receives the error message
 *
 * Return: 0 if the table is valid; -EINVAL if not.
 */
int roc_evb_table_check(const struct roc_evb_table *table, char reason[ROC_EVB_REASON]);

/* Coordinator: members and tables. */

/**
 * enum roc_evb_role - Roles of a node
 * @ROC_EVB_READOUT: the node has a source
 * @ROC_EVB_BUILDER: the node has a sink
 * @ROC_EVB_MANAGER: the node may be the manager: a role of the caller, not of the engine
 */
enum roc_evb_role {
	ROC_EVB_READOUT = 1 << 0,
	ROC_EVB_BUILDER = 1 << 1,
	ROC_EVB_MANAGER = 1 << 2,
};

/**
 * struct roc_evb_member - Node that is present
 * @name: name of the node, unique in the system
 * @host: address at which its builder unit listens
 * @port: port at which its builder unit listens
 * @incarnation: incarnation of its process: another number each time that it joins
 * @roles: bits of enum roc_evb_role
 * @peers: maximum number of nodes of the other role that it supports; 0 for any number
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
 * enum roc_evb_what - Types of coordinator news
 * @ROC_EVB_MEMBERS: all members that are present now
 * @ROC_EVB_TABLE: an assignment table
 * @ROC_EVB_LEADER: the identity of the manager; only informative for the engine
 * @ROC_EVB_LOST: the coordinator, or the manager, is unavailable: the node continues with what it
 *	has
 * @ROC_EVB_BACK: the coordinator, or the manager, is available again
 * @ROC_EVB_OUT: this node is no longer a member (its lease ran out): it drops its open blocks and
 *	joins again
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
 * struct roc_evb_news - One item of coordinator news
 * @what: enum roc_evb_what
 * @members: array of members, which the coordinator owns; valid until the next poll
 * @member_count: number of @members
 * @table: table, which the coordinator owns; valid until the next poll
 * @text: message for users, or NULL
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
 * struct roc_evb_suspect - Peer with a suspected fault
 * @name: name of the peer
 * @incarnation: incarnation of the peer
 * @stale: number of consecutive blocks for which it was late, or that it did not accept; 0 until
 *	this has lasted for a stale timeout
 * @gone: the peer is unreachable
 * @protocol_error: the peer violated the protocol
 * @lied: deprecated name of @protocol_error
 * @early: it was not late for the blocks of @stale, but sent them so long before most other peers
 *	that the builder gave these blocks up
 */
struct roc_evb_suspect {
	char name[ROC_EVB_NAME];
	uint64_t incarnation;
	uint32_t stale;
	bool gone;
	union {
		bool protocol_error, lied;
	};
	bool early;
};

/**
 * struct roc_evb_report - Periodic report of a node to the manager
 * @incarnation: incarnation of the node
 * @epoch: epoch of the newest table that it has
 * @has_newest: its readout unit has packed a block
 * @newest_block: the highest block that it has packed
 * @blocks_per_s: recent rate of packed blocks
 * @open_blocks: open blocks of its builder unit
 * @ready_blocks: of these, complete blocks that the sink has no space for
 * @free_segments: segments of its builder unit without data
 * @all_segments: all segments of its builder unit
 * @backlog_bytes: bytes in memory of its builder unit
 * @ended: its readout unit has sent all data and will have no more
 * @has_built: its builder unit has delivered a block
 * @built_block: the highest block that it has delivered
 * @suspects: peers with a suspected fault
 * @suspect_count: number of @suspects
 * @clock_ns: its CLOCK_REALTIME when it sends the report; 0 if unknown
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
 * struct roc_evb_coordinator_ops - Functions of a coordinator
 * @name: name of the coordinator type
 * @join: become a member as @me; called again with another incarnation when the node joins again.
 *	poll() returns the outcome. 0 or -errno
 * @poll: return the next news: 1; 0 if there is none; -errno, which ends the node. A condition that
 *	may clear by itself is news, not a failure
 * @report: send a report to the manager; may drop it. 0 or -errno
 * @publish: publish a new table to all nodes; for the manager. -EPERM if there is a newer manager.
 *	May be NULL
 * @campaign: try to become the manager; news report the outcome. May be NULL
 * @leave: end the membership. 0 or -errno
 * @idle: add what to wait for until poll() has news
 * @reason: return the error message of the last failure
 * @why: deprecated name of @reason
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
	union {
		const char *(*reason)(void *self);
		const char *(*why)(void *self);
	};
};

/* The node. */

/**
 * enum roc_evb_protocol - Data transfer protocols; all nodes of a system use the same
 * @ROC_EVB_PUSH: the readout unit writes into memory of the builder
 * @ROC_EVB_PULL: the builder reads from memory of the readout unit
 * @ROC_EVB_COMMAND: the data is sent in commands of 4 KiB, which both ends copy
 */
enum roc_evb_protocol {
	ROC_EVB_PUSH = 0,
	ROC_EVB_PULL = 1,
	ROC_EVB_COMMAND = 2,
};

#define ROC_EVB_NO_SPIN UINT64_MAX

/**
 * struct roc_evb_config - Configuration of a node. A member that is 0 or NULL has the default in
 *	brackets
 * @system: name of the system; the node refuses peers with another name
 * @name: name of this node
 * @host: address to listen at (all addresses); for a builder
 * @advertise: address that the node publishes to the others (@host, else 127.0.0.1)
 * @port: port to listen at (any free port); for a builder
 * @provider: libfabric provider, such as "tcp", "shm", "verbs" (tcp). libfabric reads its own
 *	variables (FI_*) from the environment: see roc_evb_environment()
 * @roles: bits of enum roc_evb_role
 * @protocol: enum roc_evb_protocol; the same in the whole system
 * @single: every MFP must fit into one segment; otherwise it may span several
 * @events: events per block (1); the same in the whole system
 * @fragment_max: bytes of the largest fragment of the source (1 MiB)
 * @mfp_max: bytes of the largest MFP (the size for @events fragments of @fragment_max)
 * @blocks: maximum number of open MFPs of a readout unit (64), at least two
 * @window: barrel shift: maximum number of MFPs per destination that wait or are in transit (2)
 * @in_flight: maximum number of MFPs of a readout unit that a builder has not returned yet (64);
 *	with ROC_EVB_PULL at most half of @blocks
 * @copy_below: fragments of fewer bytes are copied together, larger ones are sent from their place
 *	(8192)
 * @memory: bytes of a builder for MFPs (64 MiB), shared among @peers readout units
 * @peers: maximum number of readout units, and of builder units, in the system (8); the manager
 *	admits no more
 * @segment: bytes of a segment (single: the size of the largest MFP; otherwise 256 KiB, or less if
 *	@max_region is)
 * @max_region: maximum bytes of one memory region registered for the others (no limit)
 * @max_regions: maximum number of such regions (no limit)
 * @stale_ns: age at which an open block is delivered as it is (1 s)
 * @patience_ns: readout unit: age at which an MFP that a builder does not accept is dropped
 *	(@stale_ns)
 * @lease_ns: lease of the membership. A node whose loop made no turn for half of it assumes that
 *	the others gave it up, and joins again (2 s)
 * @silence_ns: time without a message after which a peer counts as unreachable (@lease_ns)
 * @spin_ns: while data arrives continuously, roc_evb_step() polls for this long before it sleeps,
 *	but at most twice as long as it works (300 us); with ROC_EVB_NO_SPIN it sleeps at once
 * @log: receives each message for users, or NULL
 * @say: deprecated name of @log
 * @log_self: first argument of @log
 * @say_self: deprecated name of @log_self
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
	union {
		void (*log)(void *self, const char *message);
		void (*say)(void *self, const char *message);
	};
	union {
		void *log_self, *say_self;
	};
};

/**
 * struct roc_evb_flow - Amount of data that passed a point
 * @count: number of fragments, MFPs or MEPs
 * @bytes: bytes in them
 */
struct roc_evb_flow {
	uint64_t count;
	uint64_t bytes;
};

#define ROC_EVB_LATENCIES 160

/**
 * struct roc_evb_counts - Counters of a node since it was opened. Values marked "now" go up and
 *	down
 * @in: fragments from the source
 * @sent: MFPs to builders
 * @received: MFPs from readout units
 * @out: MEPs that the sink accepted
 * @complete: MEPs with all sources
 * @incomplete: MEPs without all sources
 * @damaged: MEPs flagged as damaged
 * @stale: MEPs delivered because of their age; @incomplete includes all of them
 * @unsaved: MEPs that the sink no longer accepted (-ENOSPC)
 * @late: MFPs that arrived, or were completed, after their block was delivered or given up
 * @gone: MFPs that readout units reported as not available
 * @missing: MFPs that should have arrived and did not
 * @dropped: MFPs that a builder did not accept in time
 * @dropped_events: fragments in those
 * @unsure: MFPs that a builder had completely and had not returned when the connection broke: it is
 *	unknown whether it delivered them
 * @unsure_events: fragments in those
 * @unassigned: fragments of blocks for which this node was in no table
 * @disorder: fragments with an id that is not above the previous ones
 * @too_large: fragments larger than configured, or in too many parts
 * @copied: bytes copied by this node's processor
 * @calls: libfabric calls that moved data
 * @rejoined: times that it joined again
 * @refused: connections that it refused
 * @protocol_violations: peers removed for a protocol violation
 * @liars: deprecated name of @protocol_violations
 * @epoch: epoch of the newest table
 * @contact: contact with coordinator and manager, now
 * @assigned: the newest table has this node, now
 * @ended: the source has no more data, and everything is sent, now
 * @open_blocks: blocks with some data here, now
 * @open_blocks_max: maximum of @open_blocks
 * @ready_blocks: of these, blocks that the sink has no space for, now
 * @mfps: MFPs of the readout unit that are open, wait or are in transit, now
 * @credits: segments of builders that this readout unit may write to, now
 * @free_segments: segments of the builder unit without data, now
 * @all_segments: all segments of the builder unit
 * @latency: histogram of the time from the earliest trigger to the complete MEP: bin i counts times
 *	in [roc_evb_latency_ns(i), roc_evb_latency_ns(i + 1))
 * @refused_tables: assignment tables that this node rejected: older than its own, malformed, or
 *	with more nodes than it supports
 */
struct roc_evb_counts {
	struct roc_evb_flow in, sent, received, out;
	uint64_t complete, incomplete, damaged, stale, unsaved;
	uint64_t late, gone, missing;
	uint64_t dropped, dropped_events;
	uint64_t unsure, unsure_events;
	uint64_t unassigned, disorder, too_large;
	uint64_t copied, calls;
	uint64_t rejoined, refused;
	union {
		uint64_t protocol_violations, liars;
	};
	uint64_t epoch;
	bool contact, assigned, ended;
	uint32_t open_blocks, open_blocks_max, ready_blocks;
	uint32_t mfps;
	uint32_t credits, free_segments, all_segments;
	uint64_t latency[ROC_EVB_LATENCIES];
	uint64_t refused_tables;
};

/**
 * struct roc_evb_peer - Connection between a readout unit and a builder, at either end
 * @name: name of the peer
 * @builder: the peer is the builder
 * @connected: the connection exists, now
 * @skew_ns: clock of the peer minus the clock of this node
 * @skew_known: @skew_ns is valid
 * @moved: MFPs transferred over the connection
 * @dropped: to a builder: MFPs that it did not accept in time
 * @queue: to a builder: MFPs packed for it and not completely sent, now
 * @queue_max: maximum of @queue
 * @in_flight: to a builder: MFPs that it has and has not returned; from a readout unit: MFPs in
 *	memory here, now
 * @in_flight_max: maximum of @in_flight
 * @credits: segments that the readout unit may write to, now
 * @stale: number of consecutive blocks for which the peer was late, or that it did not accept
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

struct roc_evb; /* the caller owns it from roc_evb_open() to _close() */

/**
 * roc_evb_open() - Create a node, listen and join the system
 * @config: configuration, which the function copies with its texts
 * @source: functions of the source of a readout unit, otherwise NULL
 * @source_self: first argument of these functions
 * @sink: functions of the sink of a builder unit, otherwise NULL
 * @sink_self: first argument of these functions
 * @coordinator: functions of the coordinator, which every node needs
 * @coordinator_self: first argument of these functions
 * @evb: the new handle
 * @reason: receives the error message, or a remark on success; otherwise empty
 *
 * roc_evb_step() does all further work. The caller still owns source, sink and coordinator, which
 * must outlive the node.
 *
 * Return: 0 on success; -EINVAL if the configuration is contradictory; -ENOSPC if it does not fit
 * into @memory, or @max_region and @max_regions; -ENOMEM; -EADDRINUSE if the address is in use;
 * -ENOENT if there is no libfabric; the errors of the sink's memory() and of join().
 */
int roc_evb_open(const struct roc_evb_config *config, const struct roc_evb_source_ops *source,
		 void *source_self, const struct roc_evb_sink_ops *sink, void *sink_self,
		 const struct roc_evb_coordinator_ops *coordinator, void *coordinator_self,
		 struct roc_evb **evb, char reason[ROC_EVB_REASON]);

/**
 * roc_evb_step() - Run one turn of the loop
 * @evb: handle
 * @timeout_ms: milliseconds to wait if there is nothing to do; 0 to not wait
 *
 * Return: 1 if the node has ended, because the source has no more data or roc_evb_stop() was
 * called, and all data is delivered; 0 to continue; -errno if the node cannot continue, see
 * roc_evb_reason().
 */
int roc_evb_step(struct roc_evb *evb, int timeout_ms);

/**
 * roc_evb_idle() - Add what the node waits for, for a caller with its own loop
 * @evb: handle
 * @idle: descriptors and time, to which the function adds those of the node
 */
void roc_evb_idle(struct roc_evb *evb, struct roc_idle *idle);

/**
 * roc_evb_stop() - Stop a node in order
 * @evb: handle
 *
 * The call stops the source. The node still delivers data in transit, for at most a stale timeout.
 * A builder unit of a system that continues accepts no new blocks after eight stale timeouts plus
 * the patience. It then delivers those that it has. A signal handler may call this function.
 */
void roc_evb_stop(struct roc_evb *evb);

/**
 * roc_evb_close() - Free a node
 * @evb: handle, or NULL
 *
 * The call returns lent fragments to the source, makes the sink release its MEPs, and leaves the
 * system.
 */
void roc_evb_close(struct roc_evb *evb);

/**
 * roc_evb_counts() - Read the counters of a node
 * @evb: handle
 * @counts: filled in
 */
void roc_evb_counts(const struct roc_evb *evb, struct roc_evb_counts *counts);

/**
 * roc_evb_peers() - List the connections of a node
 * @evb: handle
 * @peers: array to fill in
 * @room: size of @peers
 *
 * Return: number of connections, which may be more than @room.
 */
unsigned int roc_evb_peers(const struct roc_evb *evb, struct roc_evb_peer *peers,
			   unsigned int room);

/**
 * roc_evb_reason() - Return the message of the failure that roc_evb_step() returned
 * @evb: handle
 *
 * Return: text with the cause and the remedy, valid until the next call with @evb.
 */
const char *roc_evb_reason(const struct roc_evb *evb);

/**
 * roc_evb_why() - Deprecated name of roc_evb_reason()
 * @evb: as for roc_evb_reason()
 *
 * Return: as roc_evb_reason().
 */
const char *roc_evb_why(const struct roc_evb *evb);

/**
 * roc_evb_incarnation() - Return the incarnation of this node from its last join
 * @evb: handle
 *
 * Return: the number, see struct roc_evb_member.
 */
uint64_t roc_evb_incarnation(const struct roc_evb *evb);

/**
 * roc_evb_port() - Return the port at which the builder unit listens
 * @evb: handle
 *
 * Return: port; 0 if it does not listen.
 */
unsigned int roc_evb_port(const struct roc_evb *evb);

/**
 * roc_evb_latency_ns() - Return the lower bound of a bin of the latency histogram
 * @bin: 0 to ROC_EVB_LATENCIES; four for each power of two
 *
 * Return: ns.
 */
uint64_t roc_evb_latency_ns(unsigned int bin);

/**
 * roc_evb_environment() - Set libfabric's variables as the tools set them
 *
 * By default libfabric allocates 85 MiB for each connection over tcp or verbs. Nodes with different
 * FI_OFI_RXM_BUFFER_SIZE cannot connect. A program whose nodes connect to those of roc-evb
 * therefore calls this function, or sets the variables itself. No other function of the library
 * changes the environment.
 *
 * The function sets variables that are not set, and removes FI_TCP_ZEROCOPY_SIZE. Context: call it
 * before the program has threads, and before libfabric is loaded.
 */
void roc_evb_environment(void);

#ifdef __cplusplus
}
#endif

#endif
