// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the coordinator etcd:URL with a real etcd: nodes that join and leave, two managers, two
 * nodes of one name, etcd restarted while nodes report, and etcd with lost data.
 */
#include "unit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "utils/evb/coordinator.h"

#include "tests/unit/utils/evb/etcd_run.h"
#include "tests/unit/utils/evb/evb_nodes.h"

/* Open all nodes except the manager, which is open. */
static void open_others(void)
{
	static const char *const names[] = {"r1", "r2", "b1", "b2"};
	unsigned int i;

	for (i = 0; i < 4; i++)
		UNIT_EQ(node_open(&nodes[i + 1], names[i], etcd_text), 0);
}

static void open_all(void)
{
	UNIT_EQ(node_open(&nodes[0], "m1", etcd_text), 0);
	open_others();
}

static unsigned int sum_outs(void)
{
	unsigned int i, sum = 0;

	for (i = 0; i < NODES; i++)
		sum += nodes[i].outs;
	return sum;
}

static bool all_were_out_but(int but)
{
	int i;

	for (i = 0; i < NODES; i++) {
		if (nodes[i].open && !nodes[i].outs && i != but)
			return false;
	}
	return true;
}

static bool all_were_out(void)
{
	return all_were_out_but(-1);
}

static bool all_lost(bool lost)
{
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		if (nodes[i].open && nodes[i].lost != lost)
			return false;
	}
	return true;
}

/* Whether the manager has the clocks of all @count readout units, and they agree. */
static bool clocks_are_known(unsigned int count)
{
	struct roc_evb_unit units[NODES];
	unsigned int i, n = evb_coordinator_units(&nodes[0].c, units, NODES);

	for (i = 0; i < n; i++) {
		if (!units[i].clock_known || llabs(units[i].clock_ahead_ns) > 1000000000)
			return false;
	}
	return n == count;
}

static void come_and_go(void)
{
	double left;

	if (!etcd_started(true))
		return;
	open_all();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	UNIT_EQ(nodes[1].table.policy, ROC_EVB_BARREL_SHIFT);
	UNIT_EQ(nodes[4].member_count, 5);
	CU_ASSERT_TRUE(TURN_UNTIL(!strcmp(nodes[2].leader, "m1 is the manager."), 6000));

	CU_ASSERT_TRUE(TURN_UNTIL(clocks_are_known(2), 6000));
	UNIT_EQ(evb_coordinator_units(&nodes[1].c, NULL, 0), 0);

	/* Two nodes report b1 as suspect: the manager must receive the reports. */
	nodes[1].report.suspect_count = 1;
	strcpy(nodes[1].report.suspects[0].name, "b1");
	nodes[1].report.suspects[0].incarnation = nodes[3].me.incarnation;
	nodes[1].report.suspects[0].protocol_error = true;
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b2"), 6000));
	CU_ASSERT_TRUE(logged("b1 is excluded"));
	nodes[1].report.suspect_count = 0;

	/* A node that leaves is removed before its lease expires. */
	left = unit_seconds();
	node_close(&nodes[2]);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 | b2"), 6000));
	CU_ASSERT_TRUE(unit_seconds() - left < LEASE_LONG / 1e9 / 2);
	close_all();
}

/* The manager continues from the table of an earlier run, but no node uses that table. */
static void second_run(void)
{
	unsigned int tables;

	open_all();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	nodes[1].report.has_newest = nodes[2].report.has_newest = true;
	nodes[1].report.newest_block = nodes[2].report.newest_block = 5000000;
	/* The manager should receive both reports before a node leaves. */
	tables = nodes[1].tables;
	CU_ASSERT_TRUE(TURN_WHILE(nodes[1].tables == tables, 1300));
	node_close(&nodes[4]);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1"), 6000));
	/* On a busy machine the reports may be late: then a later table uses them. */
	while (nodes[1].table.from_block != 5000064 && tables++ < 6) {
		UNIT_EQ(node_open(&nodes[4], "b2", etcd_text), 0);
		CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
		node_close(&nodes[4]);
		CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1"), 6000));
	}
	UNIT_EQ(nodes[1].table.from_block, 5000064);
	close_all();

	open_all();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	UNIT_EQ(nodes[1].first_from, 0);
	UNIT_EQ(nodes[3].first_from, 0);
	UNIT_EQ(nodes[1].table.from_block, 0);
	CU_ASSERT_TRUE(nodes[1].table.epoch > 2);
	close_all();
}

/*
 * The first manager is stopped for longer than its lease, and does not detect it. The second one
 * starts while the first one leads. If the lease of the first one expires earlier, the result is
 * the same.
 */
static void two_managers(void)
{
	unsigned int outs;
	uint64_t term;

	nodes_lease = LEASE_SHORT;
	UNIT_EQ(node_open(&nodes[0], "m1", etcd_text), 0);
	nodes_lease = LEASE_LONG;
	open_others();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	CU_ASSERT_TRUE(TURN_UNTIL(!strcmp(nodes[1].leader, "m1 is the manager."), 6000));
	term = nodes[1].table.term;
	outs = nodes[0].outs;
	UNIT_EQ(node_open(&nodes[5], "m2", etcd_text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[5].leader[0], 6000));
	nodes[0].stopped = true;
	CU_ASSERT_TRUE(TURN_UNTIL(!strcmp(nodes[1].leader, "m2 is the manager."), 8000));
	node_close(&nodes[4]);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1"), 6000));
	CU_ASSERT_TRUE(nodes[1].table.term > term);
	nodes[0].stopped = false;
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].outs > outs && all_have("r1 r2 | b1"), 6000));
	CU_ASSERT_TRUE(TURN_UNTIL(!strcmp(nodes[0].leader, "m2 is the manager."), 6000));
	CU_ASSERT_TRUE(logged("Node m1 is no longer the manager"));
	close_all();
}

static void restarted(void)
{
	uint64_t epoch;

	open_all();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	epoch = nodes[1].table.epoch;
	etcd_end(SIGKILL);
	CU_ASSERT_TRUE(TURN_UNTIL(all_lost(true), 4000));
	CU_ASSERT_TRUE(all_have("r1 r2 | b1 b2"));
	if (!etcd_start(false))
		return;
	CU_ASSERT_TRUE(TURN_UNTIL(all_lost(false), 15000));
	/* The leases survived: no node had to join again, and the manager decided nothing. */
	UNIT_EQ(sum_outs(), 0);
	UNIT_EQ(nodes[1].table.epoch, epoch);
	/* A loss of contact is reported once, not for each attempt. */
	UNIT_EQ(nodes[1].losts, nodes[1].backs);
	node_close(&nodes[4]);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1"), 6000));
	close_all();
}

static void all_lost_there(void)
{
	uint64_t epoch;

	nodes_lease = LEASE_SHORT;
	open_all();
	nodes_lease = LEASE_LONG;
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	epoch = nodes[1].table.epoch;
	etcd_end(SIGKILL);
	CU_ASSERT_TRUE(TURN_UNTIL(all_lost(true), 4000));
	if (!etcd_start(true))
		return;
	CU_ASSERT_TRUE(TURN_UNTIL(all_were_out(), 15000));
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[1].table.epoch > epoch && all_have("r1 r2 | b1 b2") &&
					  all_lost(false),
				  8000));
	close_all();
}

/* Whether all nodes have this table, and received it after they joined again. */
static bool all_have_anew(const char *table)
{
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		if (nodes[i].open && !nodes[i].table.epoch)
			return false;
	}
	return all_have(table);
}

/*
 * etcd loses its data, and the manager is a new process without a table. Its term and its epochs
 * are lower than those of the nodes.
 */
static void new_manager_after_loss(void)
{
	unsigned int i, refused = 0;
	uint64_t term, epoch;

	etcd_end(SIGKILL);
	if (!etcd_started(true))
		return;
	open_others();
	for (i = 0; i < 200; i++)
		etcd_put_raw("/other", "1");
	UNIT_EQ(node_open(&nodes[0], "m1", etcd_text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	term = nodes[1].table.term;
	epoch = nodes[1].table.epoch;
	etcd_end(SIGKILL);
	CU_ASSERT_TRUE(TURN_UNTIL(all_lost(true), 4000));
	node_close(&nodes[0]);
	if (!etcd_start(true))
		return;
	UNIT_EQ(node_open(&nodes[0], "m1", etcd_text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(all_were_out_but(0), 15000));
	CU_ASSERT_TRUE(TURN_UNTIL(all_have_anew("r1 r2 | b1 b2") && all_lost(false), 8000));
	CU_ASSERT_TRUE(nodes[1].table.term < term);
	for (i = 0; i < NODES; i++)
		refused += nodes[i].open ? nodes[i].c.view->refused : 0;
	unit_note("term %" PRIu64 " epoch %" PRIu64 ", then term %" PRIu64 " epoch %" PRIu64
		  "; %u tables refused",
		  term, epoch, nodes[1].table.term, nodes[1].table.epoch, refused);
	close_all();
}

/*
 * etcd with an older copy of its data, in which the leases of nodes exist: only the table shows it.
 */
static void older_copy(void)
{
	struct json_object *o;
	struct roc_evb_table old;
	unsigned int i, refused = 0;
	uint64_t term;

	open_all();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	term = nodes[1].table.term;
	old = nodes[1].table;
	old.term--;
	o = evb_table_record(&old);
	node_close(&nodes[0]);
	etcd_put_raw("/roc-evb/roc/table",
		     json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
	CU_ASSERT_TRUE(TURN_UNTIL(all_were_out_but(0), 6000));
	CU_ASSERT_PTR_NOT_NULL(strstr(nodes[1].out_text, "older than"));
	for (i = 0; i < NODES; i++)
		refused += nodes[i].open ? nodes[i].c.view->refused : 0;
	UNIT_EQ(refused, 4);
	UNIT_EQ(node_open(&nodes[0], "m1", etcd_text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have_anew("r1 r2 | b1 b2"), 8000));
	CU_ASSERT_TRUE(nodes[1].table.term > term);
	close_all();
}

static void two_of_a_name(void)
{
	open_all();
	node_close(&nodes[4]);
	nodes_lease = LEASE_SHORT;
	UNIT_EQ(node_open(&nodes[4], "b2", etcd_text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	UNIT_EQ(node_open(&nodes[5], "r1", etcd_text), 0);
	nodes_lease = LEASE_LONG;
	/* A node that was restarted before its lease expired is admitted after that. */
	UNIT_EQ(node_open(&nodes[6], "b2", etcd_text), 0);
	nodes[4].stopped = true;
	CU_ASSERT_TRUE(
		TURN_UNTIL(nodes[5].ended && table_is(&nodes[1], "r1 r2 | b1 b2") &&
				   nodes[1].table.bus[1].incarnation == nodes[6].me.incarnation,
			   12000));
	UNIT_EQ(nodes[5].ended, -EEXIST);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(nodes[5].c.ops->reason(nodes[5].c.self), "The name r1 is already in use"));
	UNIT_EQ(nodes[1].outs, 0);
	close_all();
	etcd_end(SIGKILL);
}

UNIT_MAIN("event building: etcd", {"nodes join and leave", come_and_go},
	  {"a second run", second_run}, {"two managers", two_managers},
	  {"restart while nodes report", restarted}, {"lost data", all_lost_there},
	  {"lost data and a new manager", new_manager_after_loss},
	  {"an older copy of its data", older_copy}, {"two nodes of one name", two_of_a_name})
