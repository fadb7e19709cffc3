/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-evb: the manager of an event-building system as a function of what it was told: who is
 * there, what they reported, what time it is; out comes the next assignment table, or that there is
 * none. It reads no clock, opens nothing and waits for nothing, so whoever brings its own
 * coordinator (struct roc_evb_coordinator_ops) brings the manager with it.
 *
 * What it decides:
 *
 *	- The first table is written when so many readout units and builders are there as are waited
 *	  for and nobody came for a while; who comes later is let in after the same while, and who
 *	  is gone is out of the table at once.
 *	- Nobody is let in whom those who are there are not made for (@peers of struct
 *	  roc_evb_member): it costs data if a readout unit is too many for a builder. Who has a
 *	  place keeps it. Into the first table nobody is let who is made for fewer than it waits
 *	  for.
 *	- A readout unit that at least half of the builders suspect is taken out, and so is a
 *	  builder that at least half of the readout units suspect: because there has been no
 *	  connection for a while, or because it was late with every block for a while. One at a
 *	  time, builders first (that costs no data), never the last; then those who accused it are
 *	  heard anew.
 *	- Who was taken out is taken back after a time that doubles with each repetition, or at once
 *	  when it was started anew; who said what cannot be only then: until then it is refused by
 *	  those who heard it.
 *	- A readout unit that is at other blocks than the majority is taken out as a readout unit
 *	  until it agrees again; a newcomer whose clock contradicts the majority is not let in as
 *	  one. Without a majority neither happens.
 *	- With ROC_EVB_LEAST_LOADED builders' weights follow their free memory, at most once a
 *	  second.
 *	- When no readout unit has begun anything, a table holds from behind what builders have
 *	  delivered: those that were all started anew go on there.
 *	- A table holds from a block on that no readout unit has begun by the time it hears of it:
 *	  ahead of the farthest, but of those that are far ahead of the majority. That may be before
 *	  the block of a table that is published and does not hold yet: then that one never will.
 *
 * One thread at a time per manager.
 */
#ifndef ROC_EVB_MANAGER_H
#define ROC_EVB_MANAGER_H

#include <roc/evb.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_evb_manager; /* owned by the caller from roc_evb_manager_new() to _free() */

/**
 * roc_evb_name_valid() - can a node be called so?
 * @name: text, looked at as far as a name goes
 *
 * Return: true for 1 to ROC_EVB_NAME - 1 letters, digits and ._-, the last three not at its
 * beginning.
 */
bool roc_evb_name_valid(const char *name);

/**
 * struct roc_evb_manager_config - how the manager decides
 * @policy: enum roc_evb_policy
 * @seed: of ROC_EVB_RANDOM
 * @readouts: readout units that the first table waits for; 0 is as 1
 * @builders: builders that it waits for; 0 is as 1
 * @settle_ns: nobody may have come for so long; 0: 1 s
 * @lead_ns: a table is written so long before it holds; 0: 300 ms
 * @lead_blocks: and so many blocks at least; 0: 64
 * @slow_row: late blocks in a row for which a node is taken out, once the row has lasted for a
 *	stale timeout of the node that reports it; 0: 8
 * @grace_ns: nobody is taken out for being late, or without a connection, who has not been in the
 *	table for so long and @lead_ns, or has once been connected with by all; 0: one and a half
 *	leases, 3 s at least
 * @suspect_ns: how long a node may be without a connection; 0: 1 s
 * @backoff_ns: how long a node is out the first time; 0: 5 s
 * @backoff_max_ns: and at most; 0: 60 s
 * @lease_ns: of the members; longer where the machines are slow, or busy; 0: 2 s
 * @clock_ns: by how much a clock may differ from those of most members; 0: half a lease, 1 s at
 *	least
 */
struct roc_evb_manager_config {
	uint32_t policy;
	uint64_t seed;
	uint32_t readouts;
	uint32_t builders;
	uint64_t settle_ns;
	uint64_t lead_ns;
	uint32_t lead_blocks;
	uint32_t slow_row;
	uint64_t grace_ns;
	uint64_t suspect_ns;
	uint64_t backoff_ns;
	uint64_t backoff_max_ns;
	uint64_t lease_ns;
	uint64_t clock_ns;
};

/**
 * enum roc_evb_state - what the manager thinks of a member
 * @ROC_EVB_STATE_IN: it is in the table, or will be in the next
 * @ROC_EVB_STATE_OUT: there was no connection to it
 * @ROC_EVB_STATE_SLOW: it was late with too many blocks in a row
 * @ROC_EVB_STATE_LIED: it said what could not be: it stays out until it is started anew
 * @ROC_EVB_STATE_TIME: its readout unit is at other blocks than most: it is out until it agrees
 *	again, and builds blocks all the same
 */
enum roc_evb_state {
	ROC_EVB_STATE_IN,
	ROC_EVB_STATE_OUT,
	ROC_EVB_STATE_SLOW,
	ROC_EVB_STATE_LIED,
	ROC_EVB_STATE_TIME,
};

/**
 * roc_evb_manager_new() - a manager that knows nobody
 * @cfg: copied
 * @manager: the new handle
 *
 * Return: 0; -EINVAL no such policy; -ENOMEM.
 */
int roc_evb_manager_new(const struct roc_evb_manager_config *cfg, struct roc_evb_manager **manager);

/**
 * roc_evb_manager_free() - give a manager up
 * @manager: handle, or NULL
 */
void roc_evb_manager_free(struct roc_evb_manager *manager);

/**
 * roc_evb_manager_adopt() - a table holds: the one that was published, or a predecessor's
 * @manager: handle
 * @table: copied
 */
void roc_evb_manager_adopt(struct roc_evb_manager *manager, const struct roc_evb_table *table);

/**
 * roc_evb_manager_members() - who is there now, all of them
 * @manager: handle
 * @members: members, in any order
 * @count: how many; those beyond 2 * ROC_EVB_NODES_MAX are not let in
 * @now: ns of any clock that goes evenly, the same in all calls
 */
void roc_evb_manager_members(struct roc_evb_manager *manager, const struct roc_evb_member *members,
			     unsigned int count, uint64_t now);

/**
 * roc_evb_manager_report() - what a member said
 * @manager: handle
 * @name: the member's; a report of a stranger is passed over
 * @report: copied
 * @now: as above
 */
void roc_evb_manager_report(struct roc_evb_manager *manager, const char *name,
			    const struct roc_evb_report *report, uint64_t now);

/**
 * roc_evb_manager_step() - is another table needed?
 * @manager: handle
 * @term: what the caller is manager by; higher than those of all before
 * @now: as above
 * @next: the table
 *
 * To be called a few times a second, and after each of the calls above. The table counts when it
 * has been adopted; until then it is answered again, as of another epoch.
 *
 * Return: 1 @next is to be published; 0 what holds is right.
 */
int roc_evb_manager_step(struct roc_evb_manager *manager, uint64_t term, uint64_t now,
			 struct roc_evb_table *next);

/**
 * roc_evb_manager_state() - what the manager thinks of a member
 * @manager: handle
 * @name: the member's
 *
 * Return: enum roc_evb_state; -ENOENT it knows nobody of this name.
 */
int roc_evb_manager_state(const struct roc_evb_manager *manager, const char *name);

/**
 * struct roc_evb_unit - a readout unit, beside most others
 * @name: of its node
 * @state: of enum roc_evb_state
 * @assigned: it is in the table
 * @position_known: whether @blocks_ahead is
 * @blocks_ahead: of the majority of the readout units of the table; below 0: it is behind
 * @clock_known: whether @clock_ahead_ns is
 * @clock_ahead_ns: of the majority of the clocks of all members; below 0: it is behind
 */
struct roc_evb_unit {
	char name[ROC_EVB_NAME];
	enum roc_evb_state state;
	bool assigned;
	bool position_known;
	int64_t blocks_ahead;
	bool clock_known;
	int64_t clock_ahead_ns;
};

/**
 * roc_evb_manager_units() - readout units that are members, as roc_evb_manager_step() saw them
 * @manager: handle
 * @units: array to fill in
 * @room: of @units
 *
 * Return: how many there are, which may be more than @room.
 */
unsigned int roc_evb_manager_units(const struct roc_evb_manager *manager,
				   struct roc_evb_unit *units, unsigned int room);

/**
 * roc_evb_manager_says() - what it decided, in sentences, each once
 * @manager: handle
 *
 * Return: a sentence, good until the next call with this manager; NULL there is none. Of those
 * that nobody asked for the oldest are forgotten.
 */
const char *roc_evb_manager_says(struct roc_evb_manager *manager);

#ifdef __cplusplus
}
#endif

#endif /* ROC_EVB_MANAGER_H */
