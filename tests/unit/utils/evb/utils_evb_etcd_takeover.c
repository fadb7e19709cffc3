// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a manager that takes over from a failed one, from the keys in etcd. The test supplies the
 * answers of etcd; no server runs.
 */
#include "unit.h"

#include <roc/evb_manager.h>

#include "libroc/fabric/base.h"
#include "utils/evb/etcd.h"

#define LEASE 5

static struct evb_coordinator c;

static struct json_object *kv(const char *key, struct json_object *value, uint64_t lease)
{
	struct json_object *o;

	o = etcd_put(key, json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), lease);
	json_object_object_add(o, "create_revision", json_object_new_string("7"));
	json_object_put(value);
	return o;
}

static struct json_object *member(const char *key, const char *name, uint32_t roles)
{
	struct roc_evb_member m = {.incarnation = 1, .roles = roles};

	strcpy(m.name, name);
	strcpy(m.host, "127.0.0.1");
	strcpy(m.port, "1");
	return kv(key, evb_member_record(&m), LEASE + 1);
}

/* The report of r1 with @rate blocks per second. */
static struct json_object *report(uint64_t block, uint64_t rate)
{
	struct roc_evb_report r = {
		.incarnation = 1, .has_newest = true, .newest_block = block, .blocks_per_s = rate};
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "report", evb_report_record(&r));
	json_object_object_add(o, "status", NULL);
	return kv("/roc-evb-reports/roc/r1", o, LEASE + 1);
}

static void deliver(enum etcd_place place, int result, struct json_object *answer)
{
	etcd_answer(c.self, place, result, answer, "");
	json_object_put(answer);
}

static struct json_object *listed(struct json_object *kvs)
{
	struct json_object *o = json_object_new_object(), *head = json_object_new_object();

	json_object_object_add(head, "revision", json_object_new_string("9"));
	json_object_object_add(o, "header", head);
	json_object_object_add(o, "kvs", kvs);
	return o;
}

/* The keys in etcd: the table has b9, which has left. */
static struct json_object *keys(bool ours)
{
	static struct roc_evb_table t;
	struct json_object *kvs = json_object_new_array(), *manager;

	t = (struct roc_evb_table){.term = 1,
				   .epoch = 3,
				   .ru_count = 1,
				   .bu_count = 2,
				   .rus = {{.name = "r1", .incarnation = 1}},
				   .bus = {{.name = "b1", .incarnation = 1, .weight = 1000},
					   {.name = "b9", .incarnation = 1, .weight = 1000}}};
	json_object_array_add(kvs, member("/roc-evb/roc/members/r1", "r1", ROC_EVB_READOUT));
	json_object_array_add(kvs, member("/roc-evb/roc/members/b1", "b1", ROC_EVB_BUILDER));
	json_object_array_add(kvs, kv("/roc-evb/roc/table", evb_table_record(&t), 0));
	if (ours) {
		manager = etcd_put("/roc-evb/roc/manager", "m1", LEASE);
		json_object_object_add(manager, "create_revision", json_object_new_string("7"));
		json_object_array_add(kvs, manager);
	}
	return listed(kvs);
}

static void takes_over(void)
{
	struct evb_coordinator_config cfg = {.text = "etcd:http://127.0.0.1:1",
					     .name = "m1",
					     .lease_ns = UINT64_C(20000000000),
					     .manager = {.readouts = 1, .builders = 1}};
	struct roc_evb_member me = {.name = "m1", .incarnation = 1, .roles = ROC_EVB_MANAGER};
	struct json_object *kvs = json_object_new_array(), *o, *line = json_object_new_object();
	const struct roc_evb_table *t;
	char reason[ROC_EVB_REASON] = "";
	struct etcd *e;
	uint64_t now;

	UNIT_EQ(evb_coordinator_open(&cfg, &c, reason), 0);
	UNIT_STR(reason, "");
	e = c.self;
	UNIT_EQ(c.ops->join(e, &me), 0);
	e->lease = LEASE;
	e->joined = true;
	e->step = STEP_LIST;
	deliver(ETCD_COMMAND, 0, keys(false));
	CU_ASSERT_FALSE(e->managing);
	e->step = STEP_LIST;
	deliver(ETCD_COMMAND, 0, keys(true));
	UNIT_NEED(e->managing);
	UNIT_EQ(e->view.table.epoch, 3);
	/* No node has reported yet. */
	CU_ASSERT_PTR_NULL(manage_step(&e->manage, fabric_now()));

	/*
	 * Reports may be one second old. The table begins 0.3 s ahead of the present block of r1.
	 */
	json_object_array_add(kvs, report(100000, 100000));
	deliver(ETCD_REPORT_LIST, 0, listed(kvs));
	now = fabric_now() + 100 * MS;
	t = manage_step(&e->manage, now);
	UNIT_NEED(t);
	UNIT_EQ(t->bu_count, 1);
	CU_ASSERT_TRUE(t->from_block >= 230000);

	/* A report from a watch is current. */
	o = json_object_new_object();
	json_object_object_add(o, "kv", report(200000, 0));
	kvs = json_object_new_array();
	json_object_array_add(kvs, o);
	o = json_object_new_object();
	json_object_object_add(o, "events", kvs);
	json_object_object_add(line, "result", o);
	deliver(ETCD_REPORTS, 1, line);
	t = manage_step(&e->manage, now + 300 * MS);
	UNIT_NEED(t);
	UNIT_EQ(t->from_block, 200064);
	evb_coordinator_close(&c);
}

UNIT_MAIN("event building: a manager takes over", {"from the keys in etcd", takes_over})
