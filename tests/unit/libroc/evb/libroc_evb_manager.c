// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the decisions of the manager by a list of situations. Each line of a situation is a time in
 * ms and an input or a check:
 *
 *	+ r1 r2 b1 rb3		set the members (r: readout unit, b: builder, rb: both); r1' is r1
 *				after a restart, r1/2 supports two peers
 *	r1 100 b2:9 b1:-	r1 reports its newest block and its suspicions: the number of
 *				consecutive late blocks (9<: too early), -: no connection, !:
 *				protocol violation
 *	clock r1 3600000	r1 reports; its clock is ahead of the manager's by this time in ms
 *	free b1 900		b1 reports its free memory in per mille
 *	built b1 70		b1 reports the last block that it has delivered
 *	rate 1000, epoch 1	blocks per second, and epoch of the table, in later reports
 *	= r1 r2 | b1 b3		check that there is a new table with these members
 *	from 164 300		check that its first block is within these bounds
 *	-			check that there is no new table
 *	logs ...		check for a message with these words since the last input
 *
 * The manager is stepped every 100 ms of simulated time. Each new table is adopted at once.
 */
#include "unit.h"

#include <roc/evb_manager.h>

#include <ctype.h>
#include <inttypes.h>

#define MS UINT64_C(1000000)
#define LINES 40
#define CLOCK_MS 1700000000000 /* a correct CLOCK_REALTIME when the manager's clock is 0 */

struct situation {
	const char *name;
	struct roc_evb_manager_config cfg;
	const char *lines[LINES];
};

#define NO_GRACE .grace_ns = 1
#define PAIRS                                                                                      \
	{                                                                                          \
		.policy = ROC_EVB_BARREL_SHIFT, .readouts = 2, .builders = 2, NO_GRACE             \
	}
#define BOTH "+ r1 r2 b1 b2"
#define ALL "r1 r2 | b1 b2"

static const struct situation situations[] = {
	{"the first table waits until no node has joined for a while",
	 PAIRS,
	 {"0 + r1", "500 + r1 b1", "2000 -", "2100 + r1 r2 b1 b2", "3000 -", "3200 = " ALL,
	  "3200 from 0 0"}},
	{"the first table waits for the configured number of units",
	 {.readouts = 3, .builders = 1},
	 {"0 + r1 r2 b1", "9000 -", "9000 + r1 r2 r3 b1", "10100 = r1 r2 r3 | b1"}},
	{"a node may have both roles", {0}, {"0 + rb1 rb2", "1100 = rb1 rb2 | rb1 rb2"}},
	{"members are sorted by name", PAIRS, {"0 + b2 r2", "400 + b2 r2 b1 r1", "1500 = " ALL}},
	{"a node that left is removed at once; the first block is one that no unit has begun",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "1900 rate 1000", "2000 r1 1000", "3000 r1 2000",
	  "3000 r2 1990", "3100 + r1 r2 b1", "3200 logs b2 has left", "3300 = r1 r2 | b1",
	  "3300 from 2400 2600"}},
	{"at a low rate the table starts at least 64 blocks ahead",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "1900 rate 1", "4000 r1 12", "4000 + r1 b1 b2",
	  "4200 = r1 | b1 b2", "4200 from 76 77"}},
	{"the first table is valid from block 0, whatever has been packed",
	 PAIRS,
	 {"0 " BOTH, "500 r1 5000", "1100 = " ALL, "1100 from 0 0"}},
	{"a node that returns is admitted after a while",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 + r1 r2 b1", "2300 = r1 r2 | b1", "4000 " BOTH, "4900 -",
	  "5200 = " ALL}},
	{"a restart that is faster than the lease gives a new place",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 + r1 r2' b1 b2", "2200 = r1 r2' | b1 b2", "5000 -"}},
	{"all nodes left and returned: a new first table",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 +", "2300 -", "3000 + r1' r2' b1'", "5000 -",
	  "5000 + r1' r2' b1' b2'", "6300 = r1' r2' | b1 b2"}},
	{"half of the readout units have no connection to a builder",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 r1 10 b2:-", "2000 r2 10", "2900 -", "3000 r1 20 b2:-",
	  "3000 r2 20", "3300 = r1 r2 | b1", "3300 logs b2 is excluded for 5.0 s",
	  "3300 logs cannot be reached"}},
	{"a missing connection for too short a time",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 r1 10 b2:-", "2500 r1 15", "3000 r1 20 b2:-", "3900 -"}},
	{"less than half of the peers suspect a node",
	 {.readouts = 3, NO_GRACE},
	 {"0 + r1 r2 r3 b1 b2", "1100 = r1 r2 r3 | b1 b2", "2000 r1 10 b2:-", "2000 r2 10",
	  "2000 r3 10", "3500 r1 20 b2:-", "3500 r2 20", "3500 r3 20", "5000 -", "5000 r2 20 b2:-",
	  "5500 r1 25 b2:-", "6000 r2 20 b2:-", "6000 r3 20", "6200 = r1 r2 r3 | b1"}},
	{"a node without a report for three seconds has no vote",
	 {.readouts = 3},
	 {"0 + r1 r2 r3 b1 b2", "1100 = r1 r2 r3 | b1 b2", "2000 r2 10", "2000 r3 10",
	  "2000 r1 10 b2:-", "3500 r1 20 b2:-", "4900 r1 20 b2:-", "4900 -",
	  "5300 = r1 r2 r3 | b1"}},
	{"a readout unit and a builder suspect each other: the builder is excluded",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 r1 10 b1:-", "2000 b1 0 r1:-", "2000 r2 10", "2000 b2 0",
	  "3100 r1 20 b1:-", "3100 b1 0 r1:-", "3100 r2 20", "3100 b2 0", "3300 = r1 r2 | b2",
	  "4500 b1 0 r1:-", "4500 r1 30", "6000 -"}},
	{"consecutive late blocks",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 b1 0 r2:7", "2000 b2 0 r2:7", "2500 -", "2600 b1 0 r2:8",
	  "2600 b2 0", "2800 = r1 | b1 b2", "2800 logs r2 is excluded",
	  "2800 logs it is late with consecutive blocks"}},
	{"the last builder and the last readout unit are never excluded",
	 {0},
	 {"0 + r1 b1", "1100 = r1 | b1", "2000 r1 10 b1:-", "2000 b1 0 r1:99", "3500 r1 10 b1:-",
	  "3500 b1 0 r1:99", "6000 -"}},
	{"readmitted, then excluded for twice as long",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 b1 0 r2:9", "2200 = r1 | b1 b2", "7000 -", "7300 = " ALL,
	  "7300 logs r2 is readmitted", "8000 b1 0 r2:9", "8200 = r1 | b1 b2",
	  "8200 logs for 10.0 s", "18000 -", "18300 = " ALL}},
	{"the backoff is reset after a minute in the table",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 b1 0 r2:9", "2200 = r1 | b1 b2", "7300 = " ALL,
	  "70000 b1 0 r2:9", "70200 = r1 | b1 b2", "70200 logs for 5.0 s"}},
	{"an excluded node is readmitted at once after a restart",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 b1 0 r2:9", "2200 = r1 | b1 b2", "3000 + r1 r2' b1 b2",
	  "4200 = r1 r2' | b1 b2"}},
	{"late blocks of the previous table do not count for the next one",
	 PAIRS,
	 {"0 + r1 r2 r3 b1 b2", "1100 = r1 r2 r3 | b1 b2", "2000 b1 0 r1:9 r2:9",
	  "2000 b2 0 r1:9 r2:9", "2300 = r2 r3 | b1 b2", "3500 -", "3600 b1 0 r2:9",
	  "3800 = r3 | b1 b2"}},
	{"a missing connection in the previous table does not count either",
	 PAIRS,
	 {"0 + r1 r2 r3 b1 b2", "1100 = r1 r2 r3 | b1 b2", "2000 b1 0 r1:- r2:-", "2000 b2 0",
	  "2900 b2 0 r1:-", "3300 = r2 r3 | b1 b2", "3300 b1 0 r2:-", "3900 -",
	  "4300 = r3 | b1 b2"}},
	{"late, then disconnected: the time counts from the disconnection",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 b1 0 r2:3", "2900 b1 0 r2:-", "3600 -",
	  "4100 = r1 | b1 b2"}},
	{"unknown nodes, and a node about itself, have no vote",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 b9 0 r2:99", "2000 r2 10 r2:99", "4000 -"}},
	{"one wrong event id does not delay the table",
	 {.readouts = 3},
	 {"0 + r1 r2 r3 b1 b2", "1100 = r1 r2 r3 | b1 b2", "2000 r1 1000", "2000 r2 1010",
	  "2000 r3 1125899906842624", "2500 + r1 r2 r3 b1", "2700 = r1 r2 r3 | b1",
	  "2700 from 1074 1074", "2700 logs r3 reports block 1125899906842624"}},
	{"one wrong event id of two does not delay the table",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 r1 1000", "2000 r2 1152921504606846976",
	  "2500 + r1 r2 b1", "2700 = r1 r2 | b1", "2700 from 1064 1064"}},
	{"an impossible rate does not delay the table",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "1900 rate 18446744073709551615", "2000 r1 1000",
	  "2000 r2 1000", "2000 + r1 r2 b1", "2200 = r1 r2 | b1", "2200 from 1064 6001000"}},
	{"a table that is too far ahead is superseded",
	 {.readouts = 1},
	 {"0 + r1 b1 b2", "1100 = r1 | b1 b2", "2000 r1 1152921504606846976", "2100 + r1 b1",
	  "2300 = r1 | b1", "2300 from 1152921504606847040 1152921504606847040", "3000 r1 500",
	  "3000 + r1 b1 b2", "4200 = r1 | b1 b2", "4200 from 564 564"}},
	{"a table that was placed by the rate of a burst is superseded",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "1900 rate 10000", "3000 r1 5000", "3000 r2 5000",
	  "13100 + r1 r2 b1", "13300 = r1 r2 | b1", "13300 from 105000 110000", "13400 rate 500",
	  "14000 r1 6000", "14000 r2 6000", "15000 -", "15600 = r1 r2 | b1", "15600 from 6600 7000",
	  "16000 r1 7000", "16000 r2 7000", "30000 -"}},
	{"slow and stalled units get the usual lead and no new table",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "1900 rate 1", "4000 r1 12", "4000 r2 12", "4000 + r1 r2 b1",
	  "4200 = r1 r2 | b1", "4200 from 76 77", "5000 rate 0", "5000 r1 12", "5000 r2 12",
	  "20000 -"}},
	{"a unit that stalls far behind does not affect the first block",
	 {.readouts = 3},
	 {"0 + r1 r2 r3 b1 b2", "1100 = r1 r2 r3 | b1 b2", "2000 r1 90000000", "2000 r2 90000010",
	  "2000 r3 7", "2500 + r1 r2 r3 b1", "2700 = r1 r2 r3 | b1",
	  "2700 from 90000074 90000074"}},
	{"no unit has begun a block after a restart: valid from block 0",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 r1 5000000", "2000 r2 5000000", "2500 + r1 r2 b1",
	  "2700 = r1 r2 | b1", "2700 from 5000064 5000064", "3000 +", "4000 + r1' r2' b1' b2'",
	  "5300 = r1' r2' | b1 b2", "5300 from 0 0"}},
	{"delivered blocks are not built twice after a restart of readout units",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 r1 5000", "2000 r2 5000", "2100 built b1 4998",
	  "2100 built b2 4997", "2500 + b1 b2", "2700 = | b1 b2", "2700 from 4999 4999",
	  "3000 + r1' r2' b1 b2", "4200 = r1' r2' | b1 b2", "4200 from 4999 4999"}},
	{"delivered blocks are not built twice if one unit stalls far behind",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 r1 1000", "2000 r2 50000", "2100 built b1 49990",
	  "2500 + r1 r2' b1 b2", "2700 = r1 r2' | b1 b2", "2700 from 49991 49991", "20000 -"}},
	{"delivered blocks are not built twice after a restart of the manager",
	 PAIRS,
	 {"0 " BOTH, "500 built b1 70", "1100 = " ALL, "1100 from 71 71"}},
	{"a new member is not late with earlier blocks",
	 {.readouts = 2},
	 {"0 + r1 b1 b2 r2", "1100 = r1 r2 | b1 b2", "2000 b1 0 r2:9", "2000 b2 0 r2:9", "4300 -",
	  "4600 b1 0 r2:9", "4600 b2 0 r2:9", "4800 = r1 | b1 b2"}},
	{"a new member has time to connect",
	 {.readouts = 2},
	 {"0 + r1 r2 b1 b2", "1100 = r1 r2 | b1 b2", "1300 r1 10 b2:-", "1300 r2 10 b2:-",
	  "4200 r1 10 b2:-", "4200 r2 10 b2:-", "4300 -", "4600 = r1 r2 | b1"}},
	{"a node that suspects all others has no vote",
	 {.readouts = 3, NO_GRACE},
	 {"0 + rb1 rb2 rb3", "1100 = rb1 rb2 rb3 | rb1 rb2 rb3", "2000 rb1 10", "2000 rb2 10",
	  "2000 rb3 10 rb1:9 rb2:9", "3500 -", "4000 rb1 20", "4000 rb2 20", "4000 rb3 20 rb1:9",
	  "4200 = rb2 rb3 | rb2 rb3"}},
	{"a protocol violation excludes a readout unit",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 b1 0 r2:!", "2000 b2 0", "2200 = r1 | b1 b2",
	  "2200 logs it violates the protocol"}},
	{"after a protocol violation only a restart readmits",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 b1 0 r2:!", "2000 b2 0", "2200 = r1 | b1 b2",
	  "2200 logs r2 is excluded until it is restarted", "90000 -", "90000 + r1 b1 b2",
	  "91000 " BOTH, "95000 -", "95000 + r1 r2' b1 b2", "96200 = r1 r2' | b1 b2"}},
	{"a protocol violation excludes a builder until its restart",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 r1 10 b2:!", "2000 r2 10", "2200 = r1 r2 | b1", "70000 -",
	  "70000 + r1 r2 b1 b2'", "71200 = r1 r2 | b1 b2"}},
	{"a long lease gives a new member more time",
	 {.readouts = 2, .lease_ns = 10000 * MS},
	 {"0 + r1 r2 b1 b2", "1100 = r1 r2 | b1 b2", "2000 r1 10 b2:-", "2000 r2 10 b2:-",
	  "16000 r1 10 b2:-", "16000 r2 10 b2:-", "16300 -", "16700 = r1 r2 | b1"}},
	{"a connected member does not get the additional time",
	 {.readouts = 2, .lease_ns = 10000 * MS},
	 {"0 + r1 r2 b1 b2", "1100 = r1 r2 | b1 b2", "1200 epoch 1", "1300 r1 10", "1300 r2 10",
	  "1300 b1 0", "1300 b2 0", "2000 r1 10 b2:-", "2000 r2 10 b2:-", "2900 r1 10 b2:-",
	  "2900 r2 10 b2:-", "2900 -", "3200 = r1 r2 | b1"}},
	{"members are not connected while a peer lacks a connection or a report",
	 {.readouts = 2, .lease_ns = 10000 * MS},
	 {"0 + r1 r2 b1 b2", "1100 = r1 r2 | b1 b2", "1200 epoch 1", "1300 r1 10 b2:-",
	  "1300 r2 10", "1300 b1 0", "1300 b2 0", "2000 r1 10 b2:-", "2000 r2 10 b2:-", "3100 -",
	  "3200 b2 0", "3200 r1 10", "3200 r2 10", "3300 epoch 0", "3300 b1 0", "9000 -"}},
	{"suspicions of a new member do not count at once",
	 {.readouts = 1, .lease_ns = 10000 * MS},
	 {"0 + r1 b1 b2", "1100 = r1 | b1 b2", "1200 epoch 1", "1300 r1 10", "1300 b1 0",
	  "1300 b2 0", "2000 + r1 b1 b2 r2", "3200 = r1 r2 | b1 b2", "3300 epoch 2",
	  "3300 r2 10 b2:-", "3300 r1 10", "5000 r2 10 b2:-", "5000 r1 10", "6000 -"}},
	{"a short lease does not shorten the time of a new member",
	 {.readouts = 2, .lease_ns = 100 * MS},
	 {"0 + r1 r2 b1 b2", "1100 = r1 r2 | b1 b2", "1300 r1 10 b2:-", "1300 r2 10 b2:-",
	  "4200 r1 10 b2:-", "4200 r2 10 b2:-", "4300 -", "4600 = r1 r2 | b1"}},
	{"a suspicion of the previous process does not apply to the new one",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "2000 + r1 r2' b1 b2", "2200 = r1 r2' | b1 b2",
	  "2300 b1 0 r2:99", "2400 b1 0 r2':7", "2500 r2 9000", "2600 + r1 r2' b2",
	  "2800 = r1 r2' | b2", "2800 from 0 0"}},
	{"free memory changes the weights, once a second and above a threshold",
	 {.policy = ROC_EVB_LEAST_LOADED},
	 {"0 + r1 b1 b2", "1100 = r1 | b1:1000 b2:1000", "2500 free b1 1000", "2500 free b2 950",
	  "3000 -", "3100 free b2 50", "3300 = r1 | b1:1000 b2:725", "3500 free b2 50", "4000 -",
	  "4300 = r1 | b1:1000 b2:556"}},
	{"more readout units than the builders support: the others are logged",
	 {.readouts = 2},
	 {"0 + r1 r2 r3 b1/2 b2/2", "1100 = r1 r2 | b1 b2",
	  "1100 logs r3 is not admitted: b1 supports only 2 readout units", "3000 -",
	  "3000 + r1 r3 b1/2 b2/2", "3200 = r1 r3 | b1 b2"}},
	{"a builder supports fewer readout units than the first table waits for",
	 {.readouts = 3},
	 {"0 + r1 r2 r3 b1/2",
	  "1100 logs b1 is not admitted: it supports only 2 readout units, but the first table waits for 3",
	  "5000 -", "5000 + r1 r2 r3 b1'/3", "6200 = r1 r2 r3 | b1"}},
	{"a readout unit supports fewer builders than the first table waits for",
	 {.builders = 2},
	 {"0 + r1/1 b1 b2",
	  "1100 logs r1 is not admitted: it supports only 1 builders, but the first table waits for 2",
	  "5000 -", "5000 + r1/1 r2 b1 b2", "6200 = r2 | b1 b2", "7000 + r1/1 r2 b1",
	  "7300 = r1 r2 | b1"}},
	{"a builder that supports too few is refused before any readout unit",
	 {.readouts = 1},
	 {"0 + r1 r2 r3 b1/3 b2/1", "1100 = r1 r2 r3 | b1",
	  "1100 logs b2 is not admitted: it supports only 1 readout units, but there are 3"}},
	{"a member keeps its place when a larger node joins",
	 {.readouts = 2},
	 {"0 + r1 r2 b1/2", "1100 = r1 r2 | b1", "2000 + r0 r1 r2 b1/2 b0/9",
	  "3200 = r1 r2 | b0 b1", "3200 logs r0 is not admitted: b1 supports only 2", "4000 -",
	  "4000 + r0 r1 r2 b0/9", "4200 = r0 r1 r2 | b0"}},
	{"more builders than the readout units support",
	 {.readouts = 1},
	 {"0 + r1/1 b1 b2", "1100 = r1 | b1",
	  "1100 logs b2 is not admitted: r1 supports only 1 builders",
	  "2000 + r1/1 r2/0 rb3/3 b1 b2", "3200 = r1 r2 rb3 | b1",
	  "3200 logs rb3 is not admitted: r1 supports only 1 builders"}},
	{"a new readout unit supports fewer builders than there are",
	 {.readouts = 1},
	 {"0 + r1 b1 b2", "1100 = r1 | b1 b2", "2000 + r1 r2/1 b1 b2",
	  "3300 logs r2 is not admitted: it supports only 1 builders, but there are 2", "4000 -"}},
	{"the position of an excluded readout unit does not affect the next table",
	 {.readouts = 3},
	 {"0 + r1 r2 rb3 b1", "1100 = r1 r2 rb3 | b1 rb3", "4000 rate 1000", "4400 r1 1000",
	  "4400 r2 1000", "4400 rb3 1000", "4500 rate 400", "5200 r1 1010 rb3:-",
	  "5200 r2 1010 rb3:-", "6300 r1 1020 rb3:-", "6300 r2 1020 rb3:-", "6500 = r1 r2 | b1",
	  "6500 from 1500 1560"}},
	/* Clocks and positions. Reports older than 3 s are ignored, so there are many. */
	{"an hour ahead of the majority: excluded after two reports",
	 {.readouts = 3},
	 {"0 + r1 r2 r3 b1 b2",
	  "1100 = r1 r2 r3 | b1 b2",
	  "1900 rate 100",
	  "2000 r1 100",
	  "2000 r2 102",
	  "2000 r3 360102",
	  "2500 r1 150",
	  "2500 r2 152",
	  "2500 r3 360152",
	  "3000 -",
	  "3300 = r1 r2 | b1 b2",
	  "3300 logs r3 is excluded until it agrees again: its block 360152 is 360000 blocks",
	  "3300 logs ahead of most readout units",
	  "3300 from 260 270",
	  "5000 r1 400",
	  "5000 r2 402",
	  "5000 r3 360152",
	  "20000 r1 1900",
	  "20000 r2 1902",
	  "20000 r3 360152",
	  "20500 -",
	  "20600 r1 359900",
	  "20600 r2 359902",
	  "20600 r3 360152",
	  "20900 = r1 r2 r3 | b1 b2",
	  "20900 logs r3 is readmitted"}},
	{"an hour ahead: readmitted after a restart",
	 {.readouts = 3},
	 {"0 + r1 r2 r3 b1 b2", "1100 = r1 r2 r3 | b1 b2", "1900 rate 100", "2000 r1 100",
	  "2000 r2 102", "2000 r3 360100", "3200 r1 220", "3200 r2 222", "3200 r3 360220",
	  "3500 = r1 r2 | b1 b2", "4000 + r1 r2 r3' b1 b2", "5200 = r1 r2 r3' | b1 b2"}},
	{"an hour behind the majority: excluded after the grace time",
	 {.readouts = 3},
	 {"0 + r1 r2 r3 b1 b2",
	  "1100 = r1 r2 r3 | b1 b2",
	  "1900 rate 100",
	  "2000 r1 400100",
	  "2000 r2 400102",
	  "2000 r3 40100",
	  "3200 r1 400220",
	  "3200 r2 400222",
	  "3200 r3 40220",
	  "4300 r1 400330",
	  "4300 r2 400332",
	  "4300 r3 40330",
	  "4300 -",
	  "4500 r1 400350",
	  "4500 r2 400352",
	  "4500 r3 40350",
	  "5900 r1 400490",
	  "5900 r2 400492",
	  "5900 r3 40490",
	  "6100 = r1 r2 | b1 b2",
	  "6100 logs 360000 blocks behind most readout units"}},
	{"small and transient deviations",
	 {.readouts = 3},
	 {"0 + r1 r2 r3 b1 b2", "1100 = r1 r2 r3 | b1 b2",
	  "1900 rate 100",	"2000 r1 100",
	  "2000 r2 102",	"2000 r3 1400",
	  "3200 r1 220",	"3200 r2 222",
	  "3200 r3 1520",	"4500 -",
	  "4600 r3 4000",	"4600 r1 360",
	  "4600 r2 362",	"5000 r1 400",
	  "5000 r2 402",	"5000 r3 404",
	  "6200 r1 520",	"6200 r2 522",
	  "6200 r3 4100",	"6300 -"}},
	{"two of four agree on the wrong time: no majority",
	 {.readouts = 4},
	 {"0 + r1 r2 r3 r4 b1 b2", "1100 = r1 r2 r3 r4 | b1 b2", "1900 rate 100", "2000 r1 100",
	  "2000 r2 102", "2000 r3 360100", "2000 r4 360102", "2200 logs r4 is at block 3601",
	  "2200 logs no majority of readout units agrees", "3200 r1 220", "3200 r2 222",
	  "3200 r3 360220", "3200 r4 360222", "5000 -"}},
	{"two of five deviate differently: both are excluded",
	 {.readouts = 5},
	 {"0 + r1 r2 r3 r4 r5 b1", "1100 = r1 r2 r3 r4 r5 | b1", "1900 rate 100", "2000 r1 100000",
	  "2000 r2 100002", "2000 r3 100004", "2000 r4 460000", "2000 r5 820000", "3200 r1 100120",
	  "3200 r2 100122", "3200 r3 100124", "3200 r4 460120", "3200 r5 820120",
	  "3500 = r1 r2 r3 | b1", "3500 logs r4 is excluded", "3500 logs r5 is excluded"}},
	{"two readout units that disagree: none is excluded",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "1900 rate 100", "2000 r1 100", "2000 r2 360100",
	  "2200 logs no majority of readout units agrees", "3200 r1 220", "3200 r2 360220",
	  "5000 -"}},
	{"two readout units that disagree: the one with the wrong clock is excluded",
	 PAIRS,
	 {"0 " BOTH, "1100 = " ALL, "1900 rate 100", "2000 clock b1 0", "2000 clock b2 10",
	  "2000 clock r1 -5 100", "2000 clock r2 3600000 360100",
	  "2200 logs The clock of r2 is 3600.0 s ahead of those of most nodes (limit: 1.0 s)",
	  "3000 clock b1 0", "3000 clock b2 10", "3300 clock r1 -5 230",
	  "3300 clock r2 3600000 360230", "3600 = r1 | b1 b2",
	  "3600 logs r2 is excluded until it agrees again", "3600 logs its clock is 3600.0 s"}},
	{"a new readout unit is not admitted until its clock is right",
	 {.readouts = 2},
	 {"0 + r1 r2 b1",
	  "1100 = r1 r2 | b1",
	  "2000 clock b1 0",
	  "2000 clock r1 1",
	  "2000 clock r2 2",
	  "2100 + r1 r2 r3 b1",
	  "2200 clock r3 -3600000",
	  "2400 logs The clock of r3 is 3600.0 s behind those of most nodes",
	  "2400 logs so its readout unit is not admitted",
	  "4000 clock b1 0",
	  "4000 clock r1 1",
	  "4000 clock r2 2",
	  "4000 clock r3 -3600000",
	  "6000 clock b1 0",
	  "6000 clock r1 1",
	  "6000 clock r2 2",
	  "6000 clock r3 -3600000",
	  "8000 -",
	  "8000 clock b1 0",
	  "8000 clock r1 1",
	  "8000 clock r2 2",
	  "8000 clock r3 3",
	  "8200 = r1 r2 r3 | b1",
	  "8200 logs The clock of r3 agrees"}},
	{"a wrong clock is tolerated in the table if the blocks agree",
	 {.readouts = 3},
	 {"0 + r1 r2 r3 b1", "1100 = r1 r2 r3 | b1", "1900 rate 100", "2000 clock b1 0",
	  "2000 clock r1 0 100", "2000 clock r2 0 102", "2000 clock r3 3600000 104",
	  "3300 clock r1 0 230", "3300 clock r2 0 232", "3300 clock r3 3600000 234",
	  "3300 clock b1 0", "6000 -"}},
	{"three seconds ahead with a clock that is as wrong",
	 {.readouts = 3},
	 {"0 + r1 r2 r3 b1",
	  "1100 = r1 r2 r3 | b1",
	  "1900 rate 100",
	  "2000 clock b1 0",
	  "2000 clock r1 0 100",
	  "2000 clock r2 0 102",
	  "2000 clock r3 3000 400",
	  "3300 clock b1 0",
	  "3300 clock r1 0 230",
	  "3300 clock r2 0 232",
	  "3300 clock r3 3000 530",
	  "3500 = r1 r2 | b1",
	  "4000 clock b1 0",
	  "4000 clock r1 0 300",
	  "4000 clock r2 0 302",
	  "4000 clock r3 3000 530",
	  "5500 -",
	  "5600 clock b1 0",
	  "5600 clock r1 0 600",
	  "5600 clock r2 0 602",
	  "5600 clock r3 0 530",
	  "5610 clock r3 0 530",
	  "5620 clock r3 0 530",
	  "5630 clock r3 0 530",
	  "5900 = r1 r2 r3 | b1"}},
	{"two clocks have no majority",
	 {0},
	 {"0 + rb1 rb2", "1100 = rb1 rb2 | rb1 rb2", "2000 clock rb1 0", "2000 clock rb2 5000",
	  "2200 logs The clocks of the nodes differ by 5.0 s, and no majority", "4000 -"}},
	{"an excluded readout unit still builds blocks",
	 {.readouts = 3},
	 {"0 + rb1 rb2 rb3", "1100 = rb1 rb2 rb3 | rb1 rb2 rb3", "1900 rate 100", "2000 rb1 100",
	  "2000 rb2 102", "2000 rb3 360100", "3200 rb1 220", "3200 rb2 222", "3200 rb3 360220",
	  "3500 = rb1 rb2 | rb1 rb2 rb3"}},
	{"builders report blocks that are too early",
	 {.readouts = 3, NO_GRACE},
	 {"0 + r1 r2 r3 b1 b2", "1100 = r1 r2 r3 | b1 b2", "1900 rate 100", "2000 r1 100",
	  "2000 r2 102", "2000 r3 250", "2100 b1 0 r3:9<", "2100 b2 0 r3:9<",
	  "2400 = r1 r2 | b1 b2", "2400 logs r3 is excluded for 5.0 s",
	  "2400 logs its blocks arrive too early"}},
	{"blocks reported as too early from a unit that does not deviate",
	 {.readouts = 3, NO_GRACE},
	 {"0 + r1 r2 r3 b1 b2", "1100 = r1 r2 r3 | b1 b2", "1900 rate 100", "2000 r1 100",
	  "2000 r2 102", "2000 r3 104", "2100 b1 0 r3:9<", "2100 b2 0 r3:9<", "3000 -"}},
	{"a full builder keeps a small weight",
	 {.policy = ROC_EVB_LEAST_LOADED},
	 {"0 + r1 b1 b2", "1100 = r1 | b1:1000 b2:1000", "2500 free b1 4000000", "2500 free b2 0",
	  "2700 = r1 | b1:1000 b2:50"}},
};

static struct roc_evb_manager *m;
static struct roc_evb_table table;
static bool fresh; /* the newest table has not been checked yet */
static char messages[4096];
static uint64_t rate, epoch; /* in later reports */

static uint64_t incarnation(const char *word)
{
	return strchr(word, '\'') ? 2 : 1;
}

static void member(struct roc_evb_member *one, const char *word)
{
	size_t length = strcspn(word, "'/");
	const char *peers = strchr(word, '/');

	memset(one, 0, sizeof(*one));
	memcpy(one->name, word, length);
	one->incarnation = incarnation(word);
	one->roles = (strchr(one->name, 'r') ? ROC_EVB_READOUT : 0) |
		     (strchr(one->name, 'b') ? ROC_EVB_BUILDER : 0);
	one->peers = peers ? (uint32_t)atoi(peers + 1) : 0;
}

/* Report for each new readout unit that it has packed nothing: the manager waits for a report. */
static void first_reports(const struct roc_evb_member *all, unsigned int count, uint64_t now)
{
	static struct roc_evb_member before[16];
	unsigned int i, k;

	for (i = 0; i < count; i++) {
		struct roc_evb_report r = {.incarnation = all[i].incarnation};

		for (k = 0; k < 16; k++) {
			if (!strcmp(before[k].name, all[i].name) &&
			    before[k].incarnation == all[i].incarnation)
				break;
		}
		if (k == 16 && all[i].roles & ROC_EVB_READOUT)
			roc_evb_manager_report(m, all[i].name, &r, now);
	}
	memset(before, 0, sizeof(before));
	if (count)
		memcpy(before, all, count * sizeof(*all));
}

static void members(char *words, uint64_t now)
{
	static struct roc_evb_member all[16];
	unsigned int count = 0;
	char *word;

	while ((word = strsep(&words, " "))) {
		if (*word)
			member(&all[count++], word);
	}
	roc_evb_manager_members(m, all, count, now);
	first_reports(all, count, now);
}

static void report(const char *name, char *words, uint64_t now, uint64_t clock)
{
	struct roc_evb_report r = {
		.incarnation = incarnation(name),
		.clock_ns = clock,
		.newest_block = strtoull(words, &words, 10),
		.blocks_per_s = rate,
		.epoch = epoch,
		.all_segments = 1000,
		.free_segments = 1000,
	};
	char *word, node[32];

	r.has_newest = r.newest_block;
	while ((word = strsep(&words, " "))) {
		struct roc_evb_suspect *s = &r.suspects[r.suspect_count];
		char *colon = strchr(word, ':');

		if (!colon)
			continue;
		*colon = '\0';
		snprintf(s->name, sizeof(s->name), "%.*s", (int)strcspn(word, "'"), word);
		s->incarnation = incarnation(word);
		s->gone = colon[1] == '-';
		s->protocol_error = colon[1] == '!';
		s->early = strchr(colon + 1, '<');
		s->stale = isdigit(colon[1]) ? (uint32_t)atoi(colon + 1) : 0;
		r.suspect_count++;
	}
	snprintf(node, sizeof(node), "%.*s", (int)strcspn(name, "'"), name);
	roc_evb_manager_report(m, node, &r, now);
}

/* Write the table in the syntax of a situation, optionally with weights. */
static void format_table(char *text, size_t size, bool weights)
{
	unsigned int i;
	FILE *out = fmemopen(text, size, "w");

	for (i = 0; i < table.ru_count; i++)
		fprintf(out, "%s%s ", table.rus[i].name, table.rus[i].incarnation > 1 ? "'" : "");
	fprintf(out, "|");
	for (i = 0; i < table.bu_count; i++) {
		fprintf(out, " %s", table.bus[i].name);
		if (weights)
			fprintf(out, ":%u", table.bus[i].weight);
	}
	fclose(out);
}

static const char *check_line(const char *what)
{
	static char text[256];
	unsigned long long low, high;

	if (!strcmp(what, "-")) {
		if (!fresh)
			return NULL;
		format_table(text, sizeof(text), false);
		return text;
	}
	if (what[0] == '=') {
		format_table(text, sizeof(text), strchr(what, ':'));
		what += strspn(what, "= ");
		if (!fresh)
			return "no new table";
		fresh = false;
		return strcmp(what, text) ? text : NULL;
	}
	if (sscanf(what, "from %llu %llu", &low, &high) == 2) {
		snprintf(text, sizeof(text), "from %" PRIu64, table.from_block);
		return table.from_block < low || table.from_block > high ? text : NULL;
	}
	return strstr(messages, what + strlen("logs ")) ? NULL : messages;
}

/* Run one line. Return what differs from its check, or NULL. */
static const char *run_line(const char *line, uint64_t now)
{
	char copy[256], name[32];
	unsigned int free_segments, built;
	long long ahead;
	int at = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	if (!strchr("-=", copy[0]) && strncmp(copy, "logs", 4) && strncmp(copy, "from", 4))
		messages[0] = '\0';
	if (copy[0] == '+') {
		members(copy + 1, now);
	} else if (sscanf(copy, "rate %" SCNu64, &rate) == 1) {
		;
	} else if (sscanf(copy, "epoch %" SCNu64, &epoch) == 1) {
		;
	} else if (sscanf(copy, "clock %31s %lld%n", name, &ahead, &at) == 2) {
		report(name, copy + at, now, (uint64_t)(CLOCK_MS + ahead) * MS + now);
	} else if (sscanf(copy, "built %31s %u", name, &built) == 2) {
		struct roc_evb_report r = {.incarnation = incarnation(name),
					   .has_built = true,
					   .built_block = built,
					   .all_segments = 1,
					   .free_segments = 1};

		name[strcspn(name, "'")] = '\0';
		roc_evb_manager_report(m, name, &r, now);
	} else if (sscanf(copy, "free %31s %u", name, &free_segments) == 2) {
		struct roc_evb_report r = {
			.incarnation = 1, .free_segments = free_segments, .all_segments = 1000};

		roc_evb_manager_report(m, name, &r, now);
	} else if (sscanf(copy, "%31s %n", name, &at) == 1 && isdigit(copy[at]) &&
		   strcmp(name, "from")) {
		report(name, copy + at, now, 0);
	} else {
		return check_line(copy);
	}
	return NULL;
}

static void step(uint64_t now)
{
	static struct roc_evb_table next;
	const char *message;
	char reason[ROC_EVB_REASON];

	if (roc_evb_manager_step(m, 7, now, &next) == 1) {
		UNIT_EQ(next.term, 7);
		UNIT_EQ(next.epoch, table.epoch + 1);
		UNIT_EQ(roc_evb_table_check(&next, reason), 0);
		table = next;
		fresh = true;
		roc_evb_manager_adopt(m, &table);
	}
	while ((message = roc_evb_manager_message(m)))
		snprintf(messages + strlen(messages), sizeof(messages) - strlen(messages), "%s\n",
			 message);
}

static void run(const struct situation *s)
{
	uint64_t now = 0;
	unsigned int i;

	memset(&table, 0, sizeof(table));
	messages[0] = '\0';
	fresh = false;
	rate = epoch = 0;
	first_reports(NULL, 0, 0);
	UNIT_NEED(!roc_evb_manager_new(&s->cfg, &m));
	for (i = 0; i < LINES && s->lines[i]; i++) {
		char *rest;
		uint64_t at = strtoull(s->lines[i], &rest, 10) * MS;
		const char *error;

		/* Start the manager's clock above 0. */
		for (; now < at; now += 100 * MS)
			step(now + 1000 * MS);
		error = run_line(rest + 1, at + 1000 * MS);
		if (error)
			unit_note("%s: %s: %s", s->name, s->lines[i], error);
		CU_ASSERT_PTR_NULL(error);
	}
	if (fresh)
		unit_note("%s: unchecked table at the end", s->name);
	CU_ASSERT_FALSE(fresh);
	roc_evb_manager_free(m);
}

static void all_situations(void)
{
	size_t i;

	for (i = 0; i < sizeof(situations) / sizeof(situations[0]); i++)
		run(&situations[i]);
}

/* A new manager continues from the published table: it keeps it if possible, and its epochs. */
static void takeover(void)
{
	struct roc_evb_manager_config cfg = PAIRS;
	static struct roc_evb_table next;
	struct roc_evb_member all[4];
	static const char *const names[] = {"r1", "r2", "b1", "b2"};
	struct roc_evb_report r = {.incarnation = 1, .has_newest = true, .newest_block = 500};
	unsigned int i;

	run(&situations[0]);
	UNIT_NEED(!roc_evb_manager_new(&cfg, &m));
	roc_evb_manager_adopt(m, &table);
	for (i = 0; i < 4; i++)
		member(&all[i], names[i]);
	roc_evb_manager_members(m, all, 4, 1000 * MS);
	UNIT_EQ(roc_evb_manager_step(m, 9, 1100 * MS, &next), 0);
	/* A builder leaves. The new table waits for the first reports of all readout units. */
	roc_evb_manager_members(m, all, 3, 1200 * MS);
	UNIT_EQ(roc_evb_manager_step(m, 9, 1300 * MS, &next), 0);
	roc_evb_manager_report(m, "r1", &r, 1400 * MS);
	UNIT_EQ(roc_evb_manager_step(m, 9, 1500 * MS, &next), 0);
	roc_evb_manager_report(m, "r2", &r, 1600 * MS);
	UNIT_EQ(roc_evb_manager_step(m, 9, 1700 * MS, &next), 1);
	UNIT_EQ(next.term, 9);
	UNIT_EQ(next.epoch, table.epoch + 1);
	UNIT_EQ(next.bu_count, 1);
	UNIT_EQ(next.from_block, 564);
	/* That table may have been published: the next one has another epoch. */
	UNIT_EQ(roc_evb_manager_step(m, 9, 2000 * MS, &next), 1);
	UNIT_EQ(next.epoch, table.epoch + 2);
	roc_evb_manager_free(m);
}

static void too_many(void)
{
	enum {
		MANY = 2 * ROC_EVB_NODES_MAX
	};
	static struct roc_evb_member all[MANY + 1];
	struct roc_evb_manager_config cfg = {0};
	static struct roc_evb_table next;
	const char *message;
	unsigned int i;

	for (i = 0; i <= MANY; i++) {
		snprintf(all[i].name, sizeof(all[i].name), "n%04u", i);
		all[i].roles = i % 2 ? ROC_EVB_READOUT : ROC_EVB_READOUT | ROC_EVB_BUILDER;
	}
	UNIT_NEED(!roc_evb_manager_new(&cfg, &m));
	roc_evb_manager_members(m, all, MANY + 1, 1);
	message = roc_evb_manager_message(m);
	CU_ASSERT_TRUE(message && strstr(message, "n1024 is not admitted: there are already 1024"));
	UNIT_EQ(roc_evb_manager_step(m, 1, 2000 * MS, &next), 1);
	UNIT_EQ(next.ru_count, ROC_EVB_NODES_MAX);
	UNIT_EQ(next.bu_count, ROC_EVB_NODES_MAX);
	/* One node leaves, and another takes its entry. */
	roc_evb_manager_members(m, all + 1, MANY, 2001 * MS);
	UNIT_EQ(roc_evb_manager_state(m, "n1024"), ROC_EVB_STATE_IN);
	UNIT_EQ(roc_evb_manager_state(m, "n0000"), -ENOENT);
	roc_evb_manager_free(m);
}

/* The time of a step may be earlier than that of a report. */
static void report_newer_than_step(void)
{
	struct roc_evb_manager_config cfg = PAIRS;
	static struct roc_evb_table next;
	static const char *const names[] = {"r1", "r2", "b1", "b2"};
	struct roc_evb_member all[4];
	struct roc_evb_report r = {
		.incarnation = 1, .has_newest = true, .newest_block = 500, .blocks_per_s = 1000};
	unsigned int i;

	run(&situations[0]);
	UNIT_NEED(!roc_evb_manager_new(&cfg, &m));
	for (i = 0; i < 4; i++)
		member(&all[i], names[i]);
	roc_evb_manager_members(m, all, 4, 1001 * MS);
	UNIT_EQ(roc_evb_manager_step(m, 9, 1000 * MS, &next), 0);
	roc_evb_manager_adopt(m, &table);
	roc_evb_manager_report(m, "r1", &r, 3001 * MS);
	roc_evb_manager_members(m, all, 3, 3001 * MS);
	roc_evb_manager_report(m, "r2", &r, 3001 * MS);
	UNIT_EQ(roc_evb_manager_step(m, 9, 3000 * MS, &next), 1);
	UNIT_EQ(next.from_block, 800);
	roc_evb_manager_free(m);
}

/* Start with two readout units, two builders and the table of the first situation, at 1 s. */
static void with_table(struct roc_evb_member all[4])
{
	struct roc_evb_manager_config cfg = PAIRS;
	static const char *const names[] = {"r1", "r2", "b1", "b2"};
	static struct roc_evb_table next;
	unsigned int i;

	run(&situations[0]);
	UNIT_NEED(!roc_evb_manager_new(&cfg, &m));
	for (i = 0; i < 4; i++)
		member(&all[i], names[i]);
	roc_evb_manager_members(m, all, 4, 1000 * MS);
	roc_evb_manager_adopt(m, &table);
	UNIT_EQ(roc_evb_manager_step(m, 9, 1000 * MS, &next), 0);
}

static void both_report(uint64_t block, uint64_t blocks_per_s, uint64_t now)
{
	struct roc_evb_report r = {.incarnation = 1,
				   .has_newest = true,
				   .newest_block = block,
				   .blocks_per_s = blocks_per_s};

	roc_evb_manager_report(m, "r1", &r, now);
	roc_evb_manager_report(m, "r2", &r, now);
}

/* Remove b2 and return the first block of the new table. */
static uint64_t without_b2(struct roc_evb_member all[4], uint64_t now)
{
	static struct roc_evb_table next;

	roc_evb_manager_members(m, all, 3, now);
	UNIT_EQ(roc_evb_manager_step(m, 9, now, &next), 1);
	UNIT_EQ(next.bu_count, 1);
	roc_evb_manager_free(m);
	return next.from_block;
}

/*
 * A builder is stuck: the readout units stall for the last @stall ms before its exclusion, then
 * catch up at @times the usual rate of 1000 blocks per second. With @again there are bursts during
 * the stall. Return the lead of the next table in blocks.
 */
static uint64_t lead_after_stall(uint64_t stall, uint64_t times, bool again)
{
	struct roc_evb_member all[4];
	uint64_t ms, block = 0, before = 0, due;

	with_table(all);
	for (ms = 1000; ms < 12000; ms += 100) {
		due = ms;
		before = block;
		if (ms >= 11000 - stall && ms < 11000 && (!again || ms % 1000 >= 300))
			;
		else
			block = due - block > 100 * times ? block + 100 * times : due;
		both_report(block, 10 * (block - before), ms * MS);
		if (ms >= 11000 && block > before + 100)
			return without_b2(all, ms * MS + 50 * MS) - ms;
	}
	CU_FAIL("the readout units did not catch up");
	return 0;
}

/* The lead of a table follows the usual rate of readout units, not the rate of a burst. */
static void burst_after_stall(void)
{
	static const uint64_t stalls[] = {300, 1000, 3000};
	size_t i;

	for (i = 0; i < sizeof(stalls) / sizeof(stalls[0]); i++) {
		uint64_t lead = lead_after_stall(stalls[i], 8, false);

		/* The report is 50 ms old, the lead is 300 ms. */
		if (lead < 345 || lead > 355)
			unit_note("stall of %" PRIu64 " ms: %" PRIu64 " blocks ahead", stalls[i],
				  lead);
		CU_ASSERT_TRUE(lead >= 345 && lead <= 355);
	}
	/* Several stalls, with a burst between them. */
	i = lead_after_stall(4000, 8, true);
	CU_ASSERT_TRUE(i >= 345 && i <= 355);
}

/* A higher rate that lasts is the new usual rate. */
static void higher_rate(void)
{
	struct roc_evb_member all[4];
	uint64_t ms, block = 0;

	with_table(all);
	for (ms = 1000; ms < 8000; ms += 100)
		both_report(block += 10, 100, ms * MS);
	for (; ms < 11000; ms += 100)
		both_report(block += 1000, 10000, ms * MS);
	UNIT_EQ(without_b2(all, ms * MS), block + 4000);
}

static void invalid_policy(void)
{
	struct roc_evb_manager_config cfg = {.policy = 9};

	UNIT_EQ(roc_evb_manager_new(&cfg, &m), -EINVAL);
}

UNIT_MAIN("event building manager", {"situations", all_situations},
	  {"takeover by another manager", takeover},
	  {"report newer than the step", report_newer_than_step}, {"too many nodes", too_many},
	  {"burst after a stall", burst_after_stall}, {"higher rate", higher_rate},
	  {"invalid policy", invalid_policy})
