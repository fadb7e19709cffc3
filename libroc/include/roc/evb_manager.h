/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-evb: the manager of an event-building system as a function of its inputs. The inputs are
 * the members, their reports and the time. The output is the next assignment table, or that none is
 * needed. The manager reads no clock, opens nothing and never waits. A site with its own
 * coordinator (struct roc_evb_coordinator_ops) can therefore run the manager as well.
 *
 * Its decisions:
 *
 *	- It writes the first table when the configured numbers of readout units and builders are
 *	  present and no member has joined for @settle_ns. It adds later members after the same
 *	  time, and removes a member that has left from the table at once.
 *	- It admits a member only if the present members support one more peer, and the member
 *	  supports all of them (@peers of struct roc_evb_member): a readout unit too many for a
 *	  builder costs data. A member that has a place keeps it. The first table admits no member
 *	  that supports fewer peers than the manager waits for.
 *	- It removes a readout unit that at least half of the builders suspect, and a builder that
 *	  at least half of the readout units suspect. The suspicion is that there has been no
 *	  connection for a while, or that every block was late for a while. It removes one node at
 *	  a time, builders first (that costs no data), and never the last one. The nodes that
 *	  reported the removed one are then evaluated again.
 *	- It admits a removed node again after a time that doubles with each repetition, or at once
 *	  when the node was restarted. A node with a protocol violation is admitted only after a
 *	  restart: until then the nodes that detected the violation refuse it.
 *	- It removes a readout unit whose blocks differ from those of the majority, as a readout
 *	  unit, until they agree again. It does not admit a new readout unit whose clock contradicts
 *	  the majority. Without a majority it does neither.
 *	- With ROC_EVB_LEAST_LOADED it sets the builders' weights by their free memory, at most once
 *	  a second.
 *	- While no readout unit has begun any block, a table is valid from the first block after
 *	  those that builders have delivered: if all readout units were restarted, they continue
 *	  there.
 *	- Otherwise the first block of a table is one that no readout unit has begun when it
 *	  receives the table. It lies ahead of all units except those far ahead of the majority. It
 *	  may precede the first block of a published table that is not yet valid. That table then
 *	  never becomes valid.
 *
 * At most one thread at a time may use a manager.
 */
#ifndef ROC_EVB_MANAGER_H
#define ROC_EVB_MANAGER_H

#include <roc/evb.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_evb_manager; /* the caller owns it from roc_evb_manager_new() to _free() */

/**
 * roc_evb_name_valid() - Check whether a text is a valid node name
 * @name: text, read up to the maximum length of a name
 *
 * Return: true for 1 to ROC_EVB_NAME - 1 letters, digits and ._- where the first character is not
 * one of ._-
 */
bool roc_evb_name_valid(const char *name);

/**
 * struct roc_evb_manager_config - Parameters of the manager
 * @policy: enum roc_evb_policy
 * @seed: seed of ROC_EVB_RANDOM
 * @readouts: readout units that the first table waits for; 0 means 1
 * @builders: builders that the first table waits for; 0 means 1
 * @settle_ns: time without new members before the manager writes the first table; 0: 1 s
 * @lead_ns: time between writing a table and its first block; 0: 300 ms
 * @lead_blocks: minimum number of blocks in that time; 0: 64
 * @slow_row: number of consecutive late blocks for which the manager removes a node, once they
 *	have lasted for a stale timeout of the reporting node; 0: 8
 * @grace_ns: grace time of a node, in addition to @lead_ns. The manager removes no node for being
 *	late or without a connection before the node has been in the table for this time, or has
 *	once been connected to all others; 0: one and a half leases, at least 3 s
 * @suspect_ns: time that a node may be without a connection; 0: 1 s
 * @backoff_ns: time for which a node is out the first time; 0: 5 s
 * @backoff_max_ns: maximum of this time; 0: 60 s
 * @lease_ns: lease of the members, at least 2 s; should be longer if the machines are slow or busy;
 *	0: 2 s
 * @clock_ns: maximum difference of a clock from those of most members, at most one hour; 0: half a
 *	lease, at least 1 s
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
 * enum roc_evb_state - State of a member in the manager
 * @ROC_EVB_STATE_IN: the member is in the table, or will be in the next one
 * @ROC_EVB_STATE_OUT: out, because there was no connection to it
 * @ROC_EVB_STATE_SLOW: out, because too many consecutive blocks were late
 * @ROC_EVB_STATE_PROTOCOL_ERROR: out until its restart, because of a protocol violation
 * @ROC_EVB_STATE_TIME: its readout unit is at other blocks than most. The readout unit is out until
 *	it agrees again; the member still builds blocks
 */
enum roc_evb_state {
	ROC_EVB_STATE_IN,
	ROC_EVB_STATE_OUT,
	ROC_EVB_STATE_SLOW,
	ROC_EVB_STATE_PROTOCOL_ERROR,
	ROC_EVB_STATE_TIME,
};

#define ROC_EVB_STATE_LIED ROC_EVB_STATE_PROTOCOL_ERROR /* deprecated name */

/**
 * roc_evb_manager_new() - Create a manager without members
 * @cfg: configuration, which the function copies
 * @manager: the new handle
 *
 * Return: 0 on success; -EINVAL if there is no such policy; -ENOMEM.
 */
int roc_evb_manager_new(const struct roc_evb_manager_config *cfg, struct roc_evb_manager **manager);

/**
 * roc_evb_manager_free() - Free a manager
 * @manager: handle, or NULL
 */
void roc_evb_manager_free(struct roc_evb_manager *manager);

/**
 * roc_evb_manager_adopt() - Set the current table: the published one, or that of a predecessor
 * @manager: handle
 * @table: table, which the function copies
 */
void roc_evb_manager_adopt(struct roc_evb_manager *manager, const struct roc_evb_table *table);

/**
 * roc_evb_manager_members() - Set the list of present members
 * @manager: handle
 * @members: all members, in any order
 * @count: number of members; the manager ignores those beyond 2 * ROC_EVB_NODES_MAX
 * @now: ns of any steady clock, the same in all calls
 */
void roc_evb_manager_members(struct roc_evb_manager *manager, const struct roc_evb_member *members,
			     unsigned int count, uint64_t now);

/**
 * roc_evb_manager_report() - Process the report of a member
 * @manager: handle
 * @name: name of the member; the manager ignores the report of an unknown node
 * @report: report, which the function copies
 * @now: as for roc_evb_manager_members()
 */
void roc_evb_manager_report(struct roc_evb_manager *manager, const char *name,
			    const struct roc_evb_report *report, uint64_t now);

/**
 * roc_evb_manager_step() - Compute the next table if one is needed
 * @manager: handle
 * @term: term of the caller as manager; higher than all previous terms
 * @now: as for roc_evb_manager_members()
 * @next: receives the table
 *
 * Call it a few times a second, and after each of the calls above. The table becomes current with
 * roc_evb_manager_adopt(). Until then further calls return it again, with another epoch.
 *
 * Return: 1 if @next is to be published; 0 if the current table is right.
 */
int roc_evb_manager_step(struct roc_evb_manager *manager, uint64_t term, uint64_t now,
			 struct roc_evb_table *next);

/**
 * roc_evb_manager_state() - Return the state of a member
 * @manager: handle
 * @name: name of the member
 *
 * Return: enum roc_evb_state; -ENOENT if there is no member of this name.
 */
int roc_evb_manager_state(const struct roc_evb_manager *manager, const char *name);

/**
 * struct roc_evb_unit - State of a readout unit relative to most others
 * @name: name of its node
 * @state: enum roc_evb_state
 * @assigned: the unit is in the table
 * @position_known: @blocks_ahead is valid
 * @blocks_ahead: blocks ahead of the majority of the readout units of the table; below 0 if behind
 * @clock_known: @clock_ahead_ns is valid
 * @clock_ahead_ns: time ahead of the majority of the clocks of all members; below 0 if behind
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
 * roc_evb_manager_units() - List the readout units among the members, as of the last
 *	roc_evb_manager_step()
 * @manager: handle
 * @units: array to fill in
 * @room: size of @units
 *
 * Return: number of readout units, which may be more than @room.
 */
unsigned int roc_evb_manager_units(const struct roc_evb_manager *manager,
				   struct roc_evb_unit *units, unsigned int room);

/**
 * roc_evb_manager_message() - Return the next message about a decision
 * @manager: handle
 *
 * Each message is returned once. If the caller does not fetch them, the manager discards the
 * oldest.
 *
 * Return: a sentence, valid until the next call with this manager; NULL if there is none.
 */
const char *roc_evb_manager_message(struct roc_evb_manager *manager);

/**
 * roc_evb_manager_says() - Deprecated name of roc_evb_manager_message()
 * @manager: handle
 *
 * Return: as roc_evb_manager_message().
 */
const char *roc_evb_manager_says(struct roc_evb_manager *manager);

#ifdef __cplusplus
}
#endif

#endif /* ROC_EVB_MANAGER_H */
