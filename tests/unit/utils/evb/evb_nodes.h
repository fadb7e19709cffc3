/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that consist only of their coordinators, all in one thread: they join, receive news, report
 * and leave. Included after unit.h.
 */
#ifndef ROC_UNIT_EVB_NODES_H
#define ROC_UNIT_EVB_NODES_H

#include "port.h"

#include "libroc/fabric/base.h"
#include "utils/evb/coordinator.h"

#define NODES 8

struct node {
	struct evb_coordinator c;
	struct roc_evb_member me;
	struct roc_evb_member members[EVB_MEMBERS_MAX];
	unsigned int member_count;
	struct roc_evb_table table;
	uint64_t first_from; /* first block of the first table */
	bool open, lost, stopped, silent;
	unsigned int outs, losts, backs, tables;
	int ended; /* error that poll() returned */
	struct roc_evb_report report;
	uint64_t reported;
	char leader[256], lost_text[256], out_text[256];
};

static struct node nodes[NODES];
/*
 * Lease in etcd of nodes that are opened from now on. It is so long that no lease expires on a busy
 * machine, except where a test waits for that.
 */
#define LEASE_LONG UINT64_C(20000000000)
#define LEASE_SHORT UINT64_C(2000000000)
static uint64_t nodes_lease = LEASE_LONG;
static char sentences[32768]; /* log of all managers */
static char reason[ROC_EVB_REASON];

static void sentence(void *self, const char *text)
{
	snprintf(sentences + strlen(sentences), sizeof(sentences) - strlen(sentences), "%s\n",
		 text);
}

__attribute__((unused)) static bool logged(const char *text)
{
	if (strstr(sentences, text))
		return true;
	unit_note("missing: \"%s\", but: %s", text, sentences);
	return false;
}

/*
 * Open a node whose roles are the letters of its name (r, b, m): 0, or the error of the
 * coordinator.
 */
static int node_open(struct node *n, const char *name, const char *text)
{
	struct evb_coordinator_config cfg = {
		.text = text,
		.name = name,
		.lease_ns = nodes_lease,
		.manager = {.policy = ROC_EVB_BARREL_SHIFT,
			    .readouts = 1,
			    .settle_ns = 300000000,
			    .grace_ns = 1},
		.log = sentence,
	};
	static uint64_t incarnation = 100;
	int ret;

	memset(n, 0, sizeof(*n));
	ret = evb_coordinator_open(&cfg, &n->c, reason);
	if (ret)
		return ret;
	n->open = true;
	snprintf(n->me.name, sizeof(n->me.name), "%s", name);
	strcpy(n->me.host, "127.0.0.1");
	strcpy(n->me.port, "4711");
	n->me.incarnation = incarnation++;
	n->me.roles = (strchr(name, 'r') ? ROC_EVB_READOUT : 0) |
		      (strchr(name, 'b') ? ROC_EVB_BUILDER : 0) |
		      (strchr(name, 'm') ? ROC_EVB_MANAGER : 0);
	n->report.incarnation = n->me.incarnation;
	return n->c.ops->join(n->c.self, &n->me);
}

static void node_close(struct node *n)
{
	if (!n->open)
		return;
	n->c.ops->leave(n->c.self);
	evb_coordinator_close(&n->c);
	n->open = false;
}

static void node_turn(struct node *n)
{
	struct roc_evb_news news;
	int ret;

	while ((ret = n->c.ops->poll(n->c.self, &news)) == 1) {
		switch (news.what) {
		case ROC_EVB_MEMBERS:
			memcpy(n->members, news.members, news.member_count * sizeof(*news.members));
			n->member_count = news.member_count;
			break;
		case ROC_EVB_TABLE:
			CU_ASSERT_TRUE(news.table->epoch > n->table.epoch);
			if (!n->tables++)
				n->first_from = news.table->from_block;
			n->table = *news.table;
			break;
		case ROC_EVB_LEADER:
			snprintf(n->leader, sizeof(n->leader), "%s", news.text);
			break;
		case ROC_EVB_LOST:
			n->losts++;
			n->lost = true;
			snprintf(n->lost_text, sizeof(n->lost_text), "%s", news.text);
			break;
		case ROC_EVB_BACK:
			n->backs++;
			n->lost = false;
			break;
		case ROC_EVB_OUT:
			n->outs++;
			/* The engine drops its tables, so the next one may have any epoch. */
			n->table.epoch = 0;
			snprintf(n->out_text, sizeof(n->out_text), "%s",
				 news.text ? news.text : "");
			n->me.incarnation += 1000;
			n->report.incarnation = n->me.incarnation;
			n->c.ops->join(n->c.self, &n->me);
			break;
		}
	}
	if (ret < 0)
		n->ended = ret;
	if (fabric_now() - n->reported > 100000000 && !n->silent) {
		n->reported = fabric_now();
		n->report.epoch = n->table.epoch;
		n->c.ops->report(n->c.self, &n->report);
	}
}

static bool turn(void)
{
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		if (nodes[i].open && !nodes[i].stopped && !nodes[i].ended)
			node_turn(&nodes[i]);
	}
	return true;
}

/* Run all nodes until the condition is true. */
#define TURN_UNTIL(condition, ms) UNIT_WAIT(turn() && (condition), ms)
#define TURN_WHILE(condition, ms) UNIT_STAYS(turn() && (condition), ms)

/* Whether the table of the node is @expected, as in "r1 | b1". */
static bool table_is(const struct node *n, const char *expected)
{
	static char text[512];
	unsigned int i;
	FILE *out = fmemopen(text, sizeof(text), "w");

	for (i = 0; i < n->table.ru_count; i++)
		fprintf(out, "%s ", n->table.rus[i].name);
	fprintf(out, "|");
	for (i = 0; i < n->table.bu_count; i++)
		fprintf(out, " %s", n->table.bus[i].name);
	fclose(out);
	return !strcmp(text, expected);
}

/* Whether all open nodes have this table. */
__attribute__((unused)) static bool all_have(const char *table)
{
	unsigned int i;

	for (i = 0; i < NODES; i++) {
		if (nodes[i].open && !nodes[i].stopped && !nodes[i].ended &&
		    !table_is(&nodes[i], table))
			return false;
	}
	return true;
}

static void close_all(void)
{
	unsigned int i;

	for (i = NODES; i-- > 0;)
		node_close(&nodes[i]);
	sentences[0] = '\0';
}

#endif
